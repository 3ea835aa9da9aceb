"""A Python text with its syntax tree, queries on it, and random choices from it."""

import keyword
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import TypeVar

from tree_sitter import Node

from editcast_model.diff import Hunk
from editcast_model.syntax.tree import field, parse

#: Types of short nodes that are values and can be put into a call.
PLAIN_VALUES = ("identifier", "attribute", "call", "subscript", "string")
#: The maximum number of places of a refactoring, since larger ones are not made by hand.
MOST_PLACES = 16
CONSTANTS = ("None", "True", "False", "0", "1", "()", '""')
_WRAPPERS = ("str", "int", "list", "tuple", "sorted", "bool", "repr", "len", "set", "iter")
WORD_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

T = TypeVar("T")


class Source:
    """A parsed text.

    Attributes:
        parses: Whether the grammar reads all of it.
        words: All identifiers in it.
    """

    def __init__(self, text: str) -> None:
        tree = parse(text, "python", math.inf)
        self.text, self.parses = text, tree is not None and tree.parses
        self._nodes: defaultdict[str, list[Node]] = defaultdict(list)
        stack = [tree.root] if tree else []
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

    def parts(self, name: str, *kinds: str, inside: Node | None = None) -> list[Node]:
        """Return the children of a field of the nodes of these kinds."""
        found = (field(node, name) for node in self.all(*kinds, inside=inside))
        return [node for node in found if node is not None]

    def of(self, node: Node | None) -> str:
        """Return a node's text; nothing for None."""
        return self.text[node.start_byte : node.end_byte] if node is not None else ""

    def replace(self, node: Node, text: str) -> Hunk:
        """Replace a node by a text."""
        return Hunk(node.start_byte, node.end_byte, text)

    def behind(self, node: Node, text: str) -> Hunk:
        """Insert a text after a node."""
        return Hunk(node.end_byte, node.end_byte, text)

    def without(self, nodes: list[Node], index: int) -> Hunk:
        """Delete an item of a list, with the adjacent comma and space."""
        start, end = nodes[index].start_byte, nodes[index].end_byte
        if index + 1 < len(nodes):
            end = nodes[index + 1].start_byte
        elif index:
            start = nodes[index - 1].end_byte
        return Hunk(start, end, "")


def items(node: Node | None) -> list[Node]:
    """Return the named children of a list without comments; none without a node."""
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
    """Return the identifiers that refer to a variable of this name."""
    nodes = source.all("identifier", inside=inside)
    return [node for node in nodes if source.of(node) == name and _is_use(node)]


def parameters_of(function: Node) -> list[Node]:
    """Return all parameters of a function."""
    return items(field(function, "parameters"))


def parameter_name(source: Source, parameter: Node) -> str | None:
    """Return the name of a plain parameter; None for starred ones and separators."""
    if (named := field(parameter, "name")) is not None:  # it has a default
        return source.of(named)
    if parameter.type == "typed_parameter":
        parameter = parameter.children[0]
    return source.of(parameter) if parameter.type == "identifier" else None


def positional(call: Node) -> list[Node]:
    """Return the arguments of a call before the first keyword; none if one is starred."""
    given = items(field(call, "arguments"))
    if any(one.type in ("list_splat", "dictionary_splat") for one in given):
        return []
    return [one for one in given if one.type != "keyword_argument"]


def _calls(source: Source) -> Iterator[tuple[Node, Node]]:
    """Yield the calls with arguments in parentheses, each with the called expression."""
    for call in source.all("call"):
        callee, given = field(call, "function"), field(call, "arguments")
        if callee is not None and given is not None and given.type == "argument_list":
            yield call, callee


def calls_of(source: Source, name: str) -> list[Node]:
    """Return the calls of a variable or an attribute of this name."""
    return [
        call
        for call, callee in _calls(source)
        if source.of(field(callee, "attribute") or callee) == name
    ]


def is_in_f_string(node: Node) -> bool:
    """Tell whether a node is in an f-string, where its quotes would end the string."""
    parent = node.parent
    while parent is not None and parent.type != "interpolation":
        parent = parent.parent
    return parent is not None


def pick(rng: Random, choices: Sequence[T]) -> list[T]:
    """Sample one choice, as a list; return an empty list if there is none."""
    return [rng.choice(choices)] if choices else []


def repeated_calls(source: Source) -> list[tuple[str, list[Node]]]:
    """Group the calls by the called expression; return the groups that one can change by hand."""
    return _repeated((source.of(callee), call) for call, callee in _calls(source))


def repeated(source: Source, nodes: Iterable[Node]) -> list[tuple[str, list[Node]]]:
    """Group nodes by their text; return the groups that one can change by hand."""
    return _repeated((source.of(node), node) for node in nodes)


def _repeated(named: Iterable[tuple[str, Node]]) -> list[tuple[str, list[Node]]]:
    groups: defaultdict[str, list[Node]] = defaultdict(list)
    for name, node in named:
        groups[name].append(node)
    return [(name, nodes) for name, nodes in groups.items() if 2 <= len(nodes) <= MOST_PLACES]


def fresh_name(source: Source, rng: Random, old: str) -> str:
    """Sample a new name in the style of an old one, from words in the file."""
    words = sorted({part.lower() for word in source.words for part in WORD_PART.findall(word)})
    for _ in range(20):
        parts = [part.lower() for part in WORD_PART.findall(old)] or ["value"]
        word = rng.choice(words or ["value"])
        place = rng.randrange(len(parts))
        match rng.choice(("replace", "before", "behind", "drop")):
            case "replace":
                parts[place] = word
            case "before":
                parts.insert(place, word)
            case "behind":
                parts.append(word)
            case _ if len(parts) > 1:
                del parts[place]
        lead = old[: len(old) - len(old.lstrip("_"))]
        if old.isupper():
            name = "_".join(parts).upper()
        elif "_" not in old.strip("_") and re.search("[A-Z]", old):
            name = "".join(part.capitalize() for part in parts)
            name = name if old.lstrip("_")[:1].isupper() else name[:1].lower() + name[1:]
        else:
            name = "_".join(parts)
        name = lead + name
        if name.isidentifier() and not keyword.iskeyword(name) and name not in source.words:
            return name
    return old


def wrapper_name(source: Source, rng: Random) -> str:
    """Sample the name of a function to wrap values in: a builtin, or one from the file."""
    known = [name for name, _ in repeated_calls(source) if name.isidentifier()]
    return rng.choice([*_WRAPPERS, *known])
