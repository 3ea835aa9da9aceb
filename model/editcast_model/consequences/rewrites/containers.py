"""Uses of a container that a change made one of another kind.

After `seen = []` has become `seen = set()`, `seen.append(one)` fails, and after `{}` has become
`new Map()`, `cache[key]` is no entry of it. A use is only rewritten if it would fail otherwise, or
do something else.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.entries import inner_of
from editcast_model.consequences.rewrites.counterparts import count_others
from editcast_model.consequences.rewrites.rule import Span, is_written_to
from editcast_model.diff import line_around, shortest_hunk
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.members import is_member, owner
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, field, first_child, parse, type_declared

#: By language, the kinds of containers by their types and values, and by two kinds what becomes of
#: code: `x` is the container, `k` and `v` are any expressions. `<=>` goes both ways.
_PYTHON: Final = (
    {
        "list": r"\[.*\]|list\(.*\)|(typing\.)?[lL]ist(\[.*\])?|field\(default_factory=list\)",
        "set": r"\{[^:]+\}|set\(.*\)|(typing\.)?[sS]et(\[.*\])?|field\(default_factory=set\)",
        "deque": r"(collections\.)?deque\(.*\)|(typing\.)?[dD]eque(\[.*\])?",
        "dict": r"\{\}|\{.*:.*\}|dict\(.*\)|(typing\.)?[dD]ict(\[.*\])?",
    },
    {
        "list set": "x.append <=> x.add; x.extend <=> x.update; x += [v] => x.add(v)"
        "; x += v => x.update(v); x = [] <=> x = set(); x = list(v) <=> x = set(v)",
        "list deque": "x.insert(0, v) <=> x.appendleft(v); x.pop(0) <=> x.popleft()"
        "; x = [] <=> x = deque()",
        "dict set": "x[k] = True => x.add(k); x = {} => x = set()",
    },
)
_HAS: Final = (
    "delete x[k] <=> x.delete(k); !(k in x) => !x.has(k); k in x => x.has(k)"
    "; Object.hasOwn(x, k) <=> x.has(k); x.hasOwnProperty(k) => x.has(k)"
    "; Object.prototype.hasOwnProperty.call(x, k) => x.has(k); Object.keys(x).length <=> x.size"
)
_SCRIPT: Final = (
    {
        "object": r"\{.*\}( as .*)?|Record<.*>|Object\.create\(null\)",
        "map": r"new Map(<.*>)?(\(.*\))?|Map<.*>",
        "array": r"\[.*\]( as .*)?|[\w.]+(<.*>)?\[\]|(Readonly)?Array<.*>",
        "set": r"new Set(<.*>)?(\(.*\))?|Set<.*>",
    },
    {
        "object map": f"{_HAS}; x[k] = v <=> x.set(k, v); x[k] += v => x.set(k, x.get(k) + v)"
        "; x[k]++ => x.set(k, x.get(k) + 1); x[k] <=> x.get(k); Object.keys(x) => [...x.keys()]"
        "; Object.values(x) => [...x.values()]; Object.entries(x) => [...x]"
        "; x = {} <=> x = new Map()",
        "object set": f"{_HAS}; x[k] = true => x.add(k); x[k] = 1 => x.add(k); x[k] => x.has(k)"
        "; Object.keys(x) => [...x]; x = {} => x = new Set()",
        "array set": "x.push(v) <=> x.add(v); x.includes(v) <=> x.has(v); x.length <=> x.size"
        "; x.indexOf(v) !== -1 => x.has(v); x.indexOf(v) > -1 => x.has(v)"
        "; x.indexOf(v) === -1 => !x.has(v); x.length = 0 <=> x.clear()"
        "; x = [] <=> x = new Set()",
    },
)
_JAVA: Final = (
    {
        "array": r"[\w.]+(<.*>)?\[\]",
        "list": r"new (Array|Linked)List<.*>\(.*\)|(Array)?List<.*>",
        "deque": r"new ArrayDeque<.*>\(.*\)|(Array)?Deque<.*>",
    },
    {
        "array list": "x.length <=> x.size(); x[k] = v <=> x.set(k, v); x[k] <=> x.get(k)",
        "list deque": "x.remove(0) => x.poll(); x.add(0, v) <=> x.addFirst(v)",
    },
)
_TABLES: Final[Mapping[str, tuple[Mapping[str, str], Mapping[str, str]]]] = {
    "python": _PYTHON,
    "java": _JAVA,
    **dict.fromkeys(SCRIPTS, _SCRIPT),
}
#: The fields that contain the name of a variable, and that of a member in it.
_NAMED: Final = ("left", "name", "pattern", "property")
_MEMBER: Final = ("attribute", "property")
#: What goes through all that follows, so that it needs no list.
_ITERATED: Final = re.compile(r"(\.\.\.|\bof |\bArray\.from\(|\bnew (Set|Map)\()$")
#: What takes no other value.
_FIXED: Final = re.compile(r"\b(const|readonly)\b")
_STATEMENT: Final = re.compile("assignment|update")
#: The most nodes around a name that belong to what is done with it, and the most such places.
_MOST_STEPS, _MOST_PLACES = 3, 100
_LONGEST: Final = 1000  # of a value, in code points


class _Row(NamedTuple):
    """A row of a table: the tree of the old code, the node in it, and the new text."""

    tree: Tree
    old: Node
    new: str


class _Found(NamedTuple):
    """Code that a row fits, its new text, and the nodes in the places of its letters."""

    node: Node
    new: str
    bound: dict[str, Node]


def after_container(change: Change) -> Iterator[Consequence]:
    """Return the uses that still treat a container as the kind that it was before."""
    names, tree = change.after, change.after.tree
    for one, kinds in _changed(change):
        is_fixed = _FIXED.search(tree.text[: one.start].rpartition("\n")[2])
        rows = _rows(tree.language, kinds, "x.clear()" if is_fixed else "")
        uses = islice(_uses(names, one), _MOST_PLACES)
        found = [each for use in uses if (each := _fitting(tree, rows, use))]
        texts = [(each.node, _written(tree, each.node, found)) for each in _in(tree.root, found)]
        value = field(_declaration(one), "value", "right")
        for row in _rows(tree.language, kinds):
            if value is not None and row.tree.of(row.old) == f"x = {tree.of(value)}":
                texts.append((value, row.new.removeprefix("x = ")))
        was, cause = change.before, f"{one.name} {kinds}"
        lines = [line_around(was.tree.text, each.start, each.end) for each in was.of(one.name)]
        others = count_others(change, [Span(*each) for each in lines])
        for node, text in texts:
            hunk = shortest_hunk(tree.of(node), text, node.start_byte)
            yield Consequence(hunk, "follow_container", cause=cause, others=others)


def _changed(change: Change) -> Iterator[tuple[Occurrence, str]]:
    """Yield the variables and members whose container is of another kind, and both kinds."""
    after, seen = change.after, set[int]()
    known, _ = _TABLES.get(after.tree.language, ({}, {}))
    places = (place for _, *ends in change.finished() for place in ends if known)
    for step in (step for place in places for step in after.tree.path_near(place)):
        target = field(step.node, *_NAMED)
        one = after.of_node(field(target, *_MEMBER) or target)
        was = change.same_before(one) if one is not None and one.start not in seen else None
        if one is None or was is None:
            continue
        seen.add(one.start)
        pairs = zip(_kinds(change.before, was, known), _kinds(after, one, known), strict=True)
        changed = (" ".join(pair) for pair in pairs if all(pair) and pair[0] != pair[1])
        if kinds := next(changed, ""):
            yield one, kinds


def _declaration(one: Occurrence) -> Node:
    """Return the node around a name that may contain its type and its value."""
    return one.path[-3 if one.role is Role.MEMBER else -2].node


def _kinds(names: Names, one: Occurrence, known: Mapping[str, str]) -> Iterator[str]:
    """Yield the kinds of container that a variable has by its type and by its value."""
    node = _declaration(one)
    for part in (type_declared(node), field(node, "value", "right")):
        text = names.tree.of(part).removeprefix(":").strip()
        forms = known.items() if len(text) <= _LONGEST else ()
        yield next((kind for kind, form in forms if re.fullmatch(form, text, re.DOTALL)), "")


@cache
def _rows(language: str, kinds: str, emptied: str = "") -> tuple[_Row, ...]:
    """Return the rows for two kinds; `emptied` is what is written for an empty new value."""
    rows = []
    for pair, lines in _TABLES[language][1].items():
        is_back = pair.split() == kinds.split()[::-1]
        for line in lines.split("; ") if is_back or pair == kinds else ():
            old, way, new = re.split(" (<?=>) ", line)[:: -1 if is_back else 1]
            tree = parse(old if language == "python" else f"{old};", language)
            node = first_child(tree.root) if tree is not None else None
            if tree is not None and node is not None and (way == "<=>" or not is_back):
                written = emptied if emptied and "x = " in new else new
                rows.append(_Row(tree, inner_of(node), written))
    return tuple(rows)


def _uses(names: Names, one: Occurrence) -> Iterator[Node]:
    """Yield the nodes of the places where a variable or member stands."""
    whose = owner(names, one) if is_member(one) else None
    scope = names.resolve(one) if one.role is Role.DEFINITION else None
    for each in names.of(one.name):
        if each.role is Role.MEMBER and whose and owner(names, each) == whose:
            yield each.path[-2].node
        is_named = each.role in (Role.REFERENCE, Role.DEFINITION)
        if is_named and scope and names.resolve(each) == scope:
            yield each.path[-1].node


def _fitting(tree: Tree, rows: Collection[_Row], use: Node) -> _Found | None:
    """Return the largest code around a use of a container that a row fits."""
    found = None
    for node in tree.around(use)[:_MOST_STEPS]:
        is_alone = node.parent is not None and node.parent.type == "expression_statement"
        for row in rows if is_alone or not is_written_to(node) else ():
            bound = {"x": use}
            if _fits(row, row.old, tree, node, bound):
                if is_alone or not (_STATEMENT.search(node.type) or " = " in row.new):
                    found = _Found(node, row.new, bound)
                break
    return found


def _fits(row: _Row, old: Node, tree: Tree, node: Node, bound: dict[str, Node]) -> bool:
    """Tell whether code reads as that of a row, and bind what stands in the places of letters."""
    if not old.child_count and (name := row.tree.of(old)) in ("x", "k", "v"):
        is_one = node.is_named and not re.search("spread|splat", node.type)
        return is_one and bound.setdefault(name, node) == node
    if (old.type, old.child_count) != (node.type, node.child_count):
        return False
    if not old.child_count:
        return row.tree.of(old) == tree.of(node)
    pairs = zip(old.children, node.children, strict=True)
    return all(_fits(row, one, tree, other, bound) for one, other in pairs)


def _written(tree: Tree, node: Node, found: Collection[_Found]) -> str:
    """Return code with all that rows make of what is in it."""
    own = next((one for one in found if one.node == node), None)
    if own is not None:
        is_list = own.new.startswith("[...")
        is_iterated = is_list and _ITERATED.search(tree.text[: node.start_byte][-20:])
        new = own.new[len("[...") : -1] if is_iterated else own.new
        return re.sub(r"\b[xkv]\b", lambda one: _written(tree, own.bound[one[0]], found), new)
    pieces, at = [], node.start_byte
    for one in _in(node, found):
        pieces += [tree.text[at : one.node.start_byte], _written(tree, one.node, found)]
        at = one.node.end_byte
    return "".join([*pieces, tree.text[at : node.end_byte]])


def _in(node: Node, found: Collection[_Found]) -> list[_Found]:
    """Return what was found inside a node, without what is inside of that."""
    inside = [one for one in found if _is_inside(one.node, node)]
    return [one for one in inside if not any(_is_inside(one.node, each.node) for each in inside)]


def _is_inside(node: Node, other: Node) -> bool:
    return node != other and other.start_byte <= node.start_byte and node.end_byte <= other.end_byte
