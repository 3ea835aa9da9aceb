"""Assignments that are left of a name that was removed.

`self.mode = mode` goes with the parameter `mode`, and with `"mode"` in `__slots__`. Not where the
member is still read: it gets another value then. So do most places where a variable was.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.placing import without_node
from editcast_model.consequences.unused.removal import names_gone, without_lines
from editcast_model.diff import Hunk
from editcast_model.syntax.members import is_assigned, is_declared_member, owner
from editcast_model.syntax.names import WORD, Occurrence
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
    """Return the assignments that are left of removed names."""
    names = change.after
    for word in sorted(names_gone(change)):
        for one in names.of(word):
            steps = (step.node for step in one.path[:-5:-1] if step.type in _ASSIGNING)
            node = next(steps, None)
            if node is not None and _is_left(change, one, node):
                if (hunk := _removed(names.tree, node)) is not None:
                    yield Consequence(hunk, "remove_assignment")


def _is_left(change: Change, one: Occurrence, node: Node) -> bool:
    """Tell whether a node gives what was removed to a thing of the same name, or to a slot."""
    names, children = change.after, node.named_children or [node]
    if one.start < children[-1].start_byte:
        return is_assigned(one) and _lacks_slot(change, one)
    target, value = names.tree.of(children[0]), names.tree.of(children[-1]).strip("{}")
    name = _TARGET.fullmatch(target)
    if name is None or _bare(name[1]) != _bare(value) or not _was_parameter(change, one):
        return False
    members = (each for each in names.of(name[1]) if each.role is Role.MEMBER)
    is_statement = names.tree.around(node)[0].type in _STATEMENTS
    return not is_statement or all(map(is_assigned, members))


def _was_parameter(change: Change, one: Occurrence) -> bool:
    """Tell whether a use meant a removed parameter, and means nothing, or a member, since then."""
    was = change.same_before(one) if one.role is Role.REFERENCE else None
    defined = change.before.meant_by(was)
    is_lost = all(map(is_declared_member, change.after.meant_by(one)))
    is_removed = is_lost and all(_is_removed(change, each) for each in defined)
    return is_removed and any(each.part.kind == "parameter" for each in defined)


def _is_removed(change: Change, one: Occurrence) -> bool:
    """Tell whether a change took a name away, but not its function, and put none beside it."""
    group = next((old for old, _ in change.groups if one.start in old), range(0))
    hunks = [each for each, _, _ in change.finished() if each.start in group]
    is_new = any(WORD.search(each.text) for each in hunks)
    is_kept = one.part.kind != "parameter" or change.is_now_at(one.scope.start) is not None
    return is_kept and not is_new and change.is_now_at(one.start) is None


def _bare(name: str) -> str:
    return name.replace("_", "").lower()


def _lacks_slot(change: Change, one: Occurrence) -> bool:
    """Tell whether a change only took names out of `__slots__`, that of a field among them."""
    listed = []
    for names, field in ((change.before, change.same_before(one)), (change.after, one)):
        whose = owner(names, field) if field is not None else None
        slots = (each for each in names.of("__slots__") if whose and owner(names, each) == whose)
        texts = (names.tree.of(each.path[-2].node) for each in slots)
        listed.append({word for text in texts for word in WORD.findall(text)})
    return one.name in listed[0] - listed[1] and bool(listed[1]) and listed[1] <= listed[0]


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
