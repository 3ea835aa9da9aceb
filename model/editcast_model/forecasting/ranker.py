"""The ranker: which candidate is worth most, and the calibrated confidence that it is clean.

Three logistic models, of the probabilities that a candidate is clean, that it is at a right place
and that it is a whole change, with weights for each source over the same few features. Together
they choose; an isotonic curve turns the first into the share that was clean. They and the curve are
fitted to projects that the network never saw, and lie in the bundle's card.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from editcast_model.card import RANKER_FEATURES, Card
from editcast_model.forecasting.candidates import CONSEQUENCE, Candidate

#: Names of the features, in their order; before their weights comes the intercept.
FEATURES = RANKER_FEATURES
_LEAST = -15.0  # of log probabilities
#: The worth of a right place, and of a clean part of a change, where a whole change is worth 1.
_PLACE, _PART = 1 / 6, 1 / 6


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
        candidate.hunk.start == candidate.hunk.end,
        candidate.is_whole_lines,
    ]


@dataclass(frozen=True)
class Ranker:
    """A bundle's weights and calibration.

    Attributes:
        weights: By name of the source, the intercept and a weight for each of `FEATURES`, of being
            clean.
        places: The same of being at a right place; without them a place is worth nothing.
        wholes: The same of being a whole change; without them, as for consequences, every clean
            candidate counts as one.
        points: The calibration: pairs of the model's probability and the share that was clean, both
            ascending; without them the probability is the confidence.
    """

    weights: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    points: tuple[tuple[float, float], ...] = ()
    places: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    wholes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, card: Card) -> "Ranker":
        """Read the ranker of a bundle's card.

        Consequences have a prior by their kind, which is measured on many more commits than a
        ranker is fitted to.
        """
        given = card.calibration
        weights = {name: one for name, one in given.weights.items() if name != CONSEQUENCE}
        points = tuple((at, share) for at, share in given.points)
        return cls(weights, points, given.places, given.wholes)

    def score(self, candidate: Candidate) -> float | None:
        """Return the probability, not yet calibrated, that a candidate is clean.

        Without weights for its source that is the prior; None where there is neither.
        """
        weights = self.weights.get(candidate.source)
        return candidate.prior if weights is None else probability_of(weights, features(candidate))

    def worth(self, candidate: Candidate, score: float) -> float:
        """Return the expected worth of a candidate with this score.

        Parts of a change are clean more often than the whole, and little of what is wanted.
        """
        numbers = features(candidate)
        return self._worth(candidate.source, score, lambda one: probability_of(one, numbers))

    def _worth(
        self, source: str, score: float, probable: Callable[[Sequence[float]], float]
    ) -> float:
        """Return the worth, given the probability by weights of being at a place, or whole."""
        places, wholes = self.places.get(source), self.wholes.get(source)
        whole = probable(wholes) if wholes else score
        return whole + _PART * score + _PLACE * (probable(places) if places else 0.0)

    def may_win(
        self,
        others: Sequence[Candidate],
        count: int,
        confidence: float,
        low: Candidate,
        high: Candidate,
    ) -> bool:
        """Tell whether a candidate of a source could change anything that is of use.

        It cannot if it is not among the best `count`, or if neither it nor any of those is
        confident enough.

        Args:
            others: The candidates that are known already.
            count: The number of candidates wanted.
            confidence: The least confidence that is of use.
            low: A candidate with the least value of each feature.
            high: One with the greatest.
        """
        best = self.rated(others)[:count]
        worth = best[-1][2] if len(best) == count else 0.0
        is_sure = any(sure >= confidence for _, sure, _ in best)
        most_worth, most_sure = self._most(low, high)
        return most_worth >= worth and (is_sure or most_sure >= confidence)

    def _most(self, low: Candidate, high: Candidate) -> tuple[float, float]:
        """Return bounds of the worth and of the confidence of candidates between these two."""
        ends = np.array([features(low), features(high)])

        def most(weights: Sequence[float]) -> float:
            return _logistic(weights[0] + float((ends * weights[1:]).max(0).sum()))

        weights = self.weights.get(low.source)
        score = 1.0 if weights is None else most(weights)
        return self._worth(low.source, score, most), self._confidence(low, score)

    def ranked(self, candidates: Sequence[Candidate]) -> list[tuple[Candidate, float]]:
        """Return the candidates of which something is known with their confidences, best first.

        A confidence is the calibrated probability, 0 to 1, that a candidate is clean; a prior is
        taken as calibrated.
        """
        return [(one, sure) for one, sure, _ in self.rated(candidates)]

    def rated(self, candidates: Sequence[Candidate]) -> list[tuple[Candidate, float, float]]:
        """Return the candidates of which something is known, best first.

        Of the same cause none is better than one before it: who renames goes through the uses in
        their order. Consequences that are as sure as each other stay in theirs.

        Returns:
            Each with its confidence and its worth.
        """
        rated = []
        least: dict[str, tuple[float, float]] = {}
        equal: dict[float, float] = {}
        for one in candidates:
            score = self.score(one)
            if score is None:
                continue
            worth = self.worth(one, score)
            if one.cause:
                before = least.get(one.cause, (worth, score))
                worth, score = least[one.cause] = min(worth, before[0]), min(score, before[1])
            if one.source == CONSEQUENCE:
                worth = equal.setdefault(score, worth)
            rated.append((one, self._confidence(one, score), worth))
        return sorted(rated, key=lambda each: each[2], reverse=True)

    def _confidence(self, candidate: Candidate, score: float) -> float:
        return self.calibrated(score) if candidate.source in self.weights else score

    def calibrated(self, score: float) -> float:
        """Return the confidence of a score of this model: linear between two points."""
        if not self.points:
            return score
        at, share = zip(*self.points, strict=True)
        return float(np.interp(score, at, share))


def probability_of(weights: Sequence[float], numbers: Sequence[float]) -> float:
    """Compute the probability that a logistic model gives, by its intercept and its weights."""
    return _logistic(weights[0] + float(np.dot(weights[1:], numbers)))


def _logistic(logit: float) -> float:
    return 1 / (1 + math.exp(min(max(-logit, -50.0), 50.0)))
