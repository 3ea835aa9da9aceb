"""Uses of a container that a change made one of another kind.

After `seen = []` has become `seen = set()`, `seen.append(one)` fails, and after `{}` has become
`new Map()`, `cache[key]` is no entry of it. A use is only rewritten if it would fail otherwise, or
do something else. Where a list became a map, its key is the one that elements were looked for by.
A list that is given to what became a set is made a set, too, also by the setter of a state.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.results.further import returns_in
from editcast_model.consequences.rewrites.container_rows import (
    Found,
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
from editcast_model.syntax.tree import Tree, field, first_child, type_declared, word_set

#: The fields that contain the name of a variable, and that of a member in it.
_NAMED: Final = ("left", "name", "pattern", "property")
_MEMBER: Final = ("attribute", "property")
#: Declarations with a type before the names.
_DECLARING: Final = ("variable_declaration", "local_variable_declaration", "field_declaration")
#: Functions of React and Vue that contain a value, and the member that it is in what they return.
_HOLDERS: Final = {"useState": "", "useRef": "current", "ref": "value", "shallowRef": "value"}
#: Values that are lists where lists were wanted, and what they become for what is another kind now.
_LISTS: Final = word_set("array member_expression filter map concat slice")
_MADE: Final = {"array set": "new Set(v)"}
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
        key, ones = "", names.of(one.name) if one.part.kind == "class" else [one]
        uses, given = _uses_and_values(names, ones)
        if any("@" in row.new for row in rows):
            key = _key(change, was, one, rows)
            if not _has_same_elements(change, was, one, otherwise=bool(key)):
                continue
            uses = [use for use in uses if not change.wrote(*line_around(tree.text, *span_of(use)))]
        found = [*all_fitting(tree, rows, uses, key), *_made(tree, given, uses, kinds)]
        value = _parts(tree, _declaration(one))[1] if kinds not in _MADE else None
        for row in rows_of(tree.language, kinds):
            if value is not None and row.tree.text.rstrip(";") == f"x = {tree.of(value)}":
                found.append(Found(span_of(value), row.new.removeprefix("x = "), {}))
        others = count_others(change, _own_lines(change.before, was, rows, key))
        yield from _left(tree, found, f"{one.name} {kinds}", others)


def of_type_left_in(names: Names, kinds: str, types: Iterable[Occurrence]) -> Iterator[Consequence]:
    """Return what is due where types of another file are of another kind now."""
    uses, given = _uses_and_values(names, types)
    found = all_fitting(names.tree, rows_of(names.tree.language, kinds), uses, "")
    yield from _left(names.tree, [*found, *_made(names.tree, given, uses, kinds)], kinds, None)


def new_kinds(change: Change) -> Iterator[tuple[str, str]]:
    """Yield the types with a name that are other kinds now, where no key is needed, and kinds."""
    for _, one, kinds in _changed(change):
        if one.part.kind == "class" and kinds in _MADE:
            yield one.name, kinds


def _left(tree: Tree, found: list[Found], cause: str, others: int | None) -> Iterator[Consequence]:
    """Return what is left to write in the place of what was found."""
    for each in outermost(found):
        old, new = tree.text[slice(*each.span)], written_by(tree, each, found)
        if old != new:
            hunk = shortest_hunk(old, new, each.span.start)
            yield Consequence(hunk, "follow_container", cause=cause, others=others)


def _uses_and_values(names: Names, ones: Iterable[Occurrence]) -> tuple[list[Node], list[Node]]:
    """Return the uses of containers, or of what is of some types, and the values given to them."""
    every = list(ones)
    typed = [one.path[-3].node for one in every if one.path[-2].type == "type_annotation"]
    functions = [one for one in typed if field(one, "return_type") is not None]
    declared = (field(one, "pattern", "name") for one in typed if one not in functions)
    every += filter(None, map(names.of_node, declared))
    given = [node for one in every for node in _given(names, one)]
    renewing = (field(one, "parameter") or first_child(field(one, "parameters")) for one in given)
    taken = (field(one, "pattern") or one for one in renewing)
    every += filter(None, map(names.of_node, taken))
    return [use for one in every for use in _uses(names, one)], given + functions


def _made(tree: Tree, given: Iterable[Node], uses: Collection[Node], kinds: str) -> Iterator[Found]:
    """Yield the lists among what a container is given, which it cannot be any more."""
    waiting = list(given) if kinds in _MADE else []
    while waiting:
        node = waiting.pop()
        body, called = field(node, "body"), field(node, "function")
        if body is not None:
            is_block = body.type == "statement_block"
            waiting += filter(None, map(first_child, returns_in(body)) if is_block else [body])
        elif node.type in ("parenthesized_expression", "ternary_expression"):
            waiting += node.named_children[-2:]
        elif node not in uses and (tree.of(field(called, "property")) or node.type) in _LISTS:
            inner = first_child(node) if node.type == "array" else None
            is_copy = tree.of(inner).startswith("...") and node.named_child_count == 1
            new = _MADE[kinds] if node.type != "array" or inner else _MADE[kinds].replace("v", "")
            copied = first_child(inner) if is_copy else None
            yield Found(span_of(node), new, {"v": copied or node})


def _given(names: Names, one: Occurrence) -> Iterator[Node]:
    """Yield what a container is given: at first, in assignments, and as a state of React."""
    pattern = one.path[-2].node
    setter = names.of_node(pattern.named_children[-1] if pattern.type == "array_pattern" else None)
    every = ((use, use.parent) for each in (one, setter) if each for use in _uses(names, each))
    giving = (above for use, above in every if field(above, "left", "function") == use)
    values = (field(one, "right") or first_child(field(one, "arguments")) for one in giving)
    return filter(None, (_parts(names.tree, _declaration(one))[1], *values))


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
        if target is not None and target.type == "array_pattern":
            target = first_child(target)
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
    node = one.path[_depth(one) - 1].node
    return node.parent or node if node.type == "array_pattern" else node


def _parts(tree: Tree, node: Node) -> tuple[Node | None, Node | None]:
    """Return the type and the value in a declaration, also those of a state or a reference."""
    kind, value = type_declared(node), field(node, "value", "right")
    if tree.of(field(value, "function")) in _HOLDERS:
        kind = kind or first_child(field(value, "type_arguments"))
        return kind, first_child(field(value, "arguments"))
    return kind, value if tree.of(field(node, "name"))[:1] != "[" else None


def _depth(one: Occurrence) -> int:
    """Return where the node of a variable or a member with its object is in a path, from its end.

    A variable of an object in Ruby is one word.
    """
    return -2 if one.role is Role.MEMBER and one.path[-1].type != "instance_variable" else -1


def _declared(names: Names, one: Occurrence) -> Iterator[str]:
    """Yield the type and the value of a variable; empty for what is not there, or too long."""
    for part in _parts(names.tree, _declaration(one)):
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
    maker = field(field(_declaration(one), "value"), "function")
    held = _HOLDERS.get(names.tree.of(maker)) or "-"
    for each in names.of(one.name):
        if each.role is Role.MEMBER and whose and owner(names, each) == whose:
            yield each.path[_depth(each)].node
        elif whose and each.part.is_shorthand and owner(names, each) == whose:
            yield from _places(names, each)  # as a variable
        is_named = each.role in (Role.REFERENCE, Role.DEFINITION)
        if is_named and scope and names.resolve(each) == scope:
            is_held = names.tree.of(field(each.path[-2].node, "property")) == held
            yield each.path[-1 - is_held].node
