"""Shares of saves by their shape: how near ordered commits come to recorded saves."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from editcast_model.diff import diff
from editcast_training.data.line_changes import line_changes

_WORD = re.compile(r"\w+")
_FEW = 20  # characters

#: What is measured, and its share (%) in 6,385 recorded Python saves of 49 projects.
MEASURES: dict[str, int] = {
    "one line hunk": 75,
    "on the line of the last edit": 28,
    "within 5 lines of it": 57,
    "within 20 lines of it": 72,
    "inserts at most 20 characters": 56,
    "only inserts": 42,
    "only deletes": 14,
    "undoes the save before": 5,
    "every word it inserts is known": 40,
}


def shape(sessions: Iterable[Sequence[str]]) -> tuple[dict[str, float], int]:
    """The shares (%) of saves, from the second of each session on, for which each measure holds.

    Args:
        sessions: The texts of a file as it was opened and then saved, in order.

    Returns:
        A share for each of `MEASURES`, and how many saves there were.
    """
    held: Counter[str] = Counter()
    saves = 0
    for texts in sessions:
        last = None  # the line of the last edit
        for at, (before, after) in enumerate(zip(texts, texts[1:], strict=False)):
            changes = line_changes(before, after)
            if not changes:
                continue
            if last is not None:
                saves += 1
                held.update(_holds(texts, at, changes[0].first - last))
            grown = sum(change.growth for change in changes[:-1])
            last = changes[-1].first + grown + max(0, len(changes[-1].after) - 1)
    return {name: 100 * held[name] / max(saves, 1) for name in MEASURES}, saves


def _holds(texts: Sequence[str], at: int, lines_away: int) -> Iterable[str]:
    """The names of the measures that hold for the save behind texts[at]."""
    before, after = texts[at], texts[at + 1]
    if len(line_changes(before, after)) == 1:
        yield "one line hunk"
    away = abs(lines_away)
    if away == 0:
        yield "on the line of the last edit"
    if away <= 5:
        yield "within 5 lines of it"
    if away <= 20:
        yield "within 20 lines of it"
    hunks = diff(before, after)
    inserted = "".join(hunk.text for hunk in hunks)
    if len(inserted) <= _FEW:
        yield "inserts at most 20 characters"
    if all(hunk.start == hunk.end for hunk in hunks):
        yield "only inserts"
    if not inserted:
        yield "only deletes"
    if at and after == texts[at - 1]:
        yield "undoes the save before"
    known = set(_WORD.findall(before)) | set(_WORD.findall(texts[at - 1] if at else ""))
    if set(_WORD.findall(inserted)) <= known:
        yield "every word it inserts is known"
