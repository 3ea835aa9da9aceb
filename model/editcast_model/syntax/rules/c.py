"""The scopes of C and C++. Members are definitions in the body of their class, as in C#.

What the preprocessor makes of a text is not known: macros are names like others.
"""

from editcast_model.syntax import roles
from editcast_model.syntax.roles import Part, Role, Rules
from editcast_model.syntax.tree import Path, around, word_set

_FUNCTIONS = word_set("function_definition lambda_expression")
#: Types of nodes that declare functions, and other things.
_DECLARATIONS = ("function_definition", "field_declaration", "declaration")
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
        roles.KEY: "field_designator.*",
        roles.REFERENCE: "field_initializer.*",
        roles.VARIABLE: "preproc_def preproc_function_def",
        roles.CLASS: "type_parameter_declaration.* optional_type_parameter_declaration.*",
        roles.OTHER: """
            namespace_definition.* using_declaration.* preproc_params.* attribute.*
            namespace_alias_definition.* nested_namespace_specifier.*
        """,
    }
    patterns = word_set("""
        pointer_declarator array_declarator reference_declarator parenthesized_declarator
        function_declarator init_declarator attributed_declarator structured_binding_declarator
    """)
    apart = word_set("array_declarator.size init_declarator.value function_declarator.parameters")
    bound = {
        roles.PARAMETER: """
            parameter_declaration.declarator optional_parameter_declaration.declarator
            variadic_parameter_declaration.declarator
        """,
        roles.FIELD: "field_declaration.declarator",
        roles.CLASS: "type_definition.declarator",
        roles.LOOP_VARIABLE: "for_range_loop.declarator",
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
        return self._part_bound(path)

    def _part_bound(self, path: Path) -> Part:
        at = self._outermost(path)
        above = path[at - 1].type
        if path[at].field != "declarator" or above not in _DECLARATIONS:
            return super()._part_bound(path)
        if any(step.type == "function_declarator" for step in path[at:-1]):
            is_member = any(step.type == "field_declaration_list" for step in path[at - 2 : at - 1])
            return Part(Role.DEFINITION, "method" if is_member else "function")
        if above == "declaration":
            is_local = any(step.type == "compound_statement" for step in path)
            return Part(Role.DEFINITION, "variable", seen_after=at if is_local else None)
        return super()._part_bound(path)
