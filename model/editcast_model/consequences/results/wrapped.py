"""A function's result that is wrapped since a change, as `T` in `Result<T>` or `Optional<T>`.

Of Rust and Java. What the function returns is wrapped as well, unless it is a call: what that
returns may be wrapped already. Callers in Rust that may fail as well hand the error on.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.results.further import APART, returns_in
from editcast_model.consequences.rewrites.rule import indent_at
from editcast_model.diff import Hunk, apply_hunks
from editcast_model.syntax.calls import Call, Function, calls_of
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import Tree, field, first_child, word_set

#: By language, a type that wraps another one.
_TYPES = {
    "rust": re.compile(r"(?:\w+::)*(\w*Result|Option)(?:\s*<(.*)>)?", re.DOTALL),
    "java": re.compile(r"(?:\w+\.)*(Optional)\s*<(.*)>", re.DOTALL),
}
#: What makes a value of these types, other than `Ok`.
_MAKERS = {"Option": "Some", "Optional": "Optional.of"}
_BOXED = {"int": "Integer", "long": "Long", "double": "Double", "boolean": "Boolean"}
#: What is wrapped already, by what makes it.
_DONE = {"Ok": re.compile(r"(Ok|Err)\b"), "Some": re.compile(r"(Some|None)\b")}
#: Methods of collections in Java that return `null` for nothing, and questions for that.
_LOOKUP = re.compile("get|remove|poll|peek")
_ASSERTED = {"assertNull": ".isEmpty()", "assertNotNull": ".isPresent()"}
_ASKED = {"==": ".isEmpty()", "!=": ".isPresent()"}
#: Types of expressions whose type is that which the function had, and constructors and macros.
_SURE = re.compile(
    r"(scoped_)?identifier|self|this|\w+_literal|(struct|tuple|array|unit|range|binary|unary"
    r"|reference|field|object_creation)_expression"
)
_MADE = re.compile(r"(\w+::)*[A-Z]\w*\s*\(|(vec|format)!")
_CONSTRUCTED = re.compile(
    r"(\w+::)*[A-Z]\w*::(new|default|with_\w+|from_(?!str|utf)\w+)\(.*\)$", re.DOTALL
)
#: Types of nodes that have the value of their last child, or of each of these.
_LAST_COUNTS = ("block", "expression_statement", "else_clause", "unsafe_block")
_BRANCHES = ("if_expression", "match_expression", "match_block", "match_arm")
#: The last statement of a test, or of what does not get there.
_END = re.compile(r"(return|loop)\b|(\w+::)*(\w*assert\w*|panic|todo|un\w+)!|(\w+::)*exit\(")
#: What panics in Rust for an error, and functions of its library with errors to be handed on.
_PANIC = re.compile(r"(\.await)?\s*\.(unwrap\(\)|expect\(\"[^\"\n]*\"\))")
_FAILING = re.compile(
    r"\b(parse|bind|connect|open|create|create_dir_all|read_dir|read_line|read_to_end"
    r"|read_to_string|remove_file|write_all|flush)(::<.*>)?$"
)
_TRIED = re.compile(r"(Ok|Err)\(")
#: What does something about an error, or is returned as it is.
_METHODS = re.compile("unwrap|expect|ok|err|map|and_then|or_else|is_|(with_)?context")
_HANDLED = word_set(
    "try_expression match_expression let_condition match_arm block return_expression"
)


class Wrapped(NamedTuple):
    """A function whose result is wrapped since a change, by what, and what it was before."""

    function: Function
    maker: str
    was_nothing: bool
    was_option: bool = False


def after_wrapping(change: Change) -> Iterator[Consequence]:
    """Return the results that are not wrapped yet, and the calls that lack a `?`."""
    for one in newly_wrapped(change):
        yield from _returned(change, one)
        for call in calls_of(change.after, one.function):
            yield from handed_on(change.after, call, one.maker)


def newly_wrapped(change: Change) -> Iterator[Wrapped]:
    """Yield the functions whose results are wrapped since a change."""
    for before, function in change.functions:
        was = _result(change.before.tree, before.node)
        maker, inner = _wrapper(change.after.tree, function.node)
        earlier, wrapped = _wrapper(change.before.tree, before.node)
        if (earlier, maker) == ("Some", "Ok") and inner.startswith(f"{wrapped}, "):
            yield Wrapped(function, maker, False, was_option=True)
        elif maker and earlier != maker:
            if re.match(rf"{re.escape(_BOXED.get(was, was) or '()')}\s*(,|$)", inner):
                yield Wrapped(function, maker, not was)


def handed_on(names: Names, call: Call, maker: str) -> Iterator[Consequence]:
    """Return the `?` that a call lacks in a function that may fail, or its question for `null`."""
    if maker == _MAKERS["Optional"]:
        yield from _asked(names, call)
    tree, node, parent = names.tree, call.node, call.node.parent
    function = next((one for one in tree.around(node) if APART.match(one.type)), None)
    if maker == "Ok" and (hunk := _no_option(tree, node)) is not None:
        yield Consequence(hunk, "wrap_result", cause=f"{call.called.name} Ok")
        return
    if maker != "Ok" or function is None or _wrapper(tree, function)[0] != maker:
        return
    if parent is not None and parent.type == "await_expression":
        node, parent = parent, parent.parent
    is_tried = _TRIED.match(tree.of(field(parent, "pattern")))
    if parent is None or parent.type in _HANDLED or is_tried:
        return
    around = parent.parent if parent.type == "arguments" else None
    # The call may take the place of what it is wrapped in.
    is_wrapped = around is not None and tree.of(field(around, "function")) in ("Ok", "Some")
    if not is_wrapped and not _METHODS.match(tree.of(field(parent, "field"))):
        end = node.end_byte
        yield Consequence(Hunk(end, end, "?"), "wrap_result", cause=f"{call.called.name} ?")


def _no_option(tree: Tree, call: Node) -> Hunk | None:
    """Return what becomes of a call whose result was an `Option`, which fails itself now."""
    above = call.parent
    pattern = field(above, "pattern")
    if pattern is not None and tree.of(pattern).startswith("Some("):
        return Hunk(pattern.start_byte, pattern.start_byte + len("Some"), "Ok")
    outer = above.parent if above is not None else None
    if outer is not None and tree.of(field(above, "field")) in ("ok_or", "ok_or_else"):
        return Hunk(call.end_byte, outer.end_byte, "")
    return None


def _asked(names: Names, call: Call) -> Iterator[Consequence]:
    """Ask an `Optional` whether it is empty, in the place of a comparison with `null`."""
    comparison, tree = call.node.parent, names.tree
    asserted = comparison.parent if comparison is not None else None
    word = _ASSERTED.get(tree.of(field(asserted, "name")))
    if asserted is not None and word and comparison and comparison.named_child_count == 1:
        text = f"assertTrue({tree.of(call.node)}{word})"
        hunk = Hunk(asserted.start_byte, asserted.end_byte, text)
        yield Consequence(hunk, "wrap_result", cause=f"{call.called.name} Optional")
    operands = comparison.named_children if comparison is not None else []
    if comparison is None or comparison.type != "binary_expression" or len(operands) != 2:
        return
    sign = tree.of(field(comparison, "operator"))
    if operands[0] == call.node and tree.of(operands[1]) == "null" and sign in _ASKED:
        hunk = Hunk(call.node.end_byte, comparison.end_byte, _ASKED[sign])
        yield Consequence(hunk, "wrap_result", cause=f"{call.called.name} Optional")


def _result(tree: Tree, function: Node) -> str:
    """Return the type of a function's result."""
    return tree.of(field(function, "return_type", "type"))


