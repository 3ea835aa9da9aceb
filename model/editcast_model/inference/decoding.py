"""Decoding: from what a network says of the next edit to whole suggestions.

Position first, then content, edit by edit, until the network goes elsewhere or it is too unlikely
to go on; whoever asks decides what is worth stopping at. The sequence is left as it was.
"""

from collections.abc import Callable
from collections.abc import Sequence as Ids
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt

from editcast_model.edits import DELETE, PAD, SAVE, START, Edit
from editcast_model.inference.sequence import MASKED, Sequence

#: Edits of one suggestion stay together: at most so many tokens from the one before.
_TOGETHER = 16
#: A hypothesis so far below the floor is given up, in nats.
_HOPELESS = 6.0
#: How many other first edits are tried in place of those that lead to nothing that fits.
_SPARE = 3


@dataclass(frozen=True, slots=True)
class Decoded:
    """One way the sequence may go on.

    Attributes:
        edits: Implicit edits, following those of the sequence.
        log_probability: Joint, of all of them.
        location: Log probability of the first position alone.
        ended: Whether the network itself ended it: a save came next, or another place.
        decisions: How many choices that took; a span is one.
        boundaries: How many edits and decisions lead to each point where it may be cut, and the
            joint log probability up to there, between them; the last is the end.
    """

    edits: tuple[Edit, ...]
    log_probability: float
    location: float
    ended: bool
    decisions: int
    boundaries: tuple[tuple[int, float, int], ...] = ()


def decode(
    sequence: Sequence,
    *,
    where: npt.NDArray[np.float32] | None = None,
    count: int = 1,
    spare: int = _SPARE,
    beam: int = 1,
    limit: int = 32,
    floor: float = -np.inf,
    splits: Callable[[Ids[int], int], bool] = lambda before, token: True,
    fits: Callable[[tuple[Edit, ...]], bool] = lambda edits: True,
) -> list[Decoded]:
    """What comes next: whole suggestions, the most probable first.

    The first edits are the `count` most probable ones; each is continued greedily, or by a beam
    of `beam` hypotheses, while the edits stay together. It ends where the network saves or goes
    elsewhere, or when the edits, once the first position is given, are less probable than `floor`:
    then it is cut back to the last boundary above it that fits, or, if there is none, goes on to
    the first. Where that leads nowhere, less probable first edits are tried.

    Args:
        sequence: Left as it was.
        where: Log probabilities of the first position, (N,), if not the sequence's own.
        count: How many suggestions, with different first edits.
        spare: How many other first edits are tried in place of those that lead nowhere.
        beam: Hypotheses kept at each step; 1 is greedy.
        limit: Most edits of a suggestion.
        floor: Of the joint log probability but that of the first position.
        splits: Whether a lexical token ends between these inserted tokens and the next.
        fits: Whether these edits are a suggestion; asked seldom, since it may parse.

    Returns:
        At most `count`; none when nothing can come next.
    """
    edits = list(sequence.timeline.edits)
    where = sequence.position if where is None else where
    decoder = _Decoder(sequence, beam, limit, floor, splits, fits)
    out: list[Decoded] = []
    tried: set[int] = set()
    try:
        for most in (count, count + spare):
            firsts = _firsts(sequence, where, most) if len(out) < count else []
            for first in firsts:
                if len(out) == count or first.edits[0].position in tried:
                    continue
                tried.add(first.edits[0].position)
                best = decoder.best(first)
                sequence.follow(edits)
                if best is not None:
                    out.append(best)
        return sorted(out, key=lambda one: -one.log_probability)
    finally:
        sequence.follow(edits)


