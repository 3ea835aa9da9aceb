"""Edits of a token sequence, in the two representations of Zhao et al. (2019), section 2.

A state is a list of token ids, ``s_0 .. s_M``. ``s_0`` is `START`, so that every insertion has a
token to follow. An edit is a position and a content: a token id, or `DELETE`.

*Explicit*: the position is the index, in the state before the edit, of the token after which the
content is inserted, or of the token to delete.

*Implicit*: positions refer to *items* that never move. The tokens of ``s(0)`` are items 0..M, and
the token inserted by edit t (from 1) is item M+t. A deletion has an item too, but no position
refers to it, nor to a deleted token.

`SAVE` is an additional content that marks a save. It has position 0, changes nothing, and has an
item like a deletion.

The network also reads the *distance* of each item from the last edit: a signed difference of ranks
in the current text, in buckets that are exact for small ones and logarithmic beyond.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from editcast_model.errors import EditError

PAD, START, DELETE, SAVE = 0, 1, 2, 3
_EXACT = 8  # the largest distance with a bucket of its own
_FAR = tuple(int(round(_EXACT * 2 ** (step / 2))) for step in range(1, 19))  # up to 4096
_EDGES = np.array(
    [-far for far in reversed(_FAR)] + list(range(-_EXACT, _EXACT + 2)) + [far + 1 for far in _FAR],
    np.int32,
)
BUCKETS = len(_EDGES) + 1
HERE = int(np.searchsorted(_EDGES, 0, side="right"))  # the bucket of distance 0
#: The arrays of a timeline that have a value for each item.
_OF_ITEMS = ("_tokens", "_rank", "_live", "_site")


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: where, and what (a token id, `DELETE` or `SAVE`)."""

    position: int
    content: int


class Row(NamedTuple):
    """The row of an edit: all that the network reads of it but its content.

    Attributes:
        position: The item.
        rank: Its index in the state before the edit.
        site: The token of ``s(0)`` that it was inserted after.
        move: The bucket of its distance from the edit before.
    """

    position: int
    rank: int
    site: int
    move: int