def _wrapper(tree: Tree, function: Node) -> tuple[str, str]:
    """Return what makes a function's result, and the type of what is in it; empty for others."""
    pattern = _TYPES.get(tree.language)
    found = pattern.fullmatch(_result(tree, function)) if pattern else None
    return (_MAKERS.get(found[1], "Ok"), found[2] or "()") if found else ("", "")


def _returned(change: Change, one: Wrapped) -> Iterator[Consequence]:
    """Return what is not wrapped of what a function returns, and where it need not panic."""
    tree, function = change.after.tree, one.function.node
    # Of what may fail, branches often do.
    values = list(_values(tree, function, with_branches=one.maker == "Some"))
    has_none = any(tree.of(each) in ("null", "Optional.empty()") for each in values)
    # In Java a variable may be null, or an `Optional` itself by now.
    may_be_none = one.maker == "Optional.of" and not has_none
    if one.was_option:
        for value in _values(tree, function, with_branches=True):
            if tree.of(value).startswith("Some("):
                hunk = Hunk(value.start_byte, value.start_byte + len("Some"), one.maker)
                yield Consequence(hunk, "wrap_result", is_first=True)
        return
    panics = list(_panics(tree, function)) if one.maker == "Ok" else []
    for value in values if not one.was_nothing else ():
        start, end, text = value.start_byte, value.end_byte, tree.of(value)
        is_done = one.maker in _DONE and _DONE[one.maker].match(text)
        is_lookup = one.maker == "Optional.of" and _LOOKUP.fullmatch(tree.of(field(value, "name")))
        is_made = _MADE.match(text) or _CONSTRUCTED.match(text)
        is_sure = _SURE.fullmatch(value.type) or is_made or is_lookup
        is_unknown = may_be_none and value.type == "identifier"
        if is_done or not is_sure or is_unknown or change.was_at(start) is None:
            continue
        within = [each.shifted(-start) for each in panics if start <= each.start < end]
        new = f"{one.maker}{'Nullable' if is_lookup else ''}({apply_hunks(text, within)})"
        if one.maker == "Optional.of" and text == "null":
            new = "Optional.empty()"
        yield Consequence(Hunk(start, end, new), "wrap_result")
    for hunk in panics:
        yield Consequence(hunk, "wrap_result")
    if one.was_nothing and one.maker == "Ok":
        yield from _last(tree, function)


