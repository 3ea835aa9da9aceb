"""Relative positions for the position head: the distance of each item from the last edit.

Distances are signed differences of ranks in the current text, in buckets: exact for small ones and
logarithmic beyond. Training computes them for every step of an instance and inference for the last
one, with the same functions.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from editcast_model.edits import SAVE, Edit, Timeline

_EXACT = 8
_FAR = tuple(int(round(_EXACT * 2 ** (step / 2))) for step in range(1, 19))  # up to 4096
_EDGES = np.array(
    [-far for far in reversed(_FAR)] + list(range(-_EXACT, _EXACT + 2)) + [far + 1 for far in _FAR],
    np.int32,
)
BUCKETS = len(_EDGES) + 1
HERE = int(np.searchsorted(_EDGES, 0, side="right"))  # the bucket of distance 0


def buckets(timeline: Timeline, farther: npt.NDArray[np.int64] | int = 0) -> npt.NDArray[np.uint8]:
    """Return the bucket of every item's distance from the last edit, uint8 (N,).

    `farther` is the number of left-out tokens between it and each item, (N,).
    """
    distance = timeline.rank - timeline.last_rank + farther
    return np.searchsorted(_EDGES, distance, side="right").astype(np.uint8)


class Row:
    """The inputs of an edit besides its content, as scalars."""

    __slots__ = ("move", "position", "rank", "site")

    def __init__(self, timeline: Timeline, edit: Edit, farther: int = 0) -> None:
        """Compute the inputs; `farther` tokens were left out between the edit and the last one."""
        self.position = edit.position
        self.site = int(timeline.site[edit.position])
        self.rank = int(timeline.rank[edit.position])
        distance = self.rank - timeline.last_rank + farther
        self.move = int(np.searchsorted(_EDGES, distance, side="right"))


def trace(
    state: Sequence[int], edits: Sequence[Edit], left_out: Sequence[int] = ()
) -> tuple[list[Row], npt.NDArray[np.bool_], npt.NDArray[np.uint8]]:
    """Compute the inputs of the position head for all edits of an instance.

    Args:
        state: ``s(0)``, or some of its tokens.
        edits: The T edits.
        left_out: The number of tokens left out before each token of `state`, M+1. Distances include
            them.

    Returns:
        A row for each edit; the live items before each edit, bool (T, N); and their buckets, uint8
        (T, N), where N is M+1+T and later items are dead.
    """
    timeline = Timeline(state)
    size = len(state) + len(edits)
    live = np.zeros((len(edits), size), np.bool_)
    bucket = np.zeros((len(edits), size), np.uint8)
    rows: list[Row] = []
    missing = np.array(left_out, np.int64) if left_out else np.zeros(len(state), np.int64)
    last = 0  # the site of the last edit
    for index, edit in enumerate(edits):
        farther = missing[timeline.site] - missing[last]
        here = int(timeline.site[edit.position])
        rows.append(Row(timeline, edit, int(farther[edit.position])))
        live[index, : timeline.items] = timeline.live
        bucket[index, : timeline.items] = buckets(timeline, farther)
        timeline.append(edit)
        if edit.content != SAVE:
            last = here
    return rows, live, bucket