class Timeline:
    """An implicit edit sequence that grows edit by edit.

    It tracks the current place of every item, for the position head and the mask of impossible
    positions, and can undo edits in time linear in their number. N is the number of items: M+1
    tokens of ``s(0)`` and one for each edit.

    Attributes:
        initial: ``s(0)``, ids, with `START` first.
        edits: The implicit edits so far.
        last_rank: The rank of the inserted token of the last edit, or of the token after the
            deleted one; 0 before the first edit.
    """

    def __init__(self, initial: Sequence[int]) -> None:
        if not len(initial) or initial[0] != START:
            raise EditError("A state begins with the start token.")
        self.initial: tuple[int, ...] = tuple(int(token) for token in initial)
        self.edits: list[Edit] = []
        size = len(self.initial)
        self._tokens = np.zeros(size + 64, np.int64)
        self._tokens[:size] = self.initial
        self._rank = np.arange(size + 64, dtype=np.int32)
        self._live = np.zeros(size + 64, np.bool_)
        self._live[:size] = True
        self._site = np.arange(size + 64, dtype=np.int32)
        self._past: list[tuple[int, int]] = []  # rank of the edit, last place
        self.last_rank = 0

    def __len__(self) -> int:
        return len(self.edits)

    @property
    def items(self) -> int:
        """Return N, the number of items."""
        return len(self.initial) + len(self.edits)

    @property
    def rank(self) -> npt.NDArray[np.int32]:
        """Return the index of each live item in the current state, int32 (N,)."""
        return self._rank[: self.items]

    @property
    def live(self) -> npt.NDArray[np.bool_]:
        """Return which items are in the current state, bool (N,)."""
        return self._live[: self.items]

    @property
    def site(self) -> npt.NDArray[np.int32]:
        """Return the token of ``s(0)`` that each item was inserted after, int32 (N,)."""
        return self._site[: self.items]

    def buckets(self, farther: npt.NDArray[np.int64] | int = 0) -> npt.NDArray[np.uint8]:
        """Return the bucket of every item's distance from the last edit, uint8 (N,).

        `farther` is the number of left-out tokens between it and each item, (N,).
        """
        distance = self.rank - self.last_rank + farther
        return np.searchsorted(_EDGES, distance, side="right").astype(np.uint8)

    def row(self, edit: Edit, farther: int = 0) -> Row:
        """Return the row of an edit to come; `farther` tokens were left out before it."""
        rank, site = int(self.rank[edit.position]), int(self.site[edit.position])
        distance = rank - self.last_rank + farther
        move = int(np.searchsorted(_EDGES, distance, side="right"))
        return Row(edit.position, rank, site, move)

    def order(self) -> npt.NDArray[np.int64]:
        """Return the live items in the order of the text."""
        live = np.flatnonzero(self.live)
        out = np.empty(len(live), np.int64)
        out[self._rank[live]] = live
        return out

    def tokens(self) -> npt.NDArray[np.int64]:
        """Return the current tokens, `START` first."""
        return self._tokens[self.order()]

    def state(self) -> list[int]:
        """Return the current tokens as a list."""
        return self.tokens().tolist()  # type: ignore[no-any-return]

    def copy(self) -> "Timeline":
        """Return a copy of the sequence."""
        other = copy(self)
        for name in ("edits", "_past", *_OF_ITEMS):
            setattr(other, name, getattr(self, name).copy())
        return other

    def append(self, edit: Edit) -> int:
        """Apply an implicit edit, and return its item.

        Raises:
            EditError: Its position is not a live token.
        """
        item, position = self.items, edit.position
        if not 0 <= position < item or not self._live[position]:
            raise EditError(f"Edit {len(self) + 1} points at item {position}, not a live token.")
        if edit.content == DELETE and position == 0:
            raise EditError("The start token cannot be deleted.")
        if item == len(self._rank):
            self._grow()
        rank = int(self._rank[position])
        self._past.append((rank, self.last_rank))
        self._site[item] = self._site[position]
        self._tokens[item] = edit.content
        ranks = self._rank[:item]
        if edit.content == SAVE:
            self._live[item] = False
            self._rank[item] = 0
        elif edit.content == DELETE:
            self._live[position] = self._live[item] = False
            ranks[ranks > rank] -= 1
            self._rank[item] = self.last_rank = rank
        else:
            ranks[ranks > rank] += 1
            self._live[item] = True
            self._rank[item] = self.last_rank = rank + 1
        self.edits.append(edit)
        return item

    def truncate(self, count: int) -> None:
        """Undo all edits except the first `count`."""
        while len(self.edits) > count:
            edit = self.edits.pop()
            item = self.items
            rank, self.last_rank = self._past.pop()
            ranks = self._rank[:item]
            self._live[item] = False
            if edit.content == DELETE:
                # Dead items may share the rank of the deleted token; only live ranks stay exact.
                ranks[ranks >= rank] += 1
                self._live[edit.position] = True
                self._rank[edit.position] = rank
            elif edit.content != SAVE:
                ranks[ranks > rank] -= 1

    def replace(self, start: int, end: int, tokens: Iterable[int]) -> None:
        """Replace the tokens from `start` to `end` of the current state by `tokens`.

        The order is canonical: deletions first, then insertions from left to right after the
        preceding live token. Ranks count `START`, so `start` is at least 1.
        """
        order = self.order()
        if not 1 <= start <= end <= len(order):
            raise EditError(f"There are no tokens {start} to {end} in a state of {len(order)}.")
        self.replace_items(int(order[start - 1]), order[start:end], tokens)

    def replace_items(self, anchor: int, deleted: Iterable[int], tokens: Iterable[int]) -> None:
        """Delete items, and insert `tokens` after the item `anchor`."""
        for item in deleted:
            self.append(Edit(int(item), DELETE))
        for token in tokens:
            anchor = self.append(Edit(anchor, int(token)))

    def save(self) -> None:
        """Append the mark of a save."""
        self.append(Edit(0, SAVE))

    def _grow(self) -> None:
        for name in _OF_ITEMS:
            values = getattr(self, name)
            setattr(self, name, np.concatenate([values, np.zeros_like(values)]))
