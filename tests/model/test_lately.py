"""What a session says of a candidate beside what was done and said before."""

import pytest

from editcast_model.bundle import Bundle
from editcast_model.diff import Hunk
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.forecasting.ranker import FEATURES, Candidate, Ranking
from editcast_model.forecasting.session_features import changes

_TEXT = "".join(f"value = first({number})\nother = {number}\n" for number in range(6))


@pytest.fixture(scope="module")
def forecaster(bundle: Bundle) -> NeuralForecaster:
    forecaster = NeuralForecaster.load(bundle.path, "cpu")
    forecaster.ranking = Ranking((0.0,) * FEATURES, (), (0.0,) * FEATURES)  # repeats count
    return forecaster


def _renamed(count: int) -> str:
    return _TEXT.replace("first", "second", count)


def test_what_was_done_and_what_was_not(forecaster: NeuralForecaster) -> None:
    session = forecaster.open(_TEXT)

    def next_rename() -> Candidate:
        """Any of the candidates that rename one more; they differ in their places alone."""
        renames = [
            one
            for one in session.candidates(1)
            if changes(session._text, [one.hunk])[0][1:] == ("first", "second")
        ]
        assert renames
        return renames[0]

    session.update(_renamed(1), saved=True)
    one = next_rename()
    assert (one.times, one.ago, one.passed, one.right, one.again) == (1, 0, 0, 0, 0)
    assert one.is_word and one.known

    session.update(_renamed(2), saved=True)  # as was said
    one = next_rename()
    assert (one.times, one.ago, one.passed, one.right, one.again) == (2, 0, 0, 0.5, 0.5)

    session.update(_renamed(2) + "more = 1\n", saved=True)  # something else
    one = next_rename()
    assert (one.times, one.ago, one.passed) == (2, 1, 1)
    assert (one.right, one.again) == (pytest.approx(1 / 3), pytest.approx(1 / 3))

    session.update(_renamed(3) + "more = 1\n", saved=True)  # done after all
    one = next_rename()
    assert (one.times, one.ago, one.passed, one.again) == (3, 0, 0, 0.5)


def test_typing_is_no_answer_to_what_was_said(forecaster: NeuralForecaster) -> None:
    session = forecaster.open(_TEXT)
    session.update(_renamed(1), saved=True)
    session.candidates(1)
    for text in (_renamed(1) + "m", _renamed(1) + "mo"):
        session.update(text, saved=False)
        assert all(one.passed == 0 and one.right == 0 for one in session.candidates(1))


def test_changes_are_without_common_ends() -> None:
    text = "call(first, last)\n"
    assert changes(text, [Hunk(5, 10, "forest"), Hunk(12, 16, "")]) == [
        (6, "ir", "ore"),
        (12, "last", ""),
    ]
