"""`card.json` of a bundle: what the model is called, learned from, and is worth.

Every value that Editcast reads has a type and bounds here, checked once, where the bundle is
opened; what else is in the file is kept to be shown, and used for nothing. A card is read by the
server, by training and by the report, and may be anybody's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from editcast_model.checked import Between, Long, Matching, UnfitError, structure
from editcast_model.errors import BundleError
from editcast_model.plain_files import read_json

#: The version of cards that this Editcast writes; it reads those up to it.
VERSION = 2
#: The features that the ranker weighs; see `forecasting.ranker`.
RANKER_FEATURES = (
    "log_probability",
    "p_line",
    "strength",
    "times",
    "ago",
    "distance",
    "repeating",
)
#: What describes a continuation; see `forecasting.sources.continuation`.
CONTINUATION_FEATURES = (
    "log_share",
    "least_share",
    "places",
    "agreement",
    "own",
    "recent",
    "characters",
    "units",
    "in_word",
    "completes_word",
    "begins_line",
    "ends_line",
)
#: How many numbers describe a line.
LINE_FEATURES = 54
_WEIGHTS = 1 + len(RANKER_FEATURES)
_CONTINUATION_WEIGHTS = 1 + len(CONTINUATION_FEATURES)

_LARGEST = 1e6  # of a weight: sums of products of these stay finite
Count = Annotated[int, Between(0, 10**15)]
Share = Annotated[float, Between(0, 1)]
Percent = Annotated[float, Between(0, 100)]
Weight = Annotated[float, Between(-_LARGEST, _LARGEST)]
Weights = tuple[Weight, ...]
_OfSource = Annotated[Weights, Long(_WEIGHTS, _WEIGHTS)]
Point = Annotated[Weights, Long(2, 2)]
Name = Annotated[str, Matching(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]{0,200}", "one line of text")]
Texts = tuple[str, ...]


def _ascending(points: tuple[Weights, ...]) -> str:
    """Check that points are in order, and that their second numbers are probabilities."""
    for before, after in zip(points, points[1:], strict=False):
        if before[0] > after[0] or before[1] > after[1]:
            return "must ascend"
    return "" if all(0 <= point[1] <= 1 for point in points) else "must say confidences from 0 to 1"


Points = Annotated[tuple[Point, ...], Long(0, 10_000), _ascending]


def _all_or_none(weights: Weights) -> str:
    """Check that none is missing."""
    is_whole = len(weights) in (0, _CONTINUATION_WEIGHTS)
    return "" if is_whole else f"must be {_CONTINUATION_WEIGHTS} numbers, or none"


@dataclass(frozen=True, slots=True)
class TrainedOn:
    """Sources of the weights.

    Attributes:
        what: In words.
        sources: By name, in which splits they are.
        edits: By split, how many.
    """

    what: str = ""
    sources: dict[str, Texts] = field(default_factory=dict)
    edits: dict[str, Count] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Size:
    """Sizes of the network.

    Attributes:
        parameters: Of it; None where nobody counted them.
    """

    parameters: Count | None = None


@dataclass(frozen=True, slots=True)
class TokenScores:
    """Single edits that were not trained on, in per cent right; None for what was not measured."""

    edits: Count | None = None
    position: Percent | None = None
    content: Percent | None = None
    both: Percent | None = None
    jumps_both: Percent | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """Suggestions of sessions that were not trained on; None for what was not measured.

    Attributes:
        steps: Saves that were replayed.
        shown: Share of the steps with a suggestion.
        clean_of_shown: Share of these that were right as far as they went.
        exact: Share of the steps whose suggestion was a whole change.
        coverage: By precision, share of the steps at which it was reached.
        calibration_error: Mean difference of confidence and what was right.
    """

    steps: Count | None = None
    shown: Share | None = None
    clean_of_shown: Share | None = None
    exact: Share | None = None
    coverage: dict[str, Share] = field(default_factory=dict)
    calibration_error: Share | None = None


@dataclass(frozen=True, slots=True)
class Lines:
    """The line head; see `next_line`.

    Attributes:
        hidden: A row of weights for each feature of a line, and one of biases.
        out: A weight for each column of these.
    """

    hidden: Annotated[tuple[Weights, ...], Long(LINE_FEATURES + 1, LINE_FEATURES + 1)]
    out: Annotated[Weights, Long(1, 1024)]

    def __post_init__(self) -> None:
        """Compare the lengths.

        Raises:
            UnfitError: They differ.
        """
        if any(len(row) != len(self.out) for row in self.hidden):
            raise UnfitError(f"must have rows of {len(self.out)} weights, as many as out has")


@dataclass(frozen=True, slots=True)
class Calibration:
    """The ranker and its calibration; see `ranker`. Without weights all is uncalibrated.

    Attributes:
        features: The names of what is weighed.
        weights: By candidate source, an intercept and a weight for each feature, of the
            probability that a candidate is clean.
        places: The same of the probability that it is at a right place; none where nobody fitted
            them.
        points: The curve from the ranker's probability to a confidence.
        threshold: The least confidence that is shown by default; None where nobody knows it.
        precision: Measured share of suggestions that are clean from there on.
        continuation: An intercept and a weight for each of `CONTINUATION_FEATURES`, of the
            confidence of a continuation; those of the bundled card where a card has none.
        low: The least confidence that is shown to those who want little; None as above.
        high: The least confidence that is shown to those who want much; None as above.
        suggestions: How many all of this was fitted on.
    """

    features: Texts = RANKER_FEATURES
    weights: dict[Name, _OfSource] = field(default_factory=dict)
    places: dict[Name, _OfSource] = field(default_factory=dict)
    points: Points = ()
    continuation: Annotated[Weights, Long(0, _CONTINUATION_WEIGHTS), _all_or_none] = ()
    threshold: Share | None = None
    precision: Share | None = None
    low: Share | None = None
    high: Share | None = None
    suggestions: Count | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """A card that was checked.

    Attributes:
        version: Of cards.
        name: What the model is called; empty where it says nothing.
        created: When it was made.
        base: The model that it began with.
        trained_on: Where its weights come from.
        network: How large it is.
        tokens: By split, what was measured on single edits.
        suggestions: By kind of session, what was measured on suggestions.
        licence: Its licence, in words.
        lines: Its line head; None where it has none.
        calibration: How sure its suggestions are.
        written: The whole of `card.json`, to be shown.
    """

    version: Annotated[int, Between(1, VERSION)] = VERSION
    name: Name = ""
    created: datetime | None = None
    base: Name | None = None
    trained_on: TrainedOn = TrainedOn()
    network: Size = Size()
    tokens: dict[str, TokenScores] = field(default_factory=dict)
    suggestions: dict[str, Measured] = field(default_factory=dict)
    licence: str = ""
    lines: Lines | None = None
    calibration: Calibration = Calibration()
    written: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, written: object) -> "Card":
        """Check what a file says and make a card of it.

        The ranker of an earlier version weighs other features: the bundled one takes its place.

        Raises:
            UnfitError: A value has another type, or is out of bounds; the message names its path.
        """
        if not isinstance(written, dict):
            raise UnfitError("it must be an object")
        read = {key: value for key, value in written.items() if key != "written"}
        earlier = _earlier_weights(read.get("calibration"))
        if earlier is not None:
            del read["calibration"]
        elif read.get("version", VERSION) == 1 and isinstance(read.get("calibration"), dict):
            # Until version 2 the precision was the one aimed at, not a measured one.
            read["calibration"] = {**read["calibration"], "precision": None}
        card = replace(structure(read, cls), written=written)
        return replace(card, calibration=_bundled_calibration()) if earlier else card

    @property
    def continuation(self) -> Weights:
        """Weights of continuations; those of the bundled card where it has none."""
        return self.calibration.continuation or _bundled_calibration().continuation


def _earlier_weights(calibration: object) -> object | None:
    """Return the weights of an earlier version's ranker, of other features; None if it is none."""
    if not isinstance(calibration, dict):
        return None
    weights, given = calibration.get("weights"), calibration.get("features")
    if given == list(RANKER_FEATURES) or (given is None and not isinstance(weights, list)):
        return None
    return weights


@cache
def _bundled_calibration() -> Calibration:
    """Read the calibration of the bundle that comes with Editcast; none where it has none."""
    try:
        written = read_json(Path(__file__).parent / "bundled", "card.json")
        return structure(written["calibration"], Calibration)
    except (BundleError, UnfitError, KeyError, TypeError):
        return Calibration()
