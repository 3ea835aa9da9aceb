"""The last saves of a file: the lines that they touched, and the words removed and inserted."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from editcast_model.diff import Hunk, apply_hunks
from editcast_model.tokenizer import lines

#: The number of saves that are kept.
SAVES = 9
_WORD = re.compile(r"\w+")
Words = frozenset[str]


@lru_cache(maxsize=20_000)  # most lines stay as they are from one save to the next
def words_of(line: str) -> Words:
    """Return the words of a line."""
    return frozenset(_WORD.findall(line))


@dataclass(frozen=True, slots=True)
class RecentEdits:
    """The lines and words that the last saves of a file changed, with the newest save last.

    Attributes:
        saves: The lines that each save touched, in current line numbers.
        removed: The words that each save removed.
        inserted: The words that each save inserted.
        before: The words of the lines that the newest save replaced.
        after: The words of the lines that replaced them.
    """

    saves: tuple[tuple[int, ...], ...] = ()
    removed: tuple[Words, ...] = ()
    inserted: tuple[Words, ...] = ()
    before: Words = frozenset()
    after: Words = frozenset()

    def after_save(self, text: str, hunks: Iterable[Hunk]) -> "RecentEdits":
        """Return the recent edits after a save with these disjoint hunks."""
        hunks = sorted(hunks, key=lambda hunk: hunk.start)
        old, new = lines(text), lines(apply_hunks(text, hunks))
        touched: set[int] = set()
        starts = list(accumulate(map(len, old), initial=0))
        before: set[int] = set()
        grown = 0  # lines
        for hunk in hunks:
            replaced = touched_lines(starts, hunk)
            first = replaced.start
            before.update(replaced)
            more = hunk.text.count("\n")
            # A hunk that ends with a line end touches its first line, not the line below.
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
        """Return the words that were removed and not inserted."""
        return Words().union(*self.removed) - Words().union(*self.inserted)

    @property
    def new(self) -> Words:
        """Return the words that were inserted and not removed."""
        return Words().union(*self.inserted) - Words().union(*self.removed)


def _words(texts: Iterable[str]) -> Words:
    return Words().union(*map(words_of, texts))


def touched_lines(starts: Sequence[int], hunk: Hunk) -> range:
    """Return the lines that a hunk touches, counted from 0; an insertion that it stands in.

    Args:
        starts: The starts of the lines, and the end of the text, which counts as a line.
        hunk: A hunk of the text.
    """
    return range(
        bisect_right(starts, hunk.start) - 1, bisect_right(starts, max(hunk.start, hunk.end - 1))
    )
