"""Further results of a function, which its callers do not take and its other returns lack.

In Python they are seen where a `return` says more than before, in Go in the function's signature,
where an error is also handled as the caller's own results ask for.
"""

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change, Consequence
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import Call, Function, calls_of, function_node_around
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import Tree

_STRENGTH = 0.7
_FUNCTIONS = ("function_definition", "function_declaration", "method_declaration")
_LITERALS = ("func_literal", "lambda")
_TARGETS = ("identifier", "attribute", "subscript")
_ASSIGNMENTS = ("short_var_declaration", "assignment_statement")
_BLOCKS = ("block", "statement_list")
_TESTS = ("*testing.T", "*testing.B", "testing.TB")
_NUMBERS = frozenset(
    """int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64 byte rune
    uintptr""".split()
)
#: What Go's programmers call a result of a type.
_CALLED = {"error": "err", "bool": "ok"}


class NewResults(NamedTuple):
    """A function that returns more than one result since a change.

    Attributes:
        function: The function.
        names: What the further results are called; `_` for one that has no name.
        written: What other returns say in their place; empty where that is unknown.
    """

    function: Function
    names: tuple[str, ...]
    written: str


def after_results(change: Change) -> Iterator[Consequence]:
    """Return the returns and the calls that do not know of a function's further results."""
    for new in new_results(change):
        yield from _other_returns(change.after.tree, new)
        for call in calls_of(change.after, new.function):
            yield from taken_apart(change.after, call, new.names)


def new_results(change: Change) -> Iterator[NewResults]:
    """Yield the functions that return more than one result since a change."""
    find = {"python": _in_returns, "go": _in_signature}.get(change.after.tree.language)
    if find is None:
        return
    for was, function in change.functions:
        names, written = find(change, was, function)
        if names:
            yield NewResults(function, names, written)


def _in_returns(change: Change, _: Function, function: Function) -> tuple[tuple[str, ...], str]:
    """Return what a `return` of Python has beside the value that it had before."""
    tree, before = change.after.tree, change.before.tree
    for _hunk, start, _end in change.finished():
        path = [step.node for step in tree.path(max(start - 1, 0))]
        node = next((one for one in path if one.type == "return_statement"), None)
        values = _values(node) if node is not None and function.node in path else []
        place = change.was_at(node.start_byte) if node is not None else None
        if len(values) > 1 and place is not None:
            steps = (step.node for step in before.path(place) if step.type == "return_statement")
            if [before.of(one) for each in steps for one in _values(each)] == [tree.of(values[0])]:
                further = [tree.of(one) for one in values[1:]]
                names = tuple(one if one.isidentifier() else "_" for one in further)
                return names, ", ".join(further) if "_" not in names else ""
    return (), ""


def _in_signature(
    change: Change, earlier: Function, function: Function
) -> tuple[tuple[str, ...], str]:
    """Return what a function of Go returns beside the one result that it had before."""
    was = _results(change.before.tree, earlier.node)
    now = _results(change.after.tree, function.node)
    if len(was) != 1 or len(now) < 2 or was != now[:1]:
        return (), ""
    names = tuple(_CALLED.get(one, "_") for one in now[1:])
    return names, "nil" if now[1:] == ["error"] else ""


def _other_returns(tree: Tree, new: NewResults) -> Iterator[Consequence]:
    """Return what the other returns of a function lack."""
    node = new.function.node
    waiting = [node] if new.written else []
    while waiting:
        one = waiting.pop()
        waiting += [each for each in one.named_children if each.type not in _LITERALS]
        if one is not node and one.type in _FUNCTIONS:
            continue
        values = _values(one) if one.type == "return_statement" else []
        if len(values) == 1:
            end = values[0].end_byte
            yield Consequence(Hunk(end, end, f", {new.written}"), "take_results", _STRENGTH)


def taken_apart(names: Names, call: Call, further: tuple[str, ...]) -> Iterator[Consequence]:
    """Return the names that an assignment of a call's result lacks."""
    node, parent = call.node, call.node.parent
    if parent is not None and parent.type == "await":
        node, parent = parent, parent.parent
    if parent is None:
        return
    more, cause = ", ".join(("", *further)), f"{call.called.name} {', '.join(further)}"
    if parent.type == "assignment" and parent.child_by_field_name("type") is None:
        left = parent.child_by_field_name("left")
        is_result = parent.child_by_field_name("right") == node
        if left is not None and is_result and left.type in _TARGETS:
            hunk = Hunk(left.end_byte, left.end_byte, more)
            yield Consequence(hunk, "take_results", _STRENGTH, cause=cause)
    elif parent.type == "expression_list" and parent.named_child_count == 1:
        statement = parent.parent
        left = statement.child_by_field_name("left") if statement is not None else None
        if statement is None or left is None or statement.type not in _ASSIGNMENTS:
            return
        if left == parent or left.named_child_count != 1:
            return
        tree, end = names.tree, left.end_byte
        # Other than a declaration, an assignment takes only names that are there.
        called = names.at(call.called.start)
        is_declared = tree.text[end : node.start_byte].strip() != "="
        if not is_declared and not all(called and names.is_known(called, one) for one in further):
            return
        handled = _handled(tree, statement) if further == ("err",) else ""
        text = more + tree.text[end : statement.end_byte] + handled
        hunk = Hunk(end, statement.end_byte, text) if handled else Hunk(end, end, more)
        yield Consequence(hunk, "take_results", _STRENGTH, cause=cause)


def _handled(tree: Tree, statement: Node) -> str:
    """Return the lines that handle an error behind a statement; empty where that is unknown."""
    block, around = statement.parent, function_node_around(statement)
    if block is None or around is None or block.type not in _BLOCKS:
        return ""
    does = ""
    results = _results(tree, around)
    if results[-1:] == ["error"]:
        zeros = [_zero(one) for one in results[:-1]]
        does = f"return {', '.join([*zeros, 'err'])}" if all(zeros) else ""
    else:
        parameters = around.child_by_field_name("parameters")
        for one in parameters.named_children if parameters is not None else ():
            kind, name = one.child_by_field_name("type"), one.child_by_field_name("name")
            if kind is not None and name is not None and tree.of(kind) in _TESTS:
                does = f"{tree.of(name)}.Fatal(err)"
    start = tree.text.rfind("\n", 0, statement.start_byte) + 1
    indent = tree.text[start : statement.start_byte]
    if not does or indent.strip():
        return ""
    return f"\n{indent}if err != nil {{\n{indent}\t{does}\n{indent}}}"


def _zero(kind: str) -> str:
    """Write the zero value of a type of Go; empty for one of which it is not known."""
    if kind in _NUMBERS:
        return "0"
    if kind in ("string", "bool"):
        return '""' if kind == "string" else "false"
    is_reference = kind.startswith(("*", "[]", "map[", "chan ", "func(")) or kind == "any"
    return "nil" if is_reference else ""


def _values(statement: Node) -> list[Node]:
    """Return the values that a `return` lists."""
    (value,) = statement.named_children[:1] or (None,)
    if value is None:
        return []
    return value.named_children if value.type in ("expression_list", "tuple") else [value]


def _results(tree: Tree, function: Node) -> list[str]:
    """Return the types of a function's results in Go, one for each."""
    result = function.child_by_field_name("result")
    if result is None:
        return []
    if result.type != "parameter_list":
        return [tree.of(result)]
    out = []
    for one in result.named_children:
        kind = one.child_by_field_name("type")
        count = max(1, len(one.children_by_field_name("name")))
        out += [tree.of(kind)] * count if kind is not None else []
    return out
