"""A document's text as lines, and its earlier texts; LSP positions as offsets and back.

Everything else in Editcast counts code points; LSP counts in the negotiated encoding. Lines end at
CR LF, LF or CR only (LSP 3.17, "Text Documents"), so `str.splitlines` cannot be used.
"""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence, Set
from itertools import accumulate
from typing import Final, NamedTuple

from lsprotocol import types

from editcast_model.diff import Hunk, shortest_hunk

_LINE_END = re.compile(r"\r\n|\n|\r")
_TEXTS: Final = 64  # earlier texts of a document by which an undo is recognised
# Changes of this many characters or lines within this many seconds are not typing
_BULK_CHARACTERS, _BULK_LINES, _BULK_SECONDS = 200, 8, 1.5

# Encoding kind -> Python's codec, bytes a unit.
_CODECS: Final = {
    types.PositionEncodingKind.Utf8: ("utf-8", 1),
    types.PositionEncodingKind.Utf16: ("utf-16-le", 2),
    types.PositionEncodingKind.Utf32: ("utf-32-le", 4),
}


class OutOfRangeError(Exception):
    """A change refers to a place that is not in the text: editor and server disagree."""


class Units(NamedTuple):
    """The units in which a client counts columns.

    Lone surrogates are preserved, since an editor whose strings are UTF-16 can send them.
    """

    codec: str
    size: int

    @classmethod
    def of(cls, encoding: types.PositionEncodingKind | str) -> "Units":
        """Return the units of a negotiated position encoding."""
        return cls(*_CODECS[types.PositionEncodingKind(encoding)])

    def encode(self, text: str) -> bytes:
        """Encode `text` in the units' codec."""
        return text.encode(self.codec, "surrogatepass")

    def decode(self, data: bytes) -> str:
        """Decode `data`; raise UnicodeDecodeError if a character was cut in two."""
        return data.decode(self.codec, "surrogatepass")

    def count(self, text: str) -> int:
        """Count the units of `text`."""
        if text.isascii() or self.size == 4:
            return len(text)
        return len(self.encode(text)) // self.size


class Buffer:
    """The lines of an open document, changed in place.

    A change takes time for the lines that it touches and one splice of the list, not for the whole
    text; `text` joins the lines when it is needed.
    """

    def __init__(self, text: str, units: Units) -> None:
        self.units = units
        self._lines = split_lines(text)
        self._text: str | None = text

    @property
    def text(self) -> str:
        """Return the whole text."""
        if self._text is None:
            self._text = "".join(self._lines)
        return self._text

    @property
    def line_count(self) -> int:
        """Count the lines, including the one after the last line end."""
        return len(self._lines)

    def line(self, number: int) -> str:
        """Return a line with its end, counted from 0; empty if there is no such line."""
        return self._lines[number] if 0 <= number < len(self._lines) else ""

    def apply(self, change: types.Range, text: str) -> Hunk:
        """Replace a range by `text`; return the hunk, in code points of the text before.

        Raises:
            OutOfRangeError: The range is not in the text; the buffer is unchanged.
        """
        first, last = change.start.line, change.end.line
        if (first, change.start.character) > (last, change.end.character):
            raise OutOfRangeError("its range ends before it starts")
        head = self._cut(change.start)[0]
        tail = self._cut(change.end)[1]
        last = min(last, len(self._lines) - 1)
        first = min(first, last)
        old = "".join(self._lines[first : last + 1])
        try:
            new = self.units.decode(head + self.units.encode(text) + tail)
        except UnicodeDecodeError:
            raise OutOfRangeError("its range cuts a character in two") from None
        hunk = self._hunk(old, new, head, text, tail, sum(map(len, self._lines[:first])))
        if first and new.startswith("\n") and self._lines[first - 1].endswith("\r"):
            first -= 1
            new = self._lines[first] + new
        lines = split_lines(new)
        if last + 1 < len(self._lines):
            lines.pop()  # the line end of line `last` closes what was changed
        self._lines[first : last + 1] = lines
        self._text = None
        return hunk

    def _hunk(self, old: str, new: str, head: bytes, text: str, tail: bytes, offset: int) -> Hunk:
        """Return the hunk of a change at the place that the editor reported.

        Only the place distinguishes deleting one of two equal words from deleting the other.
        """
        try:
            start, behind = len(self.units.decode(head)), len(self.units.decode(tail))
        except UnicodeDecodeError:
            start = behind = len(old)
        if start + behind <= len(old) and new == old[:start] + text + old[len(old) - behind :]:
            return shortest_hunk(old[start : len(old) - behind], text, offset + start)
        return shortest_hunk(old, new, offset)  # a surrogate lost or found its other half

    def offset(self, position: types.Position) -> int:
        """Convert a position to an offset in code points; may raise `OutOfRangeError`."""
        head = self._cut(position)[0]
        try:
            column = len(self.units.decode(head))
        except UnicodeDecodeError:
            raise OutOfRangeError("a position cuts a character in two") from None
        return sum(map(len, self._lines[: min(position.line, len(self._lines) - 1)])) + column

    def text_edits(self, hunks: Sequence[Hunk]) -> list[types.TextEdit]:
        """Convert hunks of the text to LSP's edits.

        LSP has no position between a CR and its LF, so a hunk that begins or ends there is extended
        to the whole line end.
        """
        text = self.text
        starts = list(accumulate(map(len, self._lines), initial=0))[:-1]

        def position(offset: int) -> types.Position:
            line = bisect_right(starts, offset) - 1
            return types.Position(line, self.units.count(text[starts[line] : offset]))

        edits = []
        for hunk in hunks:
            start, end, new = hunk.start, hunk.end, hunk.text
            if text[start - 1 : start + 1] == "\r\n":
                start, new = start - 1, "\r" + new
            if text[end - 1 : end + 1] == "\r\n":
                end, new = end + 1, new + "\n"
            edits.append(types.TextEdit(types.Range(position(start), position(end)), new))
        return edits

    def _cut(self, position: types.Position) -> tuple[bytes, bytes]:
        """Encode the line of a position and split it there.

        A column past the end of its line means the end of the line (LSP 3.17, `Position`). Some
        clients use column 0 of the line after the last for the end of the text.
        """
        line, column = position.line, position.character
        if line == len(self._lines) and column == 0:
            line, column = line - 1, _PAST_ANY_LINE
        if not 0 <= line < len(self._lines) or column < 0:
            raise OutOfRangeError(
                f"line {line + 1} is not among the text's {len(self._lines)} lines"
            )
        text = self._lines[line]
        data = self.units.encode(text)
        end = len(text) - len(text.rstrip("\r\n"))
        at = min(column * self.units.size, len(data) - end * self.units.size)
        return data[:at], data[at:]


