"""A message: texts with values between them, in whatever form a language puts them together."""

import re
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.syntax.tree import Tree

#: A placeholder of `%`, or a percent sign.
PERCENT = re.compile(
    r"%(?:%|(?P<flags>[-+0]*)(?P<width>\d*)(?:\.(?P<digits>\d+))?(?P<type>[a-zA-Z]))"
)
#: A placeholder in braces, or a brace.
BRACES = re.compile(
    r"\{\{|\}\}|\{(?P<name>[\w.]*)(?P<spec>(?:![rsa])?(?::[^{}]*)?)\}|(?P<other>[{}])"
)
_SPEC = re.compile(
    r"(?P<how>![rsa])?(?::(?P<align>[<>])?(?P<sign>\+)?(?P<zero>0)?(?P<width>\d+)?"
    r"(?:\.(?P<digits>\d+))?(?P<type>[dsfeEgGxXo])?)?"
)
#: Types of what `%` writes without more than its value.
_PLAIN = "sdi"
#: Types of values of which a member may be taken as they are written.
_TIGHT = ("identifier", "attribute", "subscript", "call")


class Hole(NamedTuple):
    """A value in a message.

    Attributes:
        code: The value.
        spec: The rest of its placeholder as braces have it, such as `!r` or `:.1f`.
        type: The type that `%` has it with where that says no more; empty if it is not written.
        start: Where the value stands, in code points.
    """

    code: str
    spec: str = ""
    type: str = ""
    start: int = -1


class Words(NamedTuple):
    """A string of a message: its quote, and its texts and values in order.

    The texts are as they are written, but for what stands for a percent sign, a brace or a quote.
    """

    quote: str
    pieces: tuple[str | Hole, ...]


class Message(NamedTuple):
    """A message: its strings, of which only Python has several, and what stands between them."""

    strings: tuple[Words, ...]
    gaps: tuple[str, ...] = ()

    @property
    def holes(self) -> list[Hole]:
        """Return its values, in order."""
        pieces = (piece for words in self.strings for piece in words.pieces)
        return [piece for piece in pieces if isinstance(piece, Hole)]

    def says_same(self, other: "Message | None", *, in_any_quotes: bool = False) -> bool:
        """Tell whether another message has the same texts and values."""
        return other is not None and _plain(self, in_any_quotes) == _plain(other, in_any_quotes)


def _plain(message: Message, in_any_quotes: bool) -> list[str | tuple[str, str]]:
    found: list[str | tuple[str, str]] = []
    for piece in (piece for words in message.strings for piece in words.pieces):
        if isinstance(piece, Hole):
            code = unenclosed(piece.code)
            found.append((code.replace("'", '"') if in_any_quotes else code, piece.spec))
        elif found and isinstance(found[-1], str):
            found[-1] += piece
        else:
            found.append(piece)
    return [one for one in found if one]


def unenclosed(code: str) -> str:
    """Return code without the parentheses around all of it."""
    if not (code.startswith("(") and code.endswith(")")):
        return code
    depth = 0
    for at, letter in enumerate(code):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return code[1:-1] if at == len(code) - 1 else code
    return code


def of_percent(text: str, quote: str, values: list[Node], tree: Tree) -> Words | None:
    """Read a string with placeholders of `%`; takes the values that it uses off the list."""
    pieces, at = list[str | Hole](), 0
    for found in PERCENT.finditer(text):
        pieces.append(text[at : found.start()])
        at = found.end()
        if found[0] == "%%":
            pieces.append("%")
            continue
        spec = _of_percent(found)
        if spec is None or not values:
            return None
        value, kind = values.pop(0), found["type"] if found["type"] in _PLAIN else ""
        pieces.append(Hole(tree.of(value), spec, kind, value.start_byte))
    return Words(quote, (*pieces, text[at:])) if "%" not in PERCENT.sub("", text) else None


def _of_percent(found: re.Match[str]) -> str | None:
    """Return a placeholder of `%` as braces have it; None for one that they have not."""
    flags, width, kind = found["flags"], found["width"], found["type"]
    digits = f".{found['digits']}" if found["digits"] else ""
    if kind in ("r", "a"):
        return None if flags or width or digits else f"!{kind}"
    if kind in _PLAIN and not (flags or digits):
        if not width:
            return ""
        return f":>{width}" if kind == "s" else f":{width}d"
    if kind == "s":
        return f":<{width}" if flags == "-" and width and not digits else None
    if kind not in "dfeEgGxXo" or "-" in flags:
        return None
    return f":{'+' * ('+' in flags)}{'0' * ('0' in flags)}{width}{digits}{kind}"


def as_percent(hole: Hole, plain: str) -> str | None:
    """Write the placeholder of a value for `%`, with a type if it has none; None if impossible."""
    found = _SPEC.fullmatch(hole.spec)
    if found is None:
        return None
    how, kind = found["how"], found["type"]
    if how in ("!r", "!a"):
        return f"%{how[1]}" if ":" not in hole.spec else None
    if (found["width"] or found["digits"]) and not (kind or found["align"]):
        return None  # a number is put to the right, a text to the left
    is_left = found["align"] == "<" or (kind == "s" and not found["align"] and found["width"])
    flags = "-" * bool(is_left) + (found["sign"] or "") + (found["zero"] or "")
    digits = f".{found['digits']}" if found["digits"] else ""
    return f"%{flags}{found['width'] or ''}{digits}{kind or plain}"


def of_braces(text: str, quote: str, values: dict[str, Node], tree: Tree) -> Words | None:
    """Read a string with placeholders in braces, given the values by name, or by number.

    A placeholder without either takes the next one.
    """
    pieces, at, count = list[str | Hole](), 0, 0
    for found in BRACES.finditer(text):
        pieces.append(text[at : found.start()])
        at = found.end()
        if found[0] in ("{{", "}}"):
            pieces.append(found[0][0])
            continue
        if found["other"]:
            return None
        name, *members = found["name"].split(".")
        if not name:
            name, count = str(count), count + 1
        value = values.get(name)
        if value is None or (members and value.type not in _TIGHT):
            return None
        code = ".".join([tree.of(value), *members])
        pieces.append(Hole(code, found["spec"], "", value.start_byte))
    return Words(quote, (*pieces, text[at:]))
