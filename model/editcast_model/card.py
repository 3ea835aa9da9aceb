"""The card of a bundle: the model's name, training data, metrics and calibration.

Every value that Editcast uses has a type and bounds, which are checked when the bundle is opened.
Other values in the file are kept for display only. Cards may come from anybody.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from editcast_model.checked import UnfitError, between, long, matching, structure
from editcast_model.errors import BundleError
from editcast_model.plain_files import read_json

#: The version of cards that is written; this and earlier versions can be read.
VERSION = 2
#: The features of the ranker; see `forecasting.ranker`.
RANKER_FEATURES = (
    "log_probability",
    "p_line",
    "strength",
    "times",
    "ago",
    "distance",
    "repeating",
    "only_inserts",
    "whole_lines",
)
#: The features of a continuation; see `forecasting.sources.continuation`.
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
#: The features of the gate between the network and the project memory; see `memory.next_tokens`.
GATE_FEATURES = (
    "bias",
    "log_probability",
    "deletes_or_saves",
    *(
        f"{of}_{feature}"
        for of in ("file", "project")
        for feature in ("known", "agreement", "share", "places", "agrees")
    ),
    "same",
)
#: The number of features of a line.
LINE_FEATURES = 54
_WEIGHTS = 1 + len(RANKER_FEATURES)
#: The weights that a calibration holds beside the ranker, and how many they are.
_APART = {"continuation": 1 + len(CONTINUATION_FEATURES), "next_tokens": 2 * len(GATE_FEATURES)}

_LARGEST = 1e6  # maximum weight, so that sums of products stay finite
Count = Annotated[int, between(0, 10**15)]
Share = Annotated[float, between(0, 1)]
Percent = Annotated[float, between(0, 100)]
Weight = Annotated[float, between(-_LARGEST, _LARGEST)]
Weights = tuple[Weight, ...]
_OfSource = Annotated[Weights, long(_WEIGHTS, _WEIGHTS)]
Point = Annotated[Weights, long(2, 2)]
Name = Annotated[str, matching(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]{0,200}", "one line of text")]
Texts = tuple[str, ...]


def _ascending(points: tuple[Weights, ...]) -> str:
    """Check that points ascend, and that their second numbers are probabilities."""
    for before, after in zip(points, points[1:], strict=False):
        if before[0] > after[0] or before[1] > after[1]:
            return "must ascend"
    return "" if all(0 <= point[1] <= 1 for point in points) else "must be confidences from 0 to 1"


Points = Annotated[tuple[Point, ...], long(0, 10_000), _ascending]


def _all_or_none(count: int) -> Callable[[Weights], str]:
    """Return what checks that all weights are there, or none."""
    return lambda weights: "" if len(weights) in (0, count) else f"must be {count} numbers, or none"


#: The description of a model of the user's own history.
OWN_HISTORY = "your own history"


@dataclass(frozen=True, slots=True)
class TrainedOn:
    """The training data.

    Attributes:
        what: A description.
        sources: The splits of each source, by its name.
        edits: The number of edits, by split.
    """

    what: str = ""
    sources: dict[str, Texts] = field(default_factory=dict)
    edits: dict[str, Count] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Size:
    """The size of the network.

    Attributes:
        parameters: The number of parameters; None if unknown.
    """

    parameters: Count | None = None


@dataclass(frozen=True, slots=True)
class TokenScores:
    """Accuracy on single held-out edits, in percent; None if it was not measured."""

    edits: Count | None = None
    position: Percent | None = None
    content: Percent | None = None
    both: Percent | None = None
    jumps_both: Percent | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """Metrics of suggestions in held-out sessions; None for those that were not measured.

    Attributes:
        steps: The number of replayed saves.
        shown: The share of steps with a suggestion.
        clean_of_shown: The share of these whose suggestion was clean.
        exact: The share of steps whose suggestion was exact.
        coverage: The coverage, by precision.
        calibration_error: The mean difference of confidence and precision.
    """

    steps: Count | None = None
    shown: Share | None = None
    clean_of_shown: Share | None = None
    exact: Share | None = None
    coverage: dict[str, Share] = field(default_factory=dict)
    calibration_error: Share | None = None


@dataclass(frozen=True, slots=True)
class Lines:
    """The line ranker's weights; see `forecasting.line_ranker`.

    Attributes:
        hidden: A row of weights for each feature of a line, and one of biases.
        out: A weight for each column of `hidden`.
    """

    hidden: Annotated[tuple[Weights, ...], long(LINE_FEATURES + 1, LINE_FEATURES + 1)]
    out: Annotated[Weights, long(1, 1024)]

    def __post_init__(self) -> None:
        """Check that the lengths agree.

        Raises:
            UnfitError: They differ.
        """
        if any(len(row) != len(self.out) for row in self.hidden):
            raise UnfitError(f"must have rows of {len(self.out)} weights, as many as out has")


@dataclass(frozen=True, slots=True)
class Calibration:
    """The ranker and its calibration; see `forecasting.ranker`. Without weights it is uncalibrated.

    Attributes:
        features: The names of the features.
        weights: For each candidate source, an intercept and a weight for each feature, of the
            probability that a candidate is clean.
        places: The same for the probability that a candidate is located; empty if not fitted.
        wholes: The same for the probability that a candidate is exact; empty if not fitted.
        points: The curve from the ranker's probability to a confidence.
        threshold: The default threshold; None if unknown.
        precision: The measured precision at the threshold.
        continuation: The intercept and the weights of `CONTINUATION_FEATURES`, for the confidence
            of a continuation. If there are none, those of the bundled card are used.
        next_tokens: Two weights for each of `GATE_FEATURES`, for how much the file and the project
            count beside the network. If there are none, those of the bundled card are used.
        low: The threshold at low eagerness; None if unknown.
        high: The threshold at high eagerness; None if unknown.
        suggestions: The number of suggestions that all of this was fitted on.
    """

    features: Texts = RANKER_FEATURES
    weights: dict[Name, _OfSource] = field(default_factory=dict)
    places: dict[Name, _OfSource] = field(default_factory=dict)
    wholes: dict[Name, _OfSource] = field(default_factory=dict)
    points: Points = ()
    continuation: Annotated[Weights, _all_or_none(_APART["continuation"])] = ()
    next_tokens: Annotated[Weights, _all_or_none(_APART["next_tokens"])] = ()
    threshold: Share | None = None
    precision: Share | None = None
    low: Share | None = None
    high: Share | None = None
    suggestions: Count | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """A validated card.

    Attributes:
        version: The version of the card.
        name: The model's name; empty if unknown.
        created: The time when the model was made.
        base: The model that it was fine-tuned from.
        trained_on: The training data.
        network: The size of the network.
        tokens: The accuracy on single edits, by split.
        suggestions: The metrics of suggestions, by kind of session.
        licence: The licence, in words.
        lines: The weights of the line ranker, if it has one.
        calibration: The ranker and its calibration.
        written: The whole content of `card.json`, for display.
    """

    version: Annotated[int, between(1, VERSION)] = VERSION
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
        """Validate the content of a file and return a card.

        The ranker of an earlier version has other features, so the bundled one replaces it; other
        weights of the calibration are kept if they are as many as now.

        Raises:
            UnfitError: A value has another type, or is out of bounds; the message names its path.
        """
        if not isinstance(written, dict):
            raise UnfitError("it must be an object")
        read = {key: value for key, value in written.items() if key != "written"}
        calibration = read.get("calibration")
        earlier = _with_earlier_ranker(calibration)
        if earlier is not None:
            read["calibration"] = _apart(earlier)
        elif read.get("version", VERSION) == 1 and isinstance(calibration, dict):
            # Before version 2 the precision was the target, not a measured value.
            read["calibration"] = {**calibration, "precision": None}
        card = replace(structure(read, cls), written=written)
        if earlier is None or not earlier["weights"]:  # such as of a network hardly trained
            return card
        kept = {one: getattr(card.calibration, one) for one in _APART}
        known = {one: weights for one, weights in kept.items() if weights}
        return replace(card, calibration=replace(_bundled_calibration(), **known))

    @property
    def continuation(self) -> Weights:
        """Return the weights of continuations; those of the bundled card if it has none."""
        return self.calibration.continuation or _bundled_calibration().continuation

    @property
    def next_tokens(self) -> Weights:
        """Return the weights of the gate; those of the bundled card if it has none."""
        return self.calibration.next_tokens or _bundled_calibration().next_tokens


def _with_earlier_ranker(calibration: object) -> dict[str, Any] | None:
    """Return a calibration that holds a ranker of an earlier version; None for any other."""
    if not isinstance(calibration, dict) or calibration.get("weights") is None:
        return None
    given = calibration.get("features")
    is_current = given is None and isinstance(calibration["weights"], dict)
    return None if is_current or given == list(RANKER_FEATURES) else calibration


def _apart(calibration: dict[str, Any]) -> dict[str, Any]:
    """Return the weights of a calibration beside its ranker, those that this version can use."""
    given = ((one, calibration.get(one), count) for one, count in _APART.items())
    return {one: of for one, of, count in given if isinstance(of, list) and len(of) == count}


@cache
def _bundled_calibration() -> Calibration:
    """Return the calibration of the bundled model; an empty one if it cannot be read."""
    try:
        written = read_json(Path(__file__).parent / "bundled", "card.json")
        return structure(written["calibration"], Calibration)
    except (BundleError, UnfitError, KeyError, TypeError):
        return Calibration()
