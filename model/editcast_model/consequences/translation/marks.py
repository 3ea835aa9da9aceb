"""Texts for people that are not marked for translation, once a file of Python marks some.

After `from gettext import gettext as _`, or the first `_("...")`, other texts become
`_("All copies are out.")` and `_("{name} has it.").format(name=member.name)`. Of the texts of
several words, but those for logs and developers, that stood in the files of four projects when they
got their `_`, 69 % were marked in the same commit (counted once, by a script that was not kept).
"""

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.formats.messages import Hole, Message
from editcast_model.consequences.formats.python import read_f_string, strings_of, within
from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk
from editcast_model.syntax.tree import Tree, field

#: How a file gets its `_`.
_BOUND: Final = re.compile(r"^(?:from [\w.]+ import .*\b_\r?$|_ = )", re.MULTILINE)
_MARKED: Final = re.compile(r"(?<![\w.])_\(\s*f?[\"']")
#: Several words, which are no path, pattern, query or style.
_FOR_PEOPLE: Final = re.compile(
    r"(?!SELECT |INSERT |UPDATE |DELETE |CREATE )(?=.*[A-Za-z{}]{2,}[,.:;!?]? +\S*[A-Za-z{}])"
    r"[A-Za-z\"'{¿¡][^\\<>/=\n]*"
)
#: Calls whose texts are for logs, for developers, or for the computer.
_NOT_FOR_PEOPLE: Final = re.compile(
    r"(?:\w*\.)*(?:log|logger|logging|LOG|LOGGER|_log|_logger|warnings|re|os|subprocess)\.\w+"
    r"|(?:\w+\.)*(?:_|\w*gettext\w*|execute|getattr|setattr|hasattr|open|strftime|strptime|split"
    r"|TypeError|RuntimeError|NotImplementedError|AssertionError|ImproperlyConfigured)"
)
#: Nodes that a text is no value of.
_APART: Final = frozenset(
    "comparison_operator subscript decorator import_statement assert_statement interpolation"
    " concatenated_string binary_operator type".split()
)
_MOST_NODES: Final = 100_000
_LONGEST: Final = 300  # code points of a text
_NAME: Final = re.compile(r"(?:\w+\.)*(?P<name>[^\W\d]\w*)(?:\(\))?")


def after_translation(change: Change) -> Iterator[Consequence]:
    """Return the marks that texts for people lack."""
    tree = change.after.tree
    if tree.language != "python" or not _BOUND.search(tree.text):
        return
    new = [(start, end) for _, start, end in change.finished()]
    pattern = re.compile(f"{_BOUND.pattern}|{_MARKED.pattern}", re.MULTILINE)
    marks = [one.span() for one in pattern.finditer(tree.text)]
    if not any(start < last and first < end for first, last in marks for start, end in new):
        return
    for node in _texts(tree):
        written = _marked(tree, node)
        if written is not None and not change.is_active(node.start_byte, node.end_byte):
            hunk = Hunk(node.start_byte, node.end_byte, written)
            yield Consequence(hunk, "rewrite_that_adds", cause="_ gettext")


def _texts(tree: Tree) -> Iterator[Node]:
    """Yield the strings of functions and classes that may be for people, in order."""
    left = [tree.root] if tree.root.descendant_count <= _MOST_NODES else []
    while left:
        node = left.pop()
        if node.type in ("function_definition", "class_definition"):
            yield from _strings(tree, node)
        else:
            left.extend(reversed(node.named_children))


def _strings(tree: Tree, node: Node) -> list[Node]:
    """Return the values of a node that may be texts for people."""
    found, left = list[Node](), [*reversed(node.named_children)]
    while left:
        one = left.pop()
        if one.type == "string":
            found.append(one)
        elif one.type in _APART or _is_apart(tree, one):
            continue
        elif one.type == "pair":
            left += [value] if (value := field(one, "value")) is not None else []
        else:
            left.extend(reversed(one.named_children))
    return found


def _is_apart(tree: Tree, node: Node) -> bool:
    """Tell whether the texts in a node are for logs or developers, or a documentation."""
    if node.type == "call":
        return _NOT_FOR_PEOPLE.fullmatch(tree.of(field(node, "function"))) is not None
    first = node.named_children[0].type if node.named_child_count else ""
    return node.type == "expression_statement" and first == "string"


def _marked(tree: Tree, node: Node) -> str | None:
    """Return a text with its mark; None for one that is not for people, or cannot have one."""
    if strings_of(tree, node) is not None:
        quote, text = within(tree, node)
        return f"_({tree.of(node)})" if _is_for_people(quote, text) else None
    message = read_f_string(tree, node)
    return _with_values(message) if message is not None and len(message.strings) == 1 else None


def _with_values(message: Message) -> str | None:
    """Return the text of an f-string with its mark, and its values by their names."""
    values, text = dict[str, str](), ""
    for piece in message.strings[0].pieces:
        if isinstance(piece, Hole):
            found = _NAME.fullmatch(piece.code)
            if found is None or values.setdefault(found["name"], piece.code) != piece.code:
                return None
            text += f"{{{found['name']}{piece.spec}}}"
        else:
            text += piece.replace("{", "{{").replace("}", "}}")
    quote, given = message.strings[0].quote, ", ".join(f"{x}={y}" for x, y in values.items())
    written = f"_({quote}{text}{quote}).format({given})"
    return written if _is_for_people(quote, text) else None


def _is_for_people(quote: str, text: str) -> bool:
    """Tell whether a text on one line is for people."""
    return len(quote) == 1 and len(text) <= _LONGEST and _FOR_PEOPLE.fullmatch(text) is not None
