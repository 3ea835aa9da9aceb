"""Columns: what stands in one stays in it when something on its left is replaced.

Go formats fields so, and people write tables and remarks so.
"""

import re

from editcast_model.diff import Hunk

#: The blanks before a column, and the marks between a replaced word and these.
_GAP = re.compile(r"(?P<marks>[^\s\w]{0,3})(?P<blanks> {2,})(?=\S)")


def in_column(text: str, hunk: Hunk) -> Hunk:
    """Return a replacement within a line that leaves the column on its right where it is.

    A column is one if the line above or below has it, too.
    """
    old, new = text[hunk.start : hunk.end], hunk.text
    line = text.rfind("\n", 0, hunk.start) + 1
    if "\n" in old + new or not old:
        return hunk
    inside, behind = _GAP.search(old), _GAP.match(text, hunk.end)
    if inside is not None:
        kept = _GAP.search(new)
        if kept is None or not _is_column(text, line, hunk.start + inside.end()):
            return hunk
        width = max(1, inside.end() - kept.start("blanks"))
        return Hunk(
            hunk.start, hunk.end, f"{new[: kept.start('blanks')]}{'':{width}}{new[kept.end() :]}"
        )
    if behind is None or not _is_column(text, line, behind.end()):
        return hunk
    width = len(behind["blanks"]) - hunk.growth
    if width < 1:
        return hunk
    return Hunk(hunk.start, behind.end(), f"{new}{behind['marks']}{'':{width}}")


def as_wide(row: str, other: str) -> str:
    """Return the row of a table with cells as wide as those of another row, if it has as many."""
    cells, others = row.split("|"), other.split("|")
    if not row.startswith("|") or len(cells) != len(others):
        return row
    return "|".join(
        cell if cell == was else f"{cell.rstrip()} ".ljust(len(was))
        for cell, was in zip(cells, others, strict=True)
    )


def _is_column(text: str, line: int, place: int) -> bool:
    """Tell whether a line next to this one has something behind a blank at the same place."""
    at, below = place - line, text.find("\n", place) + 1
    starts = (text.rfind("\n", 0, line - 1) + 1 if line else -1, below or -1)
    lines = (text[one:].partition("\n")[0] for one in starts if one >= 0)
    return any(one[at - 1 : at] == " " and one[at : at + 1].strip() for one in lines)
