"""Components of JSX, their properties, and the attributes by which elements give these."""

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import field, first_child

_DEFAULT_EXPORT = re.compile(
    r"^export default (?:async |function\*? |class )*(?P<name>\w+)", re.MULTILINE
)
#: What is around the type of the properties, up to the parameter or the name that has it.
_AROUND_TYPE = frozenset(
    "type_annotation type_arguments generic_type intersection_type nested_type_identifier".split()
)
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
        pattern = _around(one.path[-1].node, ("object_pattern",))
        if pattern is not None and _type_of(pattern) is None:
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


def pattern_of(component: Occurrence) -> Node | None:
    """Return the pattern by which a component takes properties out of its first parameter."""
    defined = component.path[-2].node
    function: Node | None = defined.child_by_field_name("value") or defined
    while function is not None and function.type in _CALLS:
        function = first_child(function.child_by_field_name("arguments") or function)
    parameters = function.child_by_field_name("parameters") if function is not None else None
    first = first_child(parameters) if parameters is not None else None
    pattern = first.child_by_field_name("pattern") if first is not None else None
    return pattern if pattern is not None and pattern.type == "object_pattern" else None


def name_of_function(names: Names, node: Node) -> Occurrence | None:
    """Return the name of a function of a script: its own, or that of the variable it is put in."""
    named = node if node.type == "function_declaration" else node.parent
    is_named = named is not None and named.type in ("function_declaration", "variable_declarator")
    return names.of_node(field(named, "name")) if named is not None and is_named else None


def _around(node: Node, kinds: tuple[str, ...]) -> Node | None:
    """Return the node of one of these kinds that is a few steps above another one."""
    above = node.parent
    while above is not None and above.type in ("pair_pattern", "object_assignment_pattern"):
        above = above.parent
    return above if above is not None and above.type in kinds else None


def _type_of(pattern: Node) -> Node | None:
    above = pattern.parent
    return above.child_by_field_name("type") if above is not None else None


def _component(names: Names, node: Node) -> Iterator[Occurrence]:
    """Yield the component whose properties a pattern or a type stands for."""
    while node.parent is not None and node.parent.type in _AROUND_TYPE:
        node = node.parent
    if node.parent is not None and node.parent.type in _PARAMETERS:
        while node.parent is not None and node.parent.type in _PARAMETERS:
            if node != node.parent.named_children[0] and node.parent.type == "formal_parameters":
                return  # not the first one
            node = node.parent
    while node.parent is not None and node.parent.type in (*_FUNCTIONS, *_CALLS):
        node = node.parent
        if node.type == "function_declaration":
            break
    found = name_of_function(names, node)
    if found is not None and found.name[:1].isupper():
        yield found
