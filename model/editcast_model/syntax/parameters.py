"""Parameters of functions, as each language writes them."""

from dataclasses import dataclass

from tree_sitter import Node

from editcast_model.syntax.tree import Tree, field, first_child

#: Parameters that are read by `_typed_parameter`.
_TYPED = frozenset(
    {"formal_parameter", "spread_parameter", "parameter"}
    | {"simple_parameter", "variadic_parameter", "property_promotion_parameter"}
)
_REST = ("spread_parameter", "variadic_parameter")


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
    """

    name: str
    start: int
    end: int
    is_required: bool
    is_rest: bool = False
    is_named: bool = False


def parameters_of(tree: Tree, node: Node, is_named: bool) -> list[Parameter]:
    """Return the parameters of one entry of a list; Go writes several names before a type."""
    if node.type == "parameter_declaration":
        named = node.children_by_field_name("name")
        if not named:  # a type alone, or the rest of something that does not parse
            return [Parameter("", node.start_byte, node.end_byte, True)]
        ends = [one.end_byte for one in named[:-1]] + [node.end_byte]
        return [
            Parameter(tree.of(one), one.start_byte, end, True)
            for one, end in zip(named, ends, strict=True)
        ]
    name, is_required, is_rest = node, True, False
    if node.type in _TYPED:
        return [_typed_parameter(tree, node)]
    match node.type:
        case "identifier" | "object_pattern" | "array_pattern":
            pass
        case "list_splat_pattern" | "dictionary_splat_pattern" | "rest_pattern":
            is_rest = True
        case "variadic_parameter_declaration":
            name, is_rest = node.child_by_field_name("name") or node, True
        case "typed_parameter":
            name = first_child(node) or node
            is_rest = name.type != "identifier"
        case "default_parameter" | "typed_default_parameter":
            name, is_required = node.child_by_field_name("name") or node, False
        case "required_parameter" | "optional_parameter":
            name = field(node, "pattern", "name") or node
            is_required = node.type == "required_parameter"
            is_required &= node.child_by_field_name("value") is None
            is_rest = name.type == "rest_pattern"
        case "assignment_pattern":
            name, is_required = node.child_by_field_name("left") or node, False
        case "keyword_parameter":
            name, is_named = node.child_by_field_name("name") or node, True
            is_required = node.child_by_field_name("value") is None
        case "splat_parameter" | "hash_splat_parameter" | "destructured_parameter":
            is_rest = True
        case _:
            return []
    plain = tree.of(name) if name.type == "identifier" else ""
    start, end = name.start_byte, node.end_byte
    return [Parameter(plain, start, end, is_required and not is_rest, is_rest, is_named)]


def _typed_parameter(tree: Tree, node: Node) -> Parameter:
    """Return a parameter of Java, C#, Rust or PHP, before whose name its type may stand."""
    last = node.named_children[-1]
    name = field(node, "name", "pattern") or last.child_by_field_name("name") or last
    is_rest = node.type in _REST
    has_default = any(child.type == "=" for child in node.children)
    plain = tree.of(name) if name.type in ("identifier", "variable_name") else ""
    is_required = not (is_rest or has_default)
    return Parameter(plain, node.start_byte, node.end_byte, is_required, is_rest)
