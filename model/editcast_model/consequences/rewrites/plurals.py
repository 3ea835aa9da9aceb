"""One thing, or none, that became many in TypeScript: `selectedId: string | null` as `selectedIds`.

With `selectedIds: string[]`, `selectedId: null` becomes `selectedIds: []`, `selectedId === null`
becomes `selectedIds.length === 0`, and `selectedId === id` becomes `selectedIds.includes(id)`.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.replaced.saves import Save
from editcast_model.diff import Hunk, diff, line_around
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.names import Names

_ONE: Final = re.compile(r"\b(\w+)\??:\s*[^|;,{}\n]{1,80}\|\s*(null|undefined)\b")
_MANY: Final = re.compile(
    r"\b(\w+)\??:\s*(?:readonly\s+)?(?:[\w.]+\[\]|(\w*(?:Array|Set))<[^;\n]{0,80}>)"
)
#: How members of what is many are asked for, and what says how many there are.
_OF_LIST, _OF_SET = ("includes", "length", "[]"), ("has", "size", "new Set()")


class Plural(NamedTuple):
    """A name of one thing, the word for none, and the name and the kind of many in its place."""

    old: str
    nothing: str
    new: str
    is_set: bool


def after_plural(change: Change) -> Iterator[Consequence]:
    """Return what is left in a file of the things that became many in it."""
    texts = change.before.tree.text, change.after.tree.text
    for one in _plurals(*texts, change.hunks) if change.after.tree.language in SCRIPTS else ():
        yield from _left_in(change.after, one)


def plurals_left_in(saves: Iterable[Save], names: Names) -> Iterator[Consequence]:
    """Return what is left in a file of the things that became many in others."""
    for save in saves if names.tree.language in SCRIPTS else ():
        for one in _plurals_of(save):
            yield from _left_in(names, one)


@lru_cache(64)
def _plurals_of(save: Save) -> tuple[Plural, ...]:
    is_possible = "| null" in save.before or "| undefined" in save.before
    hunks = diff(save.before, save.after) if is_possible else ()
    return tuple(_plurals(save.before, save.after, hunks))


def _plurals(before: str, after: str, hunks: Iterable[Hunk]) -> Iterator[Plural]:
    grown = 0
    for hunk in hunks:
        start = hunk.start + grown
        grown += hunk.growth
        was = _ONE.search(before, *line_around(before, hunk.start, hunk.end))
        now = _MANY.search(after, *line_around(after, start, start + len(hunk.text)))
        if was and now and now[1] in (f"{was[1]}s", f"{was[1]}es"):
            yield Plural(was[1], was[2], now[1], "Set" in (now[2] or ""))


def _left_in(names: Names, one: Plural) -> Iterator[Consequence]:
    """Yield what became of one thing where it is given, compared with none, or with another."""
    contains, size, empty = _OF_SET if one.is_set else _OF_LIST
    uses = re.compile(
        rf"(?<![\w$.])(?P<of>(?:[\w$]+\.)*){one.old}"
        r"(?:(?P<given>:\s*)(?P<nothing>null|undefined)\b|\s*(?P<sign>[=!]==?)\s*(?P<other>[\w$.]+))"
    )
    for found in uses.finditer(names.tree.text):
        name, other = found["of"] + one.new, found["other"]
        is_equal = (found["sign"] or "").startswith("=")
        if found["given"]:
            text = name + found["given"] + empty
        elif other in (one.nothing, "null", "undefined"):
            text = f"{name}.{size} {'===' if is_equal else '>'} 0"
        else:
            text = f"{'' if is_equal else '!'}{name}.{contains}({other})"
        hunk = Hunk(found.start(), found.end(), text)
        yield Consequence(hunk, "follow_container", cause=f"{one.old} {one.new}")
