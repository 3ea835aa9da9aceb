"""A text and its syntax tree, with offsets in code points.

The parser reads one byte for each code point, so that its offsets are the text's: what is not
ASCII is a letter, a blank or something else to it, which is all that these grammars ask of it.
Of a Vue file it reads the code alone. Names are read from the text itself.
"""

import re
import threading
import time
from collections.abc import Container, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node, Point
from tree_sitter import Tree as Parsed

from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.syntax.languages import parser
from editcast_model.syntax.vue import script_of

#: Longer texts, in code points, are not parsed: a first parse of this much takes some 0.2 s.
MOST_CHARACTERS = 500_000
#: Time limits of the first parse and of later ones; a long text that lost a bracket takes longer.
_SECONDS, _SECONDS_AGAIN = 0.5, 0.2
_PIECE = 65_536  # how much the parser asks for at a time, between looks at the clock
#: The most nodes around a character. Files that people write have at most 55. In deeper code, such
#: as a sum of a thousand terms, each name would keep a path of a thousand nodes.
_DEEPEST = 250


class Step(NamedTuple):
    """A node on the way from the root to a leaf, and the field of its parent that it is."""

    type: str
    field: str | None
    node: Node


Path = tuple[Step, ...]


class Tree:
    """A parsed text.

    Attributes:
        text: The text.
        language: Its language identifier.
        root: The root of the tree.
        parses: Whether the grammar reads all of it, with nothing missing.
    """

    def __init__(self, text: str, language: str, code: str, parsed: Parsed) -> None:
        self.text, self.language, self._code = text, language, code
        self.root = parsed.root_node
        self.parses = not self.root.has_error
        self._parsed = parsed
        self._paths: dict[int, Path] = {}

    def reparsed(self, text: str, hunks: Sequence[Hunk] = ()) -> "Tree | None":
        """Return the tree of a later text, parsing only the changes; None as `parse` does.

        Args:
            text: The text.
            hunks: Lead to it, ascending; found if not given.
        """
        if text == self.text:
            return self
        code = _code(text, self.language)
        edited = self._parsed.copy()
        if not hunks or self.language == "vue":  # an edit may change the code of what is around it
            hunks = (shortest_hunk(self._code, code),)
        for hunk in reversed(hunks):
            written = self._code[: hunk.start] + hunk.text
            ends = hunk.end, len(written)
            points = (_point(self._code, hunk.start), _point(self._code, hunk.end))
            edited.edit(hunk.start, *ends, *points, _point(written, len(written)))
        return _parse(text, self.language, code, edited, _SECONDS_AGAIN)

    def path(self, offset: int) -> Path:
        """Return the nodes around the character at an offset, from the root to the leaf.

        Where they are nested too deeply, only the root.
        """
        found = self._paths.get(offset)
        if found is None:
            found = self._paths[offset] = self._descend(offset)
        return found

    def around(self, node: Node) -> list[Node]:
        """Return the nodes around a node, the innermost first.

        One way down from the root: the parser goes that way again for each parent that it is asked
        for, which takes seconds in a sum of a thousand terms.
        """
        path = [step.node for step in self.path(node.start_byte)]
        at = path.index(node) if node in path else len(path)
        return path[:at][::-1]

    def path_near(self, offset: int) -> Path:
        """Return the path at an offset, or behind the last character that of this one."""
        return self.path(min(offset, max(0, len(self.text) - 1)))

    def of(self, node: Node | None) -> str:
        """Return what a node is in the text; nothing for None."""
        return self.text[node.start_byte : node.end_byte] if node is not None else ""

    def is_code(self, start: int, end: int) -> bool:
        """Tell whether the parser reads a range as it stands; the markup of Vue it does not."""
        return self.text[start:end] == self._code[start:end]

    def _descend(self, offset: int) -> Path:
        cursor = self.root.walk()
        steps = [Step(self.root.type, None, self.root)]
        while cursor.goto_first_child_for_byte(offset) is not None:
            node = cursor.node
            if node is None or node.start_byte > offset:
                break
            steps.append(Step(node.type, cursor.field_name, node))
            if len(steps) > _DEEPEST:
                return tuple(steps[:1])
        return tuple(steps)


