"""The report: an HTML page on the outcomes of suggestions, from this machine's data alone.

The page is self-contained: it has no scripts, pictures or fonts. It uses VS Code's colours if its
custom properties are defined, and otherwise the browser's light or dark scheme.

The store has one row for each outcome of a suggestion: shown, passed (over), accepted, rejected,
kept, changed. The statistics count suggestions, so the rows of each suggestion are grouped first.
Ids start at 1 in each run of the server and are therefore not unique: the same file may have a
suggestion 5 today and yesterday. Rows belong to the same suggestion if

- they have the same id, path and model,
- each follows the previous one within an hour, and
- they form a possible sequence: shown at most once, then accepted or rejected at most once, and
  after an accept kept or changed at most once.

Any other row begins a new suggestion. A suggestion that was accepted or rejected without a row
`shown` (from a menu, for example) counts as shown. A row `kept` or `changed` without an earlier
accept, which the store may have deleted, is ignored.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from editcast_model.errors import BundleError, ReportError, StoreError
from editcast_model.private_files import write_lines
from editcast_model.wording import counted
from editcast_server.prediction.policy import default_threshold, measured_precision
from editcast_store.saves import Outcome, Store

# Jinja2 and the model's modules take a tenth of a second to import; the server starts without them.

#: The number of bins of confidence, of equal width.
BINS = 10
#: The number of days in `Usage.days`, including today.
DAYS = 30

_LONGEST_MS = 3_600_000
_ORDER = {"shown": 0, "passed": 1, "accepted": 2, "rejected": 2, "kept": 3, "changed": 3}
_Key = TypeVar("_Key", str, int, date)
_TEMPLATE = Path(__file__).with_name("templates") / "usage.html"
_KINDS = {
    "commits": "commits, replayed hunk by hunk",
    "project-commits": "commits, replayed hunk by hunk with the project's other files",
    "saves": "real saves",
    "project-saves": "real saves, with the project's other files",
}


@dataclass(slots=True)
class Suggested:
    """One suggestion that the user saw."""

    time: int  # of its first outcome, in milliseconds since the epoch
    language: str
    model: str
    confidence: float  # at that time, 0 to 1
    decision: str | None = None  # "accepted" or "rejected"; None if it was ignored
    stood: bool | None = None  # whether the text was still there after 60 s; None if unknown


class Counts(NamedTuple):
    """The numbers of suggestions shown, and of each outcome."""

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
        """Count suggestions."""
        decisions, stood = ([getattr(one, name) for one in ones] for name in ("decision", "stood"))
        decided = decisions.count("accepted"), decisions.count("rejected")
        return cls(len(ones), *decided, stood.count(True), stood.count(False))


class Bin(NamedTuple):
    """The suggestions in one bin of confidence, which begins at `low`."""

    low: float
    confidence: float | None  # their mean; None without any
    counts: Counts


class Usage(NamedTuple):
    """Counts of all suggestions, in several groups."""

    total: Counts
    first: date | None  # of the first suggestion; None without any
    days: list[tuple[date, Counts]]  # the last `DAYS`, oldest first, also without suggestions
    languages: list[tuple[str, Counts]]  # the most frequent first
    models: list[tuple[str, Counts]]  # the most recent first
    bins: list[Bin]  # the `BINS` bins of confidence, lowest first


def usage(
    outcomes: Iterable[Outcome], today: date, baselines: Collection[str] = frozenset()
) -> Usage:
    """Compute the statistics of outcomes, in the order in which they were recorded.

    The last of the days is `today`, in local time. The models named as baselines are left out of
    the bins, since their confidence is not a probability.
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
    """Group outcomes into suggestions, in the order of their first outcomes."""
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
        elif outcome.what in ("kept", "changed"):
            one.stood = outcome.what == "kept"
    return found


def _goes_on(one: Suggested, last: Outcome, outcome: Outcome) -> bool:
    """Tell whether an outcome belongs to a suggestion."""
    if abs(outcome.time - last.time) > _LONGEST_MS:
        return False
    if outcome.what in ("kept", "changed") and one.decision != "accepted":
        return False
    return _ORDER[last.what] < _ORDER[outcome.what]


def bin_of(confidence: float) -> int:
    """Return the number of the bin of a confidence."""
    return min(max(int(confidence * BINS), 0), BINS - 1)


def interval(hits: int, of: int) -> tuple[float, float]:
    """Compute Wilson's 95 % interval of a share; it is 0 to 1 without data.

    The interval shows how little 1 of 1 says: anything from 21 % up.
    """
    if of == 0:
        return 0.0, 1.0
    z = 1.96
    share, spread = hits / of, z * z / of
    middle = share + spread / 2
    half = (spread * (share * (1 - share) + spread / 4)) ** 0.5
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


