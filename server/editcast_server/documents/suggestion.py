"""What is offered: one predicted edit of one text, its title, and its life while the user types."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.forecasting.interface import Prediction
from editcast_server.documents.acceptance import CONTEXT, Result

_TITLE_WIDTH = 40


class _Place(NamedTuple):
    """What stands at some hunks of a text and around them."""

    replaced: tuple[str, ...]
    before: str
    after: str
    line: int

    @classmethod
    def of(cls, hunks: Sequence[Hunk], text: str) -> "_Place":
        start, end = hunks[0].start, hunks[-1].end
        return cls(
            tuple(text[hunk.start : hunk.end] for hunk in hunks),
            text[max(0, start - CONTEXT) : start],
            text[end : end + CONTEXT],
            text.count("\n", 0, start),
        )


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A prediction that passed all checks, for the text it was made for.

    Attributes:
        id: Names it to the client, for as long as it lives.
        hunks: Ascending, disjoint; offsets in code points of its text.
        replaced: What stands at each hunk.
        before: The text before the first hunk, at most `CONTEXT` code points.
        after: The text behind the last hunk, at most `CONTEXT` code points.
        line: The first line that changes, counted from 0.
        confidence: Calibrated estimate, 0 to 1.
        log_probability: Joint natural log probability.
        edits: Number of token edits.
        result: What the document is once all of it is applied; typing along does not change that.
    """

    id: str
    hunks: tuple[Hunk, ...]
    replaced: tuple[str, ...]
    before: str
    after: str
    line: int
    confidence: float
    log_probability: float
    edits: int
    result: Result

    @classmethod
    def of(cls, prediction: Prediction, text: str, id: str) -> "Suggestion":
        """The suggestion that a prediction for `text` becomes."""
        place = _Place.of(prediction.hunks, text)
        return cls(
            id,
            prediction.hunks,
            *place,
            prediction.confidence,
            prediction.log_probability,
            prediction.edits,
            Result.of(prediction.hunks, text),
        )

    @property
    def title(self) -> str:
        """Such as "Next edit, line 50: `foo` -> `bar` (93 %)"."""
        old, new = _one_line(self.replaced[0]), _one_line(self.hunks[0].text)
        if not old:
            what = f"insert `{new}`"
        elif not new:
            what = f"delete `{old}`"
        else:
            what = f"`{old}` -> `{new}`"
        more = len(self.hunks) - 1
        also = f" and {more} more" if more else ""
        return f"Next edit, line {self.line + 1}: {what}{also} ({self.confidence:.0%})".replace(
            "%", " %"
        )

    def is_for(self, text: str) -> bool:
        """Whether its hunks are places of `text`, which may be another one than it was made for."""
        return (self.replaced, self.before, self.after, self.line) == _Place.of(self.hunks, text)

    def typed(self, change: Hunk, text: str) -> "Suggestion | None":
        """What is left of it when the user makes a change that agrees with it, else None.

        Args:
            change: What was typed or deleted, in offsets of the text before.
            text: The text after the change.
        """
        grown = len(change.text) - (change.end - change.start)
        for index, hunk in enumerate(self.hunks):
            if not hunk.start <= change.start <= change.end <= hunk.end:
                continue
            left = shortest_hunk(text[hunk.start : hunk.end + grown], hunk.text, hunk.start)
            whole = shortest_hunk(self.replaced[index], hunk.text)
            if _size(left) + _size(change) != _size(whole):
                continue
            moved = [
                Hunk(later.start + grown, later.end + grown, later.text)
                for later in self.hunks[index + 1 :]
            ]
            hunks = (*self.hunks[:index], *([left] if _size(left) else []), *moved)
            return replace(self, hunks=hunks, **_Place.of(hunks, text)._asdict()) if hunks else None
        return None

    def insertion_at(self, offset: int, text: str) -> str | None:
        """What it inserts when it is nothing but an insertion at `offset` of `text`, else None.

        A replacement whose new text only adds to the old counts, and so does an insertion that
        reads the same when made at `offset`.
        """
        if len(self.hunks) != 1:
            return None
        (hunk,) = self.hunks
        start, end = min(offset, hunk.start), max(offset, hunk.end)
        if end - start > (hunk.end - hunk.start) + len(hunk.text):
            return None
        old = text[start:end]
        new = text[start : hunk.start] + hunk.text + text[hunk.end : end]
        head, tail = old[: offset - start], old[offset - start :]
        if len(new) > len(old) and new.startswith(head) and new.endswith(tail):
            return new[len(head) : len(new) - len(tail)]
        return None


def _size(hunk: Hunk) -> int:
    return hunk.end - hunk.start + len(hunk.text)


def _one_line(text: str) -> str:
    """`text` for a title: ends trimmed, line ends as a sign, the middle cut out."""
    line = " ⏎ ".join(part.strip() for part in text.strip().splitlines()) or text.strip("\r\n")
    if not line and text:
        line = "⏎"
    if len(line) <= _TITLE_WIDTH:
        return line
    half = (_TITLE_WIDTH - 1) // 2
    return f"{line[:half]}…{line[-half:]}"
