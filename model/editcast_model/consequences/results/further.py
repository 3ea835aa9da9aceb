"""Further results of a function, which its callers do not take and its other returns lack.

In Python they are seen where a `return` says more than before, in Go in the function's signature,
where an error is also handled as the caller's own results ask for.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.results.checks import asked
from editcast_model.consequences.rewrites.rule import indent_at
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import (
    Call,
    Function,
    calls_of,
    function_node_around,
    functions_around,
)
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import Tree, field, first_child, outermost

#: Types of nodes whose returns are their own.
APART = re.compile("closure_|func|method_decl|async_block|lambda|class_|impl_item")
_WAITING, _LISTS = ("await",), ("expression_list", "pattern_list", "tuple_pattern")
_TARGETS = ("identifier", "attribute", "subscript")
_ASSIGNMENTS = ("short_var_declaration", "assignment_statement")
_BLOCKS = ("block", "statement_list")
_ERROR = re.compile(r"&?[\w.]*[eE]rr")
_TESTS = ("*testing.T", "*testing.B", "testing.TB")
_NUMBERS = """int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64 byte rune
    uintptr""".split()
#: The zero values of types of Go.
_ZEROS = {**dict.fromkeys(_NUMBERS, "0"), "string": '""', "bool": "false", "any": "nil"}
#: The customary names for results in Go, by type.
_CALLED = {"error": "err", "bool": "ok"}
#: What a return says in the place of one further result, beside a value that is not zero.
_SAYS = {"error": "nil", "bool": "true"}
#: How they are asked for, if there was something and if there was nothing.
_ASKED = {"err": ("err == nil", "err != nil"), "ok": ("ok", "!ok")}
_NOTHING = re.compile(r'nil|0|""|false|[\w.\[\]]+\{\}')


class Place(NamedTuple):
    """The place of further results: `at` among those that there were `earlier`."""

    earlier: int = 1
    at: int = 1


class NewResults(NamedTuple):
    """A function that returns more than one result since a change.

    Attributes:
        function: The function.
        names: What the further results are called; `_` for one that has no name.
        written: What other returns say in their place; empty where that is unknown.
        place: The place where they stand.
    """

    function: Function
    names: tuple[str, ...]
    written: str
    place: Place = Place()


def after_results(change: Change) -> Iterator[Consequence]:
    """Return the returns and the calls that do not know of a function's further results."""
    for new in new_results(change):
        calls = calls_of(change.after, new.function)
        found = all_taken_apart(change.after, calls, new.names, new.place)
        for one in chain(_other_returns(change.after.tree, new), found):
            yield replace(one, cause=f"results of {new.function.name}")


def all_taken_apart(
    names: Names, calls: Iterable[Call], further: tuple[str, ...], place: Place
) -> Iterator[Consequence]:
    """Return what calls of a function lack, with the names that one of them has already."""
    every, end = list(calls), place.at + len(further)
    for call in every:
        left = field(outermost(call.node, (*_WAITING, "expression_list")).parent, "left")
        taken = left.named_children if left is not None and left.type in _LISTS else []
        given = tuple(names.tree.of(one) for one in taken[place.at : end])
        is_of_these = place.at < place.earlier or {*given} == {"_"}
        if len(taken) == place.earlier + len(further) and is_of_these:
            further = given
    for call in every if place.at in (0, place.earlier) or "_" not in further else ():
        yield from _taken_apart(names, call, further, place)


def new_results(change: Change) -> Iterator[NewResults]:
    """Yield the functions that return more than one result since a change."""
    find = {"python": _in_returns, "go": _in_signature}.get(change.after.tree.language)
    if find is None:
        return
    for was, function in change.functions:
        if (found := find(change, was, function)) is not None:
            yield found
            if change.after.tree.language == "python":
                yield from _handed_on(change.after, found)


def _handed_on(names: Names, new: NewResults) -> Iterator[NewResults]:
    """Yield the functions that return what a function of Python does, and nothing else."""
    for call in calls_of(names, new.function):
        around = functions_around(names, call.start)[-1:]
        for one in around:
            if [first_child(each) for each in returns_in(one.node)] == [call.node]:
                yield new._replace(function=one, written="")


