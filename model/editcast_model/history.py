"""The edit history of a file: its last snapshots, the hunks between them, and what these touched.

Windows, repeated edits and features all use this record. A new session on it, for example after
another model was loaded, has the same knowledge as the old one.
"""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from editcast_model.consequences.other_files.entry_index import EntryIndex
from editcast_model.diff import Hunk, apply_hunks, diff, shortest_hunk
from editcast_model.memory.project_memory import ProjectMemory
from editcast_model.tokenizer import lines

#: The number of saves that are kept.
DEPTH = 30
#: The number of saves whose lines and words are kept as `RecentEdits`.
RECENT = 9
#: The number of saves by which `repeating` is estimated.
_JUDGED_SAVES = 3
#: Brackets and quotes that editors close automatically.
_CLOSED = ")]}'\"`"
#: The old and the new text of a change, without common ends.
Change = tuple[str, str]
Words = frozenset[str]
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Save:
    """A save and its changes.

    Attributes:
        number: The number of the save among those that changed something, from 1. A save that
            continues the previous one replaces it and keeps its number.
        before: The text before the changes.
        after: The text that was saved.
        hunks: The changes from `before` to `after`, ascending.
    """

    number: int
    before: str
    after: str
    hunks: tuple[Hunk, ...]

    def is_continued(self, hunks: Sequence[Hunk], text: str) -> bool:
        """Tell whether the next save continues an unfinished change of this one, on its line.

        Editors with auto-save may save in the middle of a word. The next save then makes a single
        change where the last change of this one ended, or replaces its end; brackets and quotes
        that editors close automatically may follow. A save that undoes this one does not continue
        it, nor does one that changes again what this one changed at several places.

        Args:
            hunks: The changes from `after` to the next saved text.
            text: The next saved text.
        """
        *others, last = self.hunks
        is_again = any(one.text == last.text for one in others)
        if len(hunks) != 1 or is_again or text == self.before:
            return False
        ends = [(_end(self.hunks), hunks[0])]
        if not others:  # a diff by characters may end at another place than one by tokens
            end = _end([shortest_hunk(self.before, self.after)])
            ends.append((end, shortest_hunk(self.after, text)))
        return any(
            _goes_on(self.after, end, _ending_at(end, hunk, self.after, text)) for end, hunk in ends
        )


def next_save(last: Save | None, before: str, after: str, hunks: tuple[Hunk, ...]) -> Save:
    """Return the save of `after`, joined with the previous save if it continues that one.

    Args:
        last: The previous save; None for the first.
        before: The text that was saved or opened last.
        after: The text that is saved.
        hunks: The changes from `before` to `after`.
    """
    if last is None:
        return Save(1, before, after, hunks)
    if last.after == before and last.is_continued(hunks, after):
        return Save(last.number, last.before, after, tuple(diff(last.before, after)))
    return Save(last.number + 1, before, after, hunks)


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
            (*moved, tuple(sorted(touched)))[-RECENT:],
            (*self.removed, taken - given)[-RECENT:],
            (*self.inserted, given - taken)[-RECENT:],
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


