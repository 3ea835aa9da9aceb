"""Renames after which a value means something else: its unit, its sense, or what a flag is now.

Where `timeout_seconds` becomes `timeout_ms`, what is put into it is multiplied by a thousand, and
what reads it loses a factor of a thousand. Where `disabled` becomes `enabled`, `False` becomes
`True`, and the condition `not plugin.enabled`. Where the flag `cancelled` becomes the time
`cancelled_at`, the condition `not booking.cancelled` becomes `booking.cancelled_at is None`, if the
file compares with `None` elsewhere. The change is read from a value that was written
with the new name, from the two names, or from the types.
"""

import re
from fractions import Fraction
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change, Renamed
from editcast_model.consequences.durations import (
    FACTORS,
    OF_UNIT,
    is_grouped,
    product,
    unit_before,
    units_of,
)
from editcast_model.consequences.lists.word_forms import parts_of
from editcast_model.syntax.names import Occurrence
from editcast_model.syntax.tree import Tree, type_declared

_OPPOSITES: Final = [
    frozenset(pair.split("/"))
    for pair in """enabled/disabled enable/disable visible/hidden show/hide allow/deny
    allowed/denied include/exclude included/excluded active/inactive valid/invalid open/closed
    on/off public/private online/offline read/unread required/optional success/failure
    mutable/immutable known/unknown locked/unlocked""".split()
]
_NEGATING: Final = frozenset({"no", "not", "non", "without"})
NUMBER: Final = re.compile(r"\d[\d_]*(?:\.\d+)?")
OPPOSITE: Final = {"True": "False", "False": "True", "true": "false", "false": "true"}
WRAPPERS: Final = ("expression_list", "literal_element")  # of one expression, in Go
_BOOLEAN: Final = re.compile(r"\b[Bb]ool(ean)?\b")


class ValueChange(NamedTuple):
    """A change of the values of something that has another name.

    Attributes:
        factor: The number that numbers are multiplied by.
        is_negated: Whether true is false now.
        is_moment: Whether it is a time, or nothing, that was true or false.
        units: The words for the unit in the old name and in the new one, if they have any.
        unit_before: The unit of a number that is a duration now.
        duration: The type of the duration.
        type: The type of its numbers, `int` or `float`, if that was the other one.
        is_grouped: Whether digits are grouped in what was written; None where none could be.
    """

    factor: Fraction = Fraction(1)
    is_negated: bool = False
    is_moment: bool = False
    units: tuple[str, str] = ("", "")
    unit_before: str = ""
    duration: str = ""
    type: str = ""
    is_grouped: bool | None = None

    def scaled(self, number: str, text: str) -> str:
        """Return what is written for a number of a text now."""
        new = product(Fraction(number.replace("_", "")), self.factor)
        if not new.isdigit() or new == "0":
            return new
        grouped = is_grouped(text, len(new)) if self.is_grouped is None else self.is_grouped
        return (f"{int(new):_}" if grouped else new) + ".0" * (self.type == "float")


SAME: Final = ValueChange()


def value_change(change: Change, renamed: Renamed) -> ValueChange:
    """Return what a rename did to values, by what was written with it and by the names."""
    old, new = renamed.before.name, renamed.after.name
    if unit := unit_before(change.before.tree, change.after.tree, renamed):
        kind = change.after.tree.of(type_declared(renamed.after.path[-2].node))
        return ValueChange(unit_before=unit, duration=kind)
    if _is_moment(change, renamed):
        return ValueChange(is_moment=True)
    of_names = by_names(old, new)
    was, now = (
        _literal_of(names.tree, one)
        for names, one in ((change.before, renamed.before), (change.after, renamed.after))
    )
    if was and now and was != now:
        if NUMBER.fullmatch(was) and NUMBER.fullmatch(now):
            factor = Fraction(now.replace("_", "")) / (Fraction(was.replace("_", "")) or 1)
            if factor in FACTORS or 1 / (factor or 1) in FACTORS:
                kind = _type_now(change, renamed, was, now)
                grouped = is_grouped(now, 4) if len(now) > 3 and "." not in now else None
                units = of_names.units if any(of_names.units) else units_of(new, factor)
                return ValueChange(factor, units=units, type=kind, is_grouped=grouped)
        elif was in OPPOSITE and now in OPPOSITE:
            return ValueChange(is_negated=True)
    return of_names


def _type_now(change: Change, renamed: Renamed, was: str, now: str) -> str:
    """Return the type of numbers that had the other one, as it is declared or as they look."""
    types = [
        names.tree.of(type_declared(one.path[-2].node))
        for names, one in ((change.before, renamed.before), (change.after, renamed.after))
    ]
    if not {*types} <= {"int", "float"}:
        types = ["float" if "." in each else "int" for each in (was, now)]
    return types[1] if types[0] != types[1] else ""


def _is_moment(change: Change, renamed: Renamed) -> bool:
    """Tell whether a flag became the time since when it is set."""
    old, new = parts_of(renamed.before.name), parts_of(renamed.after.name)
    was, now = (
        names.tree.of(one.path[-2].node)
        for names, one in ((change.before, renamed.before), (change.after, renamed.after))
    )
    is_named = new[-1] in ("at", "on", "since") and new[:-1] in (old, old[1:])
    return is_named and bool(_BOOLEAN.search(was)) and not _BOOLEAN.search(now)


def by_names(old: str, new: str) -> ValueChange:
    """Return what the difference of two names says about values."""
    parts, others = parts_of(old), parts_of(new)
    gone = [one for one in parts if one not in others]
    come = [one for one in others if one not in parts]
    if len(gone) == len(come) == 1:
        (left,), (right,) = gone, come
        if frozenset((left, right)) in _OPPOSITES:
            return ValueChange(is_negated=True)
        if left in OF_UNIT and right in OF_UNIT:
            (kind, per_old), (other, per_new) = OF_UNIT[left], OF_UNIT[right]
            if kind == other and per_old != per_new:
                return ValueChange(per_old / per_new, units=(left, right))
    is_negated = len(gone + come) == 1 and _NEGATING.issuperset(gone + come)
    return ValueChange(is_negated=True) if is_negated else SAME


def _literal_of(tree: Tree, one: Occurrence) -> str:
    """Return the literal that is written beside a name; empty for none."""
    return tree.of(value_given(one)).strip("{}")


def value_given(one: Occurrence) -> Node | None:
    """Return the value that is given to a name where it stands."""
    values = (value_beside(step.node, one.start) for step in one.path[-2:-4:-1])
    return next(filter(None, values), None)


def value_beside(above: Node, start: int) -> Node | None:
    """Return the value that a node gives to what is named in it, from an offset on."""
    found = above.child_by_field_name("value")
    if "assign" in above.type:
        found = above.child_by_field_name("right") or found
    if found is None and above.type in ("jsx_attribute", "keyed_element"):
        found = above.named_children[-1] if above.named_child_count > 1 else None
    if found is None or found.start_byte <= start:
        return None
    while found.type in WRAPPERS and found.named_child_count == 1:
        found = found.named_children[0]
    return found
