"""Paired bootstrap of exact match: intervals of the difference between two systems.

Lines of results keep a figure for each line of the test, 1 if it is right and 0 if it is not.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from editcast_training.evaluation.intervals import Interval

_SAMPLES = 1_000


def right_words(right: Sequence[bool]) -> str:
    """Write down which lines are right, a figure each."""
    return "".join("01"[one] for one in right)


def paired_gap(upper: Sequence[str], lower: Sequence[str], seed: int = 0) -> Interval:
    """Compare two systems in points of percent, with samples of the lines, the same for both.

    Args:
        upper: Figures of each run of a system.
        lower: Those of the other system's runs, in the order of the same seeds.
        seed: Of the samples.
    """
    gaps = (_share(upper) - _share(lower)) * 100
    drawn = np.random.default_rng(seed).integers(len(gaps), size=(_SAMPLES, len(gaps)))
    means = gaps[drawn].mean(1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(float(gaps.mean()), float(low), float(high))


def _share(runs: Sequence[str]) -> NDArray[np.float64]:
    """Return the share of the runs that have each line right."""
    figures = np.array([[one == "1" for one in run] for run in runs], dtype=np.float64)
    mean: NDArray[np.float64] = figures.mean(0)
    return mean
