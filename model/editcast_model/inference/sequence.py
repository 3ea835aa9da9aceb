"""Incremental inference, on token ids alone.

A `Sequence` follows a list of implicit edits. No edit is read twice in a row: when the list
changes, the cache is truncated to the common prefix. The last truncated part is kept, since
decoding and scoring often read the same edits again, and so does a redo.

    S  state tokens    N  items    F  width of a cache row    V  vocabulary
    t  rows of the cache    n  edits read together
"""

from collections import deque
from collections.abc import Callable
from collections.abc import Sequence as Ids
from concurrent.futures import CancelledError
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from editcast_model.edits import BUCKETS, START, Edit, Timeline
from editcast_model.errors import EditError

#: A log probability below which something is masked, not just unlikely.
MASKED = -1e3
#: The number of edits read in one run. The process keeps the memory of a run, 0.4 MB an edit.
_TOGETHER = 32
#: The number of cached answers, of some 16 kB each; one prediction asks for some twenty.
_MOST_ANSWERS = 64
#: The key of the answer to where the next edit is; that to what it is has the item as its key.
_WHERE = -1
Floats = npt.NDArray[np.float32]
#: The graphs that run on an encoded state; see `networks/incremental.py`.
Stage = Literal["advance", "point", "content"]
#: Mixes another source into the network's log probabilities of the content at an item, (V,).
Mix = Callable[[Timeline, int, Floats], Floats]
#: Log probabilities of the next position (N,), and of the next content at items (V,).
Answers = dict[int, Floats]


