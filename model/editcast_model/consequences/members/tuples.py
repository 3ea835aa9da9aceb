"""Tuples that have become objects with names for their parts.

After `Reading = tuple[str, float]` has become `class Reading(NamedTuple)`, what returns or yields
such a tuple makes a `Reading`, and `reading[1]` is `reading.celsius`. In TypeScript `[on, flip]` is
`{ on, flip }`, where it is returned and where it is taken apart.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, islice
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.results.further import nodes_of
from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.syntax.calls import Call, calls_of, function_of
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.members import class_named, key_owner
from editcast_model.syntax.names import WORD, Names
from editcast_model.syntax.tree import Tree, field, first_child
from editcast_model.syntax.types import fields_of

#: Classes of Python whose objects are made of values in the order of their fields.
_CLASS: Final = (
    r"(@(dataclasses\.)?dataclass\b.*\s+class NAME\b|class NAME\((typing\.)?NamedTuple\)):"
)
_INDEX: Final = re.compile(r"\[(-?\d+)\]")
#: By what tuples stand in, the types of the functions that return them, yield them or list them.
_TYPES: Final = {
    "return_statement": r"(Optional\[|Promise<)?NAME\b",
    "yield": r"(\w+\.)?(Async)?(Iter|Gener)\w+\[NAME\b",
    "argument_list": r"(\w+\.)?([lL]ist|Sequence)\[NAME\b",
}
_TUPLES: Final = ("tuple", "expression_list", "array")
_BRANCHES: Final = ("ternary_expression", "parenthesized_expression", "conditional_expression")
_OWN: Final = re.compile(r"\b(?!None\b|Any\b|Path\b)[A-Z]\w+")
_PATTERN: Final = re.compile(r"\b(?:const|let|var) \[")
_MOST_PLACES: Final = 300


class NewTuple(NamedTuple):
    """A class that tuples have become, its fields and their types, and what returns its objects."""

    name: str
    fields: tuple[str, ...]
    types: tuple[str, ...]
    makers: tuple[str, ...]


def after_named_tuple(change: Change) -> Iterator[Consequence]:
    """Return the tuples that are none of a new class yet, and the numbers of its fields."""
    names = change.after
    for new in new_tuples(change):
        classes = (one.path[-2].node for one in names.of(new.name) if one.part.kind == "class")
        functions = (function_of(names, one) for maker in new.makers for one in names.of(maker))
        calls = (call for one in functions if one is not None for call in calls_of(names, one))
        whose = {class_named(names, one) for one in classes}
        yield from tuples_left_in(names, new, whose, calls)
        if not change.before.of(new.name):
            yield from _annotated(change, new)


def new_tuples(change: Change) -> Iterator[NewTuple]:
    """Yield the classes that are new, or what functions return since a change."""
    names, tree = change.after, change.after.tree
    around = (step.node for _, start, _ in change.finished() for step in tree.path_near(start))
    named = (names.of_node(field(node, "name")) for node in around)
    classes = (one for one in chain(named, change.new_names()) if one and one.part.kind == "class")
    words = {one.name: None for one in classes if not fields_of(change.before, one.name)}
    for was, now in change.functions:
        kind = tree.of(field(now.node, "return_type"))
        if kind != change.before.tree.of(field(was.node, "return_type")):
            words |= dict.fromkeys(WORD.findall(kind))
    for word in words if tree.language in ("python", *SCRIPTS) else ():
        fields = fields_of(names, word)
        is_made = tree.language != "python" or re.search(_CLASS.replace("NAME", word), tree.text)
        if fields and is_made:
            makers = tuple(tree.of(field(one, "name")) for _, one in _promised(names, word))
            yield NewTuple(word, tuple(fields), tuple(fields.values()), makers)


def tuples_left_in(
    names: Names, new: NewTuple, whose: Collection[str], calls: Iterable[Call]
) -> Iterator[Consequence]:
    """Return the tuples that are to be objects of a class, and the numbers that are its fields.

    `whose` is what `owner` calls the class in the text, `calls` are those of what makes them.
    """
    tree, made, cause = names.tree, {call.node for call in calls}, f"{new.name} fields"
    for node in _returned(names, new.name, len(new.fields)):
        hunk = shortest_hunk(tree.of(node), _made(tree, node, new), node.start_byte)
        yield Consequence(hunk, "follow_container", cause=cause)
    for found in islice(_INDEX.finditer(tree.text), _MOST_PLACES):
        steps = (one.node for one in reversed(tree.path(found.start())) if "subscript" in one.type)
        thing, at = field(next(steps, None), "value", "object"), int(found[1])
        if thing is None or thing.end_byte != found.start():
            continue
        if _is_one(names, thing, whose, made) and -len(new.fields) <= at < len(new.fields):
            hunk = Hunk(*found.span(), f".{new.fields[at]}")
            yield Consequence(hunk, "follow_container", cause=cause)
    for found in islice(_PATTERN.finditer(tree.text), _MOST_PLACES):
        pattern = tree.path(found.end() - 1)[-2].node
        value = field(pattern.parent, "value")
        if pattern.type == "array_pattern" and value and _is_one(names, value, whose, made):
            hunk = Hunk(pattern.start_byte, pattern.end_byte, _made(tree, pattern, new))
            yield Consequence(hunk, "follow_container", cause=cause)


def _is_one(names: Names, thing: Node, whose: Collection[str], made: Collection[Node]) -> bool:
    """Tell whether an expression is an object of a class, or what a call returned that makes it."""
    value: Node | None = thing
    if thing.type == "identifier":
        if key_owner(names, thing) in whose:
            return True
        defined = names.meant_by(names.of_node(thing))
        value = field(defined[0].path[-2].node, "value", "right") if len(defined) == 1 else None
    is_awaited = value is not None and value.type in ("await", "await_expression")
    return (first_child(value) if is_awaited else value) in made


def _annotated(change: Change, new: NewTuple) -> Iterator[Consequence]:
    """Return the types that say what a class says.

    Of few types that are not the project's, another tuple may be meant, unless one has become the
    class or is returned right below it.
    """
    tree, kind = change.after.tree, "tuple" if change.after.tree.language == "python" else ""
    written = f"{kind}[{', '.join(new.types)}]"
    is_sure = len({*new.types}) > 1 + (_OWN.search(written) is None) or written in "".join(
        change.before.tree.text[hunk.start : hunk.end] for hunk, *_ in change.finished()
    )
    for found in islice(re.finditer(re.escape(written), tree.text), _MOST_PLACES):
        path = tree.path(found.start())
        if not kind and not any(step.type == "tuple_type" for step in path):
            continue
        above = path[1].node.prev_named_sibling
        while above is not None and above.type == "comment":
            above = above.prev_named_sibling
        declared = tree.of(field(field(above, "definition", "declaration") or above, "name"))
        is_next = declared == new.name and any(step.field == "return_type" for step in path)
        if is_sure or is_next:
            hunk = Hunk(*found.span(), new.name)
            yield Consequence(hunk, "follow_container", cause=f"{new.name} types")


def _made(tree: Tree, node: Node, new: NewTuple) -> str:
    """Return an object of a class for a tuple, or for a pattern that takes one apart."""
    if tree.language == "python":
        return new.name + (tree.of(node) if node.type == "tuple" else f"({tree.of(node)})")
    pairs = zip(new.fields, map(tree.of, node.named_children), strict=False)
    return f"{{ {', '.join(key if key == one else f'{key}: {one}' for key, one in pairs)} }}"


def _promised(names: Names, name: str) -> Iterator[tuple[Node, Node]]:
    """Yield the types of results that name a class, each with its function."""
    for one in names.of(name):
        for at, step in enumerate(one.path):
            if step.field == "return_type":
                yield step.node, one.path[at - 1].node


def _returned(names: Names, name: str, count: int) -> Iterator[Node]:
    """Yield the tuples in functions whose types say that they return objects of a class."""
    tree = names.tree
    for kind, function in _promised(names, name):
        for one in nodes_of(function):
            around = one.parent
            while around is not None and around.type in _BRANCHES:
                around = around.parent
            if around is None or one.type not in _TUPLES or one.named_child_count != count:
                continue
            form = _TYPES.get(around.type, "(?!)").replace("NAME", name)
            is_listed = around.type == "argument_list"
            called = tree.of(field(around.parent, "function")) if is_listed else ".append"
            if re.match(form, tree.of(kind).lstrip(": ")) and called.endswith(".append"):
                yield one