class _Decoder:
    """Continues first edits after those that the sequence has read when it is made."""

    def __init__(
        self,
        sequence: Sequence,
        beam: int,
        limit: int,
        floor: float,
        splits: Callable[[Ids[int], int], bool],
        fits: Callable[[tuple[Edit, ...]], bool],
    ) -> None:
        self._sequence = sequence
        self._edits = list(sequence.timeline.edits)
        self._beam, self._limit, self._floor = beam, limit, floor
        self._splits, self._fits = splits, cache(fits)

    def best(self, first: Decoded) -> Decoded | None:
        """The most probable suggestion that begins like this, or None; the sequence has read on."""
        sequence = self._sequence
        alive = [_leapt(sequence, first, self._floor + first.location)]
        done: list[tuple[float, Decoded]] = []
        best = None
        while alive:
            grown: list[tuple[float, Decoded]] = []
            for hypothesis in alive:
                better = sum(one > hypothesis.log_probability for one, _ in grown)
                if better >= self._beam:
                    break  # whatever comes of it is less probable
                sequence.follow([*self._edits, *hypothesis.edits])
                grown += self._grow(hypothesis)
            grown.sort(key=lambda one: -one[0])
            done += [one for one in grown if one[1].ended]
            alive = [one for _, one in grown if not one.ended][: self._beam]
            best = max(done, key=lambda one: one[0], default=None)
            if best and alive and alive[0].log_probability <= best[0]:
                break  # what grows longer only becomes less probable
        return best[1] if best else None

    def _grow(self, so_far: Decoded) -> list[tuple[float, Decoded]]:
        """A hypothesis with each of its next edits, or ended; the sequence has read its edits.

        Each with the log probability that ranks it: the edit that ended it counts too, lest to
        end be always the best.
        """
        timeline = self._sequence.timeline
        count, joint = len(so_far.edits), so_far.log_probability
        floor = self._floor + so_far.location
        out = []
        for choice in _choices(self._sequence, self._sequence.position, self._beam):
            edit = choice.edits[0]
            apart = abs(int(timeline.rank[edit.position]) - timeline.last_rank)
            leaves = edit.content == SAVE or apart > _TOGETHER
            boundaries = so_far.boundaries
            if leaves or (
                so_far.edits[-1].content != DELETE
                and edit.content != DELETE
                and self._splits(_inserted(so_far.edits), edit.content)
            ):
                boundaries = (*boundaries, (count, joint, so_far.decisions))
            if not leaves:
                choice = _leapt(self._sequence, choice, floor - joint)
            log_probability = joint + choice.log_probability
            ended = None
            is_last = leaves or count >= self._limit
            if is_last or log_probability < floor:
                ended = self._cut(replace(so_far, boundaries=boundaries))
            if ended is not None:
                out.append((log_probability, ended))
            elif not is_last and log_probability >= floor - _HOPELESS:
                grown = replace(
                    so_far,
                    edits=(*so_far.edits, *choice.edits),
                    log_probability=log_probability,
                    decisions=so_far.decisions + 1,
                    boundaries=boundaries,
                )
                out.append((log_probability, grown))
        return out

    def _cut(self, decoded: Decoded) -> Decoded | None:
        """The longest part above the floor that fits, else the shortest below that does."""
        floor = self._floor + decoded.location
        above = [one for one in decoded.boundaries if one[1] >= floor]
        below = decoded.boundaries[len(above) :]
        for count, joint, decisions in (*reversed(above), *below):
            if self._fits(decoded.edits[:count]):
                return replace(
                    decoded,
                    edits=decoded.edits[:count],
                    log_probability=joint,
                    ended=True,
                    decisions=decisions,
                )
        return None


def score(
    sequence: Sequence, where: npt.NDArray[np.float32], edits: Ids[Edit], most: int
) -> tuple[float, float]:
    """How probable `edits` are next.

    Args:
        sequence: Left as it was.
        where: Log probabilities of the first position, (N,).
        edits: Implicit edits that could follow.
        most: How many of them are scored; each costs a step.

    Returns:
        Joint log probability of the first `most`, and that of the first position alone.
    """
    start = len(sequence.timeline)
    joint = location = float(where[edits[0].position])
    try:
        for index, edit in enumerate(edits[:most]):
            if index:
                sequence.extend([edits[index - 1]])
                joint += float(sequence.position[edit.position])
            joint += float(sequence.content(edit.position)[edit.content])
    finally:
        sequence.truncate(start)
    return joint, location


def _firsts(sequence: Sequence, where: npt.NDArray[np.float32], count: int) -> list[Decoded]:
    """The most probable single edits at different places; a save is none."""
    out: list[Decoded] = []
    for item in _largest(where, count + 1):
        if where[item] <= MASKED:
            break
        if len(out) >= count and float(where[item]) <= out[count - 1].log_probability:
            break  # whatever is said there
        ways = _said(sequence, item, float(where[item]), 2)
        out += [one for one in ways if one.edits[0].content != SAVE][:1]
        out.sort(key=lambda one: -one.log_probability)
    return out[:count]


def _choices(sequence: Sequence, where: npt.NDArray[np.float32], count: int) -> list[Decoded]:
    """The `count` most probable single edits, at any of as many places."""
    out: list[Decoded] = []
    for item in _largest(where, count):
        if len(out) == count and float(where[item]) <= out[-1].log_probability:
            break  # whatever is said there
        out += _said(sequence, item, float(where[item]), count)
        out = sorted(out, key=lambda one: -one.log_probability)[:count]
    return out


def _said(sequence: Sequence, item: int, here: float, count: int) -> list[Decoded]:
    """The most probable single edits at one place, the most probable first."""
    if not sequence.timeline.live[item]:
        return []
    # A copy can be of the start token, and rounding can leave a little to anything.
    content = sequence.content(item).copy()
    content[[PAD, START, DELETE if item == 0 else SAVE]] = -np.inf
    ways = [(token, here + float(content[token])) for token in _largest(content, count)]
    return [
        Decoded((Edit(item, token),), joint, here, False, 1)
        for token, joint in ways
        if joint > MASKED
    ]


def _largest(values: npt.NDArray[np.float32], count: int) -> list[int]:
    """Indices of the `count` largest values, the largest first."""
    if count == 1:
        return [int(values.argmax())]
    count = min(count, len(values))
    some = np.argpartition(-values, count - 1)[:count]
    return [int(index) for index in some[np.argsort(-values[some], kind="stable")]]


def _leapt(sequence: Sequence, choice: Decoded, floor: float) -> Decoded:
    """A single edit, or the several at once that begin with it."""
    leap = sequence.leap(choice.edits[0])
    if leap is None or choice.log_probability + leap[1] < floor:
        return choice
    edits, log_probability = leap
    return replace(
        choice, edits=tuple(edits), log_probability=choice.log_probability + log_probability
    )


def _inserted(edits: Ids[Edit]) -> list[int]:
    """The tokens inserted last, one after another."""
    out: list[int] = []
    for edit in reversed(edits):
        if edit.content == DELETE:
            break
        out.append(edit.content)
    return out[::-1]
