"""The weights that rank candidates."""

from typing import Any

import numpy as np

from editcast_model.diff import Hunk
from editcast_model.ranking import FEATURES, Candidate
from editcast_training.ranking import collect, fit
from editcast_training.sessions import EditingSession


class Recorder:
    """A forecaster whose sessions note what they are told, and have one candidate: the truth."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.ranking: Any = None

    def open(self, text: str) -> "Recorder":
        self.heard.append(text)
        return self

    def update(self, text: str, *, saved: bool) -> None:
        assert saved
        self.heard.append(text)

    def candidates(self, count: int) -> list[Candidate]:
        size = len(self.heard[-1])
        return [Candidate(Hunk(size, size, "x\n"), 1, 1, -1.0, -0.5, 0.0, True)]


def test_candidates_are_collected_from_whole_sessions() -> None:
    texts = tuple("x\n" * count for count in range(1, 6))
    recorder = Recorder()
    session = EditingSession("p", "a.py", "python", "saves", texts, first=3)
    rows, right = collect(recorder, [session])  # type: ignore[arg-type]
    assert recorder.heard == list(texts[:4])  # the last is what is to be predicted
    assert rows.shape == (1, FEATURES)
    assert right.tolist() == [[True, True]]


def test_fit_finds_what_made_them_clean() -> None:
    draw = np.random.default_rng(0)
    rows = draw.normal(size=(4_000, FEATURES))
    true = np.linspace(-2, 2, FEATURES)
    clean = draw.random(4_000) < 1 / (1 + np.exp(-rows @ true))
    assert np.abs(np.array(fit(rows, clean)) - true).max() < 0.3


def test_fit_is_finite_when_all_are_clean() -> None:
    rows = np.ones((10, FEATURES))
    weights = np.array(fit(rows, np.ones(10, np.bool_)))
    assert np.isfinite(weights).all()
    assert 1 / (1 + np.exp(-weights.sum())) > 0.6
