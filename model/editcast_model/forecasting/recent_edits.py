"""Traces of the last saves of a file: lines they touched, words they removed and inserted."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from editcast_model.diff import Hunk, apply_hunks
from editcast_model.tokenizer import lines

#: Saves that are remembered.
SAVES = 9
_WORD = re.compile(r"\w+")
Words = frozenset[str]


@lru_cache(maxsize=20_000)  # most lines stay as they are from one save to the next
def words_of(line: str) -> Words:
    """Return the words of a line."""
    return frozenset(_WORD.findall(line))


@dataclass(frozen=True, slots=True)
class RecentEdits:
    """Lines and words that the last saves of a file changed; the newest save is the last.

    Attributes:
        saves: The lines each of them touched, as they are numbered now.
        removed: Words each of them took out.
        inserted: Words each of them put in.
        before: Words of the lines that the newest replaced.
        after: Words of the lines it left in their place.
    """

    saves: tuple[tuple[int, ...], ...] = ()
    removed: tuple[Words, ...] = ()
    inserted: tuple[Words, ...] = ()
    before: Words = frozenset()
    after: Words = frozenset()

    def after_save(self, text: str, hunks: Iterable[Hunk]) -> "RecentEdits":
        """Follow a save that made these hunks of a text, which do not overlap."""
        hunks = sorted(hunks, key=lambda hunk: hunk.start)
        old, new = lines(text), lines(apply_hunks(text, hunks))
        touched: set[int] = set()
        starts = list(accumulate(map(len, old), initial=0))
        before: set[int] = set()
        grown = 0  # lines
        for hunk in hunks:
            first, last = _range(starts, hunk.start, hunk.end)
            before.update(range(first, last + 1))
            more = hunk.text.count("\n")
            # What ends where a line did touches the line it began in, not the one below.
            size = more - (hunk.text.endswith("\n") and text[hunk.end - 1 : hunk.end] in ("\n", ""))
            touched.update(range(first + grown, first + grown + size + 1))
            grown += more - text.count("\n", hunk.start, hunk.end)
        taken = _words(text[hunk.start : hunk.end] for hunk in hunks)
        given = _words(hunk.text for hunk in hunks)
        first = min(touched, default=0)
        moved = tuple(
            tuple(line + grown if line > first else line for line in one) for one in self.saves
        )
        return RecentEdits(
            (*moved, tuple(sorted(touched)))[-SAVES:],
            (*self.removed, taken - given)[-SAVES:],
            (*self.inserted, given - taken)[-SAVES:],
            _words(old[line] for line in before if line < len(old)),
            _words(new[line] for line in touched if line < len(new)),
        )

    @property
    def gone(self) -> Words:
        """Return the words that were taken out and not put in."""
        return Words().union(*self.removed) - Words().union(*self.inserted)

    @property
    def new(self) -> Words:
        """Return the words that were put in and not taken out."""
        return Words().union(*self.inserted) - Words().union(*self.removed)


def _words(texts: Iterable[str]) -> Words:
    return Words().union(*map(words_of, texts))


def _range(starts: Sequence[int], start: int, end: int) -> tuple[int, int]:
    """Return the first and the last line that offsets touch, counted from 0.

    The text's end is one.
    """
    return bisect_right(starts, start) - 1, bisect_right(starts, max(start, end - 1)) - 1
