"""The forms that messages have in each language; `python` reads and writes those of Python."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.formats.messages import (
    Hole,
    Message,
    Words,
    of_braces,
    of_percent,
    unenclosed,
)
from editcast_model.consequences.formats.python import (
    read_f_string,
    read_format,
    read_percent,
    write_f_string,
)
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.tree import Tree, field

#: Types of plain strings, in the languages of this module.
STRINGS = ("string", "string_literal")
#: Types of nodes in strings that hold a value.
_VALUES = ("template_substitution", "interpolation")
_BINARY = ("binary_expression", "binary")
_QUOTES = ('"', "'")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def read_sum(tree: Tree, node: Node) -> Message | None:
    """Read a string to which values and other strings are added, on one line."""
    operands = list(_operands(tree, node))
    if len(operands) < 2 or "\n" in tree.of(node):
        return None
    if not any(one.type in STRINGS for one in operands[:2]):
        return None  # numbers may be added before the first string
    pieces, quotes = list[str | Hole](), set[str]()
    for one in operands:
        plain = _plain_of(tree, one)
        if plain is not None:
            quotes.add(tree.text[one.start_byte])
            pieces.append(plain)
        elif one.type in STRINGS or "template" in one.type or "interpolated" in one.type:
            return None
        else:
            pieces.append(Hole(tree.of(one), start=one.start_byte))
    if len(quotes) != 1 or not any(isinstance(one, Hole) for one in pieces):
        return None
    return Message((Words(quotes.pop(), tuple(pieces)),))


def _operands(tree: Tree, node: Node) -> Iterator[Node]:
    """Return what is added up, from left to right."""
    left, right = field(node, "left"), field(node, "right")
    is_sum = node.type in _BINARY and tree.of(field(node, "operator")) == "+"
    if not is_sum or left is None or right is None:
        yield node
        return
    yield from _operands(tree, left)
    yield right


def _plain_of(tree: Tree, node: Node) -> str | None:
    """Return the text of a string without values, with its quotes as they are meant."""
    if node.type not in STRINGS or any(one.type in _VALUES for one in node.named_children):
        return None
    text = tree.of(node)
    if len(text) < 2 or text[0] not in _QUOTES or text.startswith('"""'):
        return None
    if tree.language == "ruby" and (text[0] == "'" and "\\" in text):
        return None  # a backslash is itself
    return _with_plain_quotes(text[1:-1])


def read_inline(tree: Tree, node: Node) -> Message | None:
    """Read a string with values in it."""
    start, end = _ends(tree, node)
    if end < 0:
        return None
    pieces, at = list[str | Hole](), start
    for child in node.named_children:
        if child.type in _VALUES:
            (value, *more) = child.named_children
            if value.type == "interpolation_brace":
                value, *more = more[:-1]
            spec = tree.of(more[0]) if more else ""
            pieces.append(_text_of(tree, at, child.start_byte))
            pieces.append(Hole(tree.of(value), spec, start=value.start_byte))
            at = child.end_byte
    if not any(isinstance(one, Hole) for one in pieces):
        return None
    pieces.append(_text_of(tree, at, end))
    return Message((Words(tree.text[end], tuple(pieces)),))


def _ends(tree: Tree, node: Node) -> tuple[int, int]:
    """Return where the text of a string with values begins and ends; -1 for another node."""
    text = tree.of(node)
    if node.type == "template_string" and node.parent and "call" not in node.parent.type:
        return node.start_byte + 1, node.end_byte - 1
    if node.type == "interpolated_string_expression" and text.startswith('$"'):
        return node.start_byte + 2, node.end_byte - 1
    if node.type == "string" and tree.language == "ruby" and text.startswith('"'):
        return node.start_byte + 1, node.end_byte - 1
    return -1, -1


def _text_of(tree: Tree, start: int, end: int) -> str:
    text = tree.text[start:end]
    if tree.language == "csharp":
        text = text.replace("{{", "{").replace("}}", "}")
    return _with_plain_quotes(text)


def _with_plain_quotes(text: str) -> str:
    """Return a text without the backslashes before quotes."""
    return _ESCAPED.sub(lambda found: found[1] if found[1] in "\"'`" else found[0], text)


