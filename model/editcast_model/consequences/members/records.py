"""Classes of Python that take the place of tuples, whose values have names then.

After `class Reading(NamedTuple)` was written, or a dataclass, `tuple[str, float]` with the types
of its fields becomes `Reading`, `return name, value` becomes `return Reading(name, value)`, and
`reading[1]` becomes `reading.value`.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.results.further import nodes_of
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import function_node_around
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import Tree, field, first_child, nodes_in

_FIELD: Final = re.compile(r"(\w+): ([^=\n]+?)(?: = [^\n]*)?")
_RECORD: Final = re.compile(
    r"NamedTuple\b|@(?:dataclasses\.)?dataclass\b|@(?:attrs?\.)?(?:define|frozen)\b"
)
#: Types of several things, of which the last is the type of one.
_SEVERAL: Final = (
    r"(?:(?:Async)?Iterator|Iterable|Generator|Sequence|Collection|list|List|tuple|set|deque)"
)
_YIELDS: Final = re.compile(r"\b(?:Async)?(?:Iterator|Iterable|Generator)\[")
#: Functions whose result has the elements of their first argument.
_AS_BEFORE: Final = r"(?:(?:sorted|list|reversed|enumerate|tuple|filter)\((?:\w+, )?)*"
#: Longer functions are not searched for where their names come from.
_LONGEST: Final = 20_000
#: The most places of a file that are looked at.
_MOST_READS: Final = 200
_BY_KEY: Final = r"\b(?:sorted|min|max|groupby)\("


class Record(NamedTuple):
    """A class with named values, the types of these, and the functions that return it.

    Attributes:
        name: The name of the class.
        fields: The names of its values.
        one: The functions that return one such value.
        many: The functions that return several.
    """

    name: str
    fields: tuple[str, ...]
    one: tuple[str, ...] = ()
    many: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """Return the words of which a file that uses such values has one."""
        return (self.name, *self.one, *self.many)


def after_record(change: Change) -> Iterator[Consequence]:
    """Return the tuples that are to be of a class that was written, and the reads by index."""
    tree = change.after.tree
    for record, types in _new(change):
        cause = f"record {record.name}"
        for start, end in _typed(tree, record, types):
            hunk = Hunk(start, end, record.name)
            yield Consequence(hunk, "use_entry", cause=cause)
        for function in nodes_in(tree.root, "function_definition"):
            if _is_of(tree, function, record, types):
                yield from _wrapped(tree, function, record)
        yield from read_by_name(change.after, _with_makers(tree, record, types))


def new_records(change: Change) -> Iterator[Record]:
    """Yield the records that were written, for other files."""
    for record, types in _new(change):
        yield _with_makers(change.after.tree, record, types)


def read_by_name(names: Names, record: Record) -> Iterator[Consequence]:
    """Return what is read by index from values of a record."""
    tree = names.tree
    if tree.language != "python":
        return
    for found in islice(re.finditer(r"(?<=[\w)])\[(\d)\]", tree.text), _MOST_READS):
        steps = (step.node for step in reversed(tree.path(found.start())))
        node = next((one for one in steps if one.type == "subscript"), None)
        if node is None or node.end_byte != found.end():
            continue
        at, value = int(found[1]), field(node, "value")
        if at < len(record.fields) and value is not None and _is_one(tree, value, record):
            hunk = Hunk(found.start(), found.end(), f".{record.fields[at]}")
            yield Consequence(hunk, "rename_field", cause=f"record {record.name}")


def _new(change: Change) -> Iterator[tuple[Record, tuple[str, ...]]]:
    """Yield the records that a change wrote, or that a function's result is one of since then."""
    tree = change.after.tree
    if tree.language != "python":
        return
    for one in tree.root.named_children:
        node = field(one, "definition") or one
        if node.type != "class_definition" or not _RECORD.search(tree.of(one)[:200]):
            continue
        name, fields = tree.of(field(node, "name")), _fields(tree, node)
        if len(fields) > 1 and _is_new(change, node, name):
            yield Record(name, tuple(fields)), tuple(fields.values())


def _is_new(change: Change, node: Node, name: str) -> bool:
    """Tell whether a class was written, or is named as a result for the first time."""
    if change.is_active(node.start_byte, node.end_byte):
        return False
    was = change.before.tree.text
    if not re.search(rf"^class {name}\b", was, re.MULTILINE):
        return True
    returned = re.compile(rf"-> [^\n:]*\b{name}\b")
    return bool(returned.search(change.after.tree.text)) and not returned.search(was)


