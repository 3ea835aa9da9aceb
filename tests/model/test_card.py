"""A card is read whole, or refused with the place where it is wrong; never half used."""

import copy
import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editcast_model.bundle import Bundle, bundled_path
from editcast_model.card import CONTINUATION_FEATURES, VERSION, Card
from editcast_model.checked import UnfitError
from editcast_model.forecasting.candidates import CONSEQUENCE
from editcast_model.forecasting.forecaster import SOURCES, NeuralForecaster
from editcast_model.forecasting.line_ranker import LineHead
from editcast_model.forecasting.ranker import FEATURES, Ranker
from editcast_model.forecasting.sources.continuation import Continuations

WRITTEN = json.loads((bundled_path() / "card.json").read_text("utf-8"))
BEFORE = "def first(value):\n    return value\n\n\ndef second(value):\n    return value\n"

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(10**300, 10**310)
    | st.floats()
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)


_GONE = "(removed)"


@st.composite
def changes(draw: st.DrawFn) -> tuple[tuple[Any, ...], Any]:
    """A place in the bundled model's card, and what is there instead."""
    # What is read comes first: most of the card is a list of projects.
    known = ["calibration", "lines", "name", "created", "trained_on", "tokens", "suggestions"]
    path: list[Any] = [draw(st.sampled_from(known))]
    here = WRITTEN[path[0]]
    while isinstance(here, dict | list) and here and draw(st.integers(0, 3)):
        path.append(
            draw(st.sampled_from(list(here) if isinstance(here, dict) else range(len(here))))
        )
        here = here[path[-1]]
    return tuple(path), draw(anything | st.just(_GONE))


