"""Windows of whole lines, the part of a file that the network reads, with the edits of saves."""

from collections.abc import Sequence as Ids

import numpy as np
import numpy.typing as npt

from editcast_model.alignment import equal_from_start
from editcast_model.diff import Hunk, apply_hunks, diff
from editcast_model.edits import DELETE, START, Edit, Timeline
from editcast_model.inference.config import InferenceConfig
from editcast_model.tokenizer import Tokenizer

#: A place is near an edge if less than this fraction (one eighth) of the window is between them.
_NEAR = 8
#: The number of edits of unsaved text, as a multiple of those of saves.
_UNSAVED = 4


class Window:
    """A range of whole lines of the saved text, with the edits that saves made to it.

    Attributes:
        fixed: The edits up to the last save.
    """

    def __init__(
        self, tokenizer: Tokenizer, config: InferenceConfig, text: str, low: int, high: int
    ) -> None:
        self._tokenizer, self._config = tokenizer, config
        self._low, self._high = low, high  # code points of the last saved text
        self.fixed = Timeline([START, *tokenizer.ids(text[low:high])])
        self._fixed_starts = self.starts(self.fixed)
        # The edits, and the range, before the last save; None if the window begins with it.
        self._before: tuple[int, int, int] | None = None

    @classmethod
    def whole(cls, tokenizer: Tokenizer, config: InferenceConfig, text: str) -> "Window | None":
        """Make a window of a whole text; None if the text is empty or too long."""
        low, high = _range(tokenizer, text, 0, config.window)
        is_whole = text and (low, high) == (0, len(text))
        return cls(tokenizer, config, text, low, high) if is_whole else None

    @classmethod
    def over(
        cls,
        tokenizer: Tokenizer,
        config: InferenceConfig,
        saves: list[str],
        transient: Ids[Hunk],
    ) -> "Window | None":
        """Make a window on the newest save that leaves at least `kept_edits` edits, if possible.

        Return None if the window cannot contain the unsaved changes.
        """
        steps = [diff(before, after) for before, after in zip(saves, saves[1:], strict=False)]
        first, edits, is_partial = len(steps), 0, False
        while first > 0 and edits < config.kept_edits:
            first -= 1
            edits += sum(_size(tokenizer, saves[first], hunk) for hunk in steps[first])
        # Too much for one save: its text is where the sequence begins. Of the newest its end stays.
        if edits > config.most_edits:
            first += 1
            if first == len(steps):
                saves = [_nearly(tokenizer, config.kept_edits, saves[-2], steps[-1]), saves[-1]]
                first, steps, is_partial = 0, [diff(*saves)], True
        near = steps[-1][-1] if steps and steps[-1] else None
        spot = transient[-1] if transient else near
        while True:
            text = saves[first]
            at = min(spot.start if spot else 0, len(text))
            low, high = _range(tokenizer, text, at, config.window)
            window = cls(tokenizer, config, text, low, high)
            followed = all(window.pass_over(hunks) for hunks in steps[first:])
            if first == len(steps) or (followed and window.holds(transient)):
                break
            first += 1  # a change crosses the edge, or moved the place away: begin later
        if not window.holds(transient) or len(window.fixed) + len(transient) == 0:
            return None
        if is_partial:  # before its edits is not the text before the save
            window._before = None
        return window

    def holds(self, hunks: Ids[Hunk]) -> bool:
        """Tell whether all hunks of the saved text are inside the window."""
        return all(self._low <= hunk.start and hunk.end <= self._high for hunk in hunks)

    @property
    def is_spent(self) -> bool:
        """Tell whether the saves before the last one have used up the window.

        The last save itself may do so: it is read as it was read before it was saved.
        """
        before, _, _ = self._before or (0, 0, 0)
        most = self._config.most_edits
        return before > most or len(self.fixed) > _UNSAVED * most

    def is_near_edge(self, spot: int, length: int) -> bool:
        """Tell whether a place of a text of `length` is near an edge inside the text."""
        margin = (self._high - self._low) // _NEAR
        is_low = self._low > 0 and spot < self._low + margin
        return is_low or (self._high < length and spot > self._high - margin)

    def pass_over(self, hunks: Ids[Hunk]) -> bool:
        """Apply a save with hunks anywhere; return False if one crosses the window's edge."""
        inside = [hunk for hunk in hunks if self.holds([hunk])]
        outside = [hunk for hunk in hunks if hunk not in inside]
        if any(hunk.start < self._high and hunk.end > self._low for hunk in outside):
            return False
        return self.save(inside, outside)

    def save(self, hunks: Ids[Hunk], outside: Ids[Hunk] = ()) -> bool:
        """Apply a save's hunks; return False if they are not all inside."""
        if not self.holds(hunks):
            return False
        self._before = len(self.fixed), self._low, self._high
        self._apply(self.fixed, hunks)
        if hunks:
            self.fixed.save()
        grown = sum(hunk.growth for hunk in hunks)
        moved = sum(hunk.growth for hunk in outside if hunk.end <= self._low)
        self._low, self._high = self._low + moved, self._high + grown + moved
        self._fixed_starts = self.starts(self.fixed)
        return True

    def take_back_save(self) -> bool:
        """Undo the last save; return False if the window begins with it."""
        if self._before is None:
            return False
        edits, self._low, self._high = self._before
        self._before = None
        self.fixed.truncate(edits)
        self._fixed_starts = self.starts(self.fixed)
        return True

    def transient(self, hunks: Ids[Hunk]) -> Timeline | None:
        """Return the edits up to the last save and those of hunks; None if there are too many."""
        edits = sum(len(self._tokenizer.ids(hunk.text)) + hunk.end - hunk.start for hunk in hunks)
        if edits > _UNSAVED * self._config.most_edits:
            return None
        timeline = self.fixed.copy()
        self._apply(timeline, hunks)
        return timeline if timeline.edits else None

    def starts(self, timeline: Timeline) -> npt.NDArray[np.int64]:
        """Return the offsets of a state's tokens in the text, and of its end, in code points.

        The start token is left out, so entry r - 1 belongs to rank r.
        """
        sizes = self._tokenizer.sizes[timeline.tokens()[1:]]
        return self._low + np.concatenate([[0], np.cumsum(sizes)])

    def edits(self, timeline: Timeline, hunk: Hunk) -> list[Edit]:
        """Return the implicit edits of a hunk of the current text; none if it is outside."""
        starts = self.starts(timeline)
        if not starts[0] <= hunk.start <= hunk.end <= starts[-1]:
            return []
        start, end = (int(np.searchsorted(starts, at, "right")) for at in (hunk.start, hunk.end))
        order = timeline.order()
        edits = [Edit(int(item), DELETE) for item in order[start:end]]
        anchor = int(order[start - 1])
        for token in self._tokenizer.ids(hunk.text):
            edits.append(Edit(anchor, token))
            anchor = timeline.items + len(edits) - 1
        return edits

    def hunk(self, timeline: Timeline, edits: Ids[Edit]) -> Hunk | None:
        """Return the hunk of some edits; None if it contains a part of a character.

        The timeline is not changed.
        """
        before, here = timeline.order(), len(timeline)
        starts = self.starts(timeline)
        for edit in edits:
            timeline.append(edit)
        after = timeline.order()
        tokens = timeline.tokens()
        timeline.truncate(here)
        head = equal_from_start(before, after)
        tail = equal_from_start(before[head:][::-1], after[head:][::-1])
        text = self._tokenizer.decode(tokens[head : len(after) - tail].tolist())
        start, end = int(starts[head - 1]), int(starts[len(before) - tail - 1])
        return None if "\ufffd" in text else Hunk(start, end, text)

    def _apply(self, timeline: Timeline, hunks: Ids[Hunk]) -> None:
        """Apply hunks of the saved text, in order, to a timeline of that text."""
        order = timeline.order()
        places = []
        for hunk in hunks:
            start, end = (
                max(0, int(np.searchsorted(self._fixed_starts, at, "right")) - 1)
                for at in (hunk.start, hunk.end)
            )
            places.append((int(order[start]), order[1 + start : 1 + end]))
        for hunk, (anchor, deleted) in zip(hunks, places, strict=True):
            timeline.replace_items(anchor, deleted, self._tokenizer.ids(hunk.text))


