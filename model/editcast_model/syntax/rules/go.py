"""The scopes of Go."""

from tree_sitter import Node

from editcast_model.syntax.roles import OTHER, REFERENCE, Part, Role, Rules
from editcast_model.syntax.tree import Path

FUNCTIONS = frozenset({"function_declaration", "method_declaration", "func_literal"})
_BLOCKS = frozenset(
    {"source_file", "block", "if_statement", "for_statement", "expression_switch_statement"}
    | {"type_switch_statement", "expression_case", "type_case", "default_case"}
    | {"communication_case"}
)
_BUILTINS = """
    any append bool byte cap clear close comparable complex complex128 complex64 copy delete error
    false float32 float64 imag int int16 int32 int64 int8 iota len make max min new nil panic print
    println real recover rune string true uint uint16 uint32 uint64 uint8 uintptr
"""
_STRUCTS = ("type_identifier", "qualified_type", "generic_type")
_DECLARING = frozenset({"short_var_declaration", "range_clause", "receive_statement"})


class GoRules(Rules):
    """Go's scopes."""

    leaves = frozenset({"identifier", "field_identifier", "type_identifier", "package_identifier"})
    builtins = frozenset(_BUILTINS.split())
    has_other_files = True

    def opens(self, path: Path, index: int) -> bool:
        """Tell whether a node opens a scope for the next one."""
        kind = path[index].type
        if kind == "block" and index and path[index - 1].type in FUNCTIONS:
            return False  # parameters and body are one scope
        named = kind in FUNCTIONS or kind in ("type_spec", "method_elem")
        return kind in _BLOCKS or (named and path[index + 1].field != "name")

    def part(self, path: Path, name: str) -> Part:
        """Return what a name is."""
        leaf, parent = path[-1], path[-2]
        match parent.type, leaf.field:
            case "selector_expression", "field":
                return Part(Role.MEMBER)
            case "qualified_type", "name":
                return Part(Role.MEMBER)
            case "field_declaration", "name":
                return Part(Role.MEMBER_DEFINITION, "field")
            case (("method_declaration" | "method_elem"), "name"):
                return Part(Role.MEMBER_DEFINITION, "method")
            case "import_spec", "name":
                return Part(Role.DEFINITION, "import")
            case "package_clause", _:
                return OTHER
            case (("type_spec" | "type_alias" | "type_parameter_declaration"), "name"):
                return Part(Role.DEFINITION, "class")
            case "function_declaration", "name":
                return Part(Role.DEFINITION, "function")
            case (("parameter_declaration" | "variadic_parameter_declaration"), "name"):
                return Part(Role.DEFINITION, "parameter")
            case (("var_spec" | "const_spec"), "name"):
                is_local = any(step.type == "block" for step in path)
                after = len(path) - 2 if is_local else None
                return Part(Role.DEFINITION, "variable", seen_after=after)
            case "literal_element", _ if parent.field == "key":
                return _key(path)
            case "expression_list", _:
                return _listed(path)
        return REFERENCE


def _listed(path: Path) -> Part:
    """Return a name among those that a statement assigns to."""
    names, above = path[-2], path[-3]
    if above.type == "type_switch_statement" and names.field == "alias":
        return Part(Role.DEFINITION, "variable")
    if above.type in _DECLARING and names.field == "left":
        declares = above.type == "short_var_declaration" or any(
            child.type == ":=" for child in above.node.children
        )
        if declares:
            return Part(Role.DEFINITION, "variable", seen_after=len(path) - 3)
    return REFERENCE


def _key(path: Path) -> Part:
    """Return a key of a composite literal: a field, or a value where a map or an array is made."""
    inside = -1  # of what the literal is made of, not of the literal itself
    for step in reversed(path):
        inside += step.type == "literal_value"
        if step.type == "composite_literal":
            kind = step.node.child_by_field_name("type")
            for _ in range(inside):
                kind = element_type(kind) if kind is not None else None
            is_field = kind is not None and kind.type in _STRUCTS
            return Part(Role.KEY) if is_field else REFERENCE
    return REFERENCE


def element_type(kind: Node) -> Node | None:
    """Return the type of the elements of a slice, an array or a map; None for other types."""
    return kind.child_by_field_name("element") or kind.child_by_field_name("value")
