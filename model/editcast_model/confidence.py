"""From a joint log probability to a calibrated confidence: a line through knots in the card."""

from collections.abc import Sequence

import numpy as np

#: [log probability, confidence] pairs; both ascend strictly, so that confidence still ranks.
Knots = Sequence[Sequence[float]]


def confidence(knots: Knots, log_probability: float) -> float:
    """The confidence, 0 to 1, of a suggestion of this joint natural log probability.

    Linear between two knots, constant beyond the outer ones. Without knots (an uncalibrated
    bundle) it is the probability itself.
    """
    if not knots:
        return float(np.exp(min(log_probability, 0.0)))
    at, value = np.asarray(knots, np.float64).T
    return float(np.interp(log_probability, at, value))
