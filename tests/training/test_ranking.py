"""The weights that rank candidates."""

import numpy as np

from editcast_model.ranking import FEATURES
from editcast_training.ranking import fit


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
