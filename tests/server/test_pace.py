"""How soon and how readily something is suggested, as decisions come in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_server.prediction.pace import Debounce, Decisions


def test_a_pause_grows_after_rejections_and_shrinks_after_accepts() -> None:
    debounce = Debounce(75)
    assert debounce.milliseconds == 75
    debounce.rejected()
    assert debounce.milliseconds == 112.5
    debounce.accepted()
    assert debounce.milliseconds == 90
    for _ in range(10):
        debounce.accepted()
    assert debounce.milliseconds == 50
    for _ in range(20):
        debounce.rejected()
    assert debounce.milliseconds == 3000


@given(st.integers(0, 60_000), st.lists(st.booleans(), max_size=40))
def test_a_pause_stays_within_its_bounds(setting: int, decisions: list[bool]) -> None:
    debounce = Debounce(setting)
    for is_accepted in decisions:
        if is_accepted:
            debounce.accepted()
        else:
            debounce.rejected()
        assert setting * 2 / 3 <= debounce.milliseconds <= max(3000, setting)


def decided(*decisions: tuple[bool, float]) -> Decisions:
    it = Decisions()
    for is_accepted, confidence in decisions:
        it.add(is_accepted, confidence)
    return it


@pytest.mark.parametrize(
    ("decisions", "ratio", "threshold"),
    [
        ([], 1, 0.5),
        ([(True, 0.5), (False, 0.5)] * 15, 1, 0.5),  # just as promised
        ([(True, 1.0)] * 5, 1, 0.5),
        ([(False, 0.5)] * 4, 10 / 12, 0.6),
        ([(False, 0.9)] * 30, 0.6, 0.5 / 0.6),
        ([(True, 0.5)] * 30, 1.2, 0.5 / 1.2),
        ([(False, 0.9)] * 30 + [(True, 0.5)] * 30, 1.2, 0.5 / 1.2),  # the last 30 count
    ],
)
def test_who_accepts_less_than_was_promised_is_shown_less(
    decisions: list[tuple[bool, float]], ratio: float, threshold: float
) -> None:
    it = decided(*decisions)
    assert it.ratio == pytest.approx(ratio)
    assert it.threshold(0.5) == pytest.approx(threshold)


@given(
    st.lists(st.tuples(st.booleans(), st.floats(0, 1)), max_size=60),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_a_threshold_holds_back_what_the_ratio_makes_too_little(
    decisions: list[tuple[bool, float]], wanted: float, confidence: float
) -> None:
    it = decided(*decisions)
    threshold = it.threshold(wanted)
    if confidence < 0.95 and abs(confidence * it.ratio - wanted) > 1e-9:
        assert (confidence >= threshold) == (confidence * it.ratio >= wanted)
    # Nobody who wants anything is shown nothing at all.
    assert threshold <= max(wanted, 0.95)
