"""Results of functions of Go that say otherwise than before whether something was found.

After `(User, bool)` became `(User, error)`, `return user, true` becomes `return user, nil`, and
`user, ok := find(id)` with its `if !ok` becomes `user, err := find(id)` with `if err != nil`.
After `*User` became `(User, bool)`, `return nil` becomes `return User{}, false`.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.results.checks import asked
from editcast_model.consequences.results.further import results_of, returns_in, values_of
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import Call, Function, calls_of
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import Tree, field

_ERROR: Final = re.compile(r"\b[eE]rr[A-Z]\w*\b")
_DEFINED: Final = re.compile(r"^(?:var)?[ \t]*([eE]rr[A-Z]\w*) += (?:errors|fmt)\.", re.MULTILINE)


def after_exchange(change: Change) -> Iterator[Consequence]:
    """Return the returns and the calls that still say it in the old way."""
    tree = change.after.tree
    for function in newly_failing(change):
        cause = f"results of {function.name}"
        for node in returns_in(function.node):
            value = values_of(node)[-1:]
            text = tree.of(value[0]) if value else ""
            new = "nil" if text == "true" else _error(change, node) if text == "false" else ""
            if new:
                hunk = Hunk(value[0].start_byte, value[0].end_byte, new)
                yield Consequence(hunk, "take_results", is_first=True, cause=cause)
        yield from failing(change.after, calls_of(change.after, function))
    for function, kind in _no_pointers(change):
        cause = f"results of {function.name}"
        for node in returns_in(function.node):
            text = ", ".join(tree.of(one) for one in values_of(node))
            new = f"{kind}{{}}, false" if text == "nil" else ""
            new = f"{text.removeprefix('&')}, true" if text.startswith("&") else new
            if new:
                first = values_of(node)[0]
                hunk = Hunk(first.start_byte, first.end_byte, new)
                yield Consequence(hunk, "take_results", is_first=True, cause=cause)


def newly_failing(change: Change) -> Iterator[Function]:
    """Yield the functions that return an error since a change, in the place of a truth value."""
    if change.after.tree.language != "go":
        return
    for was, function in change.functions:
        before = results_of(change.before.tree, was.node)
        now = results_of(change.after.tree, function.node)
        if (before[-1:], now[-1:]) == (["bool"], ["error"]) and before[:-1] == now[:-1]:
            yield function


def failing(names: Names, calls: Iterable[Call]) -> Iterator[Consequence]:
    """Return what calls of such a function take for its last result, and their questions for it."""
    tree = names.tree
    for call in calls:
        parent = call.node.parent
        statement = parent.parent if parent is not None else None
        left = field(statement, "left")
        last = left.named_children[-1] if left is not None and left.named_children else None
        if statement is None or last is None or tree.of(last) in ("_", "err"):
            continue
        word = tree.of(last)
        found = asked(tree, statement, word)
        sign = {f"!{word}": "!=", word: "=="}.get(tree.of(found))
        if found is not None and sign:
            between = tree.text[last.end_byte : found.start_byte]
            hunk = Hunk(last.start_byte, found.end_byte, f"err{between}err {sign} nil")
            yield Consequence(hunk, "take_results", cause=f"{call.called.name} err")


def _no_pointers(change: Change) -> Iterator[tuple[Function, str]]:
    """Yield the functions that returned a pointer, with the type that they return with `ok` now."""
    if change.after.tree.language != "go":
        return
    for was, function in change.functions:
        before = results_of(change.before.tree, was.node)
        now = results_of(change.after.tree, function.node)
        if len(before) == 1 and now[1:] == ["bool"] and before[0] == f"*{now[0]}":
            yield function, now[0]


def _error(change: Change, node: Node) -> str:
    """Return the error that a function returns in the place of `false`; empty if unknown.

    The one that another function of the file returns after the same question, the one that the
    change brought, or the only one.
    """
    tree = change.after.tree
    question = _question(tree, node)
    if question:
        lines = r"(?:[^\n}]*\n)??[^\n]*?return ([^\n]*)"
        same = re.compile(rf"if [^\n]*?{re.escape(question)} \{{\n{lines}")
        found = {word for one in same.finditer(tree.text) for word in _ERROR.findall(one[1])}
        if len(found) == 1:
            return str(found.pop())
    known = set(_DEFINED.findall(tree.text))
    new = known - set(_DEFINED.findall(change.before.tree.text))
    return next(iter(new if len(new) == 1 else known)) if 1 in (len(new), len(known)) else ""


def _question(tree: Tree, node: Node) -> str:
    """Return the condition of the `if` that a statement is directly in; empty for none."""
    for one in tree.around(node)[:3]:
        if one.type == "if_statement":
            return tree.of(field(one, "condition"))
    return ""
