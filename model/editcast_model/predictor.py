"""Incremental inference and decoding, on token ids alone.

A `Sequence` follows a list of implicit edits: what it has read before is never read again, and
retyping cuts its cache back to where the lists part. Decoding goes on from there, position first,
then content, and leaves the sequence as it was.

    S  state tokens    N  items    F  width of a cache row    V  vocabulary
"""

from collections.abc import Callable
from collections.abc import Sequence as Ids
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from editcast_model.edits import DELETE, PAD, SAVE, START, Edit, Timeline
from editcast_model.forecast import never
from editcast_model.places import BUCKETS, Row, buckets

#: A log probability below which something is masked, not just unlikely.
_MASKED = -1e3
#: Edits of one suggestion stay together: at most so many tokens from the one before.
_TOGETHER = 16
#: Several edits are made at once if they are likelier than their first one alone.
_LIKELIER = np.log(0.5)
#: A hypothesis so far below the floor is given up, in nats.
_HOPELESS = 6.0


class Contents(NamedTuple):
    """What a network says of the next content at an item, in log probabilities.

    Attributes:
        content: Of every token, or of the first one of a span, (V,).
        spans: Of copying a span of 2 and more tokens, by the item where it begins, (L - 1, N); None
            where the network copies no spans.
        deletes: Of the number of tokens deleted, from 1 on, if the content is a deletion, (L,).
    """

    content: npt.NDArray[np.float32]
    spans: npt.NDArray[np.float32] | None = None
    deletes: npt.NDArray[np.float32] | None = None


