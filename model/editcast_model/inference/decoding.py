"""Greedy decoding of a whole suggestion from the network's predictions of single edits.

Each edit is decoded by position, then content, until the network moves elsewhere or the edits
become too improbable. A predicate tells where a suggestion may end. The sequence is not changed.
"""

from collections.abc import Callable
from collections.abc import Sequence as Ids
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt

from editcast_model.edits import DELETE, PAD, SAVE, START, Edit
from editcast_model.inference.sequence import MASKED, Sequence

#: A hypothesis so far below the floor is given up, in nats.
_HOPELESS = 2.0


@dataclass(frozen=True, slots=True)
class Decoded:
    """A possible continuation of the sequence.

    Attributes:
        edits: Implicit edits that follow those of the sequence.
        log_probability: Their joint log probability.
        location: The log probability of the first position alone.
        boundaries: The points where it may be cut, each with the number of edits and the joint log
            probability up to there; the last is the end.
    """

    edits: tuple[Edit, ...]
    log_probability: float
    location: float
    boundaries: tuple[tuple[int, float], ...] = ()


def decode(
    sequence: Sequence,
    *,
    where: npt.NDArray[np.float32] | None = None,
    spare: int = 3,
    limit: int = 20,
    together: int = 16,
    floor: float = -np.inf,
    least: float = -np.inf,
    splits: Callable[[Ids[int], int], bool] = lambda before, token: True,
    fits: Callable[[tuple[Edit, ...]], bool] = lambda edits: True,
) -> Decoded | None:
    """Decode the next edits: a whole suggestion, or None.

    The most probable first edit is continued greedily while the edits stay together. A suggestion
    ends where the network saves or moves elsewhere, or when its edits, given the first position,
    are less probable than `floor`. Then it is cut back to the last boundary above the floor that
    fits or, if there is none, extended to the first one below. If that fails, less probable first
    edits are tried.

    Args:
        sequence: The sequence, which is not changed.
        where: Log probabilities of the first position, (N,), if not the sequence's own.
        spare: The number of other first edits to try.
        limit: The maximum number of edits of a suggestion.
        together: The maximum number of tokens between two edits of a suggestion.
        floor: The minimum joint log probability, without that of the first position.
        least: The joint log probability below which a suggestion is of no use and may be left out.
        splits: Tells whether a lexical token ends between these inserted tokens and the next.
        fits: Tells whether these edits may be a suggestion; called rarely, since it may parse.
    """
    edits = list(sequence.timeline.edits)
    where = sequence.position if where is None else where
    decoder = _Decoder(sequence, edits, limit, together, floor, least, splits, cache(fits))
    tried: set[int] = set()
    try:
        for most in (1, 1 + spare):
            sequence.follow(edits)
            for first in _firsts(sequence, where, most, least):
                position = first.edits[0].position
                if position in tried or first.log_probability < least:
                    continue
                tried.add(position)
                whole = decoder.go_on(first)
                if whole is not None:
                    return whole
        return None
    finally:
        sequence.follow(edits)


