"""The scopes of Java.

Methods are members wherever they are called, since a field or a class may have the same name; a
field is a definition in the body of its class, where it is used without `this`, and a member, too.
"""

from editcast_model.syntax import roles
from editcast_model.syntax.roles import Part, Role, Rules
from editcast_model.syntax.tree import Path, first_child, word_set

_CLASSES = """
    class_declaration interface_declaration enum_declaration record_declaration
    annotation_type_declaration
"""
_FUNCTIONS = """
    method_declaration constructor_declaration compact_constructor_declaration lambda_expression
"""
_BODIES = "block constructor_body"


class JavaRules(Rules):
    """Java's scopes."""

    leaves = word_set("identifier type_identifier")
    builtins = word_set("""
        ArithmeticException ArrayIndexOutOfBoundsException AssertionError AutoCloseable Boolean Byte
        CharSequence Character Class ClassCastException ClassLoader ClassNotFoundException
        CloneNotSupportedException Cloneable Comparable Deprecated Double Enum Error Exception Float
        FunctionalInterface IllegalArgumentException IllegalStateException IndexOutOfBoundsException
        Integer InterruptedException Iterable Long Math NullPointerException Number
        NumberFormatException Object OutOfMemoryError Override Package Process ProcessBuilder Record
        Runnable Runtime RuntimeException SafeVarargs SecurityException Short StackOverflowError
        StackTraceElement String StringBuffer StringBuilder SuppressWarnings System Thread
        ThreadLocal Throwable UnsupportedOperationException Void length var
    """)
    functions, bodies = word_set(_FUNCTIONS), word_set(_BODIES)
    outside = {
        "": f"""
            program class_body interface_body enum_body annotation_type_body for_statement
            enhanced_for_statement catch_clause switch_block try_with_resources_statement
            {_BODIES} {_FUNCTIONS}
        """,
        "name": _CLASSES,
    }
    rows = {
        roles.FIELD_TAKEN: "field_access.field",
        roles.METHOD_TAKEN: "method_invocation",
        roles.OTHER: """
            scoped_identifier.* scoped_type_identifier.*
            labeled_statement.* break_statement.* continue_statement.*
        """,
        roles.METHOD_OF_CLASS: "method_declaration",
        roles.FIELD_OF_CLASS: "enum_constant",
        roles.KEYWORD: "element_value_pair.key",
        roles.PARAMETER: "formal_parameter lambda_expression.parameters inferred_parameters.*",
        roles.LOOP_VARIABLE: "enhanced_for_statement",
        roles.CLASS: _CLASSES + " type_parameter.*",
        roles.VARIABLE: "catch_formal_parameter resource instanceof_expression type_pattern",
    }
    patterns = word_set("variable_declarator")
    apart = word_set("variable_declarator.value")
    bound = {
        roles.FIELD: "field_declaration.declarator constant_declaration.declarator",
        roles.PARAMETER: "spread_parameter.*",  # that takes any number
        Part(Role.DEFINITION, "variable", seen_after=-1): "local_variable_declaration.declarator",
    }

    def _part(self, path: Path, name: str) -> Part:
        if any(step.type in ("import_declaration", "package_declaration") for step in path[1:3]):
            return _imported(path)
        return super()._part(path, name)

    def _other_part(self, path: Path, name: str) -> Part:
        leaf, parent = path[-1], path[-2]
        if parent.type == "method_reference" and leaf.node != first_child(parent.node):
            return roles.METHOD_TAKEN
        return self._part_bound(path)


def _imported(path: Path) -> Part:
    """Return a name in an import or in the name of a package: the last one is that of a class."""
    statement, dotted = path[1], path[-2]
    is_last = len(path) == 4 and path[-1].field == "name" and dotted.type == "scoped_identifier"
    takes_all = any(child.type == "asterisk" for child in statement.node.children)
    is_import = statement.type == "import_declaration" and is_last and not takes_all
    return roles.IMPORT if is_import else roles.OTHER
