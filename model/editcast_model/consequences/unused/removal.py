"""Statements that go, with the lines that they have."""

from tree_sitter import Node

from editcast_model.diff import Hunk
from editcast_model.syntax.tree import Tree


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
