"""Differences between two networks, with intervals over the test files."""

from collections.abc import Sequence
from typing import NamedTuple

from editcast_papers.markdown import gap_in_words
from editcast_papers.pointer_mixture.runs import Run
from editcast_training.evaluation.intervals import difference


class Comparison(NamedTuple):
    """Two networks; the paper has the upper one above the lower one, or not below it."""

    lower: str
    upper: str


COMPARISONS = (
    Comparison("vanilla LSTM", "attention"),
    Comparison("attention", "pointer mixture"),
    Comparison("attention", "pointer random"),
)


class _File(NamedTuple):
    """A test file, of all seeds.

    Attributes:
        session: Its number.
        right: Nodes that are predicted right.
        nodes: Nodes that are to be predicted.
    """

    session: int
    right: int
    nodes: int


def compared(lower: Sequence[Run], upper: Sequence[Run]) -> str | None:
    """Return by how many points the upper runs are above the lower ones of the same seeds.

    None if there are no two of the same seed.
    """
    seeds = {run.seed for run in lower} & {run.seed for run in upper}
    if not seeds:
        return None
    before, after = (_files([run for run in runs if run.seed in seeds]) for runs in (lower, upper))
    return gap_in_words(difference(before, after, lambda rows: {"": _accuracy(rows)})[""])


def _files(runs: Sequence[Run]) -> list[_File]:
    right = (sum(one) for one in zip(*(run.right for run in runs), strict=True))
    nodes = (sum(one) for one in zip(*(run.nodes for run in runs), strict=True))
    return [_File(at, *one) for at, one in enumerate(zip(right, nodes, strict=True))]


def _accuracy(rows: Sequence[_File]) -> float:
    return 100 * sum(row.right for row in rows) / sum(row.nodes for row in rows)