@dataclass(frozen=True, slots=True)
class _Decoder:
    """Greedy decoder of a suggestion after `edits`, which the sequence has read; see `decode`."""

    sequence: Sequence
    edits: list[Edit]
    limit: int
    together: int
    floor: float
    least: float
    splits: Callable[[Ids[int], int], bool]
    fits: Callable[[tuple[Edit, ...]], bool]

    def go_on(self, so_far: Decoded) -> Decoded | None:
        """Return the suggestion that begins with some edits, or None; this extends the sequence."""
        sequence = self.sequence
        while True:
            sequence.follow([*self.edits, *so_far.edits])
            position = int(sequence.position.argmax())
            choice = _best_at(sequence, position, float(sequence.position[position]))
            if choice is None:
                return None
            edit, count, joint = choice.edits[0], len(so_far.edits), so_far.log_probability
            rank = sequence.timeline.rank[edit.position]
            apart = abs(int(rank) - sequence.timeline.last_rank)
            leaves = edit.content == SAVE or apart > self.together
            if leaves or self._is_boundary(so_far, edit):
                so_far = replace(so_far, boundaries=(*so_far.boundaries, (count, joint)))
            grown, floor = joint + choice.log_probability, self.floor + so_far.location
            if max(grown, so_far.boundaries[0][1] if so_far.boundaries else grown) < self.least:
                return None
            is_last = leaves or count >= self.limit
            if is_last or grown < floor:
                ended = self._cut(so_far)
                if ended is not None or is_last or grown < floor - _HOPELESS:
                    return ended
            so_far = replace(so_far, edits=(*so_far.edits, edit), log_probability=grown)

    def _is_boundary(self, so_far: Decoded, edit: Edit) -> bool:
        """Tell whether a lexical token ends between the inserted tokens and the next one."""
        if so_far.edits[-1].content == DELETE or edit.content == DELETE:
            return False
        return self.splits(_inserted(so_far.edits), edit.content)

    def _cut(self, decoded: Decoded) -> Decoded | None:
        """Return the longest part above the floor that fits, else the shortest one below it."""
        floor = self.floor + decoded.location
        above = [one for one in decoded.boundaries if one[1] >= floor]
        below = decoded.boundaries[len(above) :]
        for count, joint in (*reversed(above), *below):
            if self.fits(decoded.edits[:count]):
                return replace(decoded, edits=decoded.edits[:count], log_probability=joint)
        return None


def score(sequence: Sequence, where: npt.NDArray[np.float32], edits: Ids[Edit], most: int) -> float:
    """Compute the joint log probability of the first `most` of `edits`.

    Args:
        sequence: The sequence, which is not changed.
        where: Log probabilities of the first position, (N,).
        edits: Implicit edits that could follow.
        most: The number of edits to score; each costs a step.
    """
    start = len(sequence.timeline)
    joint = float(where[edits[0].position])
    try:
        for index, edit in enumerate(edits[:most]):
            if index:
                sequence.extend([edits[index - 1]])
                joint += float(sequence.position[edit.position])
            joint += float(sequence.content(edit.position)[edit.content])
    finally:
        sequence.truncate(start)
    return joint


def _firsts(
    sequence: Sequence, where: npt.NDArray[np.float32], count: int, least: float
) -> list[Decoded]:
    """Return the most probable single edits at different places, without saves.

    Positions that are less probable than `least` are left out.
    """
    out: list[Decoded] = []
    for item in _largest(where, count + 1):
        if where[item] <= MASKED or where[item] < least:
            break
        if len(out) >= count and float(where[item]) <= out[count - 1].log_probability:
            break  # whatever is said there
        best = _best_at(sequence, item, float(where[item]), save=False)
        if best is not None:
            out.append(best)
            out.sort(key=lambda one: -one.log_probability)
    return out[:count]


def _best_at(
    sequence: Sequence, item: int, location: float, *, save: bool = True
) -> Decoded | None:
    """Return the most probable single edit at an item, or None; a save only with `save`."""
    if not sequence.timeline.live[item]:
        return None
    # A copy can be of the start token, and rounding can leave a little to anything.
    content = sequence.content(item).copy()
    content[[PAD, START, DELETE if item == 0 else SAVE]] = -np.inf
    if not save:
        content[SAVE] = -np.inf
    token = int(content.argmax())
    joint = location + float(content[token])
    return Decoded((Edit(item, token),), joint, location) if joint > MASKED else None


def _largest(values: npt.NDArray[np.float32], count: int) -> list[int]:
    """Return the indices of the `count` largest values, the largest first."""
    count = min(count, len(values))
    some = np.argpartition(-values, count - 1)[:count]
    return [int(index) for index in some[np.argsort(-values[some], kind="stable")]]


def _inserted(edits: Ids[Edit]) -> list[int]:
    """Return the last inserted tokens that follow one another."""
    out: list[int] = []
    for edit in reversed(edits):
        if edit.content == DELETE:
            break
        out.append(edit.content)
    return out[::-1]
