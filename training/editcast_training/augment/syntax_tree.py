"""A Python text and its syntax tree, with offsets in code points; what is found in it.

The trees are tree-sitter's: they keep every token's place, and read files of any Python version.
"""

from collections import defaultdict
from functools import cache

import numpy as np
import tree_sitter_python
from tree_sitter import Language, Node, Parser

from editcast_model.diff import Hunk

#: Nodes that stand for a value, are short, and can be put into a call.
PLAIN_VALUES = ("identifier", "attribute", "call", "subscript", "string")


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_python.language()))


class Source:
    """A parsed text.

    Attributes:
        text: The text.
        parses: Whether the grammar reads all of it.
        words: All identifiers in it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        data = text.encode("utf-8")
        tree = _parser().parse(data)
        self.parses = not tree.root_node.has_error
        self._at: list[int] | None = None
        if len(data) != len(text):
            begins = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80
            self._at = np.concatenate([[0], np.cumsum(begins)]).tolist()
        self._nodes: defaultdict[str, list[Node]] = defaultdict(list)
        stack = [tree.root_node]
        while stack:
            node = stack.pop()
            self._nodes[node.type].append(node)
            stack.extend(reversed(node.children))
        self.words = {self.of(node) for node in self._nodes["identifier"]}

    def all(self, *kinds: str, inside: Node | None = None) -> list[Node]:
        """Return the nodes of these kinds, those of one kind in the order of the text."""
        nodes = [node for kind in kinds for node in self._nodes[kind]]
        if inside is None:
            return nodes
        low, high = inside.start_byte, inside.end_byte
        return [node for node in nodes if low <= node.start_byte and node.end_byte <= high]

    def start(self, node: Node) -> int:
        """Return the offset of a node's beginning."""
        return self._at[node.start_byte] if self._at else node.start_byte

    def end(self, node: Node) -> int:
        """Return the offset of a node's end."""
        return self._at[node.end_byte] if self._at else node.end_byte

    def of(self, node: Node) -> str:
        """Return a node's text."""
        return self.text[self.start(node) : self.end(node)]

    def replace(self, node: Node, text: str) -> Hunk:
        """Replace a node by a text."""
        return Hunk(self.start(node), self.end(node), text)

    def behind(self, node: Node, text: str) -> Hunk:
        """Insert a text behind a node."""
        return Hunk(self.end(node), self.end(node), text)

    def without(self, nodes: list[Node], index: int) -> Hunk:
        """Delete one of the items of a list, with the comma and the space beside it."""
        if index + 1 < len(nodes):
            return Hunk(self.start(nodes[index]), self.start(nodes[index + 1]), "")
        first = self.end(nodes[index - 1]) if index else self.start(nodes[index])
        return Hunk(first, self.end(nodes[index]), "")


def field(node: Node | None, name: str) -> Node | None:
    """Return the child of a field; None where there is no node or no such child."""
    return node.child_by_field_name(name) if node is not None else None


def items(node: Node | None) -> list[Node]:
    """Return the named children of a list, comments left out; none where there is no node."""
    if node is None:
        return []
    return [child for child in node.named_children if child.type != "comment"]


def _is_use(node: Node) -> bool:
    """Tell whether an identifier is a variable, not an attribute or a keyword's name."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "attribute":
        return field(parent, "attribute") != node
    return parent.type != "keyword_argument" or field(parent, "name") != node


def uses_of(source: Source, name: str, inside: Node | None = None) -> list[Node]:
    """Return the identifiers that stand for a variable of this name."""
    nodes = source.all("identifier", inside=inside)
    return [node for node in nodes if source.of(node) == name and _is_use(node)]


def parameters_of(function: Node) -> list[Node]:
    """Return all parameters of a function."""
    return items(field(function, "parameters"))


def parameter_name(source: Source, parameter: Node) -> str | None:
    """Return the name of a plain parameter; None for starred ones and separators."""
    if parameter.type == "typed_parameter":
        parameter = parameter.children[0]
    elif parameter.type in ("default_parameter", "typed_default_parameter"):
        named = field(parameter, "name")
        return source.of(named) if named is not None else None
    return source.of(parameter) if parameter.type == "identifier" else None


def positional(call: Node) -> list[Node]:
    """Return the arguments of a call before the first keyword; none if one is starred."""
    given = items(field(call, "arguments"))
    if any(one.type in ("list_splat", "dictionary_splat") for one in given):
        return []
    return [one for one in given if one.type != "keyword_argument"]


def calls_of(source: Source, name: str) -> list[Node]:
    """Return the calls of whatever has this name, as a variable or as an attribute."""
    out = []
    for call in source.all("call"):
        callee = field(call, "function")
        if callee is not None and callee.type == "attribute":
            callee = field(callee, "attribute")
        is_list = (given := field(call, "arguments")) is not None and given.type == "argument_list"
        if callee is not None and is_list and source.of(callee) == name:
            out.append(call)
    return out


def is_in_f_string(node: Node) -> bool:
    """Tell whether a node stands in an f-string, where its quotes would end the string."""
    parent = node.parent
    while parent is not None and parent.type != "interpolation":
        parent = parent.parent
    return parent is not None


def by_callee(source: Source) -> dict[str, list[Node]]:
    """Return the calls, by the text of what they call."""
    groups: defaultdict[str, list[Node]] = defaultdict(list)
    for call in source.all("call"):
        callee, given = field(call, "function"), field(call, "arguments")
        if callee is not None and given is not None and given.type == "argument_list":
            groups[source.of(callee)].append(call)
    return groups
