"""Placeholders that an INSERT statement lacks for its columns."""

import re
from collections.abc import Iterator

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk

_INSERT = re.compile(r"\((?P<columns>[^()]*)\)\s*VALUES\s*\((?P<values>[^()]*)\)", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\?|%s|\$(?P<number>\d+)|[:@](?P<name>\w+)")
_REACH = 2000  # characters around a change in which its statement is looked for


def after_column(change: Change) -> Iterator[Consequence]:
    """Return the placeholders that are lacking once a column was added to an INSERT statement."""
    text = change.after.tree.text
    for _, start, end in change.finished():
        low, high = max(0, start - _REACH), end + _REACH
        for found in _INSERT.finditer(text, low, high):
            if found.start("columns") <= start and end <= found.end("columns"):
                hunk = with_placeholder(found)
                if hunk is not None:
                    yield Consequence(hunk, "add_sql_value")


def with_column(text: str, column: Hunk) -> Hunk:
    """Return the insertion of a column of an INSERT statement together with its placeholder."""
    low = max(0, column.start - _REACH)
    new = text[low : column.start] + column.text + text[column.end : column.end + _REACH]
    for found in _INSERT.finditer(new):
        if found.start("columns") <= column.start - low <= found.end("columns"):
            added = with_placeholder(found)
            if added is not None:
                end = added.start + low - column.growth
                between = text[column.end : end]
                return Hunk(column.start, end, column.text + between + added.text)
    return column


def with_placeholder(found: re.Match[str]) -> Hunk | None:
    """Return the placeholder of the one column that has none; None where it is not known which."""
    columns = [each.strip() for each in found["columns"].split(",")]
    values = found["values"].split(",")
    kinds = [_PLACEHOLDER.fullmatch(each.strip()) for each in values]
    if len(columns) != len(values) + 1 or not all(kinds):
        return None
    last = kinds[-1]
    assert last is not None
    names = [one["name"] for one in kinds if one is not None]
    at = len(values)
    if any(names):
        at = next((at for at, name in enumerate(names) if columns[at] != name), at)
    written = last.group()
    if last["number"]:
        written = f"${int(last['number']) + 1}"
    elif any(names):
        written = written.replace(names[-1], columns[at])
    if at < len(values):
        start = found.start("values") + sum(len(each) + 1 for each in values[:at])
        start += len(values[at]) - len(values[at].lstrip())
        return Hunk(start, start, f"{written}, ")
    end = found.start("values") + len(found["values"].rstrip())
    return Hunk(end, end, f", {written}")
