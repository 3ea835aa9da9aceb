"""Settings whose unit changed with their name, in files of any kind.

After `pollIntervalSec` became `pollIntervalMs` in code, `"pollIntervalSec": 5` of a settings file
is `"pollIntervalMs": 5000`, and a row of a table in a manual has another name and another number.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from editcast_model.consequences.changes import Change
from editcast_model.consequences.durations import worded
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.word_forms import forms, parts_of, renamed, written_forms
from editcast_model.consequences.other_files.module_changes import ModuleChange
from editcast_model.consequences.replaced.columns import as_wide
from editcast_model.consequences.replaced.saves import Save, replaced_words
from editcast_model.consequences.replaced.values import adapted
from editcast_model.consequences.value_changes import (
    ValueChange,
    by_names,
    value_change,
)
from editcast_model.diff import Hunk, line_around, shortest_hunk
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role

#: What stands between a name and its value, and the value, which is a number.
_VALUE: Final = re.compile(
    r"""(["'`]?)([ \t]*[:=][ \t]*|[ \t]*\|[ \t]*(?:`?[a-z]+`?[ \t]*\|[ \t]*)?
        |[ \t(]*defaults?(?:[ ]to|[ ]is|:|=)?[ ]*
        |(?<=["'])[ ]*,[ ]*|\r?\n[ \t]*value:[ ]*)(["'`]?)
        (\d[\d_]*(?:\.\d+)?)(?=["'`]?[ \t\r]*(?:[,;|#)\]}\n]|$))""",
    re.VERBOSE,
)
#: By unit, how Go and many settings write a duration.
_TYPE: Final = re.compile(r"\b(?:int(?:eger)?|number)\b")
_SUFFIXES: Final = {
    "nanosecond": (1, "ns"),
    "microsecond": (1, "us"),
    "millisecond": (1, "ms"),
    "second": (1, "s"),
    "minute": (1, "m"),
    "hour": (1, "h"),
    "day": (24, "h"),
}
_MOST_PLACES: Final = 60
_USES: Final = (Role.MEMBER, Role.KEY, Role.KEYWORD)


class NewUnit(NamedTuple):
    """A name before and now, and what that means for its values."""

    old: str
    new: str
    value: ValueChange

    @property
    def is_named(self) -> bool:
        """Tell if the old name has the old unit."""
        return self.value.units[0] in parts_of(self.old)


def new_units(
    saves: Iterable[Save], elsewhere: Iterable[ModuleChange], changes: Iterable[Change]
) -> Iterator[NewUnit]:
    """Return the names whose units were changed in other files, or by changes of this."""
    pairs = dict.fromkeys(pair for one in saves for pair in replaced_words(one.before, one.after))
    own = [
        NewUnit(one.before.name, one.after.name, value_change(change, one))
        for change in changes
        for one in change.renamed
    ]
    own.sort(key=lambda one: one.value == by_names(*one[:2]))  # a value says more than names
    named = (NewUnit(one.old, one.new, one.value) for each in elsewhere for one in each.names)
    told = (NewUnit(*pair, by_names(*pair)) for pair in pairs if pair[::-1] not in pairs)
    found = dict[tuple[str, str], NewUnit]()
    for one in (*named, *own, *(one for one in told if any(one.value.units))):
        is_of_go = one.value.duration == "time.Duration" and one.value.unit_before in _SUFFIXES
        if one.value.factor != 1 or is_of_go:
            found.setdefault(one[:2], one)
    return iter(found.values())


def units_left_in(
    found: Iterable[NewUnit], text: str, names: Names | None
) -> Iterator[Consequence]:
    """Return the places that have a name with its old unit."""
    for one in found:
        if len(parts_of(one.old)) < 2:
            continue
        places = list(forms(one.old, within=one.is_named).finditer(text))
        for place in places if len(places) <= _MOST_PLACES else ():
            if " " not in place[1] and not place[2]:
                yield from _renamed_at(one, place, text, names)


def _renamed_at(
    one: NewUnit, place: re.Match[str], text: str, names: Names | None
) -> Iterator[Consequence]:
    start, end = place.span(1)
    used = names.at(start) if names else None
    word, cause = renamed(place[1], one.old, one.new), f"{one.old} {one.new}"
    if used is not None and not (one.is_named and _follows(used, one.old)):
        return
    if names is not None and used is not None and used.name == one.old:
        made = Consequence(Hunk(start, end, word), "replace_unit", cause=cause)
        yield adapted(names.tree, made, one.value)
        return
    value = _VALUE.match(text, end)
    if value is not None:
        change = one.value if names else one.value._replace(is_grouped=None)
        between = text[end : value.start(4)]
        if change.unit_before:
            between = _TYPE.sub("duration", between)
        word += between + _written(change, value, text)
        end = value.end()
    hunk = Hunk(start, end, word)
    if used is None:
        hunk = _in_line(text, hunk, one.value)
    yield Consequence(hunk, "replace_unit", cause=cause)


def _follows(used: Occurrence, old: str) -> bool:
    """Tell whether a name of code goes with another: a definition only in another form of it."""
    is_form = used.role is Role.MEMBER_DEFINITION and used.name in written_forms(old) - {old}
    return is_form or used.role in _USES


def _written(change: ValueChange, value: re.Match[str], text: str) -> str:
    """Return a value in the new unit, as a file of settings writes it."""
    number = value[4]
    if change.unit_before:
        is_text = not value[3] and (value[1] == '"' or value[2] == " = ")
        quote = '"' if is_text else ""
        times, suffix = _SUFFIXES[change.unit_before]
        number = str(int(number) * times) if number.isdigit() else number
        return f"{quote}{number}{suffix}{quote}"
    return change.scaled(number, text)


def _in_line(text: str, hunk: Hunk, value: ValueChange) -> Hunk:
    """Return a replacement with the word for its unit behind it, in a row of a table as wide."""
    first, last = line_around(text, hunk.start, hunk.end)
    old, rest = text[first:last], text[hunk.end : last]
    if value.units[0]:
        rest = worded(rest, value.units)
    new = text[first : hunk.start] + hunk.text + rest
    return shortest_hunk(old, as_wide(new, old) if "  |" in old else new, first)
