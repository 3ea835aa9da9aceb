"""Calibration: from a ranker's probability to the share of suggestions like this that are clean."""

from collections.abc import Iterable, Sequence

import numpy as np
from sklearn.isotonic import IsotonicRegression

from editcast_training.evaluation.metrics import Outcome, curve

LEAST_BIN = 25  # suggestions whose clean share is believed
MOST_BINS = 40
PRIOR = 2.0  # how many suggestions of average luck are added to each bin
LEAST_SHOWN = 20  # suggestions that a threshold must be measured on


def calibrate(outcomes: Iterable[Outcome]) -> list[tuple[float, float]]:
    """Fit points (probability, confidence) for `ranker.Ranker`.

    Isotonic regression over bins that are large enough to be believed; of bins that come to the
    same share one point remains, so that confidence rises between all points and still ranks. It
    rises from 0 at the probability 0, and above the last point a little.

    Args:
        outcomes: Suggestions with the model's probability as their confidence, and what they count.

    Returns:
        Both ascending, strictly; an empty list for no outcomes.
    """
    ranked = sorted(outcomes, key=lambda outcome: outcome.confidence)
    if not ranked:
        return []
    bins = _bins([outcome.confidence for outcome in ranked])
    clean = np.array([outcome.clean for outcome in ranked], np.float64)
    weights = np.array([outcome.weight for outcome in ranked])
    at = np.array([outcome.confidence for outcome in ranked])
    sizes = np.array([weights[start:end].sum() for start, end in bins])
    means = np.array([np.average(at[s:e], weights=weights[s:e]) for s, e in bins])
    prior = PRIOR * np.average(clean, weights=weights)
    smooth = np.array([clean[s:e] @ weights[s:e] + prior for s, e in bins])
    shares = IsotonicRegression().fit_transform(
        means, smooth / (sizes + PRIOR), sample_weight=sizes + PRIOR
    )
    points = [(0.0, 0.0)]
    for share in np.unique(shares):
        same = shares == share
        middle = float(np.average(means[same], weights=sizes[same]))
        point = round(middle, 6), round(float(share), 6)
        if point[0] > points[-1][0] and point[1] > points[-1][1]:
            points.append(point)
    last, top = points[-1]
    if last < 1.0 and top < 0.99999:
        points.append((1.0, round(top + 0.1 * (1.0 - top), 6)))
    return points


def _bins(ascending: Sequence[float]) -> list[tuple[int, int]]:
    """Cut into bins of equal counts, (start, end), but never between equal values."""
    size = max(LEAST_BIN, -(-len(ascending) // MOST_BINS))
    bins: list[tuple[int, int]] = []
    start = 0
    while start < len(ascending):
        end = min(start + size, len(ascending))
        if len(ascending) - end < size:
            end = len(ascending)
        while end < len(ascending) and ascending[end] == ascending[end - 1]:
            end += 1
        bins.append((start, end))
        start = end
    return bins


def threshold_for(precision: float, outcomes: Iterable[Outcome]) -> float:
    """Return the lowest confidence from which on suggestions are clean with this precision.

    A precision that is only reached on fewer than `LEAST_SHOWN` suggestions is luck; if it is not
    reached at all, the threshold is 1.0.
    """
    known = list(outcomes)
    reached = [
        point.threshold
        for point in curve(known, len(known))
        if point.precision >= precision and round(point.coverage * len(known)) >= LEAST_SHOWN
    ]
    return min(reached, default=1.0)