def _written(message: Message, start: str, end: str, brace: str) -> str | None:
    """Write a message as a string with values in it; None where that is not possible."""
    pieces = list[str]()
    for one in message.strings[0].pieces:
        if isinstance(one, Hole):
            code = unenclosed(one.code).removesuffix(".to_s")  # Ruby converts what is in a string
            if end in code or "\n" in code or brace in code:
                return None
            pieces.append(f"{brace}{code}{one.spec}}}")
        elif brace == "{":
            pieces.append(one.replace("{", "{{").replace("}", "}}").replace(end, f"\\{end}"))
        elif one.endswith(brace[0]) or brace in one:
            return None
        else:
            pieces.append(one.replace(end, f"\\{end}"))
    return f"{start}{''.join(pieces)}{end}"


def read_formatted(tree: Tree, node: Node) -> Message | None:
    """Read a call of `String.format` or `formatted` of Java."""
    arguments, thing = field(node, "arguments"), field(node, "object")
    called = tree.of(field(node, "name"))
    if node.type != "method_invocation" or arguments is None or thing is None:
        return None
    values = arguments.named_children
    if called == "format" and tree.of(thing) == "String" and values:
        thing, *values = values
    elif called != "formatted":
        return None
    return of_percents(tree, thing, values)


def of_percents(tree: Tree, node: Node, values: list[Node]) -> Message | None:
    """Read a string with placeholders of `%`, given all of its values."""
    plain, left = _plain_of(tree, node), list(values)
    if plain is None or not left:
        return None
    words = of_percent(plain, tree.text[node.start_byte], left, tree)
    return Message((words,)) if words is not None and not left else None


def read_csharp_format(tree: Tree, node: Node) -> Message | None:
    """Read a call of `string.Format` of C#."""
    arguments = field(node, "arguments")
    if arguments is None or tree.of(field(node, "function")).lower() != "string.format":
        return None
    values = [one.named_children[-1] for one in arguments.named_children if one.named_child_count]
    plain = _plain_of(tree, values[0]) if values else None
    if plain is None:
        return None
    named = {str(number): value for number, value in enumerate(values[1:])}
    words = of_braces(plain, '"', named, tree)
    return Message((words,)) if words is not None and named else None


def of_empty_braces(tree: Tree, node: Node, values: list[Node]) -> Message | None:
    """Read a string with placeholders `{}`, given all of its values."""
    plain = _plain_of(tree, node)
    if plain is None or plain.count("{}") != len(values) or not values:
        return None
    first, *texts = plain.split("{}")
    holes = [Hole(tree.of(one), start=one.start_byte) for one in values]
    pairs = (piece for pair in zip(holes, texts, strict=True) for piece in pair)
    return Message((Words(tree.text[node.start_byte], (first, *pairs)),))


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


def _inline(anchor: str, start: str, end: str, brace: str) -> Form:
    """Return the form of strings with values in them, by their ends and what begins a value."""
    write = partial(_written, start=start, end=end, brace=brace)
    return Form("inline", re.compile(anchor), read_inline, write)


_SUM = Form("sum", re.compile(r"[\"'][ \t]*\+|\+[ \t]*[\"']"), read_sum)

#: The forms of each language.
FORMS: Final[Mapping[str, tuple[Form, ...]]] = {
    "python": (
        Form("inline", re.compile(r"\b[fF][\"']"), read_f_string, write_f_string),
        Form("format", re.compile(r"[\"']\s*\.\s*format\s*\("), read_format),
        Form("percent", re.compile(r"[\"']\)?\s*%"), read_percent),
    ),
    **dict.fromkeys(SCRIPTS, (_SUM, _inline("`", "`", "`", "${"))),
    "java": (_SUM, Form("format", re.compile(r"(?<=\.)format(ted)?\s*\("), read_formatted)),
    "csharp": (
        _SUM,
        Form("format", re.compile(r"\b[sS]tring\.Format\s*\("), read_csharp_format),
        _inline(r"\$\"", '$"', '"', "{"),
    ),
    "go": (),  # its messages have no other form; see `pairs`
    "ruby": (_SUM, _inline("#{", '"', '"', "#{")),
}