def _fields(tree: Tree, node: Node) -> dict[str, str]:
    """Return the fields that a class declares, with their types."""
    body, found = field(node, "body"), dict[str, str]()
    for one in body.named_children if body is not None else ():
        if one.type == "expression_statement":
            if each := _FIELD.fullmatch(tree.of(one)):
                found[each[1]] = each[2].strip()
    return found


def _typed(tree: Tree, record: Record, types: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield where a tuple of the types of a record is the type of something."""
    for found in re.finditer(rf"\b{_tuple_of(types)}", tree.text):
        if tree.is_code(*found.span()):
            yield found.span()


def _is_of(tree: Tree, function: Node, record: Record, types: tuple[str, ...]) -> bool:
    """Tell whether a function returns values of a record, or is to."""
    result = tree.of(field(function, "return_type"))
    return bool(re.search(rf"\b(?:{record.name}\b|{_tuple_of(types)})", result))


def _tuple_of(types: tuple[str, ...]) -> str:
    """Return the pattern of the type of a tuple of some types."""
    inner = r",\s*".join(map(re.escape, types))
    return rf"[tT]uple\[{inner},?\s*\]"


def _with_makers(tree: Tree, record: Record, types: tuple[str, ...]) -> Record:
    """Return a record with the functions that return it."""
    one, many = list[str](), list[str]()
    for function in nodes_in(tree.root, "function_definition"):
        if _is_of(tree, function, record, types):
            result = tree.of(field(function, "return_type"))
            kind, name = rf"(?:{record.name}\b|{_tuple_of(types)})", field(function, "name")
            if re.match(rf"(?:Optional\[)?{kind}", result):
                one.append(tree.of(name))
            elif re.match(rf"{_SEVERAL}\[{kind}", result):
                many.append(tree.of(name))
    return record._replace(one=tuple(one), many=tuple(many))


def _wrapped(tree: Tree, function: Node, record: Record) -> Iterator[Consequence]:
    """Return the tuples that a function returns or yields."""
    yields = _YIELDS.search(tree.of(field(function, "return_type")))
    for node in nodes_of(function):
        if node.type != ("yield" if yields else "return_statement"):
            continue
        value = first_child(node)
        is_tuple = value is not None and value.type in ("expression_list", "tuple")
        if value is None or not is_tuple or len(value.named_children) != len(record.fields):
            continue
        start, text = value.start_byte, record.name
        hunk = Hunk(start, start, text)
        if value.type == "expression_list":
            hunk = Hunk(start, value.end_byte, f"{text}({tree.of(value)})")
        yield Consequence(hunk, "wrap_result", cause=f"record {record.name}")


def _is_one(tree: Tree, value: Node, record: Record) -> bool:
    """Tell whether an expression is one value of a record."""
    one = _called(record.one)
    if value.type == "call":
        called = field(value, "function")
        return bool(one) and re.fullmatch(one.removesuffix(r"\("), tree.of(called)) is not None
    if value.type != "identifier":
        return False
    function = function_node_around(tree, value)
    while function is not None and function.type == "lambda":
        function = function_node_around(tree, function)
    text = tree.of(function) if function is not None else tree.text
    if len(text) > _LONGEST:
        return False
    name = re.escape(tree.of(value))
    ways = [rf"\b{name}: (?:Optional\[)?{record.name}\b(?!\[)"]
    if one:
        ways.append(rf"\b{name}(?:: [^=\n]{{1,80}})? :?= (?:await )?{one}(?:[^\n]*\))?$")
    for many in _several(text, record):
        ways.append(rf"\bfor (?:\w+, )?{name} in {_AS_BEFORE}{many}")
        ways.append(rf"{_BY_KEY}{many}[^\n]{{0,120}}?\bkey=lambda {name}:")
        ways.append(rf"{many}\.sort\(key=lambda {name}:")
    return any(re.search(way, text, re.MULTILINE) for way in ways)


def _several(text: str, record: Record) -> Iterator[str]:
    """Yield the patterns of what has several values of a record in the text of a function."""
    many, one = _called(record.many), _called(record.one)
    if many:
        yield many
    found = re.findall(rf"\b(\w+): {_SEVERAL}\[(?:\w+, )?{record.name}\b", text)
    if many:
        found += re.findall(rf"\b(\w+) = {_AS_BEFORE}{many}", text)
    if one:
        found += re.findall(rf"\b(\w+) = \[{one}", text)
    for name in dict.fromkeys(found):
        yield rf"\b{name}\b(?!\()"


def _called(functions: tuple[str, ...]) -> str:
    """Return the pattern of a call of one of some functions, up to its arguments."""
    return rf"(?:\w+\.)*(?:{'|'.join(functions)})\(" if functions else ""
