"""What a network's session makes of replacements that it heard of from other files."""

import math
from dataclasses import replace

import pytest

from editcast_model.bundle import Bundle
from editcast_model.card import HEARD_FEATURES, Card
from editcast_model.checked import UnfitError
from editcast_model.diff import Hunk, apply_hunks
from editcast_model.forecasting.cross_file import Heard, other_save
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.forecasting.ranker import FEATURES, Candidate, Ranking, features

_TEXT = "".join(f"value = first({number})\nother = {number}\n" for number in range(3))
_RENAME = other_save("there.py", "x = first(1)\n", "x = second(1)\n")
_ZEROS = Ranking((0.0,) * FEATURES, (), (0.0,) * FEATURES, (0.0,) * FEATURES)
_HEARD = Ranking((0.0,) * HEARD_FEATURES, (), (0.0,) * HEARD_FEATURES, (0.0,) * HEARD_FEATURES)


@pytest.fixture(scope="module")
def forecaster(bundle: Bundle) -> NeuralForecaster:
    forecaster = NeuralForecaster.load(bundle.path, "cpu")
    forecaster.ranking = replace(_ZEROS, elsewhere=_HEARD)
    return forecaster


def test_nothing_has_changed_here_yet(forecaster: NeuralForecaster) -> None:
    session = forecaster.open(_TEXT)
    assert session.predict() == []
    session.hear(_RENAME)
    (prediction,) = session.predict()
    # Where the number beside it is the same, too.
    assert prediction.apply(_TEXT) == _TEXT.replace("first(1)", "second(1)")
    assert prediction.confidence == pytest.approx(0.5)
    candidates = session.candidates(1)
    assert all(one.heard and not one.scored for one in candidates)
    assert len(candidates) == 2  # more places are not looked at
    assert all(len(features(one)) == HEARD_FEATURES for one in candidates)


def test_once_something_has_changed_the_network_is_asked_too(forecaster: NeuralForecaster) -> None:
    session = forecaster.open(_TEXT)
    session.hear(_RENAME)
    session.candidates(1)
    text = _TEXT + "more = 1\n"
    session.update(text, saved=True)
    heard = [one for one in session.candidates(1) if one.heard]
    assert heard and all(one.scored and one.log_probability < 0 for one in heard)
    assert {one.passed for one in heard} == {1}  # it could have been made, and was not
    assert {one.saves for one in heard} == {1}


def test_what_was_made_here_is_this_files_own(forecaster: NeuralForecaster) -> None:
    session = forecaster.open(_TEXT)
    session.hear(_RENAME)
    session.candidates(1)
    text = _TEXT.replace("first", "second", 1)
    session.update(text, saved=True)
    candidates = session.candidates(1)
    renames = [one for one in candidates if apply_hunks(text, [one.hunk]).count("second") == 2]
    assert renames and not any(one.heard for one in renames)
    assert renames[0].right == 1  # the save did what was said of it


def test_without_weights_for_them_they_are_not_looked_at(forecaster: NeuralForecaster) -> None:
    told = forecaster.ranking
    try:
        forecaster.ranking = _ZEROS
        session = forecaster.open(_TEXT)
        session.hear(_RENAME)
        assert session.predict() == []
        session.update(_TEXT + "more = 1\n", saved=True)
        assert not any(one.heard for one in session.candidates(1))
    finally:
        forecaster.ranking = told


def candidate(scored: int = 0, joint: float = 0.0) -> Candidate:
    heard = Heard(times=2, files=1, ago=3, places=1)
    return Candidate(Hunk(0, 5, "x"), 1, scored, joint, joint, 0.7, decoded=False, heard=heard)


def test_features_are_finite_however_improbable() -> None:
    for one in (candidate(), candidate(1, -math.inf)):
        assert len(features(one)) == HEARD_FEATURES
        assert all(map(math.isfinite, features(one)))


def test_they_have_weights_and_knots_of_their_own() -> None:
    card = {
        "calibration": {
            **{name: [0.0] * FEATURES for name in ("weights", "places", "wholes")},
            "knots": [[-5.0, 0.1], [0.0, 0.2]],
            "elsewhere": {
                **{name: [1.0, *[0.0] * (HEARD_FEATURES - 1)] for name in ("weights", "places")},
                "wholes": [0.0] * HEARD_FEATURES,
                "knots": [[-5.0, 0.5], [0.0, 0.9]],
            },
        }
    }
    ranking = Ranking.of(Card.of(card))
    own = replace(candidate(1, -1.0), heard=None)
    assert ranking.confidence(own) < 0.2 < 0.5 < ranking.confidence(candidate())
    assert ranking.worth(candidate()) > ranking.worth(own)
    card["calibration"]["elsewhere"]["weights"] = [1.0] * (HEARD_FEATURES - 1)  # another version's
    with pytest.raises(UnfitError, match="calibration.elsewhere must have 24 weights"):
        Card.of(card)
