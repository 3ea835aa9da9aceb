"""Spans of lines on which nothing is suggested for now; they move with the text."""

from collections.abc import Sequence

from editcast_model.diff import Hunk, line_around

#: The first and last offset of whole lines, without the last line end.
Span = tuple[int, int]


def is_beside(spans: Sequence[Span], hunk: Hunk, text: str) -> bool:
    """Tell whether a hunk of `text` touches one of the lines."""
    start, end = line_around(text, hunk.start, hunk.end)
    return any(first <= end and start <= last for first, last in spans)


def moved(span: Span, change: Hunk) -> Span:
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


def contradicted(hunk: Hunk, change: Hunk, text: str) -> tuple[Span, ...]:
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
