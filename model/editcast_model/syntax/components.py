"""Components of JSX in scripts, with their properties."""

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import field, first_child, outermost, word_set

_DEFAULT_EXPORT = re.compile(
    r"^export default (?:async |function\*? |class )*(?P<name>\w+)", re.MULTILINE
)
#: What is around the type of the properties, up to the parameter or the name that has it.
_AROUND_TYPE = word_set(
    "type_annotation type_arguments generic_type intersection_type nested_type_identifier"
)
#: What is around a name in a pattern.
_IN_PATTERN = ("pair_pattern", "object_assignment_pattern")
_FUNCTIONS = ("function_declaration", "function_expression", "arrow_function")
#: What is around a function that becomes a component: `memo(forwardRef(() => ...))`.
_CALLS = ("arguments", "call_expression", "parenthesized_expression")
_PARAMETERS = ("required_parameter", "formal_parameters")
_FIELDS = ("property_signature", "method_signature")
_TYPES = ("interface_declaration", "type_alias_declaration")


def components_with(names: Names, one: Occurrence) -> Iterator[Occurrence]:
    """Yield the names of the components of which a name is a property.

    It is taken out of the first parameter, which has no type, or declared in the type of that.
    """
    if one.part.is_shorthand or one.role is Role.KEY:
        pattern = outermost(one.path[-1].node, _IN_PATTERN).parent
        is_pattern = pattern is not None and pattern.type == "object_pattern"
        if pattern is not None and is_pattern and field(pattern.parent, "type") is None:
            yield from _component(names, pattern)
    elif one.role is Role.MEMBER_DEFINITION and one.path[-2].type in _FIELDS:
        body = one.path[-3].node
        declared = body.parent if body.parent and body.parent.type in _TYPES else None
        name = names.tree.of(field(declared, "name")) if declared else ""
        if not name:
            yield from _component(names, body)
        for use in names.of(name) if name else ():
            if use.role is Role.REFERENCE and use.path[-1].type == "type_identifier":
                yield from _component(names, use.path[-1].node)


def called_by_others(names: Names, one: Occurrence) -> Iterator[str]:
    """Yield what other files call the components of which a name is a property."""
    for component in components_with(names, one):
        yield component.name
        if default_export(names.tree.text) == component.name:
            yield "default"


def default_export(text: str) -> str:
    """Return the name of the default export of a script; empty for none, or one without a name."""
    found = _DEFAULT_EXPORT.search(text)
    return found["name"] if found else ""


def attributes_of(names: Names, used: Iterable[Occurrence], property: str) -> Iterator[Occurrence]:
    """Yield the attributes by which elements give a property to the components used there."""
    starts = {one.start for one in used}
    for one in names.of(property) if starts else ():
        if one.role is Role.KEYWORD and one.path[-2].type == "jsx_attribute":
            element = one.path[-3].node.child_by_field_name("name")
            if element is not None and element.start_byte in starts:
                yield one


def have_one_type(names: Names, one: Occurrence, others: Names, other: Occurrence) -> bool:
    """Tell whether two properties are declared alike but for their names, or where no type is."""
    rests = []
    for tree, each in ((names.tree, one), (others.tree, other)):
        end = each.path[-2].node.end_byte if each.role is Role.MEMBER_DEFINITION else each.end
        rests.append(tree.text[each.end : end])
    return rests[0] == rests[1]


def _component(names: Names, node: Node) -> Iterator[Occurrence]:
    """Yield the component whose properties a pattern or a type stands for."""
    node = outermost(node, _AROUND_TYPE)
    while node.parent is not None and node.parent.type in _PARAMETERS:
        if node.parent.type == "formal_parameters" and node != first_child(node.parent):
            return  # not the first one
        node = node.parent
    function = outermost(node, (*_FUNCTIONS, *_CALLS))
    named = function if function.type == "function_declaration" else function.parent
    if named is not None and named.type in ("function_declaration", "variable_declarator"):
        found = names.of_node(field(named, "name"))
        if found is not None and found.name[:1].isupper():
            yield found
