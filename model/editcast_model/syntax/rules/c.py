"""The scopes of C and C++. Members are definitions in the body of their class, as in C#.

What the preprocessor makes of a text is not known: macros are names like others.
"""

from editcast_model.syntax import roles
from editcast_model.syntax.roles import Part, Role, Rules
from editcast_model.syntax.tree import Path, around, word_set

_FUNCTIONS = word_set("function_definition lambda_expression")
#: Types of nodes around a declared name.
_DECLARATORS = word_set("""
    pointer_declarator array_declarator reference_declarator parenthesized_declarator
    function_declarator init_declarator attributed_declarator structured_binding_declarator
""")
_PARAMETERS = word_set("""
    parameter_declaration optional_parameter_declaration variadic_parameter_declaration
""")
_CLASSES = word_set("""
    struct_specifier union_specifier enum_specifier class_specifier alias_declaration
    concept_definition
""")


class CRules(Rules):
    """The scopes of C and C++."""

    leaves = word_set("identifier field_identifier type_identifier namespace_identifier")
    builtins = word_set("""
        NULL assert auto bool false int8_t int16_t int32_t int64_t nullptr ptrdiff_t size_t ssize_t
        std true uint8_t uint16_t uint32_t uint64_t va_list
    """)
    functions, bodies = _FUNCTIONS, word_set("compound_statement")
    outside = {
        "": """
            translation_unit template_declaration field_declaration_list
            for_statement for_range_loop if_statement while_statement switch_statement
            catch_clause lambda_expression compound_statement
        """
    }
    rows = {
        roles.MEMBER: "field_expression.field",
        roles.KEY: "field_designator",
        roles.REFERENCE: "field_initializer",
        roles.VARIABLE: roles.each("preproc_def preproc_function_def"),
        roles.CLASS: "type_parameter_declaration optional_type_parameter_declaration",
        roles.OTHER: """
            namespace_definition using_declaration preproc_params attribute
            namespace_alias_definition nested_namespace_specifier
        """,
    }

    def _opens(self, path: Path, index: int) -> bool:
        kind, next_one = path[index].type, path[index + 1]
        if kind == "function_definition":  # its parameters and its body
            return next_one.field == "body" or any(
                one.field == "parameters" for one in path[index:]
            )
        if kind == "function_declarator":  # of a prototype
            is_defined = any(one.type in _FUNCTIONS for one in path)
            return next_one.field == "parameters" and not is_defined
        return super()._opens(path, index)

    def _other_part(self, path: Path, name: str) -> Part:
        leaf, parent = path[-1], path[-2]
        if parent.type == "qualified_identifier" and leaf.field == "name":
            is_defined = (parent.field, path[-3].type) == ("declarator", "function_declarator")
            return roles.METHOD_OF_CLASS if is_defined else roles.MEMBER
        if parent.type == "enumerator" and leaf.field == "name":
            enum = around(path, "enum_specifier") or 0
            is_class = any(one.type in ("class", "struct") for one in path[enum].node.children)
            return roles.FIELD_OF_CLASS if is_class else roles.VARIABLE
        if parent.type in _CLASSES and leaf.field == "name":
            has_body = parent.node.child_by_field_name("body") is not None
            is_alias = parent.type in ("alias_declaration", "concept_definition")
            return roles.CLASS if has_body or is_alias else roles.REFERENCE
        return _declared(path) or roles.REFERENCE


def _declared(path: Path) -> Part | None:
    """Return a name that a declaration declares."""
    at, is_function = len(path) - 1, False
    while path[at - 1].type in _DECLARATORS and path[at].field in ("declarator", None):
        is_function |= path[at - 1].type == "function_declarator"
        at -= 1
    above, field = path[at - 1], path[at].field
    if field != "declarator":
        return None
    is_member = any(step.type == "field_declaration_list" for step in path[at - 2 : at - 1])
    match above.type:
        case kind if kind in _PARAMETERS:
            return roles.PARAMETER
        case "function_definition" | "field_declaration" | "declaration" if is_function:
            return Part(Role.DEFINITION, "method" if is_member else "function")
        case "field_declaration":
            return roles.FIELD
        case "type_definition":
            return roles.CLASS
        case "for_range_loop":
            return Part(Role.DEFINITION, "variable", extent=at - 1)
        case "declaration":
            is_local = any(step.type == "compound_statement" for step in path)
            return Part(Role.DEFINITION, "variable", seen_after=at if is_local else None)
    return None
