"""The scopes of C#. Members are definitions in the body of their class, where `this` may lack."""

from editcast_model.syntax import roles
from editcast_model.syntax.roles import Part, Role, Rules
from editcast_model.syntax.tree import Path, around, word_set

_CLASSES = """
    class_declaration interface_declaration enum_declaration record_declaration struct_declaration
    delegate_declaration
"""
_FUNCTIONS = """
    method_declaration constructor_declaration local_function_statement lambda_expression
    anonymous_method_expression operator_declaration indexer_declaration
"""
_FIELDS = ("field_declaration", "event_field_declaration")


class CSharpRules(Rules):
    """C#'s scopes."""

    leaves = word_set("identifier implicit_parameter")
    builtins = word_set("""
        Action ArgumentException ArgumentNullException Array Attribute Console Convert DateTime Enum
        Environment EventArgs Exception Func Guid IDisposable IEnumerable InvalidOperationException
        List Dictionary Math NotImplementedException NotSupportedException Nullable Object Random
        String Task TimeSpan Tuple Type Uri nameof value
    """)
    by_name = ": "
    functions, bodies = word_set(_FUNCTIONS), word_set("block")
    outside = {
        "": """
            compilation_unit namespace_declaration declaration_list switch_section block
            enum_member_declaration_list for_statement foreach_statement using_statement
            catch_clause fixed_statement
        """,
        "name": _FUNCTIONS + _CLASSES,
    }
    rows = {
        roles.MEMBER: "member_access_expression member_binding_expression",
        # The class of an attribute may have a longer name.
        roles.OTHER: """
            attribute qualified_name.* alias_qualified_name.* labeled_statement.* goto_statement.*
            namespace_declaration.* file_scoped_namespace_declaration.* using_directive.*
        """,
        roles.IMPORT: "using_directive",
        Part(Role.DEFINITION, "method"): "method_declaration",
        roles.FUNCTION: "local_function_statement",
        roles.FIELD: "property_declaration event_declaration",
        roles.FIELD_OF_CLASS: "enum_member_declaration",
        roles.PARAMETER: "parameter parameter_list lambda_expression.parameters",
        roles.LOOP_VARIABLE: "foreach_statement.left",
        roles.CLASS: _CLASSES + "type_parameter",
        roles.VARIABLE: "catch_declaration declaration_pattern declaration_expression var_pattern",
        roles.KEYWORD: "argument",
    }
    patterns = word_set("tuple_pattern")
    bound = {
        roles.LOOP_VARIABLE: "foreach_statement.left",
        roles.LOCAL_VARIABLE: "variable_declarator.*",
    }

    def _other_part(self, path: Path, name: str) -> Part:
        leaf, parent, above = path[-1], path[-2], path[max(-3, -len(path))]
        match parent.type, leaf.field:
            case "generic_name", _ if parent.field == "name" and "member" in above.type:
                return roles.MEMBER
            case "variable_declarator", "name":
                if above.type == "variable_declaration" and path[-4].type in _FIELDS:
                    return roles.FIELD
                return roles.LOCAL_VARIABLE
            case "from_clause", "name":
                query = around(path, "query_expression") or -2
                return Part(Role.DEFINITION, "variable", extent=query)
            case "tuple_pattern", "name":
                return self._part_bound(path)
            case "assignment_expression", "left" if above.type == "initializer_expression":
                return roles.KEY
        return roles.REFERENCE
