"""Messages of Python: f-strings, `str.format`, `%`, and strings with arguments."""

from collections.abc import Collection

from tree_sitter import Node

from editcast_model.consequences.formats.messages import (
    Hole,
    Message,
    Words,
    of_braces,
    of_percent,
    unenclosed,
)
from editcast_model.syntax.tree import Tree, field, first_child


def strings_of(tree: Tree, node: Node, prefixes: Collection[str] = ("",)) -> list[Node] | None:
    """Return the strings that a node is made of; None where one has another prefix."""
    found = node.named_children if node.type == "concatenated_string" else [node]
    for one in found:
        start = tree.of(first_child(one)).lower()
        if one.type != "string" or start.rstrip("\"'") not in prefixes:
            return None
    return found


def gaps_of(tree: Tree, strings: list[Node]) -> tuple[str, ...]:
    """Return what stands between strings."""
    ends = zip(strings, strings[1:], strict=False)
    return tuple(tree.text[one.end_byte : other.start_byte] for one, other in ends)


def within(tree: Tree, string: Node) -> tuple[str, str]:
    """Return the quote of a string, and what it has within its quotes."""
    start, *_, end = string.named_children
    return tree.of(end), tree.text[start.end_byte : end.start_byte]


def read_f_string(tree: Tree, node: Node) -> Message | None:
    """Read an f-string, or several strings side by side of which one is."""
    strings = strings_of(tree, node, ("", "f"))
    if strings is None:
        return None
    words = [_of_f_string(tree, one) for one in strings]
    if not all(words) or not any(tree.of(one)[0] in "fF" for one in strings):
        return None
    return Message(tuple(one for one in words if one), gaps_of(tree, strings))


def _of_f_string(tree: Tree, string: Node) -> Words | None:
    quote, text = within(tree, string)
    if tree.of(string)[0] not in "fF":
        return Words(quote, (text,))
    pieces, at = list[str | Hole](), string.named_children[0].end_byte
    for child in string.named_children:
        if child.type != "interpolation":
            continue
        value, how = field(child, "expression"), field(child, "type_conversion")
        spec = field(child, "format_specifier")
        if value is None or any(one.type == "=" for one in child.children):
            return None
        if spec is not None and "{" in tree.of(spec):
            return None
        pieces.append(_unescaped(tree.text[at : child.start_byte]))
        pieces.append(Hole(tree.of(value), tree.of(how) + tree.of(spec), "", value.start_byte))
        at = child.end_byte
    end = string.named_children[-1].start_byte
    return Words(quote, (*pieces, _unescaped(tree.text[at:end])))


def _unescaped(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}")


def write_f_string(message: Message) -> str | None:
    """Write a message as f-strings; None where a value cannot stand in one."""
    out = list[str]()
    for words in message.strings:
        holes = [one for one in words.pieces if isinstance(one, Hole)]
        if any(_is_strange(one.code, words.quote) for one in holes):
            return None
        text = "".join(_as_piece(one, is_format=bool(holes)) for one in words.pieces)
        out.append(f"{'f' * bool(holes)}{words.quote}{text}{words.quote}")
    return side_by_side(out, message.gaps)


def _as_piece(piece: str | Hole, *, is_format: bool) -> str:
    if isinstance(piece, Hole):
        return f"{{{unenclosed(piece.code)}{piece.spec}}}"
    return piece.replace("{", "{{").replace("}", "}}") if is_format else piece


def _is_strange(code: str, quote: str) -> bool:
    """Tell whether code cannot stand in an f-string, or not in older versions of Python."""
    is_other = any(one in code for one in ("\\", "\n", "#", "lambda", ":=", "{"))
    return is_other or quote in code or quote[0] in code


def read_format(tree: Tree, node: Node) -> Message | None:
    """Read a call of `str.format`."""
    called = field(node, "function") if node.type == "call" else None
    string, arguments = field(called, "object"), field(node, "arguments")
    if string is None or arguments is None or tree.of(field(called, "attribute")) != "format":
        return None
    strings = strings_of(tree, string)
    if strings is None or len(strings) > 1:
        return None  # placeholders without numbers go on in the next string
    values = dict[str, Node]()
    for number, one in enumerate(arguments.named_children):
        name, value = field(one, "name"), field(one, "value")
        if one.type == "keyword_argument" and name is not None and value is not None:
            values[tree.of(name)] = value
        elif "splat" in one.type or one.type in ("comment", "generator_expression"):
            return None
        else:
            values[str(number)] = one
    quote, text = within(tree, string)
    words = of_braces(text, quote, values, tree)
    message = Message((words,)) if words is not None else None
    return message if message is not None and len(message.holes) >= len(values) > 0 else None


def read_percent(tree: Tree, node: Node) -> Message | None:
    """Read a string with its values behind `%`."""
    left, right = field(node, "left"), field(node, "right")
    if node.type != "binary_operator" or left is None or right is None:
        return None
    if tree.of(field(node, "operator")) != "%" or right.type in ("dictionary", "list_splat"):
        return None
    values = right.named_children if right.type == "tuple" else [right]
    return of_values(tree, left, values)


def of_values(tree: Tree, node: Node, values: list[Node]) -> Message | None:
    """Read a string with placeholders of `%`, given all of its values."""
    strings = strings_of(tree, node)
    left = [one for one in values if one.type != "comment"]
    if strings is None or not left or any("splat" in one.type for one in left):
        return None
    words = list[Words]()
    for one in strings:
        quote, text = within(tree, one)
        read = of_percent(text, quote, left, tree)
        if read is None:
            return None
        words.append(read)
    return Message(tuple(words), gaps_of(tree, strings)) if not left else None


def side_by_side(strings: list[str], gaps: tuple[str, ...]) -> str:
    """Write strings with what stands between them."""
    return "".join(one + gap for one, gap in zip(strings, (*gaps, ""), strict=True))
