"""Knots that ascend, say what was measured, and still rank; thresholds that are no luck."""

import json
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.forecasting.ranker import confidence
from editcast_training.calibration.isotonic import (
    LEAST_BIN,
    LEAST_SHOWN,
    Judged,
    calibrate,
    threshold_for,
)
from editcast_training.evaluation.metrics import Outcome, expected_calibration_error

judged_lists = st.lists(st.builds(Judged, st.floats(-80.0, 0.0), st.booleans()), max_size=200)


def drawn(count: int, seed: int = 0) -> list[Judged]:
    """Suggestions that are right a little less often than a model that boasts says."""
    rng = random.Random(seed)
    made = [-(4.0 * rng.random() ** 2) for _ in range(count)]
    return [Judged(p, rng.random() < 0.8 * math.exp(1.5 * p)) for p in made]


@given(judged_lists)
def test_both_columns_ascend_strictly_inside_their_range(known: list[Judged]) -> None:
    knots = calibrate(known)
    assert bool(knots) == bool(known)
    for (low, below), (high, above) in zip(knots, knots[1:], strict=False):
        assert low < high and below < above
    assert all(0.0 <= value <= 1.0 for _, value in knots)
    assert json.loads(json.dumps(knots)) == knots


@given(judged_lists.filter(bool))
def test_what_was_likelier_is_surer(known: list[Judged]) -> None:
    knots = calibrate(known)
    made = sorted({one.log_probability for one in known} | {0.0})
    sure = [confidence(knots, p) for p in made]
    for low, high, below, above in zip(made, made[1:], sure, sure[1:], strict=False):
        assert below < above or high - low < 1e-9 or min(below, 1 - above) < 1e-9


def test_confidence_is_the_share_that_was_clean() -> None:
    knots = calibrate(drawn(4000))
    for p in (-3.0, -1.0, -0.3, -0.1):
        assert confidence(knots, p) == pytest.approx(0.8 * math.exp(1.5 * p), abs=0.06)
    fresh = drawn(4000, seed=1)
    outcomes = [Outcome(confidence(knots, one.log_probability), one.clean) for one in fresh]
    assert expected_calibration_error(outcomes) < 0.03
    boasting = [Outcome(math.exp(one.log_probability), one.clean) for one in fresh]
    assert expected_calibration_error(boasting) > 0.1


def test_a_few_lucky_suggestions_are_not_believed() -> None:
    lucky = [Judged(-0.1, True)] * 3
    others = [Judged(-1.0 - n / 100, n % 4 == 0) for n in range(4 * LEAST_BIN)]
    assert confidence(calibrate(lucky + others), -0.1) < 0.5


def test_against_the_order_everything_is_one_block() -> None:
    upside_down = [Judged(-n / 100, n >= 100) for n in range(200)]
    (low, none), (middle, half), (high, _) = calibrate(upside_down)
    assert low < -2.0 and high > 0.0
    assert (middle, none, half) == (pytest.approx(-0.995), 0.0, pytest.approx(0.5))


def test_equal_log_probabilities_make_a_curve_as_well() -> None:
    assert confidence(calibrate([Judged(0.0, n < 30) for n in range(100)]), 0.0) == pytest.approx(
        0.3, abs=0.01
    )


def test_without_knots_confidence_is_the_probability() -> None:
    assert confidence([], -1.0) == pytest.approx(math.exp(-1.0))
    assert confidence([], 0.5) == 1.0


def test_between_knots_it_is_a_line_and_beyond_them_constant() -> None:
    knots = [[-4.0, 0.0], [-2.0, 0.4], [0.0, 0.8]]
    assert [confidence(knots, p) for p in (-9.0, -3.0, -1.0, 0.0, 1.0)] == pytest.approx(
        [0.0, 0.2, 0.6, 0.8, 0.8]
    )


def test_the_threshold_is_the_lowest_at_which_the_precision_holds() -> None:
    outcomes = [Outcome(0.9, True)] * 30 + [Outcome(0.6, False)] * 10 + [Outcome(0.3, False)] * 60
    assert threshold_for(1.0, outcomes) == 0.9
    assert threshold_for(0.75, outcomes) == 0.6
    assert threshold_for(0.3, outcomes) == 0.3


def test_a_precision_that_is_not_reached_or_only_by_luck_shows_nothing() -> None:
    lucky = [Outcome(0.9, True)] * (LEAST_SHOWN - 1)
    assert threshold_for(0.9, [*lucky, *[Outcome(0.5, False)] * 50]) == 1.0
    assert threshold_for(0.9, [*lucky, Outcome(0.9, True)]) == 0.9
    assert threshold_for(0.9, []) == 1.0
