"""One scale for the candidates of both sources."""

import math
from dataclasses import replace

import pytest

from editcast_model.card import Card
from editcast_model.checked import UnfitError
from editcast_model.diff import Hunk
from editcast_model.forecasting.ranker import FEATURES, Candidate, Ranking, features


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


def test_a_right_place_and_a_whole_hunk_are_worth_something() -> None:
    weights, places, wholes = ([0.0] * FEATURES for _ in range(3))
    weights[1], places[2] = 5.0, 10.0  # of the log probability, and of the location's
    wholes[0] = 2.0
    ranking = Ranking(tuple(weights), (), tuple(places), tuple(wholes))

    def logistic(logit: float) -> float:
        return 1 / (1 + math.exp(-logit))

    for joint, location in ((-1.0, -1.0), (-1.0, -0.1), (-0.2, -0.2)):
        one = replace(candidate(joint), location=location)
        wanted = logistic(joint) + 0.5 * logistic(2 * location) + 2 * logistic(2.0)
        assert ranking.worth(one) == pytest.approx(wanted)
    assert Ranking().worth(candidate(-0.5)) == -0.5


def test_a_card_of_another_size_is_refused() -> None:
    knots = [[-1.0, 0.2], [0.0, 0.8]]
    whole = [1.0] * FEATURES
    for weights, places, wholes in (
        ([1.0, 2.0], [1.0, 2.0], [1.0, 2.0]),
        (whole, [], []),
        (whole, whole, []),
    ):
        given = {"weights": weights, "places": places, "wholes": wholes, "knots": knots}
        with pytest.raises(UnfitError, match="calibration must have 48 weights"):
            Card.of({"calibration": given})
    known = {"weights": whole, "places": whole, "wholes": whole, "knots": knots}
    assert Ranking.of(Card.of({"calibration": known})).wholes == tuple(whole)
    assert Ranking.of(Card.of({"calibration": {"knots": knots}})).knots == ((-1.0, 0.2), (0.0, 0.8))
    assert Ranking.of(Card()) == Ranking()
