"""What is held back: what a user did not want, and what nobody would, whatever its confidence."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from editcast_model.diff import Hunk
from editcast_model.forecasting.filters import Work, reason_against
from editcast_server.documents.acceptance import CONTEXT
from editcast_server.documents.suggestion import Suggestion

REMEMBERED = 20

#: First and last offset of some whole lines, without the last line end.
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Rejection:
    """A suggestion that the user did not want, recognisable after later edits.

    Attributes:
        replaced: What it would have replaced, hunk by hunk.
        new: What it would have put there.
        before: The text before it, at most `CONTEXT` code points.
        after: The text behind it, at most `CONTEXT` code points.
        start: Where it stands now, in code points; None once an edit has gone over the place.
    """

    replaced: tuple[str, ...]
    new: tuple[str, ...]
    before: str
    after: str
    start: int | None

    def moved(self, change: Hunk) -> "Rejection":
        """It after a change of the text."""
        if self.start is None or change.start > self.start:
            return self
        if change.end > self.start:
            return replace(self, start=None)
        grown = len(change.text) - (change.end - change.start)
        return replace(self, start=self.start + grown)

    def is_about(self, hunks: tuple[Hunk, ...], text: str) -> bool:
        """Whether the hunks would do the same thing at the same place."""
        if self.new != tuple(hunk.text for hunk in hunks):
            return False
        if self.replaced != tuple(text[hunk.start : hunk.end] for hunk in hunks):
            return False
        start, end = hunks[0].start, hunks[-1].end
        if self.start is not None:
            return self.start == start
        before, after = text[max(0, start - CONTEXT) : start], text[end : end + CONTEXT]
        return before == self.before or after == self.after


class Rejections:
    """The last suggestions that the user rejected in one document.

    Attributes:
        fresh: The lines of those rejected since the last change: nothing else is to be suggested
            there right away.
        disagreed: The lines where the user typed something else than what was suggested, since
            the last save: they are the user's own.
    """

    def __init__(self) -> None:
        self._last: deque[Rejection] = deque(maxlen=REMEMBERED)
        self.fresh: tuple[Span, ...] = ()
        self.disagreed: tuple[Span, ...] = ()

    def __len__(self) -> int:
        return len(self._last)

    def add(self, suggestion: Suggestion, text: str | None) -> None:
        """Remember one.

        Args:
            suggestion: The suggestion.
            text: The text as it is now, if the suggestion's offsets are into it.
        """
        if text is not None:
            self.fresh += _lines(suggestion.hunks, text)
        self._last.append(
            Rejection(
                suggestion.replaced,
                tuple(hunk.text for hunk in suggestion.hunks),
                suggestion.before,
                suggestion.after,
                None if text is None else suggestion.hunks[0].start,
            )
        )

    def move(self, change: Hunk) -> None:
        """Follow a change of the text."""
        self.fresh = ()
        self.disagreed = tuple(_moved(span, change) for span in self.disagreed)
        for index, rejection in enumerate(self._last):
            self._last[index] = rejection.moved(change)

    def disagree(self, hunks: Sequence[Hunk], change: Hunk, text: str) -> None:
        """Remember where the user typed something else than a suggestion.

        Args:
            hunks: The suggestion, in offsets of the text before the change.
            change: What was typed.
            text: The text after it.
        """
        grown = len(change.text) - (change.end - change.start)
        ((first, last),) = _lines([Hunk(change.start, change.end + grown, "")], text)
        if any(hunk.start <= last - grown and first <= hunk.end for hunk in hunks):
            self.disagreed = (*self.disagreed, (first, last))[-REMEMBERED:]

    def saved(self) -> None:
        """The user is done with the lines that were typed."""
        self.disagreed = ()

    def now(self) -> tuple[Rejection, ...]:
        """The rejections as they stand, for another thread."""
        return tuple(self._last)


@dataclass(frozen=True, slots=True)
class Situation:
    """What a prediction is judged by.

    Attributes:
        work: The text it is made for, and what went on there.
        threshold: The least confidence to show.
        rejections: What the user did not want here.
        fresh: Lines where nothing is to be suggested in this very text.
    """

    work: Work
    threshold: float
    rejections: tuple[Rejection, ...] = ()
    fresh: tuple[Span, ...] = ()


def reason_to_hold_back(hunks: tuple[Hunk, ...], situation: Situation) -> str | None:
    """Why a change is not to be offered, in a few words for the log; None when it may be."""
    if _is_rejected(hunks, situation):
        return "was rejected"
    if is_beside(situation.fresh, hunks, situation.work.text):
        return "beside a rejected"
    return reason_against(hunks, situation.work)


def _is_rejected(hunks: tuple[Hunk, ...], situation: Situation) -> bool:
    text = situation.work.text
    return any(rejection.is_about(hunks, text) for rejection in situation.rejections)


def _moved(span: Span, change: Hunk) -> Span:
    first, last = span
    grown = len(change.text) - (change.end - change.start)
    if change.start > last:
        return span
    if change.end < first:
        return first + grown, last + grown
    return min(first, change.start), max(last, change.end) + grown


def is_beside(spans: Sequence[Span], hunks: Sequence[Hunk], text: str) -> bool:
    """Whether hunks of `text` touch one of some lines."""
    return bool(spans) and any(
        first <= end and start <= last
        for start, end in _lines(hunks, text)
        for first, last in spans
    )


def _lines(hunks: Sequence[Hunk], text: str) -> tuple[Span, ...]:
    """The whole lines that each hunk touches."""
    ends = ((hunk.start, text.find("\n", hunk.end)) for hunk in hunks)
    return tuple(
        (text.rfind("\n", 0, start) + 1, len(text) if end < 0 else end) for start, end in ends
    )
