"""Intervals over sessions: wider where sessions differ, paired where two models are compared."""

import random
from collections.abc import Sequence

import pytest

from editcast_training.evaluation.intervals import difference, intervals
from editcast_training.evaluation.metrics import Score
from editcast_training.evaluation.results import Row, shares

GOOD, BAD = Score(1, True, True, True, 1.0), Score(1, False, False, False, -1.0)


def row(session: int, step: int, clean: bool, confidence: float = 0.9) -> Row:
    about = ("p", "a.py", "python", "saves", session, step, 5.0)
    return Row(*about, confidence, -0.1, GOOD if clean else BAD)


def measure(rows: Sequence[Row]) -> dict[str, float]:
    return shares(rows, 0.5)


def test_an_interval_holds_its_value_and_comes_out_the_same_again() -> None:
    draw = random.Random(0)
    rows = [row(n, 1, draw.random() < 0.3) for n in range(200)]
    found = intervals(rows, measure, samples=200)
    exact = found["exact"]
    assert exact.value == sum(one.score.exact for one in rows if one.score) / 200
    assert exact.low < exact.value < exact.high
    assert exact.high - exact.low == pytest.approx(4 * (0.3 * 0.7 / 200) ** 0.5, rel=0.3)
    assert intervals(rows, measure, samples=200) == found
    assert found["shown"] == (1.0, 1.0, 1.0)


def test_steps_of_one_session_are_no_independent_measurements() -> None:
    apart = [row(n, 1, n % 4 == 0) for n in range(100)]
    together = [row(n // 10, n, n // 10 % 4 == 0) for n in range(100)]
    narrow, wide = (intervals(rows, measure, samples=200)["exact"] for rows in (apart, together))
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_a_difference_is_paired() -> None:
    draw = random.Random(0)
    before = [row(n, 1, draw.random() < 0.5) for n in range(100)]
    assert difference(before, before, measure, samples=50)["exact"] == (0.0, 0.0, 0.0)
    after = [row(n, 1, n < 10 or bool(one.score and one.score.clean)) for n, one in
             enumerate(before)]  # fmt: skip
    found = difference(before, after, measure, samples=200)["exact"]
    assert 0 <= found.low < found.value < found.high < 0.15
    with pytest.raises(ValueError, match="different sessions"):
        difference(before, after[1:], measure)


def test_shares_at_a_threshold() -> None:
    rows = [
        row(0, 1, True, 0.9),
        row(0, 2, False, 0.6),
        row(1, 1, False, 0.2),
        row(1, 2, True, 0.7),
    ]
    found = shares(rows, 0.5)
    assert found["shown"] == 0.75 and found["clean of shown"] == pytest.approx(2 / 3)
    assert found["50 %"] == 1.0 and found["80 %"] == 0.5
    assert shares(rows, 1.1)["clean of shown"] == 0.0
