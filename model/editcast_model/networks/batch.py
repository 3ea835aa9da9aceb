"""Instances as padded tensors.

Dimensions:

    B  batch    S  state tokens    T  edits    R  T + 1 rows, row 0 is no edit    N  items, S + T
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from editcast_model.edits import BUCKETS, DELETE, PAD, SAVE, START, Edit, Row, Timeline


@dataclass(frozen=True)
class Batch:
    """Instances as tensors, padded to the same sizes.

    Items are numbered as if every state had S tokens.

    Attributes:
        state: Ids, int64 (B, S), padded with `PAD`.
        contents: Ids, int64 (B, R); row 0 is `START`.
        positions: Items pointed at, int64 (B, R).
        ranks: The same as explicit positions, int64 (B, R).
        sites: The site of each edit, a token of the state, int64 (B, R).
        moves: Bucket of the distance from the previous edit, int64 (B, R).
        live: The items that edit t may point at, bool (B, T, N).
        buckets: Buckets of the distances from the previous edit, uint8 (B, T, N).
        copyable: Edits that inserted a token, bool (B, T).
        scored: Edits that count, bool (B, T).
        instead: Items that edit t could have pointed at as well, since a later edit of the same
            save is there, bool (B, T, N).
        stands: Log of the number of tokens that each item represents in the pointer's normalizer,
            (B, N): 0, except where most of a text was left out.
    """

    state: Tensor
    contents: Tensor
    positions: Tensor
    ranks: Tensor
    sites: Tensor
    moves: Tensor
    live: Tensor
    buckets: Tensor
    copyable: Tensor
    scored: Tensor
    instead: Tensor
    stands: Tensor

    def to(self, device: torch.device | str) -> "Batch":
        """Move the batch to a device."""
        return Batch(**{item.name: getattr(self, item.name).to(device) for item in fields(self)})

    @property
    def tokens(self) -> Tensor:
        """Return each item's token, int64 (B, N)."""
        return torch.cat([self.state, self.contents[:, 1:]], 1)


@dataclass(frozen=True, slots=True)
class Instance:
    """A training example.

    Attributes:
        state: ``s(0)``, token ids.
        edits: Implicit edits, T.
        given: The number of first edits that are conditioning and not scored.
        jumps: T numbers, or empty. The first edits of changes whose order could differ share a
            number; all others have 0.
        left_out: The number of tokens left out before each token of the state, M+1; or empty.
        stands: The number of tokens that each token of the state represents, M+1; or empty.
    """

    state: Sequence[int]
    edits: Sequence[Edit]
    given: int = 0
    jumps: Sequence[int] = ()
    left_out: Sequence[int] = ()
    stands: Sequence[float] = ()


def collate(instances: Sequence[Instance]) -> Batch:
    """Pad instances to a batch."""
    count = len(instances)
    size = max(len(instance.state) for instance in instances)
    steps = max(len(instance.edits) for instance in instances)
    state = np.full((count, size), PAD, np.int64)
    shape = (count, steps + 1)
    contents = np.full(shape, PAD, np.int64)
    contents[:, 0] = START
    positions, ranks, sites = (np.zeros(shape, np.int64) for _ in range(3))
    moves = np.full(shape, BUCKETS // 2, np.int64)
    live = np.zeros((count, steps, size + steps), np.bool_)
    bucket = np.zeros((count, steps, size + steps), np.uint8)
    scored = np.zeros((count, steps), np.bool_)
    instead = np.zeros_like(live)
    stands = np.zeros((count, size + steps), np.float32)
    for b, instance in enumerate(instances):
        own, edits = len(instance.state), instance.edits
        state[b, :own] = instance.state
        rows, alive, near = trace(instance.state, edits, instance.left_out)
        if instance.stands:
            stands[b, :own] = np.log(instance.stands)
        for t, (row, edit) in enumerate(zip(rows, edits, strict=True), 1):
            contents[b, t] = edit.content
            positions[b, t] = row.position + (size - own if row.position >= own else 0)
            ranks[b, t], sites[b, t], moves[b, t] = row.rank, row.site, row.move
        for padded, found in ((live, alive), (bucket, near)):
            padded[b, : len(edits), :own] = found[:, :own]
            padded[b, : len(edits), size : size + len(edits)] = found[:, own:]
        live[b, len(edits) :, 0] = True
        scored[b, instance.given : len(edits)] = True
        jumps = np.array(instance.jumps, np.int64)
        for t in np.flatnonzero(jumps).tolist():
            others = positions[b, 1 + t + np.flatnonzero(jumps[t + 1 :] == jumps[t]) + 1]
            instead[b, t, others[others < size + t]] = True
    copyable = (contents[:, 1:] != DELETE) & (contents[:, 1:] != SAVE) & (contents[:, 1:] != PAD)
    before = (state, contents, positions, ranks, sites, moves, live, bucket)
    arrays = (*before, copyable, scored, instead & live, stands)
    return Batch(*map(torch.from_numpy, arrays))


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
        rows.append(timeline.row(edit, int(farther[edit.position])))
        live[index, : timeline.items] = timeline.live
        bucket[index, : timeline.items] = timeline.buckets(farther)
        timeline.append(edit)
        if edit.content != SAVE:
            last = here
    return rows, live, bucket