def changed(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """The bundled model's card with another value somewhere, or without one."""
    card: dict[str, Any] = copy.deepcopy(WRITTEN)
    here: Any = card
    for key in path[:-1]:
        here = here[key]
    if value == _GONE:
        del here[path[-1]]
    else:
        here[path[-1]] = value
    return card


@pytest.fixture(scope="module")
def forecaster() -> NeuralForecaster:
    return NeuralForecaster.load(bundled_path(), "cpu")


@settings(max_examples=60)
@given(change=changes())
def test_a_changed_card_predicts_or_is_refused(
    forecaster: NeuralForecaster, change: tuple[tuple[Any, ...], Any]
) -> None:
    try:
        card = Card.of(changed(*change))
    except UnfitError as error:
        said = str(error)
        assert " must " in said or said.endswith("is missing")
        assert "\n" not in said and len(said) <= 300
        return
    forecaster.ranker, forecaster.line_head = Ranker.of(card), LineHead.of(card)
    session = forecaster.open(BEFORE)
    session.update(BEFORE.replace("value", "item", 2), saved=True)
    for prediction in session.predict(3):
        assert 0 <= prediction.confidence <= 1


@settings(max_examples=200)
@given(change=changes())
def test_what_is_read_can_be_read_again(change: tuple[tuple[Any, ...], Any]) -> None:
    try:
        card = Card.of(changed(*change))
    except UnfitError:
        return
    again = Card.of(json.loads(json.dumps(card.written)))
    assert replace(again, written={}) == replace(card, written={})  # NaN is not what it is


def test_the_bundled_card_is_read_as_it_is() -> None:
    card = Bundle.open(bundled_path()).card
    known = WRITTEN["calibration"]
    assert card.written == WRITTEN and card.version == VERSION
    assert card.name == WRITTEN["name"] and card.created is not None
    weights = card.calibration.weights
    assert weights.keys() == {one.name for one in SOURCES} - {Continuations.name, CONSEQUENCE}
    assert len(card.continuation) == 1 + len(CONTINUATION_FEATURES)
    assert {name: list(of) for name, of in weights.items()} == known["weights"]
    assert [list(point) for point in card.calibration.points] == known["points"]
    assert list(card.calibration.features) == known["features"] == list(FEATURES)
    assert card.lines is not None and len(card.lines.out) == len(WRITTEN["lines"]["out"])
    assert card.trained_on.sources.keys() == WRITTEN["trained_on"]["sources"].keys()
    assert card.network.parameters == WRITTEN["network"]["parameters"]


def test_an_empty_card_says_nothing() -> None:
    assert Card.of({}) == Card()


def test_unknown_entries_are_kept_to_be_shown() -> None:
    card = Card.of({"name": "mine", "note": {"any": ["thing"]}, "written": 3})
    assert card.name == "mine" and card.written["note"] == {"any": ["thing"]}


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("calibration", [], "calibration must be an object"),
        ("calibration.threshold", 1.5, "calibration.threshold must be a number between 0 and 1"),
        ("calibration.threshold", "high", "calibration.threshold must be a number"),
        ("calibration.threshold", math.nan, "calibration.threshold must be a finite number"),
        ("calibration.threshold", True, "calibration.threshold must be a number"),
        ("calibration.points", [[0.0, 0.5], [-1.0, 0.9]], "calibration.points must ascend"),
        ("calibration.points", [[0.0, 0.5, 1.0]], "calibration.points[0] must be a list of 2"),
        ("calibration.points", [[0.0, 7.0]], "calibration.points must be confidences from 0 to 1"),
        ("calibration.weights", [1.0], "calibration.weights must be an object"),
        ("calibration.weights.decoded", [1.0], "calibration.weights['decoded'] must be a list of"),
        ("lines.hidden", [], "lines.hidden must be a list of 55 values"),
        ("lines.out", [1.0], "lines must have rows of 1 weights"),
        ("version", VERSION + 1, "version must be a whole number between 1 and"),
        ("name", "a\nb", "name must be one line of text"),
        ("name", "\ud800", "name must be a text that UTF-8 can hold"),
        ("created", "yesterday", "created must be a time in ISO 8601"),
        ("trained_on.sources", {"a/b": "train"}, "trained_on.sources['a/b'] must be a list"),
        ("tokens", {"dev": {"both": 101}}, "tokens['dev'].both must be a number between 0 and 100"),
    ],
)
def test_the_sentence_names_the_place(path: str, value: Any, said: str) -> None:
    card = copy.deepcopy(WRITTEN)
    *to, last = path.split(".")
    here = card
    for key in to:
        here = here[key]
    here[last] = value
    with pytest.raises(UnfitError) as caught:
        Card.of(card)
    assert str(caught.value).startswith(said)


def test_the_ranker_of_an_earlier_version_gives_way_to_the_bundled_one() -> None:
    earlier = {
        "version": 1,
        "name": "mine",
        "calibration": {
            **{name: [0.1] * 48 for name in ("weights", "places", "wholes")},
            "knots": [[-2.0, 0.0], [0.0, 0.9]],
            "threshold": 0.7,
            "elsewhere": {name: [0.1] * 24 for name in ("weights", "places", "wholes")},
        },
    }
    card = Card.of(earlier)
    assert card.name == "mine" and card.written == earlier
    assert card.calibration == Bundle.open(bundled_path()).card.calibration
    other = {"features": ["age"], "weights": {"decoded": [1.0, 2.0]}}
    assert Card.of({"calibration": other}).calibration == card.calibration
    assert Card.of({"calibration": {"weights": []}, "version": 1}).calibration.weights == {}


def test_what_was_fitted_beside_a_ranker_of_an_earlier_version_is_kept() -> None:
    continuation = [0.5] * (1 + len(CONTINUATION_FEATURES))
    other = {"features": ["age"], "weights": {"decoded": [1.0, 2.0]}, "continuation": continuation}
    card = Card.of({"calibration": other})
    bundled = Bundle.open(bundled_path()).card.calibration
    assert card.calibration == replace(bundled, continuation=tuple(continuation))
    for unfit in ([0.5], "many", None):  # as of a version with other features of continuations
        assert Card.of({"calibration": {**other, "continuation": unfit}}).calibration == bundled
