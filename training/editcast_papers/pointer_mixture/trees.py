"""Flattened syntax trees: a file as the sequence of its nodes, in pre-order.

A node is a type and a value. Its type has two bits more: whether it has children, and whether
siblings follow, so that the sequence can be made a tree again. A value is the text of a leaf (a
name, a number, a string) or the operator of an expression; other nodes have none. Comments and
punctuation are no nodes.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.syntax.tree import parse

#: The value of a node without one.
EMPTY = ""
# Nodes whose whole text is a value, unless it has code in it.
_TEXTS = frozenset({"string", "template_string", "regex"})
_SUBSTITUTIONS = frozenset({"interpolation", "template_substitution"})
_OPERATORS = ("operator", "operators", "kind")
_SECONDS = 10.0  # to parse one file


class TreeNode(NamedTuple):
    """A node of a flattened tree.

    Attributes:
        type: The grammar's name of it, and the two bits.
        value: The text of it; empty without one.
        parent: The number of its parent; of the root its own, 0.
    """

    type: str
    value: str
    parent: int


def flatten(text: str, language: str) -> list[TreeNode]:
    """Return the nodes of a file in pre-order; none if the grammar does not read all of it."""
    tree = parse(text, language, _SECONDS)
    if tree is None or not tree.parses:
        return []
    made: list[TreeNode] = []
    waiting = [(tree.root, 0, False)]
    while waiting:
        node, parent, has_sibling = waiting.pop()
        children = list(_children(node))
        bits = f"{int(bool(children))}{int(has_sibling)}"
        number = len(made)
        made.append(TreeNode(f"{node.type} {bits}", _value(node, tree.of), parent))
        waiting += [
            (child, number, at + 1 < len(children))
            for at, child in reversed([*enumerate(children)])
        ]
    return made


def _children(node: Node) -> Iterator[Node]:
    if not _is_text(node):
        for child in node.named_children:
            if not child.is_extra:
                yield child


def _value(node: Node, of: Callable[[Node], str]) -> str:
    if node.child_count == 0 or _is_text(node):
        return of(node)
    operators = (one for name in _OPERATORS for one in node.children_by_field_name(name))
    return " ".join(of(one) for one in operators if not one.is_named)


def _is_text(node: Node) -> bool:
    return node.type in _TEXTS and not any(
        child.type in _SUBSTITUTIONS for child in node.named_children
    )
