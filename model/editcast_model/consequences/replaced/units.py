"""Settings whose unit changed with their name, in files of any kind.

After `pollIntervalSec` became `pollIntervalMs` in code, `"pollIntervalSec": 5` of a settings file
is `"pollIntervalMs": 5000`, and a row of a table in a manual has another name and another number.
"""

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final, NamedTuple

from editcast_model.consequences.changes import Change
from editcast_model.consequences.durations import UNIT_OF
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.word_forms import forms, parts_of, renamed
from editcast_model.consequences.other_files.module_changes import ModuleChange
from editcast_model.consequences.replaced.saves import Save
from editcast_model.consequences.replaced.words import replaced_in_save
from editcast_model.consequences.value_changes import (
    ValueChange,
    adapted,
    by_names,
    number_of,
    value_change,
)
from editcast_model.diff import Hunk, line_around, shortest_hunk
from editcast_model.syntax.names import Names
from editcast_model.syntax.roles import Role

#: What stands between a name and its value, and the value, which is a number.
_VALUE: Final = re.compile(
    r"""(["'`]?)([ \t]*[:=|][ \t]*|[ \t(]*defaults?(?:[ ]to|[ ]is|:|=)?[ ]*)(["'`]?)
        (\d[\d_]*(?:\.\d+)?)(?=["'`]?[ \t\r]*(?:[,;|#)\]}\n]|$))""",
    re.VERBOSE,
)
#: By unit, how Go and many settings write a duration.
_UNITS: Final = ("nanosecond", "microsecond", "millisecond", "second", "minute", "hour")
_SUFFIXES: Final = dict(zip(_UNITS, ("ns", "us", "ms", "s", "m", "h"), strict=True))
_MOST_PLACES: Final = 60
_USES: Final = (Role.MEMBER, Role.KEY, Role.KEYWORD)


class NewUnit(NamedTuple):
    """A name before and now, and what that means for its values."""

    old: str
    new: str
    value: ValueChange


def new_units(
    saves: Iterable[Save], elsewhere: Iterable[ModuleChange], changes: Iterable[Change]
) -> Iterator[NewUnit]:
    """Return the names whose units were changed in other files, or by changes of this."""
    pairs = dict.fromkeys(pair for one in saves for pair in replaced_in_save(one.before, one.after))
    own = [
        NewUnit(one.before.name, one.after.name, value_change(change, one))
        for change in changes
        for one in change.renamed
    ]
    for old, new in (*pairs, *(one[:2] for one in own)):
        value = by_names(old, new)
        if (new, old) not in pairs and any(value.units):
            yield NewUnit(old, new, value)
    found = (NewUnit(one.old, one.new, one.value) for each in elsewhere for one in each.names)
    for one in (*found, *own):
        if one.value.factor != 1 or one.value.unit_before in _SUFFIXES:
            yield one


def units_left_in(
    found: Iterable[NewUnit], text: str, names: Names | None
) -> Iterator[Consequence]:
    """Return the places that have a name with its old unit."""
    for one in dict.fromkeys(found):
        is_named = any(one.value.units)
        if len(parts_of(one.old)) < 2 or not (is_named or names is None or one.value.unit_before):
            continue
        places = list(forms(one.old, within=is_named).finditer(text))
        for place in places if len(places) <= _MOST_PLACES else ():
            if " " not in place[1] and not place[2]:
                yield from _renamed_at(one, place, text, names)


def _renamed_at(
    one: NewUnit, place: re.Match[str], text: str, names: Names | None
) -> Iterator[Consequence]:
    start, end = place.span(1)
    used = names.at(start) if names else None
    word, cause = renamed(place[1], one.old, one.new), f"{one.old} {one.new}"
    if used is not None and not (any(one.value.units) and used.role in _USES):
        return
    if names is not None and used is not None and used.name == one.old:
        made = Consequence(Hunk(start, end, word), "replace_unit", cause=cause)
        yield adapted(names.tree, made, one.value)
        return
    value = _VALUE.match(text, end)
    if value is not None:
        word += text[end : value.start(4)] + _written(one.value, value)
        end = value.end()
    hunk = Hunk(start, end, word)
    if names is None:
        hunk = _in_row(text, hunk, one.value)
    yield Consequence(hunk, "replace_unit", cause=cause)


def _written(change: ValueChange, value: re.Match[str]) -> str:
    """Return a value in the new unit, as a file of settings writes it."""
    number = value[4]
    if change.unit_before:
        is_text = not value[3] and (value[1] == '"' or value[2] == " = ")
        quote = '"' if is_text else ""
        return f"{quote}{number}{_SUFFIXES[change.unit_before]}{quote}"
    return number_of(Fraction(number.replace("_", "")) * change.factor)


def _in_row(text: str, hunk: Hunk, value: ValueChange) -> Hunk:
    """Return a replacement in a row of a table with the word for its unit, as wide as before."""
    first, last = line_around(text, hunk.start, hunk.end)
    old, rest = text[first:last], text[hunk.end : last]
    if not old.startswith("|"):
        return hunk
    before, after = (UNIT_OF.get(word, "\0") for word in value.units)

    def unit(found: re.Match[str]) -> str:
        return f"{after.capitalize() if found[0][0].isupper() else after}s"

    rest = re.sub(rf"\b{before}s\b", unit, rest, count=1, flags=re.IGNORECASE)
    cells = (text[first : hunk.start] + hunk.text + rest).split("|")
    wide = old.split("|")
    if len(wide) == len(cells) and "  |" in old:
        cells = [
            f"{cell.rstrip()} ".ljust(len(was)) if cell != was else was
            for cell, was in zip(cells, wide, strict=True)
        ]
    return shortest_hunk(old, "|".join(cells), first)
