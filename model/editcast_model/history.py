"""The edit history of one file: its last snapshots and the hunks between them.

Windows, repeated edits, features and recent edits all read this one record, and a session that is
made anew from it, after another model was loaded, say, knows what the one before knew.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from editcast_model.diff import Hunk, diff, shortest_hunk
from editcast_model.memory.project_memory import ProjectMemory

#: Saves that are remembered.
DEPTH = 30
#: Saves by which it is judged if somebody repeats changes.
_JUDGED_SAVES = 3
#: Brackets and quotes that editors close by themselves.
_CLOSED = ")]}'\"`"
#: What stood somewhere, and what stands there then, without common ends.
Change = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Save:
    """The change that one save made.

    Attributes:
        number: Of the file's saves that changed something, from 1. A save that goes on with the
            one before takes its number and its place.
        before: The text that it replaced.
        after: The text that was saved.
        hunks: From `before` to `after`, ascending.
    """

    number: int
    before: str
    after: str
    hunks: tuple[Hunk, ...]

    def is_continued(self, hunks: Sequence[Hunk], text: str) -> bool:
        """Tell whether a save goes on with what this one left half-way, on its line.

        Editors that save by themselves do so in the middle of a word. The next save makes one
        change, where this one's last change ended, or replaces its end; brackets and quotes that
        editors close by themselves may be behind. What takes this one back does not go on with it,
        nor does what changes again what this one did at several places.

        Args:
            hunks: From `after` to the text that was saved next.
            text: That text.
        """
        *others, last = self.hunks
        is_again = any(one.text == last.text for one in others)
        if len(hunks) != 1 or is_again or text == self.before:
            return False
        ends = [(_end(self.hunks), hunks[0])]
        if not others:  # by characters, what was done may end at another place than by tokens
            end = _end([shortest_hunk(self.before, self.after)])
            ends.append((end, shortest_hunk(self.after, text)))
        return any(
            _goes_on(self.after, end, _ending_at(end, hunk, self.after, text)) for end, hunk in ends
        )


def next_save(last: Save | None, before: str, after: str, hunks: tuple[Hunk, ...]) -> Save:
    """Make the save of `after` that follows another: one with it if it goes on with it.

    Args:
        last: The save before; None for the first.
        before: The text that was saved or opened last.
        after: The text that is saved.
        hunks: From the one to the other.
    """
    if last is None:
        return Save(1, before, after, hunks)
    if last.after == before and last.is_continued(hunks, after):
        return Save(last.number, last.before, after, tuple(diff(last.before, after)))
    return Save(last.number + 1, before, after, hunks)


class EditHistory:
    """The edits of one file since it was opened.

    Attributes:
        language: Its LSP identifier; empty where nobody knows it.
        path: Within its project; empty where nobody knows it.
        imports: Statements by which other files of the project get names, by the names.
        memory: What files of the project say; of no other file where nobody knows them.
        text: As it is now.
        saves: The last `DEPTH` saves that changed something, oldest first. A save that goes on
            with what the one before left half-way is one with it. What was done before somebody
            went on elsewhere is one, too, whether or not the file was saved.
        unsaved: The hunks from the text last saved to `text`, ascending.
        last: Where the last change ends, an offset in `text`; 0 before the first.
        repeating: How much of a change is likely one that was made before, 0 to 1: the share of
            the last saves' changes, with half of one added. What is not saved yet counts as a save.
    """

    def __init__(self, text: str, *, language: str = "", path: str = "") -> None:
        self.language, self.path = language, path
        self.imports: Mapping[str, str] = {}
        self.memory = ProjectMemory()
        self.text = self._saved = text
        self.saves: deque[Save] = deque(maxlen=DEPTH)
        self.unsaved: tuple[Hunk, ...] = ()
        self.last = 0
        self.repeating = _repeating([])
        self._repeated: deque[float] = deque(maxlen=_JUDGED_SAVES)
        self._changes: deque[list[Change]] = deque(maxlen=DEPTH)

    @property
    def saved(self) -> str:
        """Return the text as it was when it was opened, or after the last of `saves`."""
        return self._saved

    @property
    def snapshots(self) -> list[str]:
        """Return the text before the first of `saves`, and after each of them."""
        return [*(save.before for save in self.saves), self._saved]

    @property
    def is_untouched(self) -> bool:
        """Tell whether nothing has changed since the file was opened."""
        return not self.saves and not self.unsaved

    def update(self, text: str, *, saved: bool) -> list[Save]:
        """Take in that the text is now `text`, and return the saves that this adds.

        What was done before counts as saved once the next change is made elsewhere.
        """
        added = []
        if self._goes_on_elsewhere(text):
            added.append(self._save())
        self.text = text
        self.unsaved = tuple(diff(self._saved, text))
        if self.unsaved:
            self.last = _end(self.unsaved)
        self._judge(changes(self._saved, self.unsaved))
        if saved and self.unsaved:
            added.append(self._save())
        return added

    def _goes_on_elsewhere(self, text: str) -> bool:
        """Tell whether a change is made that does not touch the last one that is not saved."""
        if not self.unsaved:
            return False
        end = _end(self.unsaved)
        start = end - len(self.unsaved[-1].text)
        change = _ending_at(end, shortest_hunk(self.text, text), self.text, text)
        return text not in (self.text, self._saved) and not (
            change.start <= end and start <= change.end
        )

    def _save(self) -> Save:
        """Save the text as it is."""
        latest = self.saves[-1] if self.saves else None
        save = next_save(latest, self._saved, self.text, self.unsaved)
        if latest and save.number == latest.number:
            for of_save in (self.saves, self._repeated, self._changes):
                of_save.pop()
        made = changes(save.before, save.hunks)
        self._judge(made)
        self.saves.append(save)
        self._repeated.append(self._share_known(made))
        self._changes.append(made)
        self._saved, self.unsaved = self.text, ()
        return save

    def made(self, change: Change) -> tuple[int, int]:
        """Count how often this change was made, and how many saves ago it was made last.

        What was taken back does not count: of a change that was made at all at least 1 is left.
        What is not saved yet counts as of the last save; a change that was never made is 0 ago.
        """
        made = [*self._changes, changes(self._saved, self.unsaved)]
        times = [of_save.count(change) for of_save in made]
        last = max((number for number, count in enumerate(times) if count), default=len(times))
        taken_back = sum(of_save.count(change[::-1]) for of_save in made)
        return less_taken_back(sum(times), taken_back), max(len(times) - 2 - last, 0)

    def _judge(self, made: Sequence[Change]) -> None:
        """Judge how somebody works by the last saves and what was made since."""
        repeated = list(self._repeated)
        if made:
            repeated.append(self._share_known(made))
        self.repeating = _repeating(repeated[-_JUDGED_SAVES:])

    def _share_known(self, made: Sequence[Change]) -> float:
        """Compute which share of some changes a save has made before."""
        known = {change for of_save in self._changes for change in of_save}
        return sum(change in known for change in made) / len(made)


def _repeating(shares: Sequence[float]) -> float:
    return (sum(shares) + 0.5) / (len(shares) + 2)


def less_taken_back(times: int, taken_back: int) -> int:
    """Return how often a change was made without what was taken back; 1 if nothing is left."""
    return min(times, max(times - taken_back, 1))


def _goes_on(text: str, end: int, hunk: Hunk) -> bool:
    """Tell whether a hunk goes on where a change of the text ended, on that line."""
    touches = hunk.start <= end and not text[hunk.end : end].strip(_CLOSED)
    if not touches or "\n" in text[hunk.start : max(hunk.end, end)]:
        return False
    begins_line = text[end - 1 : end] in ("", "\n")
    return hunk.start < end or not (begins_line or hunk.text.startswith(("\n", "\r")))


def _end(hunks: Sequence[Hunk]) -> int:
    """Return where the last of some hunks ends once all of them are applied."""
    return hunks[-1].end + sum(one.growth for one in hunks)


def _ending_at(end: int, hunk: Hunk, before: str, after: str) -> Hunk:
    """Return a hunk that only inserts or deletes as one that ends at a place, if it may."""
    start = end - (hunk.end - hunk.start)
    moved = Hunk(start, end, after[start : start + len(hunk.text)])
    is_one_sided = not hunk.text or hunk.start == hunk.end
    is_same = start >= 0 and before[:start] + moved.text + before[end:] == after
    return moved if is_one_sided and is_same else hunk


def changes(text: str, hunks: Iterable[Hunk]) -> list[Change]:
    """Return what stands at hunks of a text and what they put there, without common ends."""
    shortest = (shortest_hunk(text[one.start : one.end], one.text, one.start) for one in hunks)
    return [(text[one.start : one.end], one.text) for one in shortest]
