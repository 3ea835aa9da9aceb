"""The forms that messages have: those of JavaScript here, those of Python in `python`."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.formats.messages import Hole, Message, Words, unenclosed
from editcast_model.consequences.formats.python import (
    read_f_string,
    read_format,
    read_percent,
    write_f_string,
)
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.tree import Tree, field, first_child

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def read_sum(tree: Tree, node: Node) -> Message | None:
    """Read a string to which values and other strings are added, on one line."""
    operands = list(_operands(tree, node))
    if len(operands) < 2 or "\n" in tree.of(node):
        return None
    if not any(one.type == "string" for one in operands[:2]):
        return None  # numbers may be added before the first string
    pieces, quotes = list[str | Hole](), set[str]()
    for one in operands:
        if one.type == "string":
            quotes.add(tree.text[one.start_byte])
            pieces.append(_with_plain_quotes(tree.of(one)[1:-1]))
        elif one.type == "template_string":
            return None
        else:
            pieces.append(Hole(tree.of(one), start=one.start_byte))
    if len(quotes) != 1 or not any(isinstance(one, Hole) for one in pieces):
        return None
    return Message((Words(quotes.pop(), tuple(pieces)),))


def _operands(tree: Tree, node: Node) -> Iterator[Node]:
    """Return what is added up, from left to right."""
    left, right = field(node, "left"), field(node, "right")
    is_sum = node.type == "binary_expression" and tree.of(field(node, "operator")) == "+"
    if not is_sum or left is None or right is None:
        yield node
        return
    yield from _operands(tree, left)
    yield right


def read_template(tree: Tree, node: Node) -> Message | None:
    """Read a template with values in it, but for one that a function is given as its tag."""
    parent = node.parent
    if node.type != "template_string" or parent is None or "call" in parent.type:
        return None
    pieces, at = list[str | Hole](), node.start_byte + 1
    for child in node.named_children:
        value = first_child(child)
        if child.type == "template_substitution" and value is not None:
            pieces.append(_with_plain_quotes(tree.text[at : child.start_byte]))
            pieces.append(Hole(tree.of(value), start=value.start_byte))
            at = child.end_byte
    if not pieces:
        return None
    pieces.append(_with_plain_quotes(tree.text[at : node.end_byte - 1]))
    return Message((Words("`", tuple(pieces)),))


def _with_plain_quotes(text: str) -> str:
    """Return a text without the backslashes before quotes."""
    return _ESCAPED.sub(lambda found: found[1] if found[1] in "\"'`" else found[0], text)


def write_template(message: Message) -> str | None:
    """Write a message as a template; None where that is not possible."""
    pieces = list[str]()
    for one in message.strings[0].pieces:
        if isinstance(one, Hole):
            code = unenclosed(one.code)
            if "`" in code or "\n" in code or "${" in code:
                return None
            pieces.append(f"${{{code}}}")
        elif one.endswith("$") or "${" in one:
            return None
        else:
            pieces.append(one.replace("`", "\\`"))
    return f"`{''.join(pieces)}`"


class Form(NamedTuple):
    """A form of a message.

    Attributes:
        name: Its name.
        anchor: An expression for what stands in each.
        read: Reads a node; gives None for anything else.
        write: Writes a message; gives None for one that cannot be written so. None if none can.
    """

    name: str
    anchor: re.Pattern[str]
    read: Callable[[Tree, Node], Message | None]
    write: Callable[[Message], str | None] | None = None


#: The forms of each language.
FORMS: Final[Mapping[str, tuple[Form, ...]]] = {
    "python": (
        Form("inline", re.compile(r"\b[fF][\"']"), read_f_string, write_f_string),
        Form("format", re.compile(r"[\"']\s*\.\s*format\s*\("), read_format),
        Form("percent", re.compile(r"[\"']\)?\s*%"), read_percent),
    ),
    **dict.fromkeys(
        SCRIPTS,
        (
            Form("sum", re.compile(r"[\"'][ \t]*\+|\+[ \t]*[\"']"), read_sum),
            Form("inline", re.compile("`"), read_template, write_template),
        ),
    ),
    "go": (),  # its messages have no other form; see `pairs`
}