def parse(text: str, language: str | None, seconds: float = _SECONDS) -> Tree | None:
    """Return the tree of a text.

    None without a grammar, and for what is too long or takes too long.
    """
    if language is None or len(text) > MOST_CHARACTERS:
        return None
    return _parse(text, language, _code(text, language), None, seconds)


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text, such as types of nodes."""
    return frozenset(text.split())


def first_child(node: Node | None) -> Node | None:
    """Return the first named child of a node; None without any, where the parser would raise."""
    return node.named_child(0) if node is not None and node.named_child_count else None


def field(node: Node | None, *names: str) -> Node | None:
    """Return the child in the first of some fields that a node has; None for none."""
    if node is None:
        return None
    found = (node.child_by_field_name(name) for name in names)
    return next((one for one in found if one is not None), None)


def outermost(node: Node, kinds: Container[str]) -> Node:
    """Return the last of the nodes around a node, one around the other, that are of some types."""
    while node.parent is not None and node.parent.type in kinds:
        node = node.parent
    return node


def nodes_in(root: Node, kind: str) -> Iterator[Node]:
    """Yield the nodes of a type that a node contains, itself included, in no order."""
    waiting = [root]
    while waiting:
        one = waiting.pop()
        waiting += one.named_children
        if one.type == kind:
            yield one


def around(path: Path, *kinds: str) -> int | None:
    """Return the index of the innermost node of some types; None for none."""
    return next((at for at in reversed(range(len(path))) if path[at].type in kinds), None)


def type_declared(node: Node | None) -> Node | None:
    """Return the type that is written in a declaration; in Java before all that it declares."""
    while node is not None and node.type.endswith("declarator"):
        if (kind := node.child_by_field_name("type")) is not None:
            return kind
        node = node.parent
    return field(node, "type")


def _parse(text: str, language: str, code: str, old: Parsed | None, seconds: float) -> Tree | None:
    """Return the tree, unless it takes too long, not counting waits for a busy processor."""
    reader, data, latest = parser(language), _bytes(code), time.thread_time() + seconds
    if reader is None or len(text) > MOST_CHARACTERS:
        return None

    def read(offset: int, _: object) -> bytearray:
        _PIECES.one[:] = data[offset : offset + _PIECE]
        return _PIECES.one

    def is_late(*_: object) -> bool:
        return time.thread_time() > latest

    try:
        if old is None:
            parsed = reader.parse(read, progress_callback=is_late)
        else:
            parsed = reader.parse(read, old, progress_callback=is_late)
    except (ValueError, RuntimeError):
        return None
    return Tree(text, language, code, parsed)


def _code(text: str, language: str) -> str:
    """Return what the parser reads of a text, as long as the text."""
    return script_of(text) if language == "vue" else text


class _Pieces(threading.local):
    """Buffer that a parser reads next, one object for each thread.

    The binding of tree-sitter (0.26.1) never lets go of an object that it has read from.
    """

    def __init__(self) -> None:
        self.one = bytearray()


_PIECES = _Pieces()


#: Characters that need a replacement for the parser: those outside of ASCII, and NUL, which would
#: end the text.
_OTHER = re.compile(r"[^\x01-\x7f]")


@lru_cache(10_000)
def _stand_in(found: str) -> str:
    """Return a character that the grammars know for one that they do not."""
    if ("a" + found).isidentifier():
        return "x"
    return " " if found.isspace() else "\x01"


def _bytes(text: str) -> bytes:
    """Return one byte for each code point."""
    return _OTHER.sub(lambda found: _stand_in(found[0]), text).encode("ascii")


def _point(text: str, offset: int) -> Point:
    return Point(text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1)