def _in_returns(change: Change, _: Function, function: Function) -> NewResults | None:
    """Return what a `return` of Python has beside the value that it had before."""
    tree, before = change.after.tree, change.before.tree
    for node in sorted(returns_in(function.node), key=lambda one: one.start_byte):
        place, values = change.was_at(node.start_byte), values_of(node)
        is_active = change.is_active(node.start_byte, node.end_byte)
        if len(values) > 1 and place is not None and not is_active:
            steps = (step.node for step in before.path(place) if step.type == "return_statement")
            was = [before.of(one) for each in steps for one in values_of(each)]
            if was == [tree.of(values[0])]:
                further = [tree.of(one) for one in values[1:]]
                names = tuple(one if one.isidentifier() else "_" for one in further)
                written = ", ".join(further) if "_" not in names else ""
                return NewResults(function, names, written)
    return None


def _in_signature(change: Change, earlier: Function, function: Function) -> NewResults | None:
    """Return what a function of Go returns beside the results that it had before."""
    was = results_of(change.before.tree, earlier.node)
    now = results_of(change.after.tree, function.node)
    count = len(now) - len(was)
    bare = [one.removeprefix("*") for one in was]  # a pointer said by `nil` what a result says now
    ends = (at for at in range(len(was), -1, -1) if now[:at] + now[at + count :] in (was, bare))
    at = next(ends, None) if was and count > 0 else None
    if at is None or (at < len(was) and was[-1] != "error"):
        return None
    new, place = now[at : at + count], Place(len(was), at)
    if at < len(was):
        zeros = [_zero(one) for one in new]
        written = ", ".join(zeros) if all(zeros) else ""
        return NewResults(function, ("_",) * count, written, place)
    names = tuple(_CALLED.get(one, "_") for one in new)
    is_known = count == 1 and was == now[:at]
    return NewResults(function, names, _SAYS.get(new[0], "") if is_known else "", place)


def nodes_of(function: Node) -> Iterator[Node]:
    """Yield the nodes of a function, without those of functions and classes in it."""
    waiting = [function]
    while waiting:
        one = waiting.pop()
        waiting += [each for each in one.named_children if not APART.match(each.type)]
        yield one


def returns_in(function: Node) -> Iterator[Node]:
    """Yield the returns of a function, without those of functions and classes in it."""
    return (one for one in nodes_of(function) if one.type.startswith("return_"))


def _other_returns(tree: Tree, new: NewResults) -> Iterator[Consequence]:
    """Return what the other returns of a function lack."""
    place = new.place
    for one in returns_in(new.function.node) if new.written else ():
        values = values_of(one)
        if len(values) != place.earlier:
            continue
        last = tree.of(values[-1])
        if place.at < place.earlier:  # what is to be returned beside no error is unknown
            at = values[place.at].start_byte
            hunk = Hunk(at, at, f"{new.written}, ") if _ERROR.match(last) else None
        else:
            end = values[-1].end_byte
            written = new.written
            if _NOTHING.fullmatch(last) and new.names == ("ok",):
                written = "false"
            elif new.names == ("err",) and _may_fail(last, values):
                written = ""
            hunk = Hunk(end, end, f", {written}") if written else None
        if hunk is not None:
            yield Consequence(hunk, "take_results", is_first=True)


def _may_fail(last: str, values: list[Node]) -> bool:
    """Tell whether a `return` is that of an unknown error: of nothing, or of what is looked up."""
    is_found = values[0].type == "index_expression"
    return is_found or (_NOTHING.fullmatch(last) is not None and last != "false")


