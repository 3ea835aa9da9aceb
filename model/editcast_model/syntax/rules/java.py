"""The scopes of Java.

Methods are members wherever they are called, since a field or a class may have the same name; a
field is a definition in the body of its class, where it is used without `this`, and a member, too.
"""

from editcast_model.syntax.roles import OTHER, REFERENCE, Part, Role, Rules
from editcast_model.syntax.tree import Path, first_child

_CLASSES = frozenset(
    {"class_declaration", "interface_declaration", "enum_declaration", "record_declaration"}
    | {"annotation_type_declaration"}
)
_FUNCTIONS = frozenset(
    {"method_declaration", "constructor_declaration", "compact_constructor_declaration"}
    | {"lambda_expression"}
)
_BODIES = frozenset({"block", "constructor_body"})
_OTHERS = frozenset(
    {"program", "class_body", "interface_body", "enum_body", "annotation_type_body"}
    | {"for_statement", "enhanced_for_statement", "catch_clause", "switch_block"}
    | {"try_with_resources_statement"}
)
_BUILTINS = """
    ArithmeticException ArrayIndexOutOfBoundsException AssertionError AutoCloseable Boolean Byte
    CharSequence Character Class ClassCastException ClassLoader ClassNotFoundException
    CloneNotSupportedException Cloneable Comparable Deprecated Double Enum Error Exception Float
    FunctionalInterface IllegalArgumentException IllegalStateException IndexOutOfBoundsException
    Integer InterruptedException Iterable Long Math NullPointerException Number
    NumberFormatException Object OutOfMemoryError Override Package Process ProcessBuilder Record
    Runnable Runtime RuntimeException SafeVarargs SecurityException Short StackOverflowError
    StackTraceElement String StringBuffer StringBuilder SuppressWarnings System Thread ThreadLocal
    Throwable UnsupportedOperationException Void length var
"""
#: Where a name is a label.
_LABELS = ("labeled_statement", "break_statement", "continue_statement")
#: What declares a variable by its name.
_VARIABLES = ("catch_formal_parameter", "resource", "instanceof_expression", "type_pattern")


class JavaRules(Rules):
    """Java's scopes."""

    leaves = frozenset({"identifier", "type_identifier"})
    builtins = frozenset(_BUILTINS.split())
    has_other_files = True

    def opens(self, path: Path, index: int) -> bool:
        """Tell whether a node opens a scope for the next one."""
        kind = path[index].type
        if kind in _BODIES:  # parameters and body are one scope
            return index == 0 or path[index - 1].type not in _FUNCTIONS
        return kind in _OTHERS | _FUNCTIONS or (
            kind in _CLASSES and path[index + 1].field != "name"
        )

    def part(self, path: Path, name: str) -> Part:
        """Return what a name is."""
        leaf, parent = path[-1], path[-2]
        if any(step.type in ("import_declaration", "package_declaration") for step in path[1:3]):
            return _imported(path)
        match parent.type, leaf.field:
            case "field_access", "field":
                return Part(Role.MEMBER, "field")
            case "method_invocation", "name":
                return Part(Role.MEMBER, "method")
            case "method_reference", _ if leaf.node != first_child(parent.node):
                return Part(Role.MEMBER, "method")
            case (("scoped_identifier" | "scoped_type_identifier"), _):
                return OTHER
            case "method_declaration", "name":
                return Part(Role.MEMBER_DEFINITION, "method")
            case "enum_constant", "name":
                return Part(Role.MEMBER_DEFINITION, "field")
            case "element_value_pair", "key":
                return Part(Role.KEYWORD)
            case "variable_declarator", "name":
                return _variable(path)
            case "formal_parameter", "name":
                return Part(Role.DEFINITION, "parameter")
            case "enhanced_for_statement", "name":
                return Part(Role.DEFINITION, "variable", extent=len(path) - 2)
            case (kind, "name") if kind in _CLASSES:
                return Part(Role.DEFINITION, "class")
            case (kind, "name") if kind in _VARIABLES:
                return Part(Role.DEFINITION, "variable")
            case "type_parameter", _ if leaf.node == first_child(parent.node):
                return Part(Role.DEFINITION, "class")
            case ("lambda_expression", "parameters") | ("inferred_parameters", _):
                return Part(Role.DEFINITION, "parameter")
            case (kind, _) if kind in _LABELS and leaf.type == "identifier":
                return OTHER
        return REFERENCE


def _variable(path: Path) -> Part:
    """Return the name of a field, a local variable or a parameter that takes any number."""
    match path[-3].type:
        case "field_declaration" | "constant_declaration":
            return Part(Role.DEFINITION, "field")
        case "spread_parameter":
            return Part(Role.DEFINITION, "parameter")
    return Part(Role.DEFINITION, "variable", seen_after=len(path) - 2)


def _imported(path: Path) -> Part:
    """Return a name in an import or in the name of a package: the last one is that of a class."""
    statement, dotted = path[1], path[-2]
    is_last = len(path) == 4 and path[-1].field == "name"
    takes_all = any(child.type == "asterisk" for child in statement.node.children)
    if statement.type == "import_declaration" and is_last and not takes_all:
        return Part(Role.DEFINITION, "import") if dotted.type == "scoped_identifier" else OTHER
    return OTHER
