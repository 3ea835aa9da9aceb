"""One scale for the candidates of all sources."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcast_model.diff import Hunk
from editcast_model.forecasting.candidates import Candidate
from editcast_model.forecasting.ranker import FEATURES, Ranker, features

_ZEROS = [0.0] * (1 + len(FEATURES))


def candidate(
    joint: float = -1.0, *, source: str = "decoded", prior: float | None = None
) -> Candidate:
    return Candidate(Hunk(0, 1, "x"), source, 3, joint, joint / 4, prior=prior)


def sure_of(ranker: Ranker, one: Candidate) -> float | None:
    return next((sure for _, sure in ranker.ranked([one])), None)


def weighing(**weights: float) -> tuple[float, ...]:
    return (*_ZEROS[:1], *(weights.get(name, 0.0) for name in FEATURES))


def test_features_have_names_and_are_finite() -> None:
    for one in (candidate(), candidate(-math.inf)):
        assert len(features(one)) == len(FEATURES)
        assert all(map(math.isfinite, features(one)))
    named = dict(zip(FEATURES, features(candidate(-2.0)), strict=True))
    assert named["log_probability"] == pytest.approx(-0.4)
    assert named["p_line"] == pytest.approx(math.exp(-0.5))
    unasked = dict(zip(FEATURES, features(Candidate(Hunk(0, 1, "x"), "decoded")), strict=True))
    assert unasked["log_probability"] == 0 and unasked["p_line"] < 1e-6


def test_without_weights_it_is_the_prior() -> None:
    assert sure_of(Ranker(), candidate(prior=0.25)) == Ranker().score(candidate(prior=0.25))
    assert Ranker().score(candidate(prior=0.25)) == 0.25
    assert Ranker().score(candidate()) is sure_of(Ranker(), candidate()) is None


def test_weights_make_a_logistic_model_for_each_source() -> None:
    ranker = Ranker({"decoded": weighing(log_probability=1.0), "other": (2.0, *_ZEROS[1:])})
    assert ranker.score(candidate()) == pytest.approx(1 / (1 + math.exp(0.2)))
    assert ranker.score(candidate(source="other")) == pytest.approx(1 / (1 + math.exp(-2)))
    assert ranker.score(candidate(source="third")) is None


def test_points_calibrate_the_model_and_no_prior() -> None:
    ranker = Ranker({"decoded": tuple(_ZEROS)}, ((0.0, 0.1), (1.0, 0.3)))
    assert sure_of(ranker, candidate()) == pytest.approx(0.2)
    assert sure_of(ranker, candidate(source="third", prior=0.7)) == 0.7
    assert ranker.calibrated(-1.0) == 0.1 and ranker.calibrated(2.0) == 0.3


def test_a_right_place_counts_in_the_choice_and_not_in_the_confidence() -> None:
    clean = {"here": (-2.0, *_ZEROS[1:]), "there": (-1.5, *_ZEROS[1:])}
    places = {"here": (3.0, *_ZEROS[1:]), "there": (-3.0, *_ZEROS[1:])}
    here, there = candidate(source="here"), candidate(source="there")
    assert [one for one, _ in Ranker(clean).ranked([here, there])] == [there, here]
    ranked = Ranker(clean, places=places).ranked([here, there])
    assert ranked == [(one, sure_of(Ranker(clean), one)) for one in (here, there)]


def test_the_whole_comes_before_a_part_that_is_clean_more_often() -> None:
    part, whole = candidate(source="part"), candidate(source="whole")
    clean = {"part": (1.0, *_ZEROS[1:]), "whole": (0.0, *_ZEROS[1:])}
    wholes = {"part": (-3.0, *_ZEROS[1:]), "whole": (-0.5, *_ZEROS[1:])}
    assert [one for one, _ in Ranker(clean).ranked([whole, part])] == [part, whole]
    ranked = Ranker(clean, wholes=wholes).ranked([part, whole])
    assert ranked == [(one, sure_of(Ranker(clean), one)) for one in (whole, part)]


_WEIGHTS = st.tuples(*[st.floats(-4, 4)] * (1 + len(FEATURES)))


@given(
    clean=_WEIGHTS,
    place=_WEIGHTS,
    whole=_WEIGHTS,
    least=st.floats(-15, 0),
    prior=st.floats(0, 1),
    confidence=st.floats(0, 1),
    distance=st.integers(3, 9),
    inserts=st.booleans(),
    is_whole_lines=st.booleans(),
)
def test_what_is_worth_as_much_and_as_confident_may_win(
    clean: tuple[float, ...],
    place: tuple[float, ...],
    whole: tuple[float, ...],
    least: float,
    prior: float,
    confidence: float,
    distance: int,
    inserts: bool,
    is_whole_lines: bool,
) -> None:
    points = ((0.0, 0.1), (0.5, 0.3), (1.0, 0.8))
    ranker = Ranker({"decoded": clean}, points, {"decoded": place}, {"decoded": whole})
    low = Candidate(Hunk(0, 1, ""), "decoded", log_probability=-15.0, line=-1.0, distance=3)
    high = replace(low, hunk=Hunk(0, 0, "x"), log_probability=0.0, distance=9, is_whole_lines=True)
    one = replace(
        low,
        hunk=Hunk(0, 0 if inserts else 1, "x"),
        log_probability=least,
        distance=distance,
        is_whole_lines=is_whole_lines,
    )
    score, other = ranker.score(one), candidate(source="other", prior=prior)
    assert score is not None
    is_sure = max(ranker.calibrated(score), prior) > confidence + 1e-9
    if ranker.worth(one, score) > ranker.worth(other, prior) + 1e-9 and is_sure:
        assert ranker.may_win([other], 1, confidence, low, high)


def test_what_is_not_confident_enough_is_of_use_only_beside_something_that_is() -> None:
    ranker = Ranker({"decoded": (-1.0, 5.0, *_ZEROS[2:]), "repeated": (-1.0, *_ZEROS[1:])})
    ends = candidate(-15.0), candidate(0.0)  # the confidence of both is at most 0.27
    repeated = candidate(source="repeated")  # with a confidence of 0.27
    assert ranker.may_win([], 1, 0.25, *ends)
    assert not ranker.may_win([], 1, 0.28, *ends)
    assert not ranker.may_win([repeated], 2, 0.28, *ends)
    assert ranker.may_win([repeated], 2, 0.26, *ends)
    assert ranker.may_win([repeated], 1, 0.26, *ends)
    unlikely = candidate(-15.0), candidate(-1.0)
    assert ranker.may_win([repeated], 2, 0.26, *unlikely)
    assert not ranker.may_win([repeated], 1, 0.26, *unlikely)


def test_extreme_weights_do_not_overflow() -> None:
    for sign in (-1, 1):
        ranker = Ranker({"decoded": (sign * 1e6,) * len(_ZEROS)})
        assert 0 <= (sure_of(ranker, candidate()) or 0.0) <= 1


def test_of_one_cause_none_comes_before_its_turn() -> None:
    ranker = Ranker({"ours": weighing(strength=1.0)})
    first, second, other = (
        replace(candidate(source="ours"), strength=strength, cause=cause)
        for strength, cause in ((0.2, "a"), (0.9, "a"), (0.5, "b"))
    )
    ranked = ranker.ranked([first, second, other])
    assert [one for one, _ in ranked] == [other, first, second]
    assert ranked[1][1] == ranked[2][1] == sure_of(ranker, first)
    assert ranker.ranked([candidate(source="unknown")]) == []