_PAST_ANY_LINE = 1 << 62


def split_lines(text: str) -> list[str]:
    """Return the lines with their ends; the last one has no end, and may be empty."""
    if "\r" in text and text.count("\r") != text.count("\r\n"):
        out, done = [], 0
        for end in _LINE_END.finditer(text):
            out.append(text[done : end.end()])
            done = end.end()
        return [*out, text[done:]]
    *lines, rest = text.split("\n")
    return [line + "\n" for line in lines] + [rest]


class PastTexts:
    """The hashes of a document's last texts, which reveal an undo; LSP does not report it.

    A call computes one hash of the text, which takes 1 ms per megabyte.
    """

    def __init__(self) -> None:
        self._hashes: deque[int] = deque(maxlen=_TEXTS)

    def brings_back(self, text: str) -> bool:
        """Add the current text; tell whether the document had it before, but not just now."""
        now = hash(text)
        if now not in self._hashes:
            self._hashes.append(now)
            return False
        is_last = self._hashes[-1] == now
        self._hashes.remove(now)
        self._hashes.append(now)
        return not is_last

    @property
    def hashes(self) -> Set[int]:
        """Return a copy of the hashes for another thread."""
        return frozenset(self._hashes)

    def clear(self) -> None:
        """Forget all texts, since the next one may be unrelated."""
        self._hashes.clear()


class RecentChanges:
    """The sizes of a document's recent changes; times are in seconds of a monotonic clock.

    LSP does not report a paste, a formatter, a refactoring or a checkout; their size reveals them.
    """

    def __init__(self) -> None:
        self._last: deque[tuple[float, int, int]] = deque()

    def add(self, now: float, characters: int, lines: int) -> None:
        """Add a change that inserted and deleted this many characters and line ends."""
        while self._last and self._last[0][0] < now - _BULK_SECONDS:
            self._last.popleft()
        self._last.append((now, characters, lines))

    @property
    def is_bulk(self) -> bool:
        """Tell whether the last changes were too large for typing."""
        characters = sum(one[1] for one in self._last)
        lines = sum(one[2] for one in self._last)
        return characters >= _BULK_CHARACTERS or lines >= _BULK_LINES

    def clear(self) -> None:
        """Forget the changes, since the user wanted them."""
        self._last.clear()
