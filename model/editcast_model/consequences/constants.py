"""Literals that a new constant stands for."""

import re
from collections.abc import Iterator

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.value_changes import value_given
from editcast_model.diff import Hunk
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import REFERENCE, Role
from editcast_model.syntax.tree import field

#: A literal that occurs more often is data.
_MOST_PLACES = 20
#: Literals that identify a value: strings of some length with a word, numbers other than small
#: integers.
_LITERAL = re.compile(
    r"[\"'](?=(?:\\.|[^\w\\])*\w)[^\"'\n]{3,}[\"']|\d[\d_]*\.\d+|\d[\d_]{3,}|0x[\da-fA-F]{3,}"
)
_LASTING = re.compile(r"\b(?:final|const)\b")
#: Types of nodes that are whole literals, with their quotes.
_NODE = re.compile("^(?!.*(?:content|fragment)).*(?:string|number|float|integer|int_literal)")
#: Types of nodes in which a literal is not the value of an expression.
_APART = re.compile(
    "import|literal_type|type_alias|expression_statement|directive|annotation|jsx_attribute"
)
#: Languages in which a constant may be used above its definition; types of code that runs later.
_IN_ANY_ORDER = ("go", "rust", "csharp")
_FUNCTION = re.compile("function|method|lambda|arrow|constructor|block")


def after_constant(change: Change) -> Iterator[Consequence]:
    """Return the uses of a new constant in place of its value."""
    names = change.after
    for defined, literal in _new_constants(change):
        places = [found.start() for found in re.finditer(re.escape(literal), names.tree.text)]
        for place in places if len(places) <= _MOST_PLACES else ():
            if change.was_at(place) is not None and _stands_for(names, place, defined, literal):
                hunk = Hunk(place, place + len(literal), defined.name)
                yield Consequence(hunk, "use_constant", cause=f"{literal} {defined.name}")


def _new_constants(change: Change) -> Iterator[tuple[Occurrence, str]]:
    """Yield the constants that a change defined, each with its value."""
    names = change.after
    for one in change.new_names():
        value = value_given(one) if one.role is Role.DEFINITION else None
        literal = names.tree.of(value)
        if value is None or not _LITERAL.fullmatch(literal) or not _is_lasting(names, one):
            continue
        is_new = not change.before.of(one.name) and change.was_at(value.start_byte) is None
        if is_new and len(names.definitions(one.name, names.home(one))) == 1:
            yield one, literal


def _is_lasting(names: Names, one: Occurrence) -> bool:
    """Tell whether a definition is one of a constant, or of a variable that may be one."""
    if one.part.kind == "field":  # of Java and C#
        declared = [step.node for step in one.path if step.type == "field_declaration"]
        return any(_LASTING.search(names.tree.of(each)) for each in declared)
    return one.part.kind in ("variable", "constant")


def _stands_for(names: Names, place: int, defined: Occurrence, literal: str) -> bool:
    """Tell whether a literal at a place can be written as the constant, and is no other one's."""
    path = names.tree.path(place)
    at = next((at for at, step in enumerate(path) if step.node.start_byte == place), 0)
    node, above = path[at], path[at - 1]
    is_whole = node.node.end_byte == place + len(literal) and _NODE.match(node.type)
    if not at or not is_whole or _APART.search(above.type) or node.field == "key":
        return False
    if names.tree.of(field(above.node, "name", "left")).isupper():
        return False
    is_outer = defined.part.kind == "field" or len(defined.scopes) == 1
    use = Occurrence(defined.name, place, REFERENCE, path, names.rules)
    is_run_later = names.tree.language in _IN_ANY_ORDER or _FUNCTION.search(use.scopes[0].type)
    is_there = defined.start < place or (is_outer and is_run_later)
    return bool(is_there) and names.resolve(use) == names.home(defined)
