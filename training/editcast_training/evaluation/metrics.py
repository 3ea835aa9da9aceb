"""Scores of suggestions: one at a time against the future, and together by confidence.

Distances are Indel distances (insertions plus deletions) over lexical tokens. For a suggestion, m
is the distance from the text to the text with the suggestion applied.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import accumulate, groupby

from rapidfuzz.distance import Indel

from editcast_model.diff import Hunk, apply_hunks, diff
from editcast_model.history import touched_lines
from editcast_model.tokenizer import lex, lines
from editcast_training.evaluation.sessions import Step

PRECISIONS = (0.7, 0.8, 0.9)
BINS = 10  # of the expected calibration error


@dataclass(frozen=True, slots=True)
class Score:
    """One suggestion against what came.

    Attributes:
        size: m, the token insertions and deletions it makes; 0 for one that changes nothing.
        clean: It brings the text exactly m closer to the future.
        exact: It is the next hunk, or another remaining one, whole.
        located: It touches a line that a remaining hunk touches.
        gain: (distance before - distance after) / m; 1 if clean, -1 if all of it is in the way.
        later: It is clean, or would be if what came were one of the texts saved after that; only
            looked for where sessions are replayed.
    """

    size: int
    clean: bool
    exact: bool
    located: bool
    gain: float
    later: bool = False


class Judge:
    """Scores suggestions made at one step; the step's distances are computed once.

    Attributes:
        touched: The lines that remaining hunks touch, counted from 0.
    """

    def __init__(self, step: Step) -> None:
        self._text = step.text
        self._tokens = lex(step.text)
        self._future = lex(step.future)
        self._distance = Indel.distance(self._tokens, self._future)
        self._whole = {apply_hunks(step.text, group) for group in step.remaining}
        self._starts = list(accumulate(map(len, lines(step.text)), initial=0))
        self.touched = self._lines(hunk for group in step.remaining for hunk in group)

    def score(self, hunk: Hunk) -> Score:
        """Score a suggestion, a hunk of the step's text."""
        text = hunk.apply(self._text)
        if text == self._text:
            return Score(0, False, False, False, 0.0)
        tokens = lex(text)
        size = Indel.distance(self._tokens, tokens)
        closer = self._distance - Indel.distance(tokens, self._future)
        exact = text in self._whole
        # The canonical diff, so that equal suggestions touch equal lines however they are written.
        located = not self.touched.isdisjoint(self._lines(diff(self._text, text)))
        return Score(size, closer == size, exact, located, closer / size)

    def _lines(self, hunks: Iterable[Hunk]) -> set[int]:
        return {line for hunk in hunks for line in touched_lines(self._starts, hunk)}


def score_over_time(hunk: Hunk, step: Step) -> Score:
    """Score a suggestion, and tell whether it was made later."""
    score = Judge(step).score(hunk)
    futures = (Step(step.text, text, ()) for text in step.later)
    later = score.clean or any(Judge(one).score(hunk).clean for one in futures)
    return replace(score, later=later)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A suggestion that was shown: how sure it was, if it was clean, and how much it counts."""

    confidence: float
    clean: bool
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Shares if every suggestion of at least this confidence is shown.

    Attributes:
        coverage: Of all steps those at which something is shown.
        precision: Of what is shown what is clean.
    """

    threshold: float
    coverage: float
    precision: float


def curve(outcomes: Iterable[Outcome], steps: int) -> list[CurvePoint]:
    """Return the precision/coverage curve, surest first; equal confidences come in together.

    There is an outcome for each of the steps at which something was suggested.
    """
    points: list[CurvePoint] = []
    shown = clean = 0
    ranked = sorted(outcomes, key=lambda outcome: -outcome.confidence)
    for threshold, tied in groupby(ranked, key=lambda outcome: outcome.confidence):
        for outcome in tied:
            shown += 1
            clean += outcome.clean
        points.append(CurvePoint(threshold, shown / steps, clean / shown))
    return points


def coverage_at(points: Iterable[CurvePoint], precision: float) -> float:
    """Return the largest coverage with a clean precision of at least `precision`, else 0.0."""
    return max((p.coverage for p in points if p.precision >= precision), default=0.0)


def expected_calibration_error(outcomes: Iterable[Outcome]) -> float:
    """Compute the mean difference of confidence and clean share over bins; 0.0 for no outcome."""
    excess: defaultdict[int, float] = defaultdict(float)
    known = list(outcomes)
    for one in known:
        excess[min(int(one.confidence * BINS), BINS - 1)] += one.confidence - one.clean
    return sum(map(abs, excess.values())) / max(len(known), 1)
