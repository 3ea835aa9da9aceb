"""Clean, exact, located and gain of one suggestion; curves and calibration of many."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from editcast_model.diff import Hunk, apply_hunks, shortest_hunk
from editcast_training.evaluation.metrics import (
    Judge,
    Outcome,
    Score,
    coverage_at,
    curve,
    expected_calibration_error,
)
from editcast_training.evaluation.sessions import Step, line_hunks

TEXT = "a = f(x)\nb = f(y)\nc = g(z)\n"
FUTURE = "a = h(x)\nb = f(y)\nc = g(z, 1)\n"

code = st.text(st.sampled_from("ab= ()\n😀"), max_size=30)


def step(text: str = TEXT, future: str = FUTURE) -> Step:
    return Step(text, future, line_hunks(text, future))


def replacing(old: str, new: str, text: str = TEXT) -> Hunk:
    start = text.index(old)
    return Hunk(start, start + len(old), new)


def test_the_next_hunk_is_clean_exact_and_located() -> None:
    score = Judge(step()).score(replacing("f(x", "h(x"))
    assert score == Score(size=2, clean=True, exact=True, located=True, gain=1.0)


def test_a_later_hunk_counts_as_well() -> None:
    assert Judge(step()).score(replacing("z", "z, 1")) == Score(3, True, True, True, 1.0)


def test_a_part_of_a_hunk_is_clean_but_not_exact() -> None:
    assert Judge(step()).score(replacing("z", "z,")) == Score(1, True, False, True, 1.0)


def test_the_right_line_with_the_wrong_content_is_located_only() -> None:
    score = Judge(step()).score(replacing("f(x", "k(x"))
    assert score == Score(2, False, False, True, 0.0)  # deleting f is right, inserting k is not


def test_the_wrong_line_has_to_be_undone() -> None:
    assert Judge(step()).score(replacing("f(y", "h(y")) == Score(2, False, False, False, -1.0)


def test_a_suggestion_that_goes_too_far_is_not_clean() -> None:
    score = Judge(step()).score(replacing("z)", "z, 1)\nd = 0"))
    assert not score.clean and not score.exact and score.located
    assert score.size == 9 and score.gain == pytest.approx((3 - 6) / 9)


def test_all_hunks_at_once_are_clean_and_located_but_are_no_hunk() -> None:
    score = Judge(step()).score(shortest_hunk(TEXT, FUTURE))
    assert score == Score(5, True, False, True, 1.0)


def test_equal_suggestions_score_equally_however_they_are_written() -> None:
    short = Judge(step()).score(replacing("f(x", "h(x"))
    assert Judge(step()).score(Hunk(0, len(TEXT), TEXT.replace("f(x", "h(x"))) == short


def test_an_inserted_line_is_located_where_it_is_inserted() -> None:
    judge = Judge(step("a\nb\nc\n", "a\nb\nnew\nc\n"))
    assert judge.score(Hunk(4, 4, "other\n")).located
    assert not judge.score(Hunk(0, 0, "other\n")).located


@given(code, code, st.data())
def test_a_hunk_of_the_next_save_is_exact_and_located(
    text: str, future: str, data: st.DataObject
) -> None:
    one = step(text, future)
    assume(one.remaining)
    score = Judge(one).score(
        shortest_hunk(text, apply_hunks(text, data.draw(st.sampled_from(one.remaining))))
    )
    assert score.exact and score.located


@given(code, code)
def test_the_whole_change_is_clean(text: str, future: str) -> None:
    assume(text != future)
    score = Judge(step(text, future)).score(shortest_hunk(text, future))
    assert score.clean and score.gain == 1.0 and score.located


@given(code, code)
def test_changing_nothing_is_never_clean(text: str, future: str) -> None:
    nothing = [Hunk(0, 0, ""), Hunk(0, len(text), text)]
    assert {Judge(step(text, future)).score(hunk) for hunk in nothing} == {
        Score(0, False, False, False, 0.0)
    }


@given(code, code, code)
def test_gain_is_between_minus_one_and_one_and_one_means_clean(
    text: str, future: str, suggested: str
) -> None:
    score = Judge(step(text, future)).score(shortest_hunk(text, suggested))
    assert -1.0 <= score.gain <= 1.0
    assert score.clean == (score.gain == 1.0)
    assert score.clean or not (score.exact and text != suggested == future)


def outcomes(*known: tuple[float, bool]) -> list[Outcome]:
    return [Outcome(confidence, clean) for confidence, clean in known]


KNOWN = outcomes((0.5, False), (0.9, True), (0.7, True), (0.7, False), (0.2, True))


def test_the_curve_takes_the_surest_first_and_ties_together() -> None:
    points = curve(KNOWN, steps=10)
    assert [(p.threshold, p.coverage, p.precision) for p in points] == [
        (0.9, 0.1, 1.0),
        (0.7, 0.3, pytest.approx(2 / 3)),
        (0.5, 0.4, 0.5),
        (0.2, 0.5, 0.6),
    ]
    assert curve([], steps=10) == []


def test_coverage_is_the_largest_at_which_the_precision_holds() -> None:
    points = curve(KNOWN, steps=10)
    assert [coverage_at(points, p) for p in (1.0, 0.61, 0.55, 0.1)] == [0.1, 0.3, 0.5, 0.5]
    assert coverage_at(curve(outcomes((0.9, False)), 2), 0.5) == 0.0


confidences = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
many = st.lists(st.builds(Outcome, confidences, st.booleans()), max_size=20)


@given(many, st.floats(0.05, 1.0))
def test_coverage_and_precision_agree_with_counting(known: list[Outcome], precision: float) -> None:
    points = curve(known, steps=25)
    best = 0
    for threshold in {outcome.confidence for outcome in known}:
        taken = [outcome.clean for outcome in known if outcome.confidence >= threshold]
        if sum(taken) / len(taken) >= precision:
            best = max(best, len(taken))
    assert coverage_at(points, precision) == best / 25


def test_calibration_error_weighs_the_bins_by_their_size() -> None:
    known = outcomes((0.95, True), (1.0, False), (0.31, False), (0.39, True), (0.35, True))
    expected = (3 * abs(0.35 - 2 / 3) + 2 * 0.475) / 5
    assert expected_calibration_error(known) == pytest.approx(expected)
    assert expected_calibration_error([]) == 0.0
