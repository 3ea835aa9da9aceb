"""The scopes of C#. Members are definitions in the body of their class, where `this` may lack."""

from editcast_model.syntax.roles import OTHER, REFERENCE, Part, Role, Rules
from editcast_model.syntax.tree import Path

_CLASSES = frozenset(
    {"class_declaration", "interface_declaration", "enum_declaration", "record_declaration"}
    | {"struct_declaration", "record_struct_declaration", "delegate_declaration"}
)
_FUNCTIONS = frozenset(
    {"method_declaration", "constructor_declaration", "local_function_statement"}
    | {"lambda_expression", "anonymous_method_expression", "operator_declaration"}
    | {"indexer_declaration"}
)
_OTHERS = frozenset(
    {"compilation_unit", "namespace_declaration", "declaration_list", "switch_section"}
    | {"enum_member_declaration_list", "for_statement", "foreach_statement", "using_statement"}
    | {"catch_clause", "fixed_statement"}
)
_BUILTINS = """
    Action ArgumentException ArgumentNullException Array Attribute Console Convert DateTime Enum
    Environment EventArgs Exception Func Guid IDisposable IEnumerable InvalidOperationException List
    Dictionary Math NotImplementedException NotSupportedException Nullable Object Random String Task
    TimeSpan Tuple Type Uri nameof value
"""
_PROPERTIES = ("property_declaration", "event_declaration")
_FIELDS = ("field_declaration", "event_field_declaration")
#: What declares a variable by its name, in a pattern or an argument, too.
_VARIABLES = ("catch_declaration", "declaration_pattern", "declaration_expression", "var_pattern")
_NAMESPACES = ("namespace_declaration", "file_scoped_namespace_declaration", "using_directive")
_PARAMETERS = ("parameter", "parameter_list")


class CSharpRules(Rules):
    """C#'s scopes."""

    leaves = frozenset({"identifier", "implicit_parameter"})
    builtins = frozenset(_BUILTINS.split())
    has_other_files = True
    by_name = ": "

    def opens(self, path: Path, index: int) -> bool:
        """Tell whether a node opens a scope for the next one."""
        kind = path[index].type
        if kind == "block":  # parameters and body are one scope
            return index == 0 or path[index - 1].type not in _FUNCTIONS
        return kind in _OTHERS or (
            kind in _FUNCTIONS | _CLASSES and path[index + 1].field != "name"
        )

    def part(self, path: Path, name: str) -> Part:
        """Return what a name is."""
        leaf, parent, above = path[-1], path[-2], path[max(-3, -len(path))]
        match parent.type, leaf.field:
            case (("member_access_expression" | "member_binding_expression"), "name"):
                return Part(Role.MEMBER)
            case "generic_name", _ if parent.field == "name" and "member" in above.type:
                return Part(Role.MEMBER)
            case "attribute", "name":
                return OTHER  # a class whose name may end otherwise
            case "using_directive", "name":
                return Part(Role.DEFINITION, "import")
            case "qualified_name" | "alias_qualified_name" | "labeled_statement", _:
                return OTHER
            case (kind, _) if kind in _NAMESPACES or kind == "goto_statement":
                return OTHER
            case "method_declaration", "name":
                return Part(Role.DEFINITION, "method")
            case "local_function_statement", "name":
                return Part(Role.DEFINITION, "function")
            case (kind, "name") if kind in _PROPERTIES:
                return Part(Role.DEFINITION, "field")
            case "enum_member_declaration", "name":
                return Part(Role.MEMBER_DEFINITION, "field")
            case "variable_declarator", "name":
                if above.type == "variable_declaration" and path[-4].type in _FIELDS:
                    return Part(Role.DEFINITION, "field")
                return Part(Role.DEFINITION, "variable", seen_after=len(path) - 2)
            case (kind, "name") if kind in _PARAMETERS:
                return Part(Role.DEFINITION, "parameter")
            case _, "parameters" if leaf.type == "implicit_parameter":
                return Part(Role.DEFINITION, "parameter")
            case "foreach_statement", "left":
                return Part(Role.DEFINITION, "variable", extent=len(path) - 2)
            case (kind, "name") if kind in _CLASSES or kind == "type_parameter":
                return Part(Role.DEFINITION, "class")
            case (kind, "name") if kind in _VARIABLES:
                return Part(Role.DEFINITION, "variable")
            case "argument", "name":
                return Part(Role.KEYWORD)
            case "assignment_expression", "left" if above.type == "initializer_expression":
                return Part(Role.KEY)
        return REFERENCE
