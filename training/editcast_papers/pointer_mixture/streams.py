"""Files as segments of a window's length, and the order in which a batch of streams reads them.

    S  segments of all files    T  nodes of a segment, as many as the memory holds    B  streams

A stream reads the segments of a file one after the other and then takes the next file, so that no
stream ever waits for another. What a stream carries from segment to segment ends with the file.
"""

from heapq import heapreplace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from editcast_papers.pointer_mixture.corpus import Part

#: Nodes of a segment; hidden states in the memory.
WINDOW = 50


class Batch(NamedTuple):
    """Segments. What is at the padding behind a file's last node means nothing.

    Attributes:
        types: Of the nodes read, (B, T).
        values: Of the nodes read, (B, T).
        before: Values of the nodes that the memory holds at first, (B, T); -1 for none.
        next_types: Of the nodes to predict, (B, T); -1 at padding.
        next_values: Of the nodes to predict, (B, T); -1 at padding.
        up: How far back from the node read is the parent of the node to predict, (B, T).
        first: Whether a file begins, bool (B,).
    """

    types: Tensor
    values: Tensor
    before: Tensor
    next_types: Tensor
    next_values: Tensor
    up: Tensor
    first: Tensor


class Segments:
    """The segments of a part.

    Attributes:
        starts: The first segment of each file.
        counts: How many each file has.
        device: Where they lie.
    """

    def __init__(self, part: Part, device: torch.device | str = "cpu") -> None:
        begins = np.concatenate([[0], part.ends[:-1]])
        lengths = part.ends - begins
        self.counts = -(-(lengths - 1) // WINDOW)
        self.starts = np.concatenate([[0], np.cumsum(self.counts)[:-1]])
        total = int(self.counts.sum())
        columns = np.full((5, total * WINDOW), -1, np.int32)
        columns[:2] = 0
        for begin, end, start in zip(begins, part.ends, self.starts, strict=True):
            own = slice(start * WINDOW, start * WINDOW + end - begin - 1)
            here, after = slice(begin, end - 1), slice(begin + 1, end)
            columns[0, own], columns[1, own] = part.types[here], part.values[here]
            columns[2, own], columns[3, own] = part.types[after], part.values[after]
            columns[4, own] = np.arange(end - begin - 1) - part.parents[after]
        self._columns = torch.from_numpy(columns).view(5, total, WINDOW).to(device)
        self._first = torch.zeros(total, dtype=torch.bool)
        self._first[torch.from_numpy(self.starts)] = True
        self._first = self._first.to(device)
        self.device = self._columns.device

    def at(self, numbers: Tensor) -> Batch:
        """Return segments by their numbers (B,)."""
        numbers = numbers.to(self.device)
        found = self._columns[:, numbers].long()
        first = self._first[numbers]
        before = self._columns[1, numbers - 1].long().masked_fill(first[:, None], -1)
        return Batch(found[0], found[1], before, found[2], found[3], found[4].clamp(min=0), first)


def schedule(segments: Segments, streams: int, steps: int, seed: int) -> Tensor:
    """Return the segments that the streams read in each step, (steps, B).

    Files come in another order each time all have been taken.
    """
    made = np.empty((steps, streams), np.int64)
    draw = np.random.default_rng(seed)
    files: list[int] = []
    free = [(0, stream) for stream in range(streams)]  # from which step on, a heap
    while free[0][0] < steps:
        step, stream = free[0]
        files = files or draw.permutation(len(segments.starts)).tolist()
        file = files.pop()
        start, count = int(segments.starts[file]), int(segments.counts[file])
        end = min(step + count, steps)
        made[step:end, stream] = np.arange(start, start + end - step)
        heapreplace(free, (step + count, stream))
    return torch.from_numpy(made)