def _taken_apart(
    names: Names, call: Call, further: tuple[str, ...], place: Place
) -> Iterator[Consequence]:
    """Return the names that an assignment of a call's results lacks."""
    node, parent = call.node, call.node.parent
    if parent is not None and parent.type in _WAITING:
        node, parent = parent, parent.parent
    if parent is None:
        return
    is_go = parent.type == "expression_list" and parent.named_child_count == 1
    value, statement = (parent, parent.parent) if is_go else (node, parent)
    left = field(statement, "left") if statement is not None else None
    if statement is None or left is None or left == value:
        return
    text, end, written = names.tree.text, left.end_byte, ", ".join(further)
    if is_go:
        # Other than a declaration, an assignment takes only names that are there.
        is_there = all(names.is_known(call.called, one) for one in further)
        signs = (":=", "=") if is_there else (":=",)
        takes = statement.type in _ASSIGNMENTS and left.named_child_count == place.earlier
        takes &= text[end : node.start_byte].strip() in signs
    else:
        takes = statement.type == "assignment" and left.type in _TARGETS
        takes &= statement.child_by_field_name("type") is None
    if takes:
        hunk = Hunk(end, end, f", {written}")
        if place.at < place.earlier:
            start = left.named_children[place.at].start_byte
            hunk = Hunk(start, start, f"{written}, ")
        found = asked(names.tree, statement, names.tree.of(left)) if is_go else None
        if found is not None and place == Place() and further in (("err",), ("ok",)):
            is_nothing = names.tree.of(found).endswith("== nil")
            question = _ASKED[further[0]][is_nothing]
            between = text[end : found.start_byte]
            hunk = Hunk(end, found.end_byte, f", {written}{between}{question}")
        elif is_go and further == ("err",) and (does := _handling(names.tree, statement)):
            rest = (
                f"{text[end : statement.end_byte]}\n{indent_at(names.tree, statement.start_byte)}"
            )
            hunk = Hunk(end, statement.end_byte, f", err{rest}if err != nil {does}")
        yield Consequence(hunk, "take_results", cause=f"{call.called.name} {written}")


def _handling(tree: Tree, statement: Node) -> str:
    """Return the block that handles an error of a statement; empty where that is unknown."""
    block, function = statement.parent, function_node_around(tree, statement)
    indent = indent_at(tree, statement.start_byte)
    is_first = tree.text[: statement.start_byte].endswith(f"\n{indent}")
    if block is None or function is None or block.type not in _BLOCKS or not is_first:
        return ""
    does = ""
    results = results_of(tree, function)
    if results[-1:] == ["error"]:
        zeros = [_zero(one) for one in results[:-1]]
        does = f"return {', '.join([*zeros, 'err'])}" if all(zeros) else ""
    else:
        parameters = field(function, "parameters")
        for one in parameters.named_children if parameters is not None else ():
            if tree.of(field(one, "type")) in _TESTS and (name := field(one, "name")):
                does = f"{tree.of(name)}.Fatal(err)"
    return f"{{\n{indent}\t{does}\n{indent}}}" if does else _handled_beside(tree, statement, block)


def _handled_beside(tree: Tree, statement: Node, block: Node) -> str:
    """Return the block that handles an error nearest to a statement in the same block."""
    others = [one for one in block.named_children if one.type == "if_statement"]
    for one in sorted(others, key=lambda one: abs(one.start_byte - statement.start_byte)):
        condition, does = field(one, "condition"), field(one, "consequence")
        if condition is not None and tree.of(condition) == "err != nil" and does is not None:
            return tree.of(does)
    return ""


def _zero(kind: str) -> str:
    """Write the zero value of a type of Go; empty for one of which it is not known."""
    is_reference = kind.startswith(("*", "[]", "map[", "chan ", "func("))
    return "nil" if is_reference else _ZEROS.get(kind, "")


def values_of(statement: Node) -> list[Node]:
    """Return the values that a `return` lists."""
    value = first_child(statement)
    if value is not None and value.type in ("expression_list", "tuple"):
        return value.named_children
    return [value] if value is not None else []


def results_of(tree: Tree, function: Node) -> list[str]:
    """Return the types of a function's results in Go, one for each."""
    result = field(function, "result")
    if result is None or result.type != "parameter_list":
        return [tree.of(result)] if result is not None else []
    return [
        tree.of(kind)
        for one in result.named_children
        if (kind := field(one, "type")) is not None
        for _ in one.children_by_field_name("name") or [one]
    ]
