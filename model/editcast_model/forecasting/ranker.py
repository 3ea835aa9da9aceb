"""From candidates to one calibrated confidence: how probable it is that a candidate is clean.

Candidates come from two sources: what the network decoded, and earlier replacements made again
elsewhere (`repeated_edits.RepeatBest`), which the network then scores. Logistic models, one for
each source, put both on one scale, and a monotone line through knots makes it calibrated. Others
tell how probable it is that a candidate is at a right place, whatever it says there, and that it is
all of what is to be done there. What other files' saves replaced has a model of its own. Weights
and knots are fitted on development data and lie in the bundle's card.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from editcast_model.card import CANDIDATE_FEATURES, HEARD_FEATURES, Calibration, Card, Elsewhere
from editcast_model.diff import Hunk
from editcast_model.forecasting.cross_file import Heard

#: How many features a candidate has; those of the other source are zero.
FEATURES = CANDIDATE_FEATURES
#: [log probability, confidence] pairs; both ascend strictly, so that confidence still ranks.
Knots = Sequence[Sequence[float]]
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
        saves: Saves of the file so far.
        is_word: Whether it inserts or deletes more than space and punctuation.
        decisions: How many choices the network made for it, a span being one; 0 for what is a
            repeated replacement.
        heard: What is known of it when it repeats what was replaced in another file.
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
    saves: int = 0
    is_word: bool = True
    decisions: int = 0
    heard: Heard | None = None


def features(candidate: Candidate) -> list[float]:
    """What is weighed: `FEATURES` numbers, or `HEARD_FEATURES`."""
    if candidate.heard is not None:
        return _heard_features(candidate, candidate.heard)
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


def _heard_features(candidate: Candidate, heard: Heard) -> list[float]:
    about = [
        1.0,
        candidate.repeated,
        math.log1p(heard.times),
        math.log1p(heard.files),
        math.log1p(heard.ago),
        math.log1p(heard.places),
        float(heard.places == 1),
        float(not candidate.hunk.text),
        math.log1p(len(candidate.hunk.text)) / 3,
        math.log1p(candidate.hunk.end - candidate.hunk.start) / 3,
        float(candidate.is_word),
        float(candidate.known),
        float(candidate.saves == 0),
        math.log1p(candidate.saves),
        math.log1p(candidate.passed),
    ]
    if not candidate.scored:  # nothing has changed here yet: there is nothing to ask the network
        return about + [0.0] * (HEARD_FEATURES - len(about))
    location, line = max(candidate.location, -10.0), max(candidate.line, -10.0)
    log_probability = max(candidate.log_probability, -15.0)
    return [
        *about,
        location / 5,
        math.exp(location),
        line / 5,
        math.exp(line),
        log_probability / 5,
        max(log_probability / candidate.scored, -5.0) / 2,
        float(candidate.decoded),
        math.log1p(abs(candidate.lines)) / 3,
        float(candidate.lines < 0),
    ]


@dataclass(frozen=True)
class Ranking:
    """A bundle's weights and knots; without weights only the network's own candidates count.

    Attributes:
        weights: Of the features, for being clean.
        knots: Of the calibration.
        places: Of the features, for being at a right place.
        wholes: Of the features, for being a whole hunk of what comes.
        elsewhere: The same for what other files' saves replaced; None where nothing tells how much
            that is worth.
    """

    weights: tuple[float, ...] = ()
    knots: tuple[tuple[float, float], ...] = ()
    places: tuple[float, ...] = ()
    wholes: tuple[float, ...] = ()
    elsewhere: "Ranking | None" = None

    @classmethod
    def of(cls, card: Card) -> "Ranking":
        """Of a bundle's card."""
        given = card.calibration
        heard = given.elsewhere
        return cls._of(given, cls._of(heard) if given.weights and heard.weights else None)

    @classmethod
    def _of(cls, given: Calibration | Elsewhere, elsewhere: "Ranking | None" = None) -> "Ranking":
        knots = tuple((at, value) for at, value in given.knots)
        return cls(given.weights, knots, given.places, given.wholes, elsewhere)

    def confidence(self, candidate: Candidate) -> float:
        """Estimated probability that the candidate is clean, 0 to 1."""
        if candidate.heard and self.elsewhere:
            return self.elsewhere.confidence(candidate)
        if not self.weights:
            return confidence(self.knots, candidate.log_probability)
        return confidence(self.knots, _log_sigmoid(self.weights, candidate))

    def worth(self, candidate: Candidate) -> float:
        """By what candidates are preferred: a right place counts, whatever is said there."""
        if candidate.heard and self.elsewhere:
            return self.elsewhere.worth(candidate)
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


def confidence(knots: Knots, log_probability: float) -> float:
    """The confidence, 0 to 1, of a suggestion of this joint natural log probability.

    Linear between two knots, constant beyond the outer ones. Without knots (an uncalibrated
    bundle) it is the probability itself.
    """
    if not knots:
        return float(np.exp(min(log_probability, 0.0)))
    at, value = np.asarray(knots, np.float64).T
    return float(np.interp(log_probability, at, value))
