"""Declarations of a name with the type that another declaration of the name had until now.

After the field `user: u64` has become `user: UserId`, so do the parameters `user: u64`.
"""

from collections.abc import Iterator

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import line_around, shortest_hunk
from editcast_model.syntax.names import WORD, Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import field, type_declared

#: Fields that contain the type of what a function returns.
RESULTS = ("return_type", "returns", "type", "result")
_APART = ("method", "class")
_DECLARED = (Role.DEFINITION, Role.MEMBER_DEFINITION)


def after_type(change: Change) -> Iterator[Consequence]:
    """Return the declarations that are left with the type that a name no longer has."""
    for one, old, kind in declared_anew(change):
        if one.part.kind in _APART:
            continue
        now = change.after.tree.of(kind)
        gone, come = set(WORD.findall(old)), set(WORD.findall(now))
        if gone - come and come - gone:  # else it may be nothing now, or many: here only
            for other in change.after.of(one.name):
                place = type_of(change.after, other) if other.part.kind not in _APART else None
                if place is not None and change.after.tree.of(place) == old:
                    hunk = shortest_hunk(old, now, place.start_byte)
                    yield Consequence(hunk, "rewrite", cause=f"{one.name} {now}")


def declared_anew(change: Change) -> Iterator[tuple[Occurrence, str, Node]]:
    """Yield the declarations whose types were changed, with the type before and that now."""
    text = change.after.tree.text
    for _, start, end in change.finished():
        for one in change.after.between(*line_around(text, start, end)):
            kind = type_of(change.after, one)
            if kind is None or not kind.start_byte <= start <= end <= kind.end_byte:
                continue
            others = [each for each in change.before.of(one.name) if each.role is one.role]
            was = change.same_before(one) or (others[0] if len(others) == 1 else None)
            before = type_of(change.before, was) if was is not None else None
            if before is not None:
                yield one, change.before.tree.of(before), kind


def type_of(names: Names, one: Occurrence) -> Node | None:
    """Return the type that a declaration gives to a name alone, or to what a function returns."""
    step = one.path[-2] if one.role in _DECLARED and len(one.path) > 2 else None
    if step is None or step.type == "array_declarator":  # of C: each of them is of the type
        return None
    if len(step.node.children_by_field_name("name")) > 1:
        return None
    node = one.path[-3].node if step.type == "property_element" else step.node  # of PHP
    return type_declared(node) or field(node, *RESULTS)
