"""Declarations of a name with the type that another declaration of the name had until now.

After the field `user: u64` has become `user: UserId`, so do the parameters `user: u64`.
"""

from collections.abc import Iterator

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import shortest_hunk
from editcast_model.syntax.names import WORD, Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import type_declared

_DECLARED = (Role.DEFINITION, Role.MEMBER_DEFINITION)


def after_type(change: Change) -> Iterator[Consequence]:
    """Return the declarations that are left with the type that a name no longer has."""
    text = change.after.tree.text
    for _, start, end in change.finished():
        line = text.rfind("\n", 0, start) + 1
        for one in change.after.between(line, end):
            was, kind = change.same_before(one), _type(change.after, one)
            if was is None or kind is None or not kind.start_byte <= start <= end <= kind.end_byte:
                continue
            before, now = _type(change.before, was), change.after.tree.of(kind)
            old = change.before.tree.of(before)
            gone, come = set(WORD.findall(old)), set(WORD.findall(now))
            if gone - come and come - gone:  # else it may be nothing now, or many: here only
                for other in change.after.of(one.name):
                    place = _type(change.after, other)
                    if place is not None and change.after.tree.of(place) == old:
                        hunk = shortest_hunk(old, now, place.start_byte)
                        yield Consequence(hunk, "rewrite", cause=f"{one.name} {now}")


def _type(names: Names, one: Occurrence) -> Node | None:
    """Return the type that a declaration gives to a name alone."""
    node = one.path[-2].node if one.role in _DECLARED and len(one.path) > 1 else None
    is_shared = node is not None and len(node.children_by_field_name("name")) > 1
    return type_declared(node) if not is_shared and one.part.kind != "method" else None
