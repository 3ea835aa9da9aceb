"""The scopes of PHP.

A variable is named with its `$`, so that it is never taken for a function or a class. A member is
named without, wherever it stands: `$count` where it is declared is the `count` of `$this->count`.
A parameter that declares a member is two names, one behind the `$` of the other.
"""

from editcast_model.syntax import roles
from editcast_model.syntax.roles import Part, Role, Rules
from editcast_model.syntax.tree import Path, Tree, first_child, word_set

_CLASSES = "class_declaration interface_declaration trait_declaration enum_declaration"
#: Types of functions that see no outer variables except those that they declare.
_CLOSED = word_set("function_definition method_declaration anonymous_function property_hook")
_STATIC, _PROMOTED = "scoped_property_access_expression", "property_promotion_parameter"


class PhpRules(Rules):
    """PHP's scopes."""

    leaves = word_set("name variable_name")
    # No functions and classes: they are too many, and those left out would count as unknown.
    builtins = word_set("""
        $GLOBALS $_COOKIE $_ENV $_FILES $_GET $_POST $_REQUEST $_SERVER $_SESSION $argc $argv $this
        parent self static
    """)
    sigil = "$"
    opening = "<?php\n"
    constructor = "__construct"
    by_name = ": "
    selves = word_set("$this self static")
    borrowing = _CLOSED
    rows = {
        roles.FIELD_TAKEN: f"""
            member_access_expression nullsafe_member_access_expression {_STATIC}
        """,
        roles.METHOD_TAKEN: """
            member_call_expression nullsafe_member_call_expression scoped_call_expression
        """,
        roles.METHOD_OF_CLASS: "method_declaration",
        Part(Role.MEMBER_DEFINITION, "constant"): "enum_case",
        roles.FUNCTION: "function_definition",
        roles.CLASS: _CLASSES,
        roles.KEYWORD: "argument",
        roles.OTHER: """
            namespace_definition.* namespace_use_declaration.* goto_statement.*
            named_label_statement.* dynamic_variable_name.* property_hook.* use_as_clause.*
            relative_name.*
        """,
    }
    patterns = word_set("list_literal pair by_ref")
    bound = {
        roles.PARAMETER: f"simple_parameter variadic_parameter {_PROMOTED}",
        roles.VARIABLE: """
            static_variable_declaration
            assignment_expression.left reference_assignment_expression.left
        """,
        roles.WEAK_VARIABLE: "augmented_assignment_expression.left",
        roles.LOOP_VARIABLE: "catch_clause",
        Part(Role.OUTER, "global_declaration"): "global_declaration.*",
    }

    def read(self, tree: Tree, path: Path, offset: int) -> tuple[str, Part, Path] | None:
        """Return the name that begins at an offset, with its `$` but for members."""
        if len(path) < 3 or path[-2].type != "variable_name":
            return super().read(tree, path, offset)
        path, parent = path[:-1], path[-3].type
        is_whole = path[-1].node.start_byte == offset
        is_member = parent in ("property_element", _STATIC) and path[-1].field == "name"
        if is_whole == is_member and not (parent == _PROMOTED and not is_member):
            return None
        name = tree.text[offset : path[-1].node.end_byte]
        return name, self._part(path, name), path

    def _opens(self, path: Path, index: int) -> bool:
        kind, field = path[index].type, path[index + 1].field
        if kind in ("program", "arrow_function"):
            return True
        return kind in _CLOSED and (field in ("parameters", "body") or kind == "anonymous_function")

    def _part(self, path: Path, name: str) -> Part:
        is_variable = path[-1].type == "variable_name"
        return self._variable(path, name) if is_variable else super()._part(path, name)

    def _other_part(self, path: Path, name: str) -> Part:
        leaf, parent = path[-1], path[-2]
        is_first = leaf.node == first_child(parent.node)
        if parent.type == "class_constant_access_expression" and not is_first:
            return Part(Role.MEMBER, "constant")
        if parent.type == "const_element" and is_first:
            is_member = any(step.type.endswith("declaration_list") for step in path[-4:-3])
            return Part(Role.MEMBER_DEFINITION if is_member else Role.DEFINITION, "constant")
        if parent.type in ("namespace_use_clause", "namespace_name", "qualified_name"):
            return _qualified(path)
        return roles.REFERENCE

    def _variable(self, path: Path, name: str) -> Part:
        """Return a variable, or the member that stands behind a `$`."""
        leaf, parent = path[-1], path[-2]
        if not name.startswith("$"):
            return roles.FIELD_TAKEN if parent.type == _STATIC else roles.FIELD_OF_CLASS
        if any(step.type == "anonymous_function_use_clause" for step in path[-3:-1]):
            return Part(Role.OUTER, "use")
        following = leaf.node.next_sibling
        if parent.type == "list_literal" and following is not None and following.type == "=>":
            return roles.REFERENCE  # a key
        pattern = path[self._outermost(path)].node
        if pattern.prev_sibling is not None and pattern.prev_sibling.type == "as":
            return roles.LOOP_VARIABLE.inside(len(path) - 1 - self._outermost(path))
        return self._part_bound(path)


def _qualified(path: Path) -> Part:
    """Return a name with namespaces: the first may be an import, the last of a `use` is one."""
    leaf, parent, above = path[-1], path[-2], path[-3]
    clause = parent if parent.type == "namespace_use_clause" else above
    if clause.type == "namespace_use_clause":
        has_alias = clause.node.child_by_field_name("alias") is not None
        is_bound = parent.type != "namespace_name" and has_alias == (leaf.field == "alias")
        return roles.IMPORT if is_bound else roles.OTHER
    is_statement = any(step.type.startswith("namespace_") for step in path[:-2])
    is_first = above.type == "qualified_name" and leaf.node.start_byte == above.node.start_byte
    return roles.REFERENCE if is_first and not is_statement else roles.OTHER
