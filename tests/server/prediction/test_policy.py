"""Readiness to suggest, by the card, the settings and the decisions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.card import Card
from editcast_model.diff import Hunk
from editcast_model.forecasting.filters import EditContext
from editcast_model.forecasting.interface import Prediction
from editcast_server.documents.suggestion import Rejections, Suggestion
from editcast_server.prediction.engine import Conditions, Thresholds
from editcast_server.prediction.policy import Policy, default_threshold, measured_precision
from editcast_server.settings import Eagerness, Settings


def test_a_pause_grows_after_rejections_and_shrinks_after_accepts() -> None:
    policy = Policy(Settings(debounce_ms=75))
    assert policy.pause == 0.075
    policy.lengthen_pause()
    assert policy.pause == pytest.approx(0.1125)
    policy.shorten_pause()
    assert policy.pause == pytest.approx(0.09)
    for _ in range(10):
        policy.shorten_pause()
    assert policy.pause == pytest.approx(0.05)
    for _ in range(20):
        policy.lengthen_pause()
    assert policy.pause == 3


@given(st.integers(0, 60_000), st.lists(st.booleans(), max_size=40))
def test_a_pause_stays_within_its_bounds(setting: int, decisions: list[bool]) -> None:
    policy = Policy(Settings(debounce_ms=setting))
    for is_accepted in decisions:
        if is_accepted:
            policy.shorten_pause()
        else:
            policy.lengthen_pause()
        assert setting / 1500 <= policy.pause <= max(3, setting / 1000)


@pytest.mark.parametrize(
    ("eagerness", "calibration", "expected"),
    [
        ("low", {"threshold": 0.4, "low": 0.7, "high": 0.2}, 0.7),
        ("medium", {"threshold": 0.4, "low": 0.7, "high": 0.2}, 0.4),
        ("high", {"threshold": 0.4, "low": 0.7, "high": 0.2}, 0.2),
        ("low", {"threshold": 0.4, "low": 1.0}, 0.85),  # too few data to say where it is right
        ("low", {"threshold": 0.73}, 0.8),
        ("high", {"threshold": 0.73}, 0.3),
        ("low", {"threshold": 0.82, "low": 0.7}, 0.82),
        ("high", {"threshold": 0.2, "high": 0.3}, 0.2),
        ("medium", {}, 0.5),
        ("medium", {"threshold": 1.0}, 0.85),
    ],
)
def test_eagerness_chooses_a_threshold_of_the_card(
    eagerness: Eagerness, calibration: dict[str, float], expected: float
) -> None:
    policy = Policy(Settings(eagerness=eagerness))
    policy.card = Card.of({"calibration": calibration})
    assert policy.thresholds == pytest.approx((expected, expected))


@pytest.mark.parametrize(
    ("version", "calibration", "precision"),
    [
        (2, {}, None),
        (1, {"threshold": 0.73, "precision": 0.85}, None),  # what was aimed at, not measured
        (2, {"threshold": 0.73, "precision": 0.91}, 0.91),
        (2, {"threshold": 1.0, "precision": None}, None),
        (2, {"threshold": 0.9, "precision": 0.86}, None),  # not where it is shown from
    ],
)
def test_a_precision_that_is_told_was_measured(
    version: int, calibration: dict[str, float], precision: float | None
) -> None:
    card = Card.of({"version": version, "calibration": calibration})
    assert measured_precision(card) == precision
    assert default_threshold(card) <= 0.85


def test_a_threshold_that_is_set_is_asked_for_alone() -> None:
    assert Policy(Settings(eagerness="low", confidence_threshold=0.0)).thresholds == (0, 0)


def decided(wanted: float, *decisions: tuple[bool, float]) -> Policy:
    policy = Policy(Settings(confidence_threshold=wanted))
    for is_accepted, confidence in decisions:
        policy.count_decision(is_accepted, confidence)
    return policy


def ratio_of(decisions: list[tuple[bool, float]]) -> float:
    return 0.1 / decided(0.1, *decisions).thresholds.edit


@pytest.mark.parametrize(
    ("decisions", "ratio", "threshold"),
    [
        ([], 1, 0.5),
        ([(True, 0.5), (False, 0.5)] * 15, 1, 0.5),  # just as promised
        ([(True, 1.0)] * 5, 1, 0.5),
        ([(False, 0.5)] * 4, 5 / 7, 0.7),
        ([(False, 0.9)] * 30, 0.4, 0.95),
        ([(True, 0.5)] * 30, 1.2, 0.5 / 1.2),
        ([(False, 0.9)] * 30 + [(True, 0.5)] * 30, 1.2, 0.5 / 1.2),  # the last 30 count
    ],
)
def test_who_accepts_less_than_was_promised_is_shown_less(
    decisions: list[tuple[bool, float]], ratio: float, threshold: float
) -> None:
    policy = decided(0.5, *decisions)
    assert ratio_of(decisions) == pytest.approx(ratio)
    assert policy.thresholds == pytest.approx((threshold, 0.5))


def test_decisions_on_continuations_count_for_continuations_alone() -> None:
    policy = decided(0.5, *[(False, 0.5)] * 4)
    for _ in range(30):
        policy.count_decision(True, 0.5, is_continuation=True)
    assert policy.thresholds == pytest.approx((0.7, 0.5 / 1.2))


@given(
    st.lists(st.tuples(st.booleans(), st.floats(0, 1)), max_size=60),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_a_threshold_holds_back_what_the_ratio_makes_too_little(
    decisions: list[tuple[bool, float]], wanted: float, confidence: float
) -> None:
    policy = decided(wanted, *decisions)
    threshold, ratio = policy.thresholds.edit, ratio_of(decisions)
    if confidence < 0.95 and abs(confidence * ratio - wanted) > 1e-9:
        assert (confidence >= threshold) == (confidence * ratio >= wanted)
    # Nobody who wants anything is shown nothing at all.
    assert threshold <= max(wanted, 0.95)


def test_where_the_user_said_no_is_none_of_its_places() -> None:
    text = "old = 1\nb = old\nc = old\n"
    places = tuple(Hunk(start, start + 3, "new") for start in (0, 12, 20))
    one = Prediction(places[1], 0.0, 0.9, 1, places)
    refused = Rejections()
    refused.add(Suggestion.of(Prediction(places[0], 0.0, 0.9, 1), text, "1"), text)
    conditions = Conditions(EditContext(text, "python"), Thresholds(0.5, 0.5), refused.now())
    (shown,) = conditions.shown([one])
    assert shown.everywhere == places[1:]
    refused.add(Suggestion.of(Prediction(places[2], 0.0, 0.9, 1), text, "2"), text)
    (shown,) = Conditions(EditContext(text, "python"), Thresholds(0.5, 0.5), refused.now()).shown(
        [one]
    )
    assert shown.everywhere == ()
