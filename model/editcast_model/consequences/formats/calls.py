"""Calls that are given a message: in one piece, or as a text and the values for it."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.formats.forms import FORMS, Form, parts_at
from editcast_model.consequences.formats.messages import Hole, Message, as_percent, unenclosed
from editcast_model.consequences.formats.others import of_empty_braces, of_percents
from editcast_model.consequences.formats.python import of_values, side_by_side
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import Tree, field

_CALLS = ("call", "call_expression", "method_invocation")
_HANDLERS = ("except_clause", "catch_clause")
_STRINGS = ("string", "string_literal")
#: Expressions that are numbers.
_COUNTS = re.compile(r"len\(.*\)|\d+|[\w.]+\.(length|size)")


class Called(NamedTuple):
    """A call.

    Attributes:
        node: The call.
        function: What is called, as it is written.
        given: Its arguments.
    """

    node: Node
    function: str
    given: list[Node]


class GivenApart(NamedTuple):
    """A call since whose change the values of its message are arguments.

    Attributes:
        form: The form that the message had.
        was: What was called.
        function: What is called now.
        is_handling: Whether it stands where an error is handled.
        has_counts: Whether numbers are `%d`.
    """

    form: Form
    was: str
    function: str
    is_handling: bool
    has_counts: bool

    @property
    def pattern(self) -> str:
        """Return a regular expression for calls that follow: all methods of the same logger."""
        thing, dot, _ = self.was.rpartition(".")
        is_same = self.was == self.function and dot
        called = rf"{re.escape(thing)}\.\w+" if is_same else re.escape(self.was)
        return rf"(?<![\w.]){called}(?=\s*\()"


def call_at(tree: Tree, node: Node) -> Called | None:
    """Return a call with its arguments; None for another node."""
    arguments = field(node, "arguments") if node.type in _CALLS else None
    if arguments is None:
        return None
    given = [one for one in arguments.named_children if one.type != "comment"]
    return Called(node, tree.text[node.start_byte : arguments.start_byte].strip(), given)


def given_apart(change: Change, old: Node, new: Node) -> GivenApart | None:
    """Return what a change of a call shows, if it gives the values of a message apart."""
    tree, now = change.before.tree, change.after.tree
    before, after = call_at(tree, old), call_at(now, new)
    read = _READERS.get(tree.language)
    if read is None or before is None or after is None or not before.given or not after.given:
        return None
    rest = [tree.of(one) for one in before.given[1:]]
    values = after.given[1:]
    if rest:
        if [now.of(one) for one in values[-len(rest) :]] != rest:
            return None
        values = values[: -len(rest)]
    for form in FORMS[tree.language]:
        message = form.read(tree, before.given[0])
        apart = read(now, after.given[0], values) if message is not None else None
        if message is not None and apart is not None and message.says_same(apart):
            counts = [one.type for one in apart.holes if _COUNTS.fullmatch(one.code)]
            is_handling = _is_handling(now, new)
            return GivenApart(form, before.function, after.function, is_handling, "s" not in counts)
    return None


def calls_left(names: Names, example: GivenApart) -> Iterator[tuple[Node, str]]:
    """Yield the calls that are left to be changed as one was, each with what it becomes."""
    tree = names.tree
    for found in re.finditer(example.pattern, tree.text):
        nodes = [step.node for step in tree.path(found.start())]
        calls = (call_at(tree, one) for one in nodes if one.start_byte == found.start())
        call = next((one for one in calls if one and one.function == found[0]), None)
        if call is not None and call.given:
            text = _written(names, example, call)
            if text is not None:
                yield call.node, text


def _written(names: Names, example: GivenApart, call: Called) -> str | None:
    tree, (first, *rest) = names.tree, call.given
    is_moved = example.was != example.function
    if is_moved and (rest or _is_handling(tree, call.node) != example.is_handling):
        return None
    if any(one.type != "keyword_argument" for one in rest):
        return None
    message = example.form.read(tree, first)
    if message is not None:
        given = _WRITERS[tree.language](names, message, example.has_counts)
    else:
        is_text = is_moved and first.type in _STRINGS and not parts_at(tree, first)
        given = tree.of(first) if is_text else None
    if given is None:
        return None
    function = example.function if is_moved else call.function
    start = tree.text[call.node.start_byte + len(call.function) : first.start_byte]
    return f"{function}{start}{given}{tree.text[first.end_byte : call.node.end_byte]}"


def _as_percents(names: Names, message: Message, has_counts: bool) -> str | None:
    strings = list[str]()
    for words in message.strings:
        pieces = list[str]()
        for one in words.pieces:
            if not isinstance(one, Hole):
                pieces.append(one.replace("%", "%%") if message.holes else one)
                continue
            is_count = has_counts and _is_count(names, one)
            placeholder = as_percent(one, one.type or ("d" if is_count else "s"))
            if placeholder is None:
                return None
            pieces.append(placeholder)
        quote = '"' if words.quote == "`" else words.quote
        if quote != words.quote and any(quote in one or "\n" in one for one in pieces):
            return None
        strings.append(f"{quote}{''.join(pieces)}{quote}")
    values = [unenclosed(one.code) for one in message.holes]
    return ", ".join([side_by_side(strings, message.gaps), *values])


def _as_empty_braces(_: Names, message: Message, __: bool) -> str | None:
    (words,) = message.strings
    if any("{" in one if isinstance(one, str) else one.spec for one in words.pieces):
        return None
    texts = ("{}" if isinstance(one, Hole) else one for one in words.pieces)
    values = (unenclosed(one.code) for one in message.holes)
    return ", ".join([f"{words.quote}{''.join(texts)}{words.quote}", *values])


def _is_count(names: Names, hole: Hole) -> bool:
    """Tell whether a value is a number, as far as the text says."""
    if _COUNTS.fullmatch(hole.code):
        return True
    one = names.at(hole.start) if hole.code.isidentifier() else None
    for meant in names.meant_by(one):
        node = meant.path[-2].node
        kind, value = field(node, "type"), field(node, "right", "value")
        if names.tree.of(kind) == "int":
            return True
        if node.type != "augmented_assignment" and value is not None:
            return _COUNTS.fullmatch(names.tree.of(value)) is not None
    return False


def _is_handling(tree: Tree, node: Node) -> bool:
    return any(one.type in _HANDLERS for one in tree.around(node))


_READERS: dict[str, Callable[[Tree, Node, list[Node]], Message | None]] = {
    "python": of_values,
    "java": of_empty_braces,
    **dict.fromkeys(
        ("javascript", "javascriptreact", "typescript", "typescriptreact"), of_percents
    ),
}
_WRITERS: dict[str, Callable[[Names, Message, bool], str | None]] = {
    one: _as_empty_braces if one == "java" else _as_percents for one in _READERS
}
