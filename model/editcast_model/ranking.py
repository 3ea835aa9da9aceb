"""From candidates to one calibrated confidence: how probable it is that a candidate is clean.

Candidates come from two sources: what the network decoded, and earlier replacements made again
elsewhere (`baselines.RepeatBest`), which the network then scores. Logistic models, one for each
source, put both on one scale, and a monotone line through knots makes it calibrated. Others tell
how probable it is that a candidate is at a right place, whatever it says there, and that it is all
of what is to be done there. Weights and knots are fitted on development data and lie in the
bundle's card.
"""

import math
from dataclasses import dataclass
from typing import Any

from editcast_model.confidence import confidence
from editcast_model.diff import Hunk

#: How many features a candidate has; those of the other source are zero.
FEATURES = 48
#: What a right place alone is worth, and a whole hunk, where a clean suggestion is worth 1.
_PLACE, _WHOLE = 0.5, 2.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change that may come next.

    Attributes:
        hunk: In the text as it is now.
        edits: How many token edits it is.
        scored: How many of them the network scored, from the first on.
        log_probability: Joint, of those.
        location: Log probability of the first position alone.
        line: Log probability of its line.
        pointed: What the pointer alone says of it.
        repeated: Score of the repeated replacement, 0 to 1; 0 when the network alone had it.
        decoded: Whether the network came to it by itself.
        times: How often the same replacement was made lately.
        lines: How many lines below the last edit it is, negative above.
        known: Whether all words it inserts stand in the text.
        right: Of the last saves, the share that did what a candidate had said.
        again: Of the last saves, the share that made a replacement which was made before.
        ago: How many saves ago the same replacement was made last; 0 in the last one, or if never.
        passed: After how many saves the same replacement could have been made and was not.
        is_word: Whether it inserts or deletes more than space and punctuation.
        decisions: How many choices the network made for it, a span being one; 0 for what is a
            repeated replacement.
    """

    hunk: Hunk
    edits: int
    scored: int
    log_probability: float
    location: float
    repeated: float
    decoded: bool
    line: float = 0.0
    pointed: float = 0.0
    times: int = 0
    lines: int = 0
    known: bool = True
    right: float = 0.0
    again: float = 0.0
    ago: int = 0
    passed: int = 0
    is_word: bool = True
    decisions: int = 0


def features(candidate: Candidate) -> list[float]:
    """What is weighed, `FEATURES` numbers."""
    log_probability = max(candidate.log_probability, -15.0)
    location, line = max(candidate.location, -10.0), max(candidate.line, -10.0)
    content = max(log_probability - location, -12.0)  # what is said there, and where it goes on
    own = [
        1.0,
        log_probability / 5,
        location / 5,
        math.exp(location),
        line / 5,
        math.exp(line),
        max(candidate.pointed, -10.0) / 5,
        content / 5,
        content / candidate.scored / 2,
        max(log_probability / candidate.scored, -5.0) / 2,
        math.log(candidate.edits),
        float(not candidate.hunk.text),
        math.log1p(len(candidate.hunk.text)) / 3,
        math.log1p(candidate.times),
        math.log1p(abs(candidate.lines)) / 3,
        float(candidate.lines < 0),
        float(candidate.lines == 0),
        float(candidate.known),
        candidate.right,
        candidate.again,
        math.log1p(candidate.ago),
        math.log1p(candidate.passed),
        float(candidate.is_word),
    ]
    if candidate.repeated:
        more = [candidate.repeated, float(candidate.decoded)]
        return [0.0] * len(own) + own + more
    return own + [0.0] * (FEATURES - len(own))


@dataclass(frozen=True)
class Ranking:
    """A bundle's weights and knots; without weights only the network's own candidates count.

    Attributes:
        weights: Of the features, for being clean.
        knots: Of the calibration.
        places: Of the features, for being at a right place.
        wholes: Of the features, for being a whole hunk of what comes.
    """

    weights: tuple[float, ...] = ()
    knots: tuple[tuple[float, float], ...] = ()
    places: tuple[float, ...] = ()
    wholes: tuple[float, ...] = ()

    @classmethod
    def of(cls, card: dict[str, Any]) -> "Ranking":
        """Of a bundle's card."""
        given = card.get("calibration", {})
        knots = tuple((float(a), float(b)) for a, b in given.get("knots", ()))
        of = [tuple(map(float, given.get(name, ()))) for name in ("weights", "places", "wholes")]
        if any(of) and any(len(weights) != FEATURES for weights in of):
            return cls()  # of another version: the knots go with weights that mean nothing here
        return cls(of[0], knots, of[1], of[2])

    def confidence(self, candidate: Candidate) -> float:
        """Estimated probability that the candidate is clean, 0 to 1."""
        if not self.weights:
            return confidence(self.knots, candidate.log_probability)
        return confidence(self.knots, _log_sigmoid(self.weights, candidate))

    def worth(self, candidate: Candidate) -> float:
        """By what candidates are preferred: a right place counts, whatever is said there."""
        if not self.weights:
            return candidate.log_probability
        clean, located, whole = (
            math.exp(_log_sigmoid(of, candidate)) for of in (self.weights, self.places, self.wholes)
        )
        return clean + _PLACE * located + _WHOLE * whole


def _log_sigmoid(weights: tuple[float, ...], candidate: Candidate) -> float:
    pairs = zip(weights, features(candidate), strict=True)
    logit = sum(weight * value for weight, value in pairs)
    return -math.log1p(math.exp(min(-logit, 50.0)))
