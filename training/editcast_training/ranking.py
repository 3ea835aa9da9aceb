"""Fits the logistic models that put candidates of both sources on one scale."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from editcast_model.neural import NeuralForecaster
from editcast_model.ranking import FEATURES, Ranking, features
from editcast_training.metrics import Judge
from editcast_training.sessions import EditingSession

_RIDGE = 1.0
_COUNT = 2  # decoded candidates of a step


def collect(
    forecaster: NeuralForecaster, sessions: Iterable[EditingSession]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Every candidate of every step.

    Returns:
        Features (n, FEATURES), and whether it is clean and whether it is located (n, 2).
    """
    # With weights, whatever they are, a session offers repeated replacements too.
    forecaster.ranking = Ranking((0.0,) * FEATURES)
    rows: list[list[float]] = []
    scores: list[tuple[bool, bool]] = []
    for replayed in sessions:
        session = forecaster.open(replayed.texts[0])
        for text in replayed.texts[1 : replayed.first]:
            session.update(text, saved=True)
        for step in replayed.steps():
            session.update(step.text, saved=True)
            judge = Judge(step)
            for candidate in session.candidates(_COUNT):
                rows.append(features(candidate))
                score = judge.score((candidate.hunk,))
                scores.append((score.clean, score.located))
    found = np.array(rows, np.float64).reshape(-1, FEATURES)
    return found, np.array(scores, np.bool_).reshape(-1, 2)


def fit(
    rows: npt.NDArray[np.float64], right: Sequence[bool] | npt.NDArray[np.bool_]
) -> list[float]:
    """Ridge logistic regression by Newton's method; weights (FEATURES,)."""
    weights = np.zeros(rows.shape[1])
    wanted = np.asarray(right, np.float64)
    ridge = _RIDGE * np.eye(rows.shape[1])
    for _ in range(30):
        share = 1 / (1 + np.exp(-rows @ weights))
        gradient = rows.T @ (wanted - share) - ridge @ weights
        curvature = (rows * (share * (1 - share))[:, None]).T @ rows + ridge
        weights = weights + np.linalg.solve(curvature, gradient)
    return [float(round(weight, 6)) for weight in weights]
