"""The scopes of Go."""

from editcast_model.syntax import roles
from editcast_model.syntax.roles import Part, Rules
from editcast_model.syntax.tree import Path, field, word_set

_FUNCTIONS = "function_declaration method_declaration func_literal"
_STRUCTS = ("type_identifier", "qualified_type", "generic_type")


class GoRules(Rules):
    """Go's scopes."""

    leaves = word_set("identifier field_identifier type_identifier package_identifier")
    builtins = word_set("""
        any append bool byte cap clear close comparable complex complex128 complex64 copy delete
        error false float32 float64 imag int int16 int32 int64 int8 iota len make max min new nil
        panic print println real recover rune string true uint uint16 uint32 uint64 uint8 uintptr
    """)
    functions, bodies = word_set(_FUNCTIONS), word_set("block")
    outside = {
        "": """
            source_file block if_statement for_statement expression_switch_statement
            type_switch_statement expression_case type_case default_case communication_case
        """,
        "name": f"{_FUNCTIONS} type_spec method_elem",
    }
    rows = {
        roles.MEMBER: "selector_expression.field qualified_type",
        roles.FIELD_OF_CLASS: "field_declaration",
        roles.METHOD_OF_CLASS: "method_declaration method_elem",
        roles.IMPORT: "import_spec",
        roles.OTHER: "package_clause.*",
        roles.CLASS: "type_spec type_alias type_parameter_declaration",
        roles.FUNCTION: "function_declaration",
        roles.PARAMETER: "parameter_declaration variadic_parameter_declaration",
    }

    def _other_part(self, path: Path, name: str) -> Part:
        leaf, parent = path[-1], path[-2]
        match parent.type, leaf.field:
            case (("var_spec" | "const_spec"), "name"):
                is_local = any(step.type == "block" for step in path)
                return roles.LOCAL_VARIABLE if is_local else roles.VARIABLE
            case "literal_element", _ if parent.field == "key":
                return _key(path)
            case "expression_list", _ if parent.field == "alias":  # of a switch by types
                return roles.VARIABLE
            case "expression_list", _ if parent.field == "left":
                if any(child.type == ":=" for child in path[-3].node.children):
                    return roles.LOCAL_VARIABLE.inside(1)
        return roles.REFERENCE


def _key(path: Path) -> Part:
    """Return a key of a composite literal: a field, or a value where a map or an array is made."""
    inside = -1  # of what the literal is made of, not of the literal itself
    for step in reversed(path):
        inside += step.type == "literal_value"
        if step.type == "composite_literal":
            kind = field(step.node, "type")
            for _ in range(inside):
                kind = field(kind, "element", "value")
            is_field = kind is not None and kind.type in _STRUCTS
            return roles.KEY if is_field else roles.REFERENCE
    return roles.REFERENCE
