"""Assignments that are left of a parameter or a field that was removed.

`self.mode = mode` goes with the parameter `mode`, and with `"mode"` in `__slots__`. Not where the
member is still read: it gets another value then. So do most places where a variable was.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.placing import without_node
from editcast_model.consequences.unused.removal import (
    is_lost,
    is_removed,
    names_gone,
    without_lines,
)
from editcast_model.diff import Hunk
from editcast_model.syntax.members import fields_defined, is_assigned, is_declared_member, owner
from editcast_model.syntax.names import WORD, Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, word_set

#: Types of nodes that give a value to a name.
_ASSIGNING = word_set("""
    assignment assignment_expression assignment_statement keyword_argument keyed_element pair
    field_initializer jsx_attribute shorthand_property_identifier shorthand_field_initializer
""")
_STATEMENTS = ("expression_statement", "statement_list")
#: A name with the object around it that it is a member of.
_TARGET = re.compile(r"(?:\w+(?:\.|->)|@)?(\w+)")


def after_removed_name(change: Change) -> Iterator[Consequence]:
    """Return the assignments that are left of removed parameters and fields."""
    for word in sorted(names_gone(change)):
        for one in change.after.of(word):
            steps = (step.node for step in one.path[:-5:-1] if step.type in _ASSIGNING)
            node = next(steps, None)
            if node is not None and _is_left(change, one, node):
                hunk = _removed(change.after.tree, node)
                if hunk is not None:
                    yield Consequence(hunk, "remove_assignment")


def _is_left(change: Change, one: Occurrence, node: Node) -> bool:
    """Tell whether a node only gives what was removed to what has the same name, or the reverse."""
    names, children = change.after, node.named_children or [node]
    target, value = names.tree.of(children[0]), names.tree.of(children[-1]).strip("{}")
    name = _TARGET.fullmatch(target)
    is_same = name is not None and _bare(name[1]) == _bare(value)
    if one.start >= children[-1].start_byte:
        defined = change.before.meant_by(change.same_before(one)) if is_same else []
        is_parameter = any(each.part.kind == "parameter" for each in defined)
        return is_parameter and is_lost(change, one) and not _is_read(names, node, target)
    if one.role is Role.REFERENCE:  # in Java and C#, a field
        return is_same and is_lost(change, one)
    return (is_same or names.tree.language == "python") and _lacks_field(change, one)


def _bare(name: str) -> str:
    return name.replace("_", "").lower()


def _is_read(names: Names, node: Node, target: str) -> bool:
    """Tell whether the member that a statement gives a value is read elsewhere in the file."""
    members = (one for one in names.of(WORD.findall(target)[-1]) if one.role is Role.MEMBER)
    is_statement = names.tree.around(node)[0].type in _STATEMENTS
    return is_statement and not all(map(is_assigned, members))


def _lacks_field(change: Change, one: Occurrence) -> bool:
    """Tell whether a change took away the declaration of a field that is given a value."""
    was = change.same_before(one) if is_assigned(one) or one.role is Role.KEY else None
    places = list(_declared(change.before, was)) if was is not None else []
    are_removed = all(is_removed(change, at, at + len(one.name)) for at in places)
    return bool(places) and are_removed and not any(_declared(change.after, one))


def _declared(names: Names, one: Occurrence) -> Iterator[int]:
    """Find where a field is declared, where a language asks for that."""
    whose = owner(names, one)
    for slots in names.of("__slots__") if whose is not None else ():
        node = slots.path[-2].node
        if owner(names, slots) == whose:
            words = WORD.finditer(names.tree.text, node.start_byte, node.end_byte)
            yield from (found.start() for found in words if found[0] == one.name)
    if whose is not None and names.tree.language != "python":
        fields = fields_defined(names, one.name, whose)
        yield from (each.start for each in fields if is_declared_member(each))


def _removed(tree: Tree, node: Node) -> Hunk | None:
    """Take out a statement with the text right below it that describes it, or an entry."""
    above = tree.around(node)[0]
    if above.type not in _STATEMENTS:
        is_alone = node.prev_named_sibling is None and node.next_named_sibling is None
        return None if is_alone else without_node(tree.text, node)
    statement = above if above.type == "expression_statement" else node
    hunk, below = without_lines(tree, statement), statement.next_named_sibling
    is_text = below is not None and [one.type for one in below.named_children] == ["string"]
    described = without_lines(tree, below) if below is not None and is_text else None
    return Hunk(hunk.start, described.end, "") if hunk and described else hunk