class Network(Protocol):
    """The network as a sequence uses it; `onnx_network.OnnxNetwork` implements it."""

    vocabulary: int
    cache_width: int

    def encode(self, tokens: npt.NDArray[np.int64]) -> Any:
        """Encode ``s(0)``, (S,)."""

    def size(self, state: Any) -> int:
        """Return the bytes of an encoded state."""

    def run(self, stage: Stage, state: Any, **given: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Run a stage on an encoded state.

        `advance` reads `edits` (n, 4) after those of `past` (t, 2) and their `cache` (t, F), and
        returns their cache rows (n, F). The others predict after the last row of `past` and
        `cache`: `point` returns log probabilities of the position (1, N), given the `buckets` and
        which items are `live` (1, N); `content` those of the content (1, V), given the item that it
        goes to, `at` (1,).
        """


class Sequence:
    """The state of one sequence: the edits that the network has read, and its last predictions.

    Attributes:
        is_cancelled: Called before each run of the network. If it returns true, `CancelledError` is
            raised, and only some of the edits may have been read. Encoding is not cancelled, since
            the next prediction would have to start over.
        mix: See `Mix`; None for the network alone.
    """

    def __init__(self, network: Network, initial: Ids[int]) -> None:
        self.mix: Mix | None = None
        self.is_cancelled: Callable[[], bool] = lambda: False
        self._network = network
        self.timeline = Timeline(initial)
        self._state = network.encode(np.array(self.timeline.initial, np.int64))
        self._past = np.zeros((64, 2), np.int64)
        self._cache = np.zeros((64, network.cache_width), np.float32)
        self._answers: list[Answers] = []  # after each row
        # The same answers, the oldest first: the row's, and the key.
        self._kept: deque[tuple[Answers, int]] = deque()
        # What was cut off last, the next edit at the end: its row of the cache is still there.
        self._ahead: list[tuple[Edit, Answers]] = []
        self._advance([(START, 0, 0, BUCKETS // 2)])

    def follow(self, edits: Ids[Edit]) -> None:
        """Make `edits` the edits that were read."""
        known = self.timeline.edits
        same = 0
        while same < min(len(known), len(edits)) and known[same] == edits[same]:
            same += 1
        self.truncate(same)
        self.extend(edits[same:])

    def extend(self, edits: Ids[Edit]) -> None:
        """Read more edits, all new ones in one run.

        Raises:
            EditError: An edit is impossible; then no new edit is read.
        """
        for edit in edits:
            if not self._ahead or self._ahead[-1][0] != edit:
                break
            self.timeline.append(edit)
            self._answers.append(self._ahead.pop()[1])
            edits = edits[1:]
        if not edits:
            return
        self._ahead.clear()
        start = len(self.timeline)
        rows: list[tuple[int, ...]] = []
        try:
            for edit in edits:
                row = self.timeline.row(edit)
                self.timeline.append(edit)
                rows.append((edit.content, row.position, row.site, row.move))
        except EditError:
            self.timeline.truncate(start)
            raise
        try:
            for at in range(0, len(rows), _TOGETHER):
                self._go_on()
                self._advance(rows[at : at + _TOGETHER])
        finally:
            self.timeline.truncate(self.rows - 1)  # no further than was read

    def truncate(self, count: int) -> None:
        """Go back to the first `count` edits."""
        cut = zip(self.timeline.edits[count:], self._answers[count + 1 :], strict=True)
        self._ahead += list(cut)[::-1]
        self.timeline.truncate(count)
        del self._answers[count + 1 :]

    def forget_answers(self) -> None:
        """Forget the answers, but not the edits that were read: what `mix` knows has changed."""
        for row, _ in self._kept:
            row.clear()
        self._kept.clear()

    @property
    def nbytes(self) -> int:
        """Return the bytes of the cached state, without answers."""
        return self._network.size(self._state) + self._cache.nbytes + self._past.nbytes

    @property
    def rows(self) -> int:
        """Return the number of rows of the cache: the edits, and the row before them."""
        return len(self._answers)

    @property
    def position(self) -> Floats:
        """Return log probabilities of the next position, (N,)."""
        known = self._answers[-1].get(_WHERE)
        if known is None:
            near, live = self.timeline.buckets().astype(np.int64), self.timeline.live
            known = self._ask("point", buckets=near[None], live=live[None])
            self._keep(_WHERE, known)
        return known

    def content(self, position: int) -> Floats:
        """Return log probabilities of the next content at an item, (V,), mixed by `mix`."""
        known = self._answers[-1].get(position)
        if known is None:
            known = self._ask("content", at=np.array([position]))
            if self.mix is not None:
                known = self.mix(self.timeline, position, known)
            self._keep(position, known)
        return known

    def score(self, where: Floats, edits: Ids[Edit], most: int) -> float:
        """Compute the joint log probability of the first `most` of some edits, each read for it.

        Args:
            where: Log probabilities of the first position, (N,).
            edits: Implicit edits that could follow; afterwards the sequence is as it was.
            most: The number of edits to score.
        """
        start = len(self.timeline)
        joint = float(where[edits[0].position])
        try:
            for index, edit in enumerate(edits[:most]):
                if index:
                    self.extend([edits[index - 1]])
                    joint += float(self.position[edit.position])
                joint += float(self.content(edit.position)[edit.content])
        finally:
            self.truncate(start)
        return joint

    def _ask(self, stage: Stage, **given: npt.NDArray[Any]) -> Floats:
        """Run a stage that predicts after the last row."""
        self._go_on()
        past, cache = self._past[: self.rows], self._cache[: self.rows]
        said: Floats = self._network.run(stage, self._state, past=past, cache=cache, **given)[0]
        return said

    def _keep(self, key: int, answer: Floats) -> None:
        """Keep an answer; the oldest one gives way."""
        row = self._answers[-1]
        row[key] = answer
        self._kept.append((row, key))
        if len(self._kept) > _MOST_ANSWERS:
            oldest, of = self._kept.popleft()
            del oldest[of]

    def _go_on(self) -> None:
        if self.is_cancelled():
            raise CancelledError

    def _advance(self, edits: Ids[Ids[int]]) -> None:
        row, count = self.rows, len(edits)
        while row + count > len(self._past):
            self._past = np.concatenate([self._past, np.zeros_like(self._past)])
            self._cache = np.concatenate([self._cache, np.zeros_like(self._cache)])
        rows = np.array(edits, np.int64)
        past, cache = self._past[:row], self._cache[:row]
        self._cache[row : row + count] = self._network.run(
            "advance", self._state, edits=rows, past=past, cache=cache
        )
        self._past[row : row + count] = rows[:, [0, 2]]
        self._answers += [{} for _ in edits]