def _size(tokenizer: Tokenizer, before: str, hunk: Hunk) -> int:
    """Count the edits of a hunk."""
    return len(tokenizer.ids(before[hunk.start : hunk.end])) + len(tokenizer.ids(hunk.text))


def _nearly(tokenizer: Tokenizer, most: int, text: str, hunks: Ids[Hunk]) -> str:
    """Apply hunks to a text, except for at most this many of their last edits."""
    made, left = list(hunks), most
    while _size(tokenizer, text, made[-1]) <= left:
        left -= _size(tokenizer, text, made.pop())
    if len(made) == len(hunks):
        last = made.pop()
        if cut := _tail(tokenizer, last.text, left):
            made.append(Hunk(last.start, last.end, last.text[:cut]))
        else:
            gone = text[last.start : last.end]
            cut = _tail(tokenizer, gone, left - len(tokenizer.ids(last.text)))
            made.append(Hunk(last.start, last.start + cut, ""))
    return apply_hunks(text, made)


def _tail(tokenizer: Tokenizer, text: str, most: int) -> int:
    """Return where the last `most` subtokens of a text begin, in whole lines or tokens."""
    encoding = tokenizer.encode(text)
    first = len(encoding.ids) - most
    if first <= 0:
        return 0
    while first < len(encoding.ids) and not encoding.ends_token[first - 1]:
        first += 1
    at = int(encoding.starts[first])
    line = text.find("\n", at - 1) + 1
    return line if 0 < line < len(text) else at


def _range(tokenizer: Tokenizer, text: str, spot: int, most: int) -> tuple[int, int]:
    """Return the largest range of lines or tokens around a code point, at most `most` subtokens."""
    encoding = tokenizer.encode(text)
    if len(encoding.ids) < most:
        return 0, len(text)
    at = int(np.searchsorted(encoding.starts, spot, "right")) - 1
    first = min(max(0, at - most // 2), len(encoding.ids) - most + 1)
    last = first + most - 1
    # Lexical tokens stay whole, so that the window reads as the text does.
    while 0 < first < last and not encoding.ends_token[first - 1]:
        first += 1
    while last > first and not encoding.ends_token[last - 1]:
        last -= 1
    low, high = int(encoding.starts[first]), int(encoding.starts[last])
    line = text.find("\n", low, high)
    if low and 0 <= line < spot:
        low = line + 1
    last = text.rfind("\n", low, high)
    if high < len(text) and last >= spot:
        high = last + 1
    return low, high
