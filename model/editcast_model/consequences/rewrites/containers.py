"""Uses of a container that a change made one of another kind.

After `seen = []` has become `seen = set()`, `seen.append(one)` fails, and after `{}` has become
`new Map()`, `cache[key]` is no entry of it. A use is only rewritten if it would fail otherwise, or
do something else. Where a list became a map, its key is the one that elements were looked for by.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.rewrites.container_rows import (
    Row,
    all_fitting,
    outermost,
    rows_of,
    table,
    way_to_key,
    written_by,
)
from editcast_model.consequences.rewrites.counterparts import count_others
from editcast_model.consequences.rewrites.rule import Span, span_of
from editcast_model.diff import line_around, shortest_hunk
from editcast_model.syntax.members import is_member, owner
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import field, type_declared

#: The fields that contain the name of a variable, and that of a member in it.
_NAMED: Final = ("left", "name", "pattern", "property")
_MEMBER: Final = ("attribute", "property")
#: Declarations with a type before the names.
_DECLARING: Final = ("variable_declaration", "local_variable_declaration", "field_declaration")
#: What takes no other value.
_FIXED: Final = re.compile(r"\b(const|readonly)\b")
#: The type of the elements of a list or a map, where it is written.
_ELEMENT: Final = re.compile(
    r"(?:readonly )?(?:([\w.]+)\[\]|\[\](.+)|map\[\w+\](.+)"
    r"|(?:new )?[\w.]+[\[<](?:[\w.]+, )?([^{}]+)[\]>](?:\(.*\))?)",
    re.DOTALL,
)
_MOST_PLACES: Final = 100
_LONGEST: Final = 1000  # of a type or a value, in code points


def after_container(change: Change) -> Iterator[Consequence]:
    """Return the uses that still treat a container as the kind that it was before."""
    names, tree = change.after, change.after.tree
    for was, one, kinds in _changed(change):
        is_fixed = _FIXED.search(tree.text[: one.start].rpartition("\n")[2])
        rows = rows_of(tree.language, kinds, "x.clear()" if is_fixed else "")
        uses, key = _uses(names, one), ""
        if any("@" in row.new for row in rows):
            key = _key(change, was, one, rows)
            if not _has_same_elements(change, was, one, otherwise=bool(key)):
                continue
            uses = [use for use in uses if not change.wrote(*line_around(tree.text, *span_of(use)))]
        found = all_fitting(tree, rows, uses, key)
        texts = [(each.span, written_by(tree, each, found)) for each in outermost(found)]
        value = field(_declaration(one), "value", "right")
        for row in rows_of(tree.language, kinds):
            if value is not None and row.tree.text.rstrip(";") == f"x = {tree.of(value)}":
                texts.append((span_of(value), row.new.removeprefix("x = ")))
        others = count_others(change, _own_lines(change.before, was, rows, key))
        for span, text in texts:
            if text != tree.text[span.start : span.end]:
                hunk = shortest_hunk(tree.text[span.start : span.end], text, span.start)
                cause = f"{one.name} {kinds}"
                yield Consequence(hunk, "follow_container", cause=cause, others=others)


def _own_lines(names: Names, one: Occurrence, rows: Collection[Row], key: str) -> list[Span]:
    """Return the lines that name a container, or contain code that rows fit."""
    spans = [Span(each.start, each.end) for each in names.of(one.name)]
    spans += (each.span for each in all_fitting(names.tree, rows, _uses(names, one), key))
    return [Span(*line_around(names.tree.text, *span)) for span in spans]


def declared_anew(change: Change) -> Iterator[Span]:
    """Yield where the text before a change declares containers that are of another kind now."""
    return (span_of(_declaration(was)) for was, _, _ in _changed(change))


def _changed(change: Change) -> Iterator[tuple[Occurrence, Occurrence, str]]:
    """Yield the variables and members of another kind, as they were and are, and both kinds."""
    after, seen = change.after, set[int]()
    known = table(after.tree.language).get("kinds", {})
    places = (place for _, *ends in change.finished() for place in ends if known)
    for step in (step for place in places for step in after.tree.path_near(place)):
        inner = step.node.named_children if step.type in _DECLARING else ()
        declarator = next((each for each in inner if each.type == "variable_declarator"), step.node)
        target = field(declarator, *_NAMED)
        named = field(target, *_MEMBER) or target
        one = after.of_node(named)
        if one is None and named is not None and named.type == "instance_variable":
            one = after.at(named.start_byte + 1)  # behind the sign
        was = change.same_before(one) if one is not None and one.start not in seen else None
        if one is None or was is None:
            continue
        seen.add(one.start)
        pairs = zip(_kinds(change.before, was, known), _kinds(after, one, known), strict=True)
        changed = (" ".join(pair) for pair in pairs if all(pair) and pair[0] != pair[1])
        if kinds := next(changed, ""):
            yield was, one, kinds


def _declaration(one: Occurrence) -> Node:
    """Return the node around a name that may contain its type and its value."""
    return one.path[_depth(one) - 1].node


def _depth(one: Occurrence) -> int:
    """Return where the node of a variable or a member with its object is in a path, from its end.

    A variable of an object in Ruby is one word.
    """
    return -2 if one.role is Role.MEMBER and one.path[-1].type != "instance_variable" else -1


def _declared(names: Names, one: Occurrence) -> Iterator[str]:
    """Yield the type and the value of a variable; empty for what is not there, or too long."""
    node = _declaration(one)
    for part in (type_declared(node), field(node, "value", "right")):
        text = names.tree.of(part).removeprefix(":").strip()
        yield text if len(text) <= _LONGEST else ""


def _kinds(names: Names, one: Occurrence, known: Mapping[str, str]) -> Iterator[str]:
    """Yield the kinds of container that a variable has by its type and by its value."""
    forms = known.items()
    for text in _declared(names, one):
        yield next((kind for kind, form in forms if re.fullmatch(form, text, re.DOTALL)), "")


def _has_same_elements(
    change: Change, was: Occurrence, one: Occurrence, *, otherwise: bool
) -> bool:
    """Tell whether a container has elements of the same type as before, if both are written."""
    both = [
        next((found[found.lastindex or 0] for found in map(_ELEMENT.fullmatch, texts) if found), "")
        for texts in (_declared(change.before, was), _declared(change.after, one))
    ]
    return both[0] == both[1] if all(both) else otherwise


def _key(change: Change, was: Occurrence, one: Occurrence, rows: Collection[Row]) -> str:
    """Return the way from an element to its key: as it is given to it now, or looked for before.

    Empty if there are several ways.
    """
    for names, named in ((change.after, one), (change.before, was)):
        tree, is_now = names.tree, names is change.after
        ways = {
            way_to_key(tree, each.bound)
            for each in all_fitting(tree, rows, _uses(names, named), None)
            if "e" in each.bound
            and (not is_now or written_by(tree, each, ()) == tree.text[slice(*each.span)])
        }
        if len(ways) == 1:
            return ways.pop()
    return ""


def _uses(names: Names, one: Occurrence) -> list[Node]:
    """Return the nodes of the first places where a variable or member stands."""
    return list(islice(_places(names, one), _MOST_PLACES))


def _places(names: Names, one: Occurrence) -> Iterator[Node]:
    whose = owner(names, one) if is_member(one) else None
    scope = names.resolve(one) if one.role is Role.DEFINITION else None
    for each in names.of(one.name):
        if each.role is Role.MEMBER and whose and owner(names, each) == whose:
            yield each.path[_depth(each)].node
        is_named = each.role in (Role.REFERENCE, Role.DEFINITION)
        if is_named and scope and names.resolve(each) == scope:
            yield each.path[-1].node
