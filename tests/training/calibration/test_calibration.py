"""Points that ascend, say what was measured, and still rank; thresholds that are no luck."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.forecasting.ranker import Ranker
from editcast_training.calibration.ranker import (
    LEAST_BIN,
    LEAST_SHOWN,
    calibrate,
    threshold_for,
)
from editcast_training.evaluation.metrics import Outcome, expected_calibration_error

known_lists = st.lists(st.builds(Outcome, st.floats(0.0, 1.0), st.booleans()), max_size=200)


def drawn(count: int, seed: int = 0) -> list[Outcome]:
    """Suggestions that are right a little less often than a model that boasts says."""
    rng = random.Random(seed)
    made = [rng.random() for _ in range(count)]
    return [Outcome(p, rng.random() < 0.8 * p**1.5) for p in made]


def confidence(known: list[Outcome], score: float) -> float:
    return Ranker(points=tuple(calibrate(known))).calibrated(score)


@given(known_lists)
def test_both_columns_ascend_strictly_inside_their_range(known: list[Outcome]) -> None:
    points = calibrate(known)
    assert bool(points) == bool(known)
    for (low, below), (high, above) in zip(points, points[1:], strict=False):
        assert low < high and below < above
    assert all(0.0 <= value <= 1.0 for point in points for value in point)
    assert json.loads(json.dumps(points)) == [list(point) for point in points]


def test_confidence_is_the_share_that_was_clean() -> None:
    known = drawn(4000)
    for p in (0.2, 0.5, 0.8, 0.95):
        assert confidence(known, p) == pytest.approx(0.8 * p**1.5, abs=0.06)
    points = tuple(calibrate(known))
    fresh = drawn(4000, seed=1)
    sure = [Outcome(Ranker(points=points).calibrated(one.confidence), one.clean) for one in fresh]
    assert expected_calibration_error(sure) < 0.03
    assert expected_calibration_error(fresh) > 0.1


def test_a_few_lucky_suggestions_are_not_believed() -> None:
    lucky = [Outcome(0.9, True)] * 3
    others = [Outcome(0.4 - n / 1000, n % 4 == 0) for n in range(4 * LEAST_BIN)]
    assert confidence(lucky + others, 0.9) < 0.5


def test_against_the_order_everything_is_one_block() -> None:
    upside_down = [Outcome(0.9 - n / 300, n >= 100) for n in range(200)]
    (_, middle, _) = calibrate(upside_down)
    assert middle == (pytest.approx(0.9 - 99.5 / 300, abs=1e-5), pytest.approx(0.5))


def test_equal_scores_make_a_curve_as_well() -> None:
    known = [Outcome(0.5, n < 30) for n in range(100)]
    assert confidence(known, 0.5) == pytest.approx(0.3, abs=0.01)


def test_nothing_known_leaves_scores_as_they_are() -> None:
    assert calibrate([]) == [] and confidence([], 0.4) == 0.4


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
