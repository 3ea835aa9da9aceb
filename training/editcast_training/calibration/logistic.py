"""Logistic regression in which every kind of session counts the same."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from sklearn.linear_model import LogisticRegression


def kind_weights(kinds: Iterable[str]) -> dict[str, float]:
    """Return how much a row of each of these kinds counts, so that the kinds count the same."""
    counts = Counter(kinds)
    return {kind: counts.total() / len(counts) / count for kind, count in counts.items()}


def logistic(
    rows: Sequence[Sequence[float]], right: Sequence[bool], counted: Sequence[float]
) -> tuple[float, ...]:
    """Fit an intercept and weights by ridge logistic regression of rows that count as given.

    Where there is nothing to tell apart, the intercept says the share, with one of each kind added.
    """
    if len(set(right)) == 1:
        share = (sum(right) + 1) / (len(right) + 2)
        return (round(float(np.log(share / (1 - share))), 6), *([0.0] * len(rows[0])))
    model = LogisticRegression(C=1.0, max_iter=3000)
    model.fit(np.array(rows), np.array(right), sample_weight=np.array(counted))
    return tuple(round(float(weight), 6) for weight in (*model.intercept_, *model.coef_[0]))
