"""Calls whose first argument is a message."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.syntax.tree import Tree, field

_CALLS = ("call", "call_expression")


class Called(NamedTuple):
    """A call, with what is called, as it is written, and its arguments."""

    node: Node
    function: str
    given: list[Node]


def call_at(tree: Tree, node: Node) -> Called | None:
    """Return a call with its arguments; None for another node."""
    arguments = field(node, "arguments") if node.type in _CALLS else None
    if arguments is None:
        return None
    given = [one for one in arguments.named_children if one.type != "comment"]
    return Called(node, tree.text[node.start_byte : arguments.start_byte].strip(), given)


def calls_of(tree: Tree, pattern: str) -> Iterator[Called]:
    """Yield the calls with arguments of what a regular expression finds."""
    for found in re.finditer(pattern, tree.text):
        nodes = [step.node for step in tree.path(found.start())]
        calls = (call_at(tree, one) for one in nodes if one.start_byte == found.start())
        call = next((one for one in calls if one and one.function == found[0]), None)
        if call is not None and call.given:
            yield call
