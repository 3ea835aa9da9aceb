"""Statements that go, with the lines that they have."""

from tree_sitter import Node

from editcast_model.diff import Hunk
from editcast_model.syntax.tree import Tree

#: The ends of the types of nodes that go with the statement below.
_HEAD = ("comment", "attribute_item", "decorator")


def without_lines(tree: Tree, statement: Node, start: int | None = None) -> Hunk | None:
    """Take a statement out with its lines, and with the blank ones that stood around it twice.

    `start` is that of the comments above that go with it, if it has any.
    """
    text, first = tree.text, statement.start_byte if start is None else start
    start = text.rfind("\n", 0, first) + 1
    last = statement.start_byte + len(tree.of(statement).rstrip())
    end = text.find("\n", last) + 1
    if not end or text[start:first].strip() or text[last:end].strip(" \t\r\n;,"):
        return None
    is_apart = start == 0 or text[:start].endswith(("\n\n", "\n\r\n"))
    if is_apart and start and statement.next_named_sibling is None:
        return Hunk(text.find("\n", len(text[:start].rstrip())) + 1, end, "")
    is_apart |= statement.prev_named_sibling is None
    while is_apart and text[end : text.find("\n", end) + 1].strip() == "" and "\n" in text[end:]:
        end = text.find("\n", end) + 1
    return Hunk(start, end, "")


def start_with_head(tree: Tree, node: Node) -> int:
    """Return where a statement begins with the comments and attributes right above it."""
    text, start = tree.text, node.start_byte
    kinds = _HEAD[: 2 if node.type == "decorator" else 3]
    while end := len(text[: max(0, text.rfind("\n", 0, start))].rstrip(" \t\r")):
        steps = (one.node for one in tree.path(end - 1) if one.type.endswith(kinds))
        above = next((one.start_byte for one in steps if one.end_byte <= start), None)
        lines = (text[text.rfind("\n", 0, at) + 1 : at] for at in (start, above or 0))
        if above is None or any(map(str.strip, lines)):
            break
        start = above
    return start
