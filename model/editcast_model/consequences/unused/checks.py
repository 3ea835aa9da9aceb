"""Checks at the start of functions in Python that a decorator makes since a change.

After one function got `@needs_role("cook")` and lost `if role() != "cook": abort(403)`, others
that begin with such a check get the decorator in its place, with what they ask for.
"""

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.rewrites.rule import indent_at
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import function_node_around
from editcast_model.syntax.tree import Tree, field, first_child

_VALUE: Final = re.compile(r"[\w.]+|\"[^\"\n]*\"|'[^'\n]*'")
_MOST: Final = 3  # statements of a check
_CHECKS: Final = re.compile(r"(if|assert|await|[\w.]+\()(?!.*(:=|\belse:))", re.DOTALL)


def after_check(change: Change) -> Iterator[Consequence]:
    """Return the decorator for other functions that begin with a check which it replaced."""
    was, tree = change.before.tree, change.after.tree
    for before, after in change.functions if tree.language == "python" else ():
        old, new = _statements(was, before.node), _statements(tree, after.node)
        gone = old[: max(len(old) - len(new), 0)]
        above, now = _decorators(before.node), _decorators(after.node)
        known = {was.of(one) for one in above}
        added = [one for one in now if tree.of(one) not in known]
        is_moved = gone and [*map(was.of, old[len(gone) :])] == [*map(tree.of, new)] != []
        are_checks = len(gone) <= _MOST and all(_CHECKS.match(was.of(one)) for one in gone)
        if is_moved and are_checks and len(added) == 1 == len(now) - len(above):
            code = was.text[gone[0].start_byte : old[len(gone)].start_byte]
            yield from _decorated(tree, code, added[0], len(now) - now.index(added[0]) - 1)


def _decorated(tree: Tree, code: str, like: Node, below: int) -> Iterator[Consequence]:
    """Return functions that begin with some code with a decorator like another one instead.

    `below` is the number of decorators that stand below the other one.
    """
    form, given = re.escape(code), dict[str, Node]()
    arguments = field(first_child(like), "arguments")
    for one in arguments.named_children if arguments is not None else ():
        value = field(one, "value") or one
        place = rf"(?<!\w){re.escape(re.escape(tree.of(value)))}(?!\w)"
        if _VALUE.fullmatch(tree.of(value)) and re.search(place, form):
            name = f"value{len(given)}"
            first, *rest = re.split(place, form)
            form = f"{first}(?P<{name}>{_VALUE.pattern}){f'(?P={name})'.join(rest)}"
            given[name] = value
    for found in re.finditer(form, tree.text):
        node = function_node_around(tree, tree.path(found.start())[-1].node)
        statements = _statements(tree, node) if node is not None else []
        begins = [one.start_byte for one in statements]
        above = _decorators(node) if node is not None else []
        named = tree.of(like).partition("(")[0]
        is_whole = begins[:1] == [found.start()] and found.end() in begins
        if node is None or not is_whole or any(tree.of(one).startswith(named) for one in above):
            continue
        text, start = tree.of(like), [node, *reversed(above)][min(below, len(above))].start_byte
        for name, value in reversed(given.items()):
            at = value.start_byte - like.start_byte
            text = f"{text[:at]}{found[name]}{text[at + len(tree.of(value)) :]}"
        head = tree.text[start : found.start()]
        hunk = Hunk(start, found.end(), f"{text}\n{indent_at(tree, start)}{head}")
        yield Consequence(hunk, "rewrite", cause=f"{named} {form}")


def _decorators(function: Node) -> list[Node]:
    above = function.parent
    is_decorated = above is not None and above.type == "decorated_definition"
    return above.named_children[:-1] if above is not None and is_decorated else []


def _statements(tree: Tree, function: Node) -> list[Node]:
    """Return the statements of a function, without its documentation."""
    body = field(function, "body")
    nodes = body.named_children if body is not None else []
    documents = nodes and (first_child(nodes[0]) or nodes[0]).type == "string"
    return nodes[1:] if documents else nodes
