"""Comments and declarations beside a declaration whose unit changed.

After `read_ms: int = 3000` has become `read_s: float = 3.0`, so does `write_ms: int = 500` below
it, and the comment that says milliseconds speaks of seconds.
"""

import os
import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from editcast_model.consequences.changes import Change
from editcast_model.consequences.durations import UNIT_OF, as_duration, worded
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.word_forms import forms, parts_of, renamed
from editcast_model.consequences.value_changes import ValueChange, value_change
from editcast_model.diff import line_around, shortest_hunk
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree

_COMMENT: Final = re.compile(r"(?://|#|/\*|--).*|^\s*\*.*")
_VALUE: Final = re.compile(r"(?<=[:=])[ \t]*(\d[\d_]*(?:\.\d+)?)\b(?![.\w])")
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_MOST_LINES: Final = 5
_DECLARED: Final = (Role.DEFINITION, Role.MEMBER_DEFINITION, Role.KEY)


class _Line(NamedTuple):
    """A declaration before and now, with its name and what became of its value."""

    before: str
    now: str
    old: str
    new: str
    value: ValueChange

    @property
    def unit(self) -> str:
        """The end of the old name that says its unit."""
        return self.old[len(os.path.commonprefix((self.old, self.new))) :]


def beside_unit(changes: Iterable[Change]) -> Iterator[Consequence]:
    """Return what is left in the old unit beside declarations that have another."""
    for change in changes:
        for one in change.renamed:
            value = value_change(change, one)
            is_one = one.after.role is one.before.role and one.after.role in _DECLARED
            if not is_one or not (value.unit_before or any(value.units)):
                continue
            tree, cause = change.after.tree, f"{one.before.name} {one.after.name} "
            place = line_around(tree.text, one.after.start)
            yield from _comments(tree.text, place, value, cause)
            was, now = (
                each.tree.text[slice(*line_around(each.tree.text, name.start))]
                for each, name in ((change.before, one.before), (change.after, one.after))
            )
            line = _Line(was, now, one.before.name, one.after.name, value)
            yield from _siblings(tree, place[1], line, cause)


def _comments(
    text: str, place: tuple[int, int], value: ValueChange, cause: str
) -> Iterator[Consequence]:
    start, end = place
    while True:
        comment = _COMMENT.search(text[start:end])
        if comment is not None:
            new = worded(comment[0], value.units)
            if new != comment[0]:
                hunk = shortest_hunk(comment[0], new, start + comment.start())
                yield Consequence(hunk, "replace_unit", cause=cause)
        if start == 0:
            return
        start, end = line_around(text, start - 1)
        if not text[start:end].strip().startswith(("//", "#", "/*", "*", "--")):
            return


def _siblings(tree: Tree, end: int, line: _Line, cause: str) -> Iterator[Consequence]:
    """Return the lines right below that are written as the declaration was."""
    if UNIT_OF.get(line.unit.strip("_").lower()) is None:
        return
    for _ in range(_MOST_LINES):
        start, end = line_around(tree.text, end + 1)
        old = tree.text[start:end]
        words = (one for one in _WORD.findall(old) if one.endswith(line.unit))
        name = next((one for one in words if parts_of(one)[-1] == parts_of(line.unit)[-1]), "")
        if not name or _like(old, name) != _like(line.before, line.old):
            return
        new = _rewritten(tree, old, name, line)
        if new is None:
            return
        yield Consequence(shortest_hunk(old, new, start), "replace_unit_beside", cause=cause)


def _like(line: str, name: str) -> str:
    """Return a line without what differs between declarations of one kind."""
    return re.sub(r"\s+", " ", _VALUE.sub("0", forms(name).sub("x", line)))


def _rewritten(tree: Tree, old: str, name: str, line: _Line) -> str | None:
    """Return a line as the declaration is written now."""
    new = name.removesuffix(line.unit) + line.new[len(line.old) - len(line.unit) :]
    text = renamed(line.now, line.new, new)
    given, there = _VALUE.search(old), _VALUE.search(text)
    if given is None or there is None:
        return text if given is there else None
    if line.value.unit_before:
        number = as_duration(tree.language, given[1], line.value.unit_before)
    else:
        number = line.value.scaled(given[1], tree.text)
    return None if number is None else text[: there.start(1)] + number + text[there.end(1) :]
