"""One scale for the candidates of both sources."""

import math

import pytest

from editcast_model.diff import Hunk
from editcast_model.ranking import FEATURES, Candidate, Ranking, features


def candidate(
    log_probability: float = -1.0,
    repeated: float = 0.0,
    *,
    edits: int = 3,
    text: str = "x",
    decoded: bool = True,
) -> Candidate:
    return Candidate(
        Hunk(0, 1, text), edits, edits, log_probability, log_probability / 2, repeated, decoded
    )


def test_the_sources_have_features_of_their_own() -> None:
    own, repeated = features(candidate()), features(candidate(repeated=0.5))
    assert len(own) == len(repeated) == FEATURES
    assert all(a == 0 or b == 0 for a, b in zip(own, repeated, strict=True))


def test_features_are_finite_however_improbable() -> None:
    assert all(map(math.isfinite, features(candidate(-math.inf, 0.3))))


def test_without_weights_it_is_the_probability() -> None:
    assert Ranking().confidence(candidate(-0.5)) == pytest.approx(math.exp(-0.5))


def test_weights_make_a_logistic_model() -> None:
    weights = [0.0] * FEATURES
    weights[0], weights[1] = 2.0, 1.0
    expected = 1 / (1 + math.exp(-(2.0 - 1.0 / 5)))
    assert Ranking(tuple(weights)).confidence(candidate(-1.0)) == pytest.approx(expected)


def test_knots_calibrate_the_logistic_model() -> None:
    ranking = Ranking((0.0,) * FEATURES, ((-2.0, 0.1), (0.0, 0.9)))
    expected = 0.1 + 0.8 * (2.0 - math.log(2)) / 2.0
    assert ranking.confidence(candidate()) == pytest.approx(expected)


def test_extreme_weights_do_not_overflow() -> None:
    for sign in (-1, 1):
        weights = (sign * 1e6,) * FEATURES
        assert 0 <= Ranking(weights).confidence(candidate(repeated=1.0)) <= 1


def test_a_card_of_another_size_has_no_weights() -> None:
    card = {"calibration": {"weights": [1.0, 2.0], "knots": [[-1.0, 0.2], [0.0, 0.8]]}}
    ranking = Ranking.of(card)
    assert ranking.weights == ()
    assert ranking.knots == ((-1.0, 0.2), (0.0, 0.8))
    assert Ranking.of({}) == Ranking()
