"""Confidence that means something: the share of suggestions like this one that are clean.

Isotonic regression (pool adjacent violators; Barlow et al. 1972, Zadrozny and Elkan 2002) of
clean on the log probability, over bins that are large enough to be believed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from editcast_training.evaluation.metrics import Outcome, curve

LEAST_BIN = 25  # suggestions whose clean share is believed
MOST_BINS = 40
PRIOR = 2.0  # how many suggestions of average luck are added to each bin
LEAST_SHOWN = 20  # suggestions that a threshold must be measured on


class Judged(NamedTuple):
    """A suggestion made on development data, and whether it was clean."""

    log_probability: float
    clean: bool


@dataclass(frozen=True, slots=True)
class _Block:
    """Neighbouring suggestions by log probability: their sums."""

    count: int
    log_probabilities: float
    clean: float  # smoothed
    weight: float

    def pooled(self, other: "_Block") -> "_Block":
        return _Block(
            self.count + other.count,
            self.log_probabilities + other.log_probabilities,
            self.clean + other.clean,
            self.weight + other.weight,
        )

    @property
    def knot(self) -> tuple[float, float]:
        return self.log_probabilities / self.count, self.clean / self.weight


def calibrate(judged: Iterable[Judged]) -> list[list[float]]:
    """Knots [[log probability, confidence], ...] for `ranker.confidence` of the model.

    Both ascend strictly. Below the first block confidence goes down to 0, and above the last it
    rises a little, so that suggestions are still ranked there. An empty list if nothing is judged.
    """
    ranked = sorted(judged)
    if not ranked:
        return []
    blocks: list[_Block] = []
    for block in _bins(ranked):
        blocks.append(block)
        while len(blocks) > 1 and not _ascends(blocks[-2], blocks[-1]):
            last = blocks.pop()
            blocks[-1] = blocks[-1].pooled(last)
    knots = [list(block.knot) for block in blocks]
    lowest, highest = ranked[0].log_probability, ranked[-1].log_probability
    first, bottom = blocks[0].knot
    if bottom > 0.0:
        # Far below, since the lower half of the first block is not worse by much.
        knots.insert(0, [2.0 * lowest - first - 10.0, 0.0])
    _, top = blocks[-1].knot
    if top < 1.0:
        knots.append([max(0.0, highest) + 1e-3, top + 0.1 * (1.0 - top)])
    return knots


def _bins(ranked: Sequence[Judged]) -> list[_Block]:
    """Bins of equal counts, except that equal log probabilities are never parted."""
    size = max(LEAST_BIN, -(-len(ranked) // MOST_BINS))
    average = sum(one.clean for one in ranked) / len(ranked)
    bins: list[_Block] = []
    start = 0
    while start < len(ranked):
        end = min(start + size, len(ranked))
        if len(ranked) - end < size:
            end = len(ranked)
        while end < len(ranked) and ranked[end].log_probability == ranked[end - 1].log_probability:
            end += 1
        inside = ranked[start:end]
        bins.append(
            _Block(
                len(inside),
                sum(one.log_probability for one in inside),
                sum(one.clean for one in inside) + PRIOR * average,
                len(inside) + PRIOR,
            )
        )
        start = end
    return bins


def _ascends(left: _Block, right: _Block) -> bool:
    (before, low), (after, high) = left.knot, right.knot
    return before < after and low < high


def threshold_for(precision: float, outcomes: Iterable[Outcome]) -> float:
    """The lowest confidence at and above which suggestions are clean with this precision.

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
