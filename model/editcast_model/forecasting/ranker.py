"""The ranker: how probable it is that a candidate is clean, and the calibrated confidence of that.

One logistic model for all sources, each with weights of its own over the same few features, and an
isotonic curve from its probability to the share that was clean. Training fits both on development
data; they lie in the bundle's card.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from editcast_model.card import RANKER_FEATURES, Card
from editcast_model.forecasting.candidates import Candidate

#: Names of the features, in their order; before their weights comes the intercept.
FEATURES = RANKER_FEATURES
_LEAST = -15.0  # of log probabilities


def features(candidate: Candidate) -> list[float]:
    """Return the numbers that are weighed, one for each of `FEATURES`."""
    return [
        max(candidate.log_probability, _LEAST) / 5,
        math.exp(candidate.line),
        candidate.strength,
        math.log1p(candidate.times),
        math.log1p(candidate.ago),
        math.log1p(abs(candidate.distance)) / 3,
        candidate.repeating,
    ]


@dataclass(frozen=True)
class Ranker:
    """A bundle's weights and calibration.

    Attributes:
        weights: By name of the source, the intercept and a weight for each of `FEATURES`.
        points: The calibration: pairs of the model's probability and the share that was clean, both
            ascending; without them the probability is the confidence.
    """

    weights: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    points: tuple[tuple[float, float], ...] = ()

    @classmethod
    def of(cls, card: Card) -> "Ranker":
        """Read the ranker of a bundle's card."""
        given = card.calibration
        return cls(given.weights, tuple((at, share) for at, share in given.points))

    def score(self, candidate: Candidate) -> float | None:
        """Return the probability, not yet calibrated, that a candidate is clean.

        Without weights for its source that is the prior; None where there is neither.
        """
        weights = self.weights.get(candidate.source)
        if weights is None:
            return candidate.prior
        logit = weights[0] + float(np.dot(weights[1:], features(candidate)))
        return 1 / (1 + math.exp(min(max(-logit, -50.0), 50.0)))

    def confidence(self, candidate: Candidate) -> float | None:
        """Return the calibrated probability, 0 to 1, that a candidate is clean; None like `score`.

        A prior is taken as calibrated.
        """
        score = self.score(candidate)
        return None if score is None else self._confidence(candidate, score)

    def ranked(self, candidates: Sequence[Candidate]) -> list[tuple[Candidate, float]]:
        """Return the candidates of which something is known with their confidences, best first.

        Of the same cause none is more probable than one before it: who renames goes through the
        uses in their order.
        """
        rated = []
        least: dict[str, float] = {}
        for one in candidates:
            score = self.score(one)
            if score is None:
                continue
            if one.cause:
                score = least[one.cause] = min(score, least.get(one.cause, 1.0))
            rated.append((one, self._confidence(one, score), score))
        rated.sort(key=lambda each: each[1:], reverse=True)
        return [(one, sure) for one, sure, _ in rated]

    def _confidence(self, candidate: Candidate, score: float) -> float:
        return self.calibrated(score) if candidate.source in self.weights else score

    def calibrated(self, score: float) -> float:
        """Return the confidence of a score of this model: linear between two points."""
        if not self.points:
            return score
        at, share = zip(*self.points, strict=True)
        return float(np.interp(score, at, share))