class EditHistory:
    """The edits of a file since it was opened.

    Attributes:
        language: The LSP language identifier; empty if unknown.
        path: The path within the project; empty if unknown.
        imports: The import statements of other files of the project, by the imported name.
        entries: The texts that files of the project give names to.
        memory: The project memory; without other files if these are unknown.
        text: The current text.
        saves: The last `DEPTH` saves that changed something, oldest first. A save that continues
            an unfinished change is joined with the previous one. The changes before the user moved
            on to another place count as a save, whether or not the file was saved.
        saved: The text after the last of `saves`, or when the file was opened.
        unsaved: The hunks from `saved` to `text`, ascending.
        last: The end of the last change, an offset in `text`; 0 before the first.
        repeating: The smoothed share of the last saves' changes that repeat earlier ones, 0 to 1.
            Unsaved changes count as a save.
    """

    def __init__(self, text: str, *, language: str = "", path: str = "") -> None:
        self.language, self.path = language, path
        self.imports: Mapping[str, str] = {}
        self.entries = EntryIndex()
        self.memory = ProjectMemory()
        self.text = self.saved = text
        self.saves: deque[Save] = deque(maxlen=DEPTH)
        self.unsaved: tuple[Hunk, ...] = ()
        self.last = 0
        self.repeating = _repeating([])
        self._repeated: deque[float] = deque(maxlen=_JUDGED_SAVES)
        self._changes: deque[list[Change]] = deque(maxlen=DEPTH)
        self._recent: deque[RecentEdits] = deque(maxlen=DEPTH)

    @property
    def snapshots(self) -> list[str]:
        """Return the text before the first of `saves`, and after each of them."""
        return [*(save.before for save in self.saves), self.saved]

    def befores(self, most: int) -> list[str]:
        """Return the texts before the last `most` saves, oldest first; else the first text."""
        return [save.before for save in self.saves][-most:] or [self.saved]

    @property
    def is_untouched(self) -> bool:
        """Tell whether nothing has changed since the file was opened."""
        return not self.saves and not self.unsaved

    def update(self, text: str, *, saved: bool) -> list[Save]:
        """Set the current text, and return the saves that this adds.

        Earlier changes count as saved once a change is made elsewhere.
        """
        added = []
        if self._goes_on_elsewhere(text):
            added.append(self._save())
        taken_back = shortest_hunk(self.text, text)
        self.text = text
        self.unsaved = tuple(diff(self.saved, text))
        if self.unsaved:
            self.last = _end(self.unsaved)
        elif taken_back.size:
            self.last = _end([taken_back])
        self._judge(changes(self.saved, self.unsaved))
        if saved and self.unsaved:
            added.append(self._save())
        return added

    def _goes_on_elsewhere(self, text: str) -> bool:
        """Tell whether a change to `text` does not touch the last unsaved change."""
        if not self.unsaved:
            return False
        end = _end(self.unsaved)
        start = end - len(self.unsaved[-1].text)
        change = _ending_at(end, shortest_hunk(self.text, text), self.text, text)
        return text not in (self.text, self.saved) and not (
            change.start <= end and start <= change.end
        )

    def _save(self) -> Save:
        """Save the current text."""
        latest = self.saves[-1] if self.saves else None
        save = next_save(latest, self.saved, self.text, self.unsaved)
        if latest and save.number == latest.number:
            for of_save in (self.saves, self._repeated, self._changes, self._recent):
                of_save.pop()
        made = changes(save.before, save.hunks)
        self._judge(made)
        self.saves.append(save)
        self._repeated.append(self._share_known(made))
        self._changes.append(made)
        recent = self._recent[-1] if self._recent else RecentEdits()
        self._recent.append(recent.after_save(save.before, save.hunks))
        self.saved, self.unsaved = self.text, ()
        return save

    @property
    def recent(self) -> RecentEdits:
        """Return the recent edits; unsaved changes count as a save."""
        recent = self._recent[-1] if self._recent else RecentEdits()
        return recent.after_save(self.saved, self.unsaved) if self.unsaved else recent

    def made(self, change: Change) -> tuple[int, int]:
        """Count how often a change was made, and how many saves ago it was last made.

        Undone changes do not count, but the count of a change that was made is at least 1. Unsaved
        changes belong to the last save. A change that was never made was made 0 saves ago.
        """
        made = [*self._changes, changes(self.saved, self.unsaved)]
        times = [of_save.count(change) for of_save in made]
        last = max((number for number, count in enumerate(times) if count), default=len(times))
        taken_back = sum(of_save.count(change[::-1]) for of_save in made)
        return less_taken_back(sum(times), taken_back), max(len(times) - 2 - last, 0)

    def _judge(self, made: Sequence[Change]) -> None:
        """Update `repeating` by the last saves and the changes since."""
        repeated = list(self._repeated)
        if made:
            repeated.append(self._share_known(made))
        self.repeating = _repeating(repeated[-_JUDGED_SAVES:])

    def _share_known(self, made: Sequence[Change]) -> float:
        """Compute the share of changes that an earlier save made."""
        known = {change for of_save in self._changes for change in of_save}
        return sum(change in known for change in made) / len(made)


def _repeating(shares: Sequence[float]) -> float:
    return (sum(shares) + 0.5) / (len(shares) + 2)


def less_taken_back(times: int, taken_back: int) -> int:
    """Subtract undone changes from the number of changes, but return at least 1 of them."""
    return min(times, max(times - taken_back, 1))


def _goes_on(text: str, end: int, hunk: Hunk) -> bool:
    """Tell whether a hunk continues a change that ended at `end`, on the same line."""
    touches = hunk.start <= end and not text[hunk.end : end].strip(_CLOSED)
    if not touches or "\n" in text[hunk.start : max(hunk.end, end)]:
        return False
    begins_line = text[end - 1 : end] in ("", "\n")
    return hunk.start < end or not (begins_line or hunk.text.startswith(("\n", "\r")))


def _end(hunks: Sequence[Hunk]) -> int:
    """Return the end of the last hunk after all hunks are applied."""
    return hunks[-1].end + sum(one.growth for one in hunks)


def _ending_at(end: int, hunk: Hunk, before: str, after: str) -> Hunk:
    """Move a hunk that only inserts or deletes so that it ends at `end`, if possible."""
    start = end - (hunk.end - hunk.start)
    moved = Hunk(start, end, after[start : start + len(hunk.text)])
    is_one_sided = not hunk.text or hunk.start == hunk.end
    is_same = start >= 0 and before[:start] + moved.text + before[end:] == after
    return moved if is_one_sided and is_same else hunk


def changes(text: str, hunks: Iterable[Hunk]) -> list[Change]:
    """Return the old and new texts of hunks, without common ends."""
    shortest = (shortest_hunk(text[one.start : one.end], one.text, one.start) for one in hunks)
    return [(text[one.start : one.end], one.text) for one in shortest]


@lru_cache(maxsize=20_000)  # most lines stay as they are from one save to the next
def words_of(line: str) -> Words:
    """Return the words of a line."""
    return frozenset(_WORD.findall(line))


def _words(texts: Iterable[str]) -> Words:
    return Words().union(*map(words_of, texts))


def touched_lines(starts: Sequence[int], hunk: Hunk) -> range:
    """Return the lines that a hunk touches, counted from 0; an insertion that it stands in.

    Args:
        starts: The starts of the lines, and the end of the text, which counts as a line.
        hunk: A hunk of the text.
    """
    last = max(hunk.start, hunk.end - 1)
    return range(bisect_right(starts, hunk.start) - 1, bisect_right(starts, last))
