"""When a typing pause is no time to suggest: after an undo or a redo, and after bulk changes.

Neither is told by LSP. An undo shows in the text, which is one that the document had before; a
bulk change (a paste, a formatter, a refactoring, a checkout) shows in its size.
"""

from collections import OrderedDict, deque
from collections.abc import Set
from typing import Final

_TEXTS: Final = 64
_WINDOW: Final = 1.5  # seconds
_CHARACTERS: Final = 200
_LINES: Final = 8


class Memory:
    """The last texts of a document, by their hashes.

    One look costs one hash of the text: 1 ms a megabyte.
    """

    def __init__(self) -> None:
        self._hashes: OrderedDict[int, None] = OrderedDict()

    def brings_back(self, text: str) -> bool:
        """Whether this, the text now, is one that the document had before the last one."""
        now = hash(text)
        is_last = bool(self._hashes) and next(reversed(self._hashes)) == now
        is_known = now in self._hashes
        self._hashes[now] = None
        self._hashes.move_to_end(now)
        if len(self._hashes) > _TEXTS:
            self._hashes.popitem(last=False)
        return is_known and not is_last

    @property
    def hashes(self) -> Set[int]:
        """Hashes of the texts, for another thread."""
        return frozenset(self._hashes)

    def clear(self) -> None:
        """Forget them all: nobody knows what came between them and the next."""
        self._hashes.clear()


class Volume:
    """How much of a document changed lately. Times are in seconds, of any steady clock."""

    def __init__(self) -> None:
        self._last: deque[tuple[float, int, int]] = deque()

    def add(self, now: float, characters: int, lines: int) -> None:
        """A change inserted and deleted so many characters and line ends."""
        while self._last and self._last[0][0] < now - _WINDOW:
            self._last.popleft()
        self._last.append((now, characters, lines))

    @property
    def is_bulk(self) -> bool:
        """Whether the last change, with those shortly before it, was more than typing."""
        characters = sum(one[1] for one in self._last)
        lines = sum(one[2] for one in self._last)
        return characters >= _CHARACTERS or lines >= _LINES

    def clear(self) -> None:
        """Begin anew: what changed so far was wanted."""
        self._last.clear()
