"""Rejections: what the user did not want, recognized when it is predicted again.

Beside them, nothing is suggested on *spans* of lines for a while; they move with the text.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from editcast_model.diff import Hunk, line_around
from editcast_server.documents.suggestion import Place, Suggestion

REMEMBERED: Final = 20  # rejections per document

#: The first and last offset of whole lines, without the last line end.
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Rejection:
    """A suggestion that the user rejected, as it was then, recognizable after later edits."""

    suggestion: Suggestion
    start: int | None  # its current offset, in code points; None once an edit has changed its place

    def moved(self, change: Hunk) -> "Rejection":
        """Return the rejection after a change of the text."""
        if self.start is None or change.start > self.start:
            return self
        if change.end > self.start:
            return replace(self, start=None)
        return replace(self, start=self.start + change.growth)

    def is_about(self, hunk: Hunk, text: str) -> bool:
        """Tell whether a hunk makes the same edit at the same place."""
        place, known = Place.of(hunk, text), self.suggestion.place
        if (place.old, hunk.text) != (known.old, self.suggestion.hunk.text):
            return False
        if self.start is not None:
            return self.start == hunk.start
        return place.before == known.before or place.after == known.after


class Rejections:
    """The last suggestions that the user rejected in one document.

    Attributes:
        fresh: The lines of suggestions rejected since the last change. Nothing else is suggested
            on them for now.
        typed_lines: The lines on which the user typed something other than the suggestion since
            the last save, unless their places were lost. Nothing is suggested on them either.
    """

    def __init__(self) -> None:
        self._last: deque[Rejection] = deque(maxlen=REMEMBERED)
        self.fresh: tuple[Span, ...] = ()
        self.typed_lines: tuple[Span, ...] = ()

    def add(self, suggestion: Suggestion, text: str | None) -> None:
        """Add a rejected suggestion; `text` is known if the suggestion's offsets refer to it."""
        if text is not None:
            self.fresh += (line_around(text, suggestion.hunk.start, suggestion.hunk.end),)
        self._last.append(Rejection(suggestion, None if text is None else suggestion.hunk.start))

    def move(self, change: Hunk) -> None:
        """Adjust all places to a change of the text."""
        self.fresh = ()
        self.typed_lines = tuple(_moved(span, change) for span in self.typed_lines)
        for index, rejection in enumerate(self._last):
            self._last[index] = rejection.moved(change)

    def add_typed_lines(self, hunk: Hunk, change: Hunk, text: str) -> None:
        """Add the lines of a suggestion on which a change, to `text`, typed something else."""
        lines = _contradicted(hunk, change, text)
        self.typed_lines = (*self.typed_lines, *lines)[-REMEMBERED:]

    @property
    def lines(self) -> tuple[Span, ...]:
        """Return the lines on which nothing is suggested."""
        return (*self.fresh, *self.typed_lines)

    def now(self) -> tuple[Rejection, ...]:
        """Return a copy for another thread."""
        return tuple(self._last)


def is_beside(spans: Sequence[Span], hunk: Hunk, text: str) -> bool:
    """Tell whether a hunk of `text` touches one of the lines."""
    start, end = line_around(text, hunk.start, hunk.end)
    return any(first <= end and start <= last for first, last in spans)


def _moved(span: Span, change: Hunk) -> Span:
    """Return a span after a change of the text, extended by a change that touches it.

    A new line after the span does not belong to it.
    """
    first, last = span
    grown = change.growth
    if change.start > last or (change.start == last and _begins_line(change)):
        return span
    if change.end < first:
        return first + grown, last + grown
    return min(first, change.start), max(last, change.end) + grown


def _contradicted(hunk: Hunk, change: Hunk, text: str) -> tuple[Span, ...]:
    """Return the lines of a change if a suggestion is on them, as at most one span.

    Args:
        hunk: The suggestion, in offsets of the text before the change.
        change: The change that was typed instead.
        text: The text after the change.
    """
    grown = change.growth
    if _begins_line(change):
        grown = change.start - change.end
    first, last = line_around(text, change.start, change.end + grown)
    is_there = hunk.start <= last - grown and first <= hunk.end
    return ((first, last),) if is_there else ()


def _begins_line(change: Hunk) -> bool:
    return change.start == change.end and change.text[:1] in ("\n", "\r")