def _values(tree: Tree, function: Node, *, with_branches: bool) -> Iterator[Node]:
    """Yield what a function returns, at its end or in each of its branches there, and before."""
    body = function.child_by_field_name("body")
    if body is None:
        return
    if tree.language == "rust":
        yield from _ends(tree, body, with_branches)
    for one in returns_in(body):
        if (value := first_child(one)) is not None:
            yield from _ends(tree, value, with_branches)


def _ends(tree: Tree, node: Node, with_branches: bool) -> Iterator[Node]:
    """Yield the expressions whose value an expression or a block has."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        parts = _parts(one)
        if one.type in _LAST_COUNTS:
            waiting += parts[-1:] if not tree.of(one).endswith(";") else []
        elif one.type in _BRANCHES:
            is_whole = one.type != "if_expression" or len(parts) > 2
            parts = parts[0 if one.type == "match_block" else 1 :]
            waiting += parts if with_branches and is_whole else []
        else:
            yield one


def _parts(node: Node) -> list[Node]:
    return [one for one in node.named_children if not one.type.endswith("comment")]


def _panics(tree: Tree, function: Node) -> Iterator[Hunk]:
    """Yield the `?` that may take the place of `unwrap`, and of `expect`."""
    for found in _PANIC.finditer(tree.text, function.start_byte, function.end_byte):
        path = [step.node for step in tree.path(found.start() - 1)][::-1]
        calls = [one for one in path if one.type == "call_expression"]
        apart = [one for one in path if APART.match(one.type)]
        if calls and apart[:1] == [function] and calls[0].end_byte == found.start():
            if _FAILING.search(tree.of(field(calls[0], "function"))):
                yield Hunk(max(found.start(), found.end(1)), found.end(), "?")


def _last(tree: Tree, function: Node) -> Iterator[Consequence]:
    """Return the `Ok(())` that a function lacks at its end since it may fail."""
    body = function.child_by_field_name("body")
    *_, last = (_parts(body) if body is not None else []) or (None,)
    if body is None or last is None or body.start_point[0] == last.start_point[0]:
        return
    is_statement = last.type in ("expression_statement", "let_declaration")
    if is_statement and not _END.match(tree.of(last)):
        start = tree.text.rfind("\n", 0, body.end_byte) + 1
        line = f"{indent_at(tree, last.start_byte)}Ok(())\n"
        yield Consequence(Hunk(start, start, line), "wrap_result")
