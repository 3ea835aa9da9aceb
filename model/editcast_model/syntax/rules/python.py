"""The scopes of Python."""

import builtins
from dataclasses import replace

from editcast_model.syntax import roles
from editcast_model.syntax.roles import Part, Role, Rules, Scope
from editcast_model.syntax.tree import Path, around, first_child, word_set

_FUNCTIONS = word_set("function_definition lambda")
_COMPREHENSIONS = word_set("""
    list_comprehension set_comprehension dictionary_comprehension generator_expression
""")
#: Types of scopes that are none of a comprehension.
_NAMED_SCOPES = _FUNCTIONS | {"class_definition", "module"}
#: Types of statements that may have type parameters.
_WITH_TYPES = ("function_definition", "class_definition", "type_alias_statement")


class PythonRules(Rules):
    """Python's scopes."""

    leaves = word_set("identifier")
    builtins = frozenset(dir(builtins)) | {"__file__", "__path__", "reveal_type"}
    has_other_files = False
    borrowing = word_set("function_definition")
    constructor = "__init__"
    rows = {
        roles.FUNCTION: "function_definition",
        roles.CLASS: "class_definition",
        roles.MEMBER: "attribute.attribute",
        roles.KEYWORD: "keyword_argument",
        roles.IMPORT: "aliased_import.alias",
        Part(Role.OUTER, "global_statement"): "global_statement.*",
        Part(Role.OUTER, "nonlocal_statement"): "nonlocal_statement.*",
    }
    patterns = word_set("""
        pattern_list tuple_pattern list_pattern list_splat_pattern dictionary_splat_pattern
        as_pattern_target tuple list parenthesized_expression expression_list
    """)
    bound = {
        roles.PARAMETER: """
            parameters.* lambda_parameters.* typed_parameter.*
            default_parameter typed_default_parameter
        """,
        roles.VARIABLE: "assignment.left",
        roles.WEAK_VARIABLE: "augmented_assignment.left delete_statement.*",
        roles.LOOP_VARIABLE: "for_statement.left for_in_clause.left",
    }

    def _opens(self, path: Path, index: int) -> bool:
        kind, field = path[index].type, path[index + 1].field
        if kind in _FUNCTIONS and field == "parameters":  # types and defaults are outside
            return all(step.field not in ("value", "type") for step in path[index + 3 : index + 4])
        if kind in _FUNCTIONS or kind == "class_definition":
            return field == "body"
        return kind == "module" or (kind in _COMPREHENSIONS and not _is_first_iterable(path, index))

    def scopes(self, path: Path) -> list[Scope]:
        """Return the scopes around a name; that of a class only where it is the innermost."""
        inside = super().scopes(path)
        return inside[:1] + [one for one in inside[1:] if one.type != "class_definition"]

    def _other_part(self, path: Path, name: str) -> Part:
        leaf, parent = path[-1], path[-2]
        match parent.type, leaf.field:
            case "named_expression", "name":
                level = roles.level(self.scopes(path), *_NAMED_SCOPES)
                return Part(Role.DEFINITION, "variable", level=level)
            case "dotted_name", _:
                return _dotted(path)
            case ("keyword_pattern", _) if _is_first(path):
                return roles.KEYWORD
            case ("splat_pattern", _):
                return _variable_of(path, "case_clause")
            case ("as_pattern", None) if path[-3].type == "case_pattern":
                return _variable_of(path, "case_clause")
            case ("type" | "splat_type", _) if _is_type_parameter(path):
                around = [one.type for one in self.scopes(path)[:1]]  # none of what hardly parses
                level = int(around == ["class_definition"])  # which its methods do not see
                return replace(_variable_of(path, *_WITH_TYPES), kind="class", level=level)
            case ("generic_type", None) if path[-3].field == "left" and _is_first(path):
                return roles.CLASS
            case ("type", _) if path[-3].type == "type_alias_statement":
                return roles.CLASS if parent.field == "left" else roles.REFERENCE
        if path[self._outermost(path)].type == "as_pattern_target":
            return _variable_of(path, "with_statement", "except_clause", "case_clause")
        return self._part_bound(path)


def _is_first(path: Path) -> bool:
    """Tell whether a name is the first node in the one around it."""
    return path[-1].node == first_child(path[-2].node)


def _is_type_parameter(path: Path) -> bool:
    """Tell whether a type is the name of a parameter of a function, a class or another type."""
    at = len(path) - 2
    if path[at].type == "type" and path[at - 1].type == "constrained_type":
        if path[at].node != first_child(path[at - 1].node):
            return False  # its bound
        at -= 2
    elif path[at].type == "splat_type":
        at -= 1
    if path[at - 1].type != "type_parameter":
        return False
    is_of_alias = path[at - 3].field == "left" and path[at - 4].type == "type_alias_statement"
    return is_of_alias or path[at - 1].field == "type_parameters"


def _is_first_iterable(path: Path, index: int) -> bool:
    if path[index + 1].type != "for_in_clause" or path[index + 2].field != "right":
        return False
    first = next(one for one in path[index].node.named_children if one.type == "for_in_clause")
    return bool(first == path[index + 1].node)


def _dotted(path: Path) -> Part:
    """Return a name in the dotted name of an import or a pattern."""
    dotted, above = path[-2], path[-3]
    is_first = _is_first(path)
    if above.type.endswith("_pattern"):
        if above.type == "class_pattern" or dotted.node.named_child_count > 1:
            return roles.REFERENCE if is_first else roles.MEMBER
        return _variable_of(path, "case_clause")
    if above.type in ("import_statement", "import_from_statement") and dotted.field == "name":
        return roles.IMPORT if is_first else roles.OTHER
    return roles.OTHER if "import" in above.type else roles.REFERENCE


def _variable_of(path: Path, *types: str) -> Part:
    """Return a variable of the innermost statement of some types."""
    return Part(Role.DEFINITION, "variable", extent=around(path, *types))
