"""What became of suggestions, from the store's outcomes to numbers. Pure.

The store has one line for each thing that happened to a suggestion: shown, accepted, rejected,
kept, changed. Numbers are of suggestions, so lines are first put together. A suggestion's id
counts up from 1 in each run of the server and says little by itself: the same file has a
suggestion 5 today and had one yesterday. So lines belong together when

- they have the same id, path and model,
- the next one comes at most an hour after the one before it, and
- together they are one life of a suggestion: shown at most once, then accepted or rejected at most
  once, and after an accept kept or changed at most once.

A line that does not fit begins a suggestion of its own. One that was accepted or rejected and has
no line `shown` (it was taken from a menu, say) counts as shown: somebody saw it. A line `kept` or
`changed` without an accept before it (the store lets go of what is old) counts as nothing.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil
from typing import Literal, TypeVar

from editcast_store.saves import Outcome

#: Confidence is looked at in so many bins of equal width.
BINS = 10
#: Days that `Usage.days` covers, today included.
DAYS = 30

_LONGEST_MS = 3_600_000
_ORDER = {"shown": 0, "accepted": 1, "rejected": 1, "kept": 2, "changed": 2}
_Key = TypeVar("_Key", str, int, date)


@dataclass(slots=True)
class Suggested:
    """One suggestion that the user saw.

    Attributes:
        time: When it was first heard of, in milliseconds since the epoch.
        language: The document's language id.
        model: The model's name.
        confidence: As it was then, 0 to 1.
        decision: What the user decided; None when it was ignored.
        stood: After 60 s, whether the accepted text was still there; None when that is not known.
    """

    time: int
    language: str
    model: str
    confidence: float
    decision: Literal["accepted", "rejected"] | None = None
    stood: bool | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many suggestions were shown, and what became of them."""

    shown: int = 0
    accepted: int = 0
    rejected: int = 0
    kept: int = 0
    changed: int = 0

    @property
    def ignored(self) -> int:
        """Shown, and neither accepted nor rejected."""
        return self.shown - self.decided

    @property
    def decided(self) -> int:
        """Accepted or rejected."""
        return self.accepted + self.rejected

    @property
    def followed(self) -> int:
        """Accepted, and known to be kept or changed after 60 s."""
        return self.kept + self.changed

    @classmethod
    def of(cls, suggestions: Iterable[Suggested]) -> "Counts":
        """Count them."""
        ones = list(suggestions)
        return cls(
            shown=len(ones),
            accepted=sum(one.decision == "accepted" for one in ones),
            rejected=sum(one.decision == "rejected" for one in ones),
            kept=sum(one.stood is True for one in ones),
            changed=sum(one.stood is False for one in ones),
        )


@dataclass(frozen=True, slots=True)
class Bin:
    """The suggestions of one tenth of confidence.

    Attributes:
        low: The least confidence in it; it ends below the next one's.
        confidence: The mean of those that were shown; None without any.
        counts: What became of them.
    """

    low: float
    confidence: float | None
    counts: Counts


@dataclass(frozen=True, slots=True)
class Usage:
    """What became of all suggestions.

    Attributes:
        total: Of all that the store has.
        first: When the first one was shown; None without any.
        days: The last `DAYS` days, oldest first, those without suggestions included.
        languages: By language, the most often suggested first.
        models: By model, the most recent first.
        bins: The `BINS` bins of confidence, lowest first.
    """

    total: Counts
    first: date | None
    days: tuple[tuple[date, Counts], ...]
    languages: tuple[tuple[str, Counts], ...]
    models: tuple[tuple[str, Counts], ...]
    bins: tuple[Bin, ...]


def usage(
    outcomes: Iterable[Outcome], today: date, baselines: Collection[str] = frozenset()
) -> Usage:
    """Count what the store has.

    Args:
        outcomes: In the order in which they were recorded.
        today: The last day of `Usage.days`; days are those of the local clock.
        baselines: Names of models whose confidence is no probability: not in `Usage.bins`.
    """
    ones = suggestions(outcomes)
    by_day = _grouped(ones, lambda one: _day(one.time))
    by_language = _grouped(ones, lambda one: one.language)
    by_model = _grouped(reversed(ones), lambda one: one.model)
    probable = (one for one in ones if one.model not in baselines)
    by_bin = _grouped(probable, lambda one: bin_of(one.confidence))
    days = [today - timedelta(days=ago) for ago in reversed(range(DAYS))]
    return Usage(
        total=Counts.of(ones),
        first=min(by_day, default=None),
        days=tuple((day, Counts.of(by_day.get(day, ()))) for day in days),
        languages=tuple(
            (language, Counts.of(own))
            for language, own in sorted(by_language.items(), key=lambda it: (-len(it[1]), it[0]))
        ),
        models=tuple((model, Counts.of(own)) for model, own in by_model.items()),
        bins=tuple(_bin(number, by_bin.get(number, ())) for number in range(BINS)),
    )


def suggestions(outcomes: Iterable[Outcome]) -> list[Suggested]:
    """The suggestions that outcomes tell of, in the order in which they were first heard of."""
    found: list[Suggested] = []
    lives: dict[tuple[str, str, str], tuple[Suggested, Outcome]] = {}
    for outcome in outcomes:
        if outcome.what not in _ORDER:  # a newer version's
            continue
        key = outcome.suggestion, outcome.path, outcome.model
        life = lives.get(key)
        if life and _goes_on(*life, outcome):
            one = life[0]
        elif outcome.what in ("kept", "changed"):
            continue
        else:
            one = Suggested(outcome.time, outcome.language, outcome.model, outcome.confidence)
            found.append(one)
        lives[key] = one, outcome
        match outcome.what:
            case "accepted":
                one.decision = "accepted"
            case "rejected":
                one.decision = "rejected"
            case "kept" | "changed":
                one.stood = outcome.what == "kept"
    return found


def _goes_on(one: Suggested, last: Outcome, outcome: Outcome) -> bool:
    """Tell whether an outcome is the next thing that happened to a suggestion."""
    if abs(outcome.time - last.time) > _LONGEST_MS:
        return False
    if outcome.what in ("kept", "changed") and one.decision != "accepted":
        return False
    return _ORDER[last.what] < _ORDER[outcome.what]


def bin_of(confidence: float) -> int:
    """The number of the bin of a confidence."""
    return min(max(int(confidence * BINS), 0), BINS - 1)


def interval(hits: int, of: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share, 0 to 1; of nothing, it is all of that.

    It is what keeps 1 of 1 from looking like 100 %: that is anything from 21 % up.
    """
    if of == 0:
        return 0.0, 1.0
    z = 1.96
    share, spread = hits / of, z * z / of
    middle = share + spread / 2
    half = (spread * (share * (1 - share) + spread / 4)) ** 0.5
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


def percentile(values: Sequence[float], share: float) -> float:
    """The least of the values that so large a share of them does not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, ceil(share * len(ordered)) - 1)]


def _grouped(
    ones: Iterable[Suggested], key: Callable[[Suggested], _Key]
) -> dict[_Key, list[Suggested]]:
    groups: dict[_Key, list[Suggested]] = {}
    for one in ones:
        groups.setdefault(key(one), []).append(one)
    return groups


def _bin(number: int, ones: Sequence[Suggested]) -> Bin:
    mean = sum(one.confidence for one in ones) / len(ones) if ones else None
    return Bin(number / BINS, mean, Counts.of(ones))


def _day(time_ms: int) -> date:
    return datetime.fromtimestamp(time_ms / 1000).date()