def _grouped(
    ones: Iterable[Suggested], key: Callable[[Suggested], _Key]
) -> defaultdict[_Key, list[Suggested]]:
    groups: defaultdict[_Key, list[Suggested]] = defaultdict(list)
    for one in ones:
        groups[key(one)].append(one)
    return groups


def usage_page(
    store_path: Path, model: str, bundle: Path | None, latencies: Sequence[float]
) -> str:
    """Render the page as text that UTF-8 can hold; reads the disk, not for an event loop.

    Args:
        store_path: The store; it need not be there yet, and is not made.
        model: The name of what forecasts now; empty for the name on the bundle's card.
        bundle: The folder of the model in use; None for a baseline, or while none is loaded yet.
        latencies: Milliseconds from asking to the answer, of predictions since the server
            started; empty when no server runs.
    """
    import jinja2
    import numpy as np

    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "of": _part_of,
        "share_of": lambda part, whole: f"of {whole:,} ({_share(part, whole)})",
        "percent": lambda share: _number(share, "{:.1f} %", 100),
        "number": lambda value: _number(value, "{:.1f}"),
        "count": lambda value: _number(value, "{:,}"),
        "counted": counted,
    }
    name, card = _card(bundle)
    if bundle is None and not model:
        card["problem"] = "The model is still being loaded; look again in a moment."
    shares = (50, 95) if latencies else ()
    page = environment.from_string(_TEMPLATE.read_text("utf-8")).render(
        _stored(store_path),
        model=model or name,
        card=card,
        bundle=bundle,
        interval=interval,
        count=len(latencies),
        latencies=[
            (f"p{share}", np.percentile(latencies, share, method="inverted_cdf"))
            for share in shares
        ],
        made=f"{datetime.now():%Y-%m-%d %H:%M}",
        bins=BINS,
    )
    # Names may contain surrogates, which UTF-8 cannot encode.
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


def write_page(page: str, path: Path) -> None:
    """Write a page atomically, readable by its owner only.

    Raises:
        ReportError: The page cannot be written.
    """
    try:
        write_lines(path, [page])
    except OSError as error:
        raise ReportError(
            f"The report cannot be written to {path} ({error.strerror or error}); name another "
            "file with --out."
        ) from error


def _stored(path: Path) -> dict[str, Any]:
    """Return the template's values from the store."""
    from editcast_model.forecasting.sources.repeated_edits import BASELINES

    found: dict[str, Any] = {"store": path, "size": None, "saves": 0, "files": 0, "problem": ""}
    outcomes = []
    if path.exists():
        try:
            with Store.open(path) as store:
                outcomes = store.outcomes()
                files = store.files()
                found["size"] = store.size()
                found["saves"], found["files"] = sum(file.saves for file in files), len(files)
                found["problem"] = " ".join(store.notices)
        except StoreError as error:
            found["problem"] = str(error)
    numbers = usage(outcomes, date.today(), BASELINES)
    tallest = max((counts.shown for _, counts in numbers.days), default=0)
    return found | {"usage": numbers, "tallest": tallest}


def _card(path: Path | None) -> tuple[str, dict[str, Any]]:
    """Return the model's name, and the template's values from its card."""
    shown: dict[str, Any] = {"facts": [], "suggestions": [], "tokens": [], "problem": ""}
    if path is None:
        problem = "No network is in use. Editcast repeats earlier edits."
        return "", shown | {"problem": problem}
    try:
        from editcast_model.bundle import Bundle

        bundle = Bundle.open(path)
    except (BundleError, ImportError, OSError) as error:
        return "", shown | {"problem": str(error)}
    card = bundle.card
    trained, calibration, created = card.trained_on, card.calibration, card.created
    facts = [
        ("made", f"{created:%Y-%m-%d %H:%M}" if created else None),
        ("fine-tuned from", card.base),
        ("trained on", trained.what),
        ("sources", f"{len(trained.sources):,}" if trained.sources else None),
        ("training edits", _number(trained.edits.get("train"), "{:,}")),
        ("parameters", _number(card.network.parameters, "{:,}")),
        ("calibrated on", _number(calibration.suggestions, "{:,} suggestions")),
        ("shown from", f"a confidence of {default_threshold(card):.2f}"),
        ("clean of these", _number(measured_precision(card), "{:.0f} %", 100)),
        ("licence", card.licence),
    ]
    return bundle.name, shown | {
        "facts": [(term, value) for term, value in facts if value not in (None, "", "–")],
        "suggestions": [(_KINDS.get(kind, kind), of) for kind, of in card.suggestions.items()],
        "tokens": list(card.tokens.items()),
    }


def _part_of(part: int, whole: int) -> str:
    """Format a share with both of its numbers."""
    return f"{part:,} of {whole:,} ({_share(part, whole)})" if whole else "–"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "not known yet"


def _number(value: float | None, how: str, times: int = 1) -> str:
    return "–" if value is None else how.format(value * times)
