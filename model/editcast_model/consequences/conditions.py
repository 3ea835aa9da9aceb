"""Conditions that are still tested after one of them was settled.

Retiring a flag removes `if flag:` and keeps what it guarded, or removes that, too. The same is left
to do wherever else the flag is tested.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change, Consequence
from editcast_model.diff import Hunk
from editcast_model.syntax.tree import Tree, first_child

_STRENGTH = 0.5
#: What is asked at more places is no flag.
_MOST_PLACES = 30
#: What a condition that can be settled once and for all may be: a call, a member, a constant. A
#: local name or a comparison is another thing elsewhere.
_LASTING = re.compile(r"[A-Z][A-Z0-9_]+|[\w$]+(?:\.[\w$]+)+(?:\([^()]*\))?|[\w$]+\([^()]*\)")
_BEHIND = 20  # characters behind an expression that stay as they are
_NOT = re.compile(r"not\s+|!\s*")
_AND = ("and", "&&")


class _Asked(NamedTuple):
    """A condition as it is asked.

    Attributes:
        core: What is asked, without a negation.
        is_negated: Whether there is one.
    """

    core: str
    is_negated: bool


class _Settled(NamedTuple):
    """A condition that is always true from now on, or never."""

    core: str
    is_true: bool


def after_condition(change: Change) -> Iterator[Consequence]:
    """Return what is left of the statements that ask what a change settled."""
    for settled in dict.fromkeys(_settled(change)):
        yield from _still_asked(change.after.tree, settled)


def _settled(change: Change) -> Iterator[_Settled]:
    """Return the conditions that a change took away, with the branch that it kept."""
    tree, grown = change.before.tree, 0
    now: list[str] = []
    for hunk, start, end in change.spans():
        removed = tree.text[hunk.start : hunk.end]
        place = hunk.start + len(removed) - len(removed.lstrip())
        for step in reversed(tree.path(place)):
            asked = _asked(tree, step.node)
            if asked is None or step.node.start_byte < hunk.start or change.is_active(start, end):
                continue
            now = now or change.after.tree.text.splitlines()
            line = tree.text.count("\n", 0, step.node.start_byte) + grown
            for kept, branch in ((True, "consequence"), (False, "alternative")):
                body = _body(tree, step.node, branch)
                if body and now[line : line + len(body)] == body:
                    yield _Settled(asked.core, kept != asked.is_negated)
                    break
        yield from _settled_within(change, hunk, start, end)
        grown += hunk.text.count("\n") - removed.count("\n")


def _settled_within(change: Change, hunk: Hunk, start: int, end: int) -> Iterator[_Settled]:
    """Return the condition of an expression of which a change kept one of two values."""
    tree, now = change.before.tree, change.after.tree
    removed = tree.text[hunk.start : hunk.end]
    for step in reversed(tree.path(hunk.start + len(removed) - len(removed.lstrip()))):
        parts = _parts(step.node)
        asked = _asked_as(tree.of(parts[0])) if parts else None
        if (
            parts is None
            or asked is None
            or hunk.end > step.node.end_byte
            or change.is_active(start, end)
        ):
            continue
        first = change.is_now_at(step.node.start_byte)
        is_now = now.text[start if first is None else first :].lstrip()
        rest = tree.text[step.node.end_byte : step.node.end_byte + _BEHIND]
        for is_true, value in zip((True, False), parts[1:], strict=True):
            if is_now.startswith(tree.of(value) + rest):
                yield _Settled(asked.core, is_true != asked.is_negated)
        return


def _parts(node: Node) -> tuple[Node, Node, Node] | None:
    """Return the condition of an expression, its value if that is true, and the other one."""
    if node.type not in ("conditional_expression", "ternary_expression"):
        return None
    condition, other = (node.child_by_field_name(one) for one in ("condition", "alternative"))
    value = node.child_by_field_name("consequence") or node.child_by_field_name("body")
    if condition is None and node.named_child_count == 3:  # of Python
        value, condition, other = node.named_children
    return (condition, value, other) if condition and value and other else None


def _still_asked(tree: Tree, settled: _Settled) -> Iterator[Consequence]:
    places = [one.start() for one in re.finditer(re.escape(settled.core), tree.text)]
    seen: set[int] = set()
    for place in places if len(places) <= _MOST_PLACES else ():
        for step in reversed(tree.path(place)):
            parts = _parts(step.node)
            asked = _asked_as(tree.of(parts[0])) if parts else None
            if parts and asked is not None and asked.core == settled.core:
                kept = parts[1 if settled.is_true != asked.is_negated else 2]
                value = Hunk(step.node.start_byte, step.node.end_byte, tree.of(kept))
                yield Consequence(value, "settle_condition", _STRENGTH, cause=f"if {settled.core}")
                break
            if step.type != "if_statement" or step.node.start_byte in seen:
                continue
            seen.add(step.node.start_byte)
            hunk = _without_condition(tree, step.node, settled)
            if hunk is not None:
                yield Consequence(hunk, "settle_condition", _STRENGTH, cause=f"if {settled.core}")
            break


def _without_condition(tree: Tree, node: Node, settled: _Settled) -> Hunk | None:
    """Replace a statement by what is left of it; None where it asks something else."""
    asked = _asked(tree, node)
    if asked is not None and asked.core == settled.core:
        keeps = settled.is_true != asked.is_negated
        body = _body(tree, node, "consequence" if keeps else "alternative")
        start = tree.text.rfind("\n", 0, node.start_byte) + 1
        end = tree.text.find("\n", node.end_byte) + 1 or len(tree.text)
        if tree.text[start : node.start_byte].strip() or tree.text[node.end_byte : end].strip():
            return None  # `else if`, or something else on the line
        if body is None and (keeps or node.child_by_field_name("alternative") is not None):
            return None
        new = "".join(f"{line}\n" for line in body or ())
        return Hunk(start, end, new)
    return _without_part(tree, node, settled) if settled.is_true else None


def _without_part(tree: Tree, node: Node, settled: _Settled) -> Hunk | None:
    """Take what is always true out of a condition that asks something else as well."""
    condition = _condition(node)
    operator = condition.child_by_field_name("operator") if condition is not None else None
    if condition is None or operator is None or tree.of(operator) not in _AND:
        return None
    left, right = (condition.child_by_field_name(side) for side in ("left", "right"))
    if left is None or right is None:
        return None
    if tree.of(left) == settled.core:
        return Hunk(left.start_byte, right.start_byte, "")
    if tree.of(right) == settled.core:
        return Hunk(left.end_byte, right.end_byte, "")
    return None


def _condition(node: Node) -> Node | None:
    """Return the condition of a statement without the brackets around it."""
    condition = node.child_by_field_name("condition")
    while condition is not None and condition.type == "parenthesized_expression":
        condition = first_child(condition)
    return condition


def _asked(tree: Tree, node: Node) -> _Asked | None:
    """Return what a statement asks, if that can be settled; None for any other one."""
    condition = _condition(node) if node.type == "if_statement" else None
    if condition is None or node.child_by_field_name("initializer") is not None:
        return None
    return _asked_as(tree.of(condition))


def _asked_as(text: str) -> _Asked | None:
    """Return what a condition asks, if that can be settled."""
    negated = _NOT.match(text)
    core = text[negated.end() :] if negated else text
    return _Asked(core, negated is not None) if _LASTING.fullmatch(core) else None


def _body(tree: Tree, node: Node, branch: str) -> list[str] | None:
    """Return the lines of a branch, indented as the statement; None where they are no lines."""
    block = node.child_by_field_name(branch)
    if block is not None and block.type == "else_clause":
        block = block.child_by_field_name("body") or first_child(block)
    if block is None or not re.search("block", block.type):
        return None  # also of `elif`
    statements = block.named_children
    if block.type == "block" and len(statements) == 1 and statements[0].type == "statement_list":
        statements = statements[0].named_children
    if not statements:
        return None
    start = tree.text.rfind("\n", 0, statements[0].start_byte) + 1
    end = statements[-1].end_byte
    if start <= node.start_byte or tree.text[start : statements[0].start_byte].strip():
        return None
    lines = tree.text[start:end].splitlines()
    inner = tree.text[start : statements[0].start_byte]
    outer_start = tree.text.rfind("\n", 0, node.start_byte) + 1
    outer = tree.text[outer_start : node.start_byte]
    return _indented(lines, inner, outer)


def _indented(lines: Sequence[str], inner: str, outer: str) -> list[str] | None:
    """Put lines under another indentation; None where one of them has less than they have."""
    if any(line.strip() and not line.startswith(inner) for line in lines):
        return None
    return [outer + line[len(inner) :] if line.strip() else line for line in lines]
