"""Uses of a constant that was just defined, in place of the literal that it stands for."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from editcast_model.consequences.changes import Change, Consequence
from editcast_model.diff import Hunk
from editcast_model.syntax.names import WORD, Names, Occurrence
from editcast_model.syntax.roles import Role

_STRINGS = frozenset({"string", "interpreted_string_literal", "raw_string_literal"})
_NUMBERS = frozenset({"integer", "float", "number", "int_literal", "float_literal"})
#: Shorter literals, with their quotes or without any, mean one thing here and another one there.
_SHORTEST = {**dict.fromkeys(_STRINGS, 5), **dict.fromkeys(_NUMBERS, 4)}
#: What a name cannot stand in: text for people, patterns, types, imports and markup.
_NO_NAMES = (
    frozenset({"expression_statement", "import_spec", "import_statement", "export_statement"})
    | frozenset({"case_pattern", "literal_type", "jsx_attribute", "field_declaration"})
    | frozenset({"concatenated_string", "interpolation", "string"})
)
_FUNCTION = re.compile("function|method|lambda|func_literal")
_KEYS = frozenset({"object", "pair", "object_pattern"})
_MOST_NEW, _MOST_PLACES, _LONGEST = 8, 30, 5_000
_STRENGTH = 0.8


def after_constant(change: Change) -> Iterator[Consequence]:
    """Return the literals whose place a new constant of the file can take."""
    for one, value in _new_constants(change):
        text, literal = change.after.tree.text, change.after.tree.of(value)
        places = list(_places(text, literal))
        for place in places if len(places) <= _MOST_PLACES else ():
            if place != value.start_byte and _is_free(change.after, place, value):
                hunk = Hunk(place, place + len(literal), one.name)
                cause = f"{literal} {one.name}"
                yield Consequence(hunk, "use_constant", _STRENGTH, cause=cause)


def _new_constants(change: Change) -> Iterator[tuple[Occurrence, Node]]:
    """Return the definitions at the top of the file that a change added, with their literals."""
    names, count = change.after, 0
    for _, start, end in change.spans():
        if end - start > _LONGEST or change.is_active(start, end):
            continue
        for word in WORD.finditer(names.tree.text, start, end):
            one = names.at(word.start())
            value = _literal(one) if one is not None else None
            if one is None or value is None or change.before.of(one.name):
                continue
            if names.home(one) == one.scopes[-1] and value.end_byte <= end:
                count += 1
                if count <= _MOST_NEW:
                    yield one, value


def _literal(one: Occurrence) -> Node | None:
    """Return the literal that a definition gives its name; None for anything else."""
    if one.role is not Role.DEFINITION or len(one.path) < 3:
        return None
    parent, around = one.path[-2].node, one.path[-3].node
    is_constant = one.name.isupper() or parent.type == "const_spec"
    is_constant |= around.type == "lexical_declaration" and around.children[0].type == "const"
    if not is_constant:
        return None
    value = parent.child_by_field_name("value") or parent.child_by_field_name("right")
    if value is not None and value.type == "expression_list" and len(value.named_children) == 1:
        (value,) = value.named_children
    if value is None or value.end_byte - value.start_byte < _SHORTEST.get(value.type, 1 << 30):
        return None
    return value


def _places(text: str, literal: str) -> Iterator[int]:
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))


def _is_free(names: Names, place: int, value: Node) -> bool:
    """Tell whether the same literal stands at a place, and a name can stand there."""
    path = names.tree.path(place)
    width = value.end_byte - value.start_byte
    for parent, step in zip(path, path[1:], strict=False):
        node = step.node
        if (node.type, node.start_byte) == (value.type, place):
            if node.end_byte - place != width or parent.type in _NO_NAMES:
                return False
            if parent.type in _KEYS and step.field == "key" and names.tree.language != "python":
                return False
            # Tables at the top of the file say what they say.
            return any(_FUNCTION.search(each.type) for each in path)
    return False