class Network(Protocol):
    """What the predictor needs of a network; `runtime.OnnxNetwork` is the real one."""

    vocabulary: int
    cache_width: int
    dtype: Any

    def encode(self, tokens: npt.NDArray[np.int64]) -> Any:
        """Encode ``s(0)``, (S,)."""

    def advance(
        self,
        state: Any,
        edit: npt.NDArray[np.int64],
        past: npt.NDArray[np.int64],
        cache: npt.NDArray[Any],
        live: npt.NDArray[np.bool_],
    ) -> npt.NDArray[Any]:
        """Read one edit: its cache row (1, F)."""

    def point(
        self,
        state: Any,
        past: npt.NDArray[np.int64],
        cache: npt.NDArray[Any],
        buckets: npt.NDArray[np.int64],
        live: npt.NDArray[np.bool_],
    ) -> npt.NDArray[np.float32]:
        """Log probabilities of the next position (N,), once the edits are read."""

    def content(
        self, state: Any, position: int, past: npt.NDArray[np.int64], cache: npt.NDArray[Any]
    ) -> Contents:
        """What the next edit will say at an item."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """One way the sequence may go on.

    Attributes:
        edits: Implicit edits, following those of the sequence.
        log_probability: Joint, of all of them.
        location: Log probability of the first position alone.
        ended: Whether the network itself ended it: a save came next, or another place.
        decisions: How many choices that took; a span is one.
        boundaries: How many edits lead to each point where it may be cut, and the joint log
            probability up to there; the last is the end.
    """

    edits: tuple[Edit, ...]
    log_probability: float
    location: float
    ended: bool
    decisions: int
    boundaries: tuple[tuple[int, float], ...] = ()


class Sequence:
    """The state of one sequence: what the network has read, and what it said last."""

    def __init__(self, network: Network, initial: Ids[int]) -> None:
        self._network = network
        self.timeline = Timeline(initial)
        self._state = network.encode(np.array(self.timeline.initial, np.int64))
        self._past = np.zeros((64, 2), np.int64)
        self._cache = np.zeros((64, network.cache_width), network.dtype)
        # Of each row: where the next edit will be, and what it will say there, once asked.
        self._positions: list[npt.NDArray[np.float32] | None] = []
        self._contents: list[dict[int, Contents]] = []
        self._advance(np.array([START, 0, 0, 0, BUCKETS // 2], np.int64))

    def follow(self, edits: Ids[Edit]) -> int:
        """Have read exactly `edits`; how many of them were new."""
        known = self.timeline.edits
        same = 0
        while same < min(len(known), len(edits)) and known[same] == edits[same]:
            same += 1
        self.truncate(same)
        for edit in edits[same:]:
            self.append(edit)
        return len(edits) - same

    def append(self, edit: Edit) -> None:
        """Read one more edit."""
        row = Row(self.timeline, edit)
        self.timeline.append(edit)
        self._advance(
            np.array([edit.content, row.position, row.site, row.rank, row.move], np.int64)
        )

    def truncate(self, count: int) -> None:
        """Forget all edits but the first `count`."""
        self.timeline.truncate(count)
        del self._positions[count + 1 :], self._contents[count + 1 :]

    @property
    def rows(self) -> int:
        """Rows of the cache: the edits, and the row before them."""
        return len(self._positions)

    @property
    def position(self) -> npt.NDArray[np.float32]:
        """Log probabilities of where the next edit will be, (N,)."""
        known = self._positions[-1]
        if known is None:
            rows = self.rows
            known = self._positions[-1] = self._network.point(
                self._state,
                self._past[:rows],
                self._cache[:rows],
                buckets(self.timeline).astype(np.int64),
                self.timeline.live,
            )
        return known

    def content(self, position: int) -> npt.NDArray[np.float32]:
        """Log probabilities of what the next edit will say there, (V,)."""
        return self._said(position).content

    def leap(self, edit: Edit) -> tuple[list[Edit], float] | None:
        """Several edits that are one decision: a span is copied, or several tokens go.

        Args:
            edit: What they begin with.

        Returns:
            The edits, and their log probability once that one is known; None if they are not
            likelier than that one by itself.
        """
        said = self._said(edit.position)
        if said.spans is None or said.deletes is None or edit.content == SAVE:
            return None
        if edit.content == DELETE:
            count = int(said.deletes.argmax()) + 1
            order, rank = self.timeline.order(), int(self.timeline.rank[edit.position])
            gone = order[rank : rank + count].tolist()
            log_probability = float(said.deletes[count - 1])
            if count == 1 or len(gone) < count or log_probability < _LIKELIER:
                return None
            return [Edit(item, DELETE) for item in gone], log_probability
        contents = self.timeline.contents
        begins = np.flatnonzero(contents == edit.content)
        spans = said.spans[:, begins]
        ways: dict[tuple[int, ...], float] = {}  # the same text from several places is one
        for index, start in np.argwhere(spans > _MASKED).tolist():
            first = int(begins[start])
            text = tuple(contents[first : first + index + 2].tolist())
            ways[text] = float(np.logaddexp(ways.get(text, -np.inf), spans[index, start]))
        if not ways:
            return None
        text = max(ways, key=lambda one: ways[one])
        log_probability = min(0.0, ways[text] - float(said.content[edit.content]))
        if log_probability < _LIKELIER:
            return None
        behind = range(self.timeline.items, self.timeline.items + len(text) - 1)
        return [edit, *map(Edit, behind, text[1:])], log_probability

    def _said(self, position: int) -> Contents:
        known = self._contents[-1].get(position)
        if known is None:
            rows = self.rows
            known = self._contents[-1][position] = self._network.content(
                self._state, position, self._past[:rows], self._cache[:rows]
            )
        return known

    def _advance(self, edit: npt.NDArray[np.int64]) -> None:
        row = self.rows
        if row == len(self._past):
            self._past = np.concatenate([self._past, np.zeros_like(self._past)])
            self._cache = np.concatenate([self._cache, np.zeros_like(self._cache)])
        cached = self._network.advance(
            self._state, edit, self._past[:row], self._cache[:row], self.timeline.live
        )
        self._cache[row] = cached[0]
        self._past[row] = edit[0], edit[2]
        self._positions.append(None)
        self._contents.append({})


def decode(
    sequence: Sequence,
    *,
    count: int = 1,
    beam: int = 1,
    limit: int = 32,
    floor: float = -np.inf,
    splits: Callable[[Ids[int], int], bool] = lambda before, token: True,
    cancelled: Callable[[], bool] = never,
) -> list[Decoded]:
    """What comes next: whole suggestions, the most probable first.

    The first edits are the `count` most probable ones; each is continued greedily, or by a beam
    of `beam` hypotheses, while the edits stay together. It ends where the network saves or goes
    elsewhere, or when the joint log probability falls below `floor`: then it is cut back to the
    last boundary above it, or, if there is none, goes on to the first.

    Args:
        sequence: Left as it was.
        count: How many suggestions, with different first edits.
        beam: Hypotheses kept at each step; 1 is greedy.
        limit: Most edits of a suggestion.
        floor: Of the joint log probability.
        splits: Whether a lexical token ends between these inserted tokens and the next.
        cancelled: Asked before each step.

    Returns:
        At most `count`; none when cancelled or when nothing can come next.
    """
    start = len(sequence.timeline)
    edits = list(sequence.timeline.edits)
    try:
        firsts = _choices(sequence, count, first=True)
        out = []
        for first in firsts:
            sequence.follow(edits)
            alive = [_leapt(sequence, first, floor)]
            done: list[tuple[float, Decoded]] = []
            while alive:
                if cancelled():
                    return []
                grown: list[tuple[float, Decoded]] = []
                for hypothesis in alive:
                    sequence.follow([*edits, *hypothesis.edits])
                    grown += _grow(sequence, hypothesis, beam, limit, floor, splits)
                grown.sort(key=lambda one: -one[0])
                done += [one for one in grown if one[1].ended]
                alive = [one for _, one in grown if not one.ended][:beam]
                best = max(done, key=lambda one: one[0], default=None)
                if best and alive and alive[0].log_probability <= best[0]:
                    break  # what grows longer only becomes less probable
            if best:
                out.append(best[1])
        return sorted(out, key=lambda one: -one.log_probability)
    finally:
        sequence.truncate(start)
        sequence.follow(edits)


def score(sequence: Sequence, edits: Ids[Edit], most: int) -> tuple[float, float]:
    """How probable `edits` are next.

    Args:
        sequence: Left as it was.
        edits: Implicit edits that could follow.
        most: How many of them are scored; each costs a step.

    Returns:
        Joint log probability of the first `most`, and that of the first position alone.
    """
    start = len(sequence.timeline)
    joint = 0.0
    location = float(sequence.position[edits[0].position])
    try:
        for index, edit in enumerate(edits[:most]):
            if index:
                sequence.append(edits[index - 1])
            joint += float(sequence.position[edit.position])
            joint += float(sequence.content(edit.position)[edit.content])
    finally:
        sequence.truncate(start)
    return joint, location


def _choices(sequence: Sequence, count: int, first: bool) -> list[Decoded]:
    """The most probable single edits; a first one is no save, that goes without saying."""
    position = sequence.position
    out: list[Decoded] = []
    for item in _largest(position, count + first):
        where = float(position[item])
        if not sequence.timeline.live[item]:
            continue
        # A copy can be of the start token, and rounding can leave a little to anything.
        content = sequence.content(int(item)).copy()
        content[[PAD, START, DELETE if item == 0 else SAVE]] = -np.inf
        if first:
            content[SAVE] = -np.inf
        for token in _largest(content, count):
            joint = where + float(content[token])
            if joint > _MASKED:
                out.append(Decoded((Edit(int(item), int(token)),), joint, where, False, 1))
    out.sort(key=lambda one: -one.log_probability)
    if not first:
        return out[:count]
    places: dict[int, Decoded] = {}
    for one in out:
        places.setdefault(one.edits[0].position, one)
    return list(places.values())[:count]


def _largest(values: npt.NDArray[np.float32], count: int) -> npt.NDArray[np.int64]:
    """Indices of the `count` largest values, the largest first."""
    if count == 1:
        return np.array([values.argmax()])
    count = min(count, len(values))
    some = np.argpartition(-values, count - 1)[:count]
    return some[np.argsort(-values[some], kind="stable")]


def _leapt(sequence: Sequence, choice: Decoded, floor: float) -> Decoded:
    """A single edit, or the several at once that begin with it."""
    leap = sequence.leap(choice.edits[0])
    if leap is None or choice.log_probability + leap[1] < floor:
        return choice
    edits, log_probability = leap
    return replace(
        choice, edits=tuple(edits), log_probability=choice.log_probability + log_probability
    )


def _grow(
    sequence: Sequence,
    so_far: Decoded,
    beam: int,
    limit: int,
    floor: float,
    splits: Callable[[Ids[int], int], bool],
) -> list[tuple[float, Decoded]]:
    """A hypothesis with each of its next edits, or ended; `sequence` has read its edits.

    Each with the log probability that ranks it: the edit that ended it counts too, lest to end
    be always the best.
    """
    timeline = sequence.timeline
    count, joint = len(so_far.edits), so_far.log_probability
    out = []
    for choice in _choices(sequence, beam, first=False):
        edit = choice.edits[0]
        apart = abs(int(timeline.rank[edit.position]) - timeline.last_rank)
        leaves = edit.content == SAVE or apart > _TOGETHER
        boundaries = so_far.boundaries
        if leaves or (
            so_far.edits[-1].content != DELETE
            and edit.content != DELETE
            and splits(_inserted(so_far.edits), edit.content)
        ):
            boundaries = (*boundaries, (count, joint))
        if not leaves:
            choice = _leapt(sequence, choice, floor - joint)
        grown = Decoded(
            (*so_far.edits, *choice.edits),
            joint + choice.log_probability,
            so_far.location,
            False,
            so_far.decisions + 1,
            boundaries,
        )
        below = boundaries and grown.log_probability < floor
        hopeless = grown.log_probability < floor - _HOPELESS
        if leaves or below or hopeless or count >= limit:
            ended = _cut(replace(so_far, boundaries=boundaries), floor)
            if ended:
                out.append((grown.log_probability, ended))
        else:
            out.append((grown.log_probability, grown))
    return out


def _cut(decoded: Decoded, floor: float) -> Decoded | None:
    """The longest part that ends at a boundary above the floor, else the shortest."""
    if not decoded.boundaries:
        return None
    above = [one for one in decoded.boundaries if one[1] >= floor]
    count, joint = above[-1] if above else decoded.boundaries[0]
    return replace(decoded, edits=decoded.edits[:count], log_probability=joint, ended=True)


def _inserted(edits: Ids[Edit]) -> list[int]:
    """The tokens inserted last, one after another."""
    out: list[int] = []
    for edit in reversed(edits):
        if edit.content == DELETE:
            break
        out.append(edit.content)
    return out[::-1]
