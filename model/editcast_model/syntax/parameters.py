"""Parameters of functions, as each language writes them."""

import dataclasses
import re
from dataclasses import dataclass

from tree_sitter import Node

from editcast_model.syntax.declarators import declared_name
from editcast_model.syntax.tree import Tree, field, first_child, word_set

#: Types of parameters that begin with their type or modifiers.
_TYPED = word_set("""
    formal_parameter spread_parameter parameter simple_parameter variadic_parameter
    property_promotion_parameter
""")
#: Types of parameters that take any number of arguments.
_REST = word_set("""
    list_splat_pattern dictionary_splat_pattern rest_pattern variadic_parameter_declaration
    splat_parameter hash_splat_parameter destructured_parameter spread_parameter variadic_parameter
""")
_OPTIONAL = word_set(
    "default_parameter typed_default_parameter optional_parameter assignment_pattern"
)
_OTHERS = word_set("""
    identifier object_pattern array_pattern typed_parameter required_parameter keyword_parameter
""")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter.

    Attributes:
        name: Its name; empty for a pattern.
        start: Where it begins: with its name, or in Java with its type.
        end: Where it ends, with its type and its default.
        is_required: Whether a call must give it.
        is_rest: Whether it takes any number of arguments.
        is_named: Whether a call can only give it by its name.
        type: Its type as it is written, which two parameters may differ in; empty for none.
        default: Its default as it is written; empty for none.
        keys: The fields of the object that it is, where they are looked for.
    """

    name: str
    start: int
    end: int
    is_required: bool
    is_rest: bool = False
    is_named: bool = False
    type: str = dataclasses.field(default="", compare=False)
    default: str = dataclasses.field(default="", compare=False)
    keys: tuple[str, ...] = dataclasses.field(default=(), compare=False)


Parameters = tuple[Parameter, ...]


def parameters_of(tree: Tree, node: Node, is_named: bool) -> list[Parameter]:
    """Return the parameters of one entry of a list; Go writes several names before a type."""
    if node.type.endswith("parameter_declaration") and field(node, "declarator", "default_value"):
        return [_of_c(tree, node)]
    if node.type == "parameter_declaration":
        if tree.of(node) == "void":
            return []
        named = node.children_by_field_name("name")
        if not named:  # a type alone, or the rest of something that does not parse
            return [Parameter("", node.start_byte, node.end_byte, True)]
        ends = [one.end_byte for one in named[:-1]] + [node.end_byte]
        kind = tree.of(node.child_by_field_name("type"))
        return [
            Parameter(tree.of(one), one.start_byte, end, True, type=kind)
            for one, end in zip(named, ends, strict=True)
        ]
    if node.type not in _TYPED | _REST | _OPTIONAL | _OTHERS:
        return []
    name = _name(node)
    is_rest = node.type in _REST or (node.type == "typed_parameter" and name.type != "identifier")
    is_rest |= name.type in _REST
    default = _default(tree, node)
    has_default = node.type in _OPTIONAL or field(node, "value") is not None or default is not None
    return [
        Parameter(
            tree.of(name) if name.type in ("identifier", "variable_name") else "",
            (node if node.type in _TYPED else name).start_byte,
            node.end_byte,
            not (is_rest or has_default),
            is_rest,
            is_named or node.type == "keyword_parameter",
            tree.of(node.child_by_field_name("type")).lstrip(": "),
            default or "",
        )
    ]


def _of_c(tree: Tree, node: Node) -> Parameter:
    """Return a parameter of C or C++, whose type has a mark for each pointer."""
    name, default = declared_name(node), tree.of(field(node, "default_value"))
    marks = re.sub(r"[^*&\[]", "", tree.of(field(node, "declarator"))).replace("[", "*")
    kind = f"{tree.of(field(node, 'type'))} {marks}".strip()
    span = node.start_byte, node.end_byte
    is_rest = node.type.startswith("variadic")
    return Parameter(tree.of(name), *span, not default, is_rest, type=kind, default=default)


def _default(tree: Tree, node: Node) -> str | None:
    """Return the default of a parameter; in C# it stands behind the sign, without a field."""
    signs = (child.end_byte for child in node.children if child.type == "=")
    return next((tree.text[end : node.end_byte].strip() for end in signs), None)


def _name(node: Node) -> Node:
    """Return the node of a parameter's name, or of its pattern."""
    found = field(node, "pattern", "name", "left")
    if found is not None:
        return found
    if node.type == "typed_parameter":
        return first_child(node) or node
    last = [node, *node.named_children][-1] if node.type in _TYPED else node  # `...` of C has none
    return last.child_by_field_name("name") or last


def is_decorated(tree: Tree, function: Node, above: Node, *decorators: str) -> bool:
    """Tell whether a function of Python, with the node around it, has one of some decorators."""
    written = tree.text[above.start_byte : function.start_byte]
    return above.type == "decorated_definition" and any(one in written for one in decorators)
