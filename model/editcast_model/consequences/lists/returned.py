"""Names that a function lacks among those that it returns: of what was just declared in it.

A setup function, a hook or a factory ends with `return { count, double, increment }`.
"""

import re
from collections.abc import Iterator
from itertools import chain

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.placing import inserted
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import Argument
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.names import WORD, Names
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, field, first_child

_FUNCTION = re.compile("function")
#: Names that a function returns at least; of more than as many, one other may be its own.
_LEAST = 2


def after_local(change: Change) -> Iterator[Consequence]:
    """Return the new local functions and values that a function lacks among those it returns."""
    names = change.after
    for one in change.new_names() if names.tree.language in (*SCRIPTS, "vue") else ():
        is_new = one.role is Role.DEFINITION and len(names.of(one.name)) == 1
        declared = one.path[-2].node if is_new else None
        if declared is None or declared.child_by_field_name("name") != one.path[-1].node:
            continue
        around = names.tree.around(declared)
        body = next((each for each in around if each.type == "statement_block"), None)
        hunk = _with_name(names, body, one.name) if body is not None else None
        if hunk is not None:
            yield Consequence(hunk, "return_local")


def _with_name(names: Names, body: Node, name: str) -> Hunk | None:
    """Put a name into the object that a function returns, with nearly all others of its kind."""
    made = dict(chain.from_iterable(_declared(names.tree, one) for one in body.named_children))
    last = body.named_children[-1]
    listed = first_child(last) if last.type == "return_statement" else None
    if listed is None or listed.type != "object":
        return None
    entries = [one for one in listed.named_children if one.type != "comment"]
    returned = [names.tree.of(one) for one in entries]
    is_plain = all(one.type == "shorthand_property_identifier" for one in entries)
    if not is_plain or len(entries) < _LEAST or not all(one in made for one in returned):
        return None
    like = [one in returned for one, kind in made.items() if kind == made.get(name) and one != name]
    if not made.get(name) or not sum(like) > _LEAST * like.count(False):
        return None
    span = listed.start_byte + 1, listed.end_byte - 1
    arguments = [Argument(one.start_byte, one.end_byte) for one in entries]
    return inserted(names.tree.text, span, arguments, len(arguments), name)


def _declared(tree: Tree, statement: Node) -> Iterator[tuple[str, str]]:
    """Yield the names that a statement declares, each with its kind: a function, or who made it.

    The kind is empty for anything else.
    """
    if _FUNCTION.search(statement.type):
        yield tree.of(field(statement, "name")), "function"
    for one in statement.named_children if "declaration" in statement.type else ():
        called, value = field(one, "name"), field(one, "value")
        is_plain = called is not None and called.type == "identifier"
        is_function = value is not None and _FUNCTION.search(value.type)
        kind = "function" if is_function else tree.of(field(value, "function"))
        for word in WORD.findall(tree.of(called)):
            yield word, kind if is_plain else ""
