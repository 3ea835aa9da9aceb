"""Tuples of Python that have become those of a class with names for their parts.

After `Reading = tuple[str, float]` has become `class Reading(NamedTuple)`, what returns or yields
such a tuple makes a `Reading`, and `reading[1]` is `reading.celsius`.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.results.further import nodes_of
from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.syntax.members import class_named, key_owner
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import field, first_child

_CLASS: Final = re.compile(
    r"(?P<of_data>@(dataclasses\.)?dataclass\b.*\s+)?class (?P<name>\w+)"
    r"(?P<is_tuple>\((typing\.)?NamedTuple\))?:"
)
_INDEX: Final = re.compile(r"\[(-?\d+)\]")
#: By what tuples stand in, the types of the functions that return them, yield them or list them.
_TYPES: Final = {
    "return_statement": r"(Optional\[)?NAME\b",
    "yield": r"(\w+\.)?(Async)?(Iter|Gener)\w+\[NAME\b",
    "argument_list": r"(\w+\.)?([lL]ist|Sequence)\[NAME\b",
}
_TUPLES: Final = ("tuple", "expression_list")
_MOST_PLACES: Final = 300


def after_named_tuple(change: Change) -> Iterator[Consequence]:
    """Return the tuples that are none of a new class yet, and the numbers of its fields."""
    names = change.after
    for name, fields in new_tuples(change):
        classes = (one.path[-2].node for one in names.of(name) if one.part.kind == "class")
        yield from tuples_left_in(names, name, fields, {class_named(names, one) for one in classes})


def new_tuples(change: Change) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the new classes of named tuples and of data, with the names of their fields."""
    tree = change.after.tree
    for outer in tree.root.named_children if tree.language == "python" else ():
        head = _CLASS.match(tree.text, outer.start_byte)
        if head is None or not any(head.group("of_data", "is_tuple")):
            continue
        was = change.before.of(head["name"])
        if any(one.part.kind == "class" for one in was) or change.is_active(*head.span()):
            continue
        body = field(field(outer, "definition") or outer, "body")
        inner = [first_child(each) for each in (body.named_children if body is not None else ())]
        fields = tuple(tree.of(field(each, "left")) for each in inner if field(each, "type"))
        if fields:
            yield head["name"], fields


def tuples_left_in(
    names: Names, name: str, fields: Sequence[str], whose: Collection[str]
) -> Iterator[Consequence]:
    """Return the tuples that are to be objects of a class, and the numbers that are its fields.

    `whose` is what `owner` calls the class in the text.
    """
    tree, cause = names.tree, f"{name} fields"
    for node in _returned(names, name, len(fields)):
        text = name + (tree.of(node) if node.type == "tuple" else f"({tree.of(node)})")
        hunk = shortest_hunk(tree.of(node), text, node.start_byte)
        yield Consequence(hunk, "follow_container", cause=cause)
    for found in islice(_INDEX.finditer(tree.text), _MOST_PLACES):
        steps = (one.node for one in reversed(tree.path(found.start())) if one.type == "subscript")
        thing, at = field(next(steps, None), "value"), int(found[1])
        if thing is None or thing.end_byte != found.start() or not -len(fields) <= at < len(fields):
            continue
        if key_owner(names, thing) in whose:
            hunk = Hunk(*found.span(), f".{fields[at]}")
            yield Consequence(hunk, "follow_container", cause=cause)


def _returned(names: Names, name: str, count: int) -> Iterator[Node]:
    """Yield the tuples in functions whose types say that they return objects of a class."""
    tree = names.tree
    promised = (
        (one.path[at].node, one.path[at - 1].node)
        for one in names.of(name)
        for at, step in enumerate(one.path)
        if step.field == "return_type"
    )
    for kind, function in promised:
        for one in nodes_of(function):
            around = one.parent
            if around is None or one.type not in _TUPLES or one.named_child_count != count:
                continue
            form = _TYPES.get(around.type, "(?!)").replace("NAME", name)
            is_listed = around.type == "argument_list"
            called = tree.of(field(around.parent, "function")) if is_listed else ".append"
            if re.match(form, tree.of(kind)) and called.endswith(".append"):
                yield one
