"""Results of scripts that are objects since a change, and were arrays or answers before.

After `return [on, toggle]` has become `{ on, toggle }`, the other returns become objects as well,
and callers take `{ on: open, toggle: flip }` in place of `[open, flip]`. After `boolean` has
become `{ ok: true } | { ok: false; reason: string }`, callers ask for `.ok`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.results.further import returns_in
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import Call, Function, calls_of, function_of, functions_around
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, field, first_child

_TYPES: Final = ("interface_declaration", "type_alias_declaration")
_OBJECTS: Final = ("interface_body", "object_type")
#: What is around a type that says nothing about its members.
_AROUND: Final = ("type_annotation", "readonly_type", "parenthesized_type")
_WRAPPERS: Final = ("Promise", "Readonly")
_MOST_STEPS: Final = 8  # from a type to what it is declared as
_ANSWERS: Final = ("true", "false")
_CURRENT: Final = re.compile(r"\bresult\.current\[(\d+)\]")  # of a hook in a test
_EXPECTED: Final = re.compile(r"\)((?:\.resolves)?)\.to(?:Be|Equal|StrictEqual)\((true|false)\)")


class NewObject(NamedTuple):
    """A function whose result is an object since a change.

    Attributes:
        function: The function.
        members: The names of what were the elements of an array, or that of an answer.
        whole: The answers that are all of an object; None for an array.
    """

    function: Function
    members: tuple[str, ...]
    whole: tuple[str, ...] | None


def after_object_result(change: Change) -> Iterator[Consequence]:
    """Return the results that are no objects yet, and the calls that do not expect one."""
    for new in new_objects(change):
        yield from _returned(change.after.tree, new)
        for call in calls_of(change.after, new.function):
            yield from taken_from(change.after, call, new.members, new.whole)


def new_objects(change: Change) -> Iterator[NewObject]:
    """Yield the functions whose results became objects."""
    if change.after.tree.language not in SCRIPTS:
        return
    for was, now in _functions(change):
        before = _type_of(change.before, field(was.node, "return_type"))
        after = _type_of(change.after, field(now.node, "return_type"))
        count = before.named_child_count if before is not None else 0
        members = _members(change.after.tree, after)
        if before is None or change.before.tree.of(before) == "boolean":
            answer = _answer(change, now, after)
            if answer is not None:
                yield answer
                continue
        if before is not None and before.type == "tuple_type" and len(members) == count > 1:
            yield NewObject(now, tuple(members), None)
        elif before is None and (listed := _listed(change, now)):
            yield NewObject(now, listed, None)


def taken_from(
    names: Names, call: Call, members: Sequence[str], whole: Sequence[str] | None
) -> Iterator[Consequence]:
    """Return how a caller takes a result that was an array, or an answer, out of an object."""
    value = call.node
    for kind in ("await_expression", "parenthesized_expression"):
        above = value.parent
        if above is None or above.type != kind or field(above.parent, "condition") == above:
            break
        value = above
    find = _asked if whole is not None else _elements
    for hunk in find(names, value, members, whole or ()):
        yield Consequence(hunk, "take_members", cause=f"{call.called.name} {members[0]}")


def _functions(change: Change) -> Iterator[tuple[Function, Function]]:
    """Yield the functions that changed, and those that have a type which did."""
    yield from change.functions
    names, tree = change.after, change.after.tree
    changed = {
        tree.of(field(step.node, "name"))
        for _, start, _ in change.finished()
        for step in tree.path_near(start)
        if step.type in _TYPES
    }
    known = {one.start for _, one in change.functions}
    for use in (one for name in changed for one in names.of(name)):
        for now in functions_around(names, use.start)[-1:]:
            kind = field(now.node, "return_type")
            is_result = kind is not None and kind.start_byte <= use.start < kind.end_byte
            was = change.same_before(now.defined) if is_result and now.start not in known else None
            before = function_of(change.before, was) if was is not None else None
            if before is not None:
                yield before, now


def _type_of(names: Names, node: Node | None) -> Node | None:
    """Return what a type is declared as in this file, if it has a name."""
    for _ in range(_MOST_STEPS):
        name = names.tree.of(field(node, "name") or node)
        if node is not None and node.type in _AROUND:
            node = first_child(node)
        elif node is not None and node.type == "generic_type" and name in _WRAPPERS:
            node = first_child(field(node, "type_arguments"))
        elif node is not None and node.type == "type_identifier":
            found = [one.path[-2].node for one in names.of(name) if one.path[-2].type in _TYPES]
            if len(found) != 1:
                return None
            node = field(found[0], "body", "value")
        else:
            return node
    return None


def _members(tree: Tree, node: Node | None) -> dict[str, str]:
    """Return the types of the members of a type, with a `?` before those that may be missing."""
    if node is None or node.type not in _OBJECTS:
        return {}
    found = [one for one in node.named_children if field(one, "name") is not None]
    return {
        tree.of(name): tree.text[name.end_byte : one.end_byte].replace(":", "", 1).strip()
        for one in found
        if (name := field(one, "name")) is not None
    }


def _answer(change: Change, now: Function, after: Node | None) -> NewObject | None:
    """Return the answer in a type, or in a `return` that was just one."""
    tree = change.after.tree
    kinds, waiting = list[dict[str, str]](), [after] if after is not None else []
    while waiting:
        one = waiting.pop()
        waiting += one.named_children if one.type == "union_type" else []
        kinds += [members] if (members := _members(tree, one)) else []
    for name in kinds[0] if kinds else ():
        said = [one.get(name, "") for one in kinds]
        if said == ["boolean"] or set(said) == {*_ANSWERS}:
            whole = [
                answer
                for answer, one in ((a, one) for one in kinds for a in _ANSWERS)
                if one[name] in ("boolean", answer)
                and all(kind.startswith("?") for other, kind in one.items() if other != name)
            ]
            return NewObject(now, (name,), tuple(whole))
    return None


def _listed(change: Change, now: Function) -> tuple[str, ...]:
    """Return the keys of an object that is returned in the place of an array, by its elements."""
    tree, before = change.after.tree, change.before.tree
    for one in returns_in(now.node):
        place, value = change.was_at(one.start_byte), first_child(one)
        if place is None or value is None or value.type != "object":
            continue
        steps = (step.node for step in before.path(place) if step.type == "return_statement")
        array = _array(first_child(next(steps, None)))
        keys = {
            tree.of(field(pair, "value") or pair): tree.of(field(pair, "key") or pair)
            for pair in value.named_children
        }
        elements = [before.of(one) for one in array.named_children] if array is not None else []
        if len(elements) > 1 and all(one in keys for one in elements):
            return tuple(keys[one] for one in elements)
    return ()


def _array(value: Node | None) -> Node | None:
    """Return an array literal, which may be constant."""
    if value is not None and value.type == "as_expression":
        value = first_child(value)
    return value if value is not None and value.type == "array" else None


def _returned(tree: Tree, new: NewObject) -> Iterator[Consequence]:
    """Return the other results of a function as objects."""
    for one in returns_in(new.function.node):
        value = first_child(one)
        text, array = tree.of(value), _array(value)
        if value is not None and text in (new.whole or ()):
            text = f"{{ {new.members[0]}: {text} }}"
        elif array is not None and new.whole is None:
            text = _object(tree, array, new.members)
        if value is not None and text and text != tree.of(value):
            yield Consequence(Hunk(value.start_byte, value.end_byte, text), "take_members")


def _object(tree: Tree, array: Node, members: Sequence[str]) -> str:
    """Return an object in the place of an array or pattern; empty where that is not known."""
    pairs, at = list[str](), 0
    for one in array.children:
        at += one.type == ","
        if one.is_named:
            if "spread" in one.type or "rest" in one.type or at >= len(members):
                return ""
            if one.type == "assignment_pattern":
                left = tree.of(field(one, "left"))
                default = tree.text[one.start_byte + len(left) : one.end_byte]
                pairs.append((left if left == members[at] else f"{members[at]}: {left}") + default)
            else:
                text = tree.of(one)
                pairs.append(text if text == members[at] else f"{members[at]}: {text}")
    return f"{{ {', '.join(pairs)} }}" if pairs else ""


def _elements(
    names: Names, value: Node, members: Sequence[str], _: Sequence[str]
) -> Iterator[Hunk]:
    """Yield how the elements of a result are taken, at once or out of a variable."""
    tree, above = names.tree, value.parent
    if above is None:
        return
    index = tree.of(field(above, "index"))
    if above.type == "subscript_expression" and index.isdigit() and int(index) < len(members):
        yield Hunk(value.end_byte, above.end_byte, f".{members[int(index)]}")
    hook = above.parent.parent if above.type == "arrow_function" and above.parent else None
    if hook is not None and tree.of(field(hook, "function")) == "renderHook":
        block = next((one for one in tree.around(hook) if one.type == "statement_block"), tree.root)
        for found in _CURRENT.finditer(tree.text, hook.end_byte, block.end_byte):
            if int(found[1]) < len(members):
                yield Hunk(found.start(), found.end(), f"result.current.{members[int(found[1])]}")
    target = field(above, "name") if above.type == "variable_declarator" else None
    if target is not None and target.type == "array_pattern":
        text = _object(tree, target, members)
        if text:
            yield Hunk(target.start_byte, target.end_byte, text)
    defined = names.of_node(target) if target is not None and target.type == "identifier" else None
    for use in names.of(defined.name) if defined is not None else ():
        if use.role is Role.REFERENCE and _means(names, use, defined):
            node = use.path[-1].node
            yield from _elements(names, node, members, ()) if node.parent != above else ()


def _means(names: Names, use: Occurrence, defined: Occurrence | None) -> bool:
    return defined is not None and [one.start for one in names.meant_by(use)] == [defined.start]


def _asked(
    names: Names, value: Node, members: Sequence[str], whole: Sequence[str]
) -> Iterator[Hunk]:
    """Yield what a condition or a test lacks that asks for an answer."""
    tree, above = names.tree, value.parent
    around = above.parent if above is not None else None
    if above is None or around is None:
        return
    if above.type == "arguments" and tree.of(field(around, "function")) == "expect":
        found = _EXPECTED.match(tree.text, value.end_byte)
        if found and found[2] in whole:
            text = f"){found[1]}.toEqual({{ {members[0]}: {found[2]} }})"
            yield Hunk(found.start(), found.end(), text)
        return
    operator = tree.of(field(above, "operator"))
    is_condition = above.type == "parenthesized_expression" and field(around, "condition") == above
    if is_condition or operator in ("!", "&&", "||") or field(above, "condition") == value:
        if value.type == "await_expression":
            text = f"({tree.of(value)}).{members[0]}"
            yield Hunk(value.start_byte, value.end_byte, text)
        else:
            yield Hunk(value.end_byte, value.end_byte, f".{members[0]}")
