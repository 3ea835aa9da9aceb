"""The line head learns where the next edit is."""

import numpy as np

from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.forecasting.line_ranker import FEATURES
from editcast_store.models import default_bundle_path
from editcast_training.calibration.line_ranker import Example, examples, fit
from editcast_training.evaluation.sessions import EditingSession


def session(kind: str, *texts: str, first: int = 1) -> EditingSession:
    return EditingSession("p", "a.py", "python", kind, texts, first)


def drawn_examples(kind: str, column: int, count: int, seed: int) -> list[Example]:
    """The right line is the one where a feature is 1, of 2 to 9 lines."""
    draw = np.random.default_rng(seed)
    out = []
    for _ in range(count):
        size = int(draw.integers(2, 10))
        features = draw.normal(size=(size, FEATURES)).astype(np.float32)
        features[:, column] = 0
        right = np.zeros(size, np.bool_)
        right[draw.integers(size)] = True
        features[right, column] = 1
        out.append(Example(kind, features, right))
    return out


def test_it_finds_what_tells_the_right_line() -> None:
    head = fit(drawn_examples("commits", 7, 100, 0))
    assert head is not None
    unseen = drawn_examples("commits", 7, 50, 1)
    found = [bool(one.right[head.log_probabilities(one.features).argmax()]) for one in unseen]
    assert np.mean(found) > 0.9
    again = fit(drawn_examples("commits", 7, 100, 0))
    assert again is not None and np.array_equal(again.hidden, head.hidden)  # by its seed


def test_there_may_be_nothing_to_learn_from() -> None:
    assert fit([]) is None


def test_examples_are_the_steps_that_have_a_right_line() -> None:
    forecaster = NeuralForecaster.load(default_bundle_path(), "cpu")
    texts = [f"a = {number}\nb = 1\nc = 1\n" for number in range(4)]
    found = list(examples(forecaster, [session("saves", *texts, first=2)]))
    (one,) = found  # the first save is only shown, the last is what comes
    assert one.kind == "saves" and one.features.shape == (4, FEATURES)
    assert one.right.tolist() == [True, False, False, False]
