"""Numbers of suggestions, from the store's outcomes. Pure.

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

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil
from typing import NamedTuple, TypeVar

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
        confidence: As it was then, 0 to 1.
        decision: "accepted" or "rejected"; None when it was ignored.
        stood: After 60 s, whether the accepted text was still there; None when that is not known.
    """

    time: int
    language: str
    model: str
    confidence: float
    decision: str | None = None
    stood: bool | None = None


class Counts(NamedTuple):
    """Numbers of suggestions shown, and of each decision."""

    shown: int = 0
    accepted: int = 0
    rejected: int = 0
    kept: int = 0
    changed: int = 0

    @property
    def ignored(self) -> int:
        """Count the suggestions that were neither accepted nor rejected."""
        return self.shown - self.decided

    @property
    def decided(self) -> int:
        """Count the suggestions that were accepted or rejected."""
        return self.accepted + self.rejected

    @property
    def followed(self) -> int:
        """Count the accepted suggestions that are known to be kept or changed after 60 s."""
        return self.kept + self.changed

    @classmethod
    def of(cls, ones: Sequence[Suggested]) -> "Counts":
        """Count them."""
        decisions, stood = ([getattr(one, name) for one in ones] for name in ("decision", "stood"))
        decided = decisions.count("accepted"), decisions.count("rejected")
        return cls(len(ones), *decided, stood.count(True), stood.count(False))


class Bin(NamedTuple):
    """The suggestions of one tenth of confidence, from `low` up.

    `confidence` is the mean of those that were shown; None without any.
    """

    low: float
    confidence: float | None
    counts: Counts


class Usage(NamedTuple):
    """Counts of all suggestions, in several groups.

    Attributes:
        first: When the first one was shown; None without any.
        days: The last `DAYS` days, oldest first, those without suggestions included.
        languages: By language, the most often suggested first.
        models: By model, the most recent first.
        bins: The `BINS` bins of confidence, lowest first.
    """

    total: Counts
    first: date | None
    days: list[tuple[date, Counts]]
    languages: list[tuple[str, Counts]]
    models: list[tuple[str, Counts]]
    bins: list[Bin]


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
    by_day = _grouped(ones, lambda one: datetime.fromtimestamp(one.time / 1000).date())
    by_language = _grouped(ones, lambda one: one.language)
    by_model = _grouped(reversed(ones), lambda one: one.model)
    probable = (one for one in ones if one.model not in baselines)
    by_bin = _grouped(probable, lambda one: bin_of(one.confidence))
    days = [today - timedelta(days=ago) for ago in reversed(range(DAYS))]
    languages = sorted(by_language, key=lambda name: (-len(by_language[name]), name))
    bins = []
    for number in range(BINS):
        inside = by_bin[number]
        mean = sum(one.confidence for one in inside) / len(inside) if inside else None
        bins.append(Bin(number / BINS, mean, Counts.of(inside)))
    return Usage(
        total=Counts.of(ones),
        first=min(by_day, default=None),
        days=[(day, Counts.of(by_day.get(day, ()))) for day in days],
        languages=[(name, Counts.of(by_language[name])) for name in languages],
        models=[(name, Counts.of(own)) for name, own in by_model.items()],
        bins=bins,
    )


def suggestions(outcomes: Iterable[Outcome]) -> list[Suggested]:
    """List the suggestions of these outcomes, in the order in which they begin."""
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
        if outcome.what in ("accepted", "rejected"):
            one.decision = outcome.what
        elif outcome.what != "shown":
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
    """Return the number of the bin of a confidence."""
    return min(max(int(confidence * BINS), 0), BINS - 1)


def interval(hits: int, of: int) -> tuple[float, float]:
    """Return the Wilson's 95 % interval of a share, 0 to 1; of nothing, it is all of that.

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
    """Return the least value that so large a share of them does not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, ceil(share * len(ordered)) - 1)]


def _grouped(
    ones: Iterable[Suggested], key: Callable[[Suggested], _Key]
) -> defaultdict[_Key, list[Suggested]]:
    groups: defaultdict[_Key, list[Suggested]] = defaultdict(list)
    for one in ones:
        groups[key(one)].append(one)
    return groups
