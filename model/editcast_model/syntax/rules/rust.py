"""The scopes of Rust. What a macro takes is read as an expression, word by word."""

from editcast_model.syntax.roles import OTHER, REFERENCE, Part, Role, Rules
from editcast_model.syntax.tree import Path

_FUNCTIONS = frozenset({"function_item", "closure_expression", "function_signature_item"})
_ITEMS = frozenset(
    {"struct_item", "enum_item", "union_item", "trait_item", "impl_item", "type_item", "mod_item"}
)
_OTHERS = frozenset(
    {"source_file", "match_arm", "for_expression", "if_expression", "while_expression"}
)
_BUILTINS = """
    AsMut AsRef Box Clone Copy Debug Default Drop Eq Err Fn FnMut FnOnce From FromIterator Hash Into
    IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd Result Self Send Sized Some String
    Sync ToOwned ToString TryFrom TryInto Unpin Vec core drop std
"""
#: Nodes of patterns, through which a name that they bind is sought.
_PATTERNS = frozenset(
    {"tuple_pattern", "tuple_struct_pattern", "slice_pattern", "reference_pattern", "mut_pattern"}
    | {"or_pattern", "captured_pattern", "ref_pattern", "field_pattern", "struct_pattern"}
    | {"match_pattern"}
)
#: Where a pattern stands, with the kind of what it binds.
_BINDING = {
    "let_declaration": "variable",
    "let_condition": "variable",
    "for_expression": "variable",
    "match_arm": "variable",
    "parameter": "parameter",
    "closure_parameters": "parameter",
}
_CLASSES = ("struct_item", "enum_item", "union_item", "trait_item", "type_item", "type_parameter")
_OTHER_PARENTS = ("lifetime", "label", "macro_definition", "attribute", "extern_crate_declaration")


class RustRules(Rules):
    """Rust's scopes."""

    leaves = frozenset(
        {"identifier", "field_identifier", "type_identifier", "shorthand_field_identifier"}
    )
    builtins = frozenset(_BUILTINS.split())
    has_other_files = True
    selves = frozenset({"self", "Self"})

    def opens(self, path: Path, index: int) -> bool:
        """Tell whether a node opens a scope for the next one."""
        kind = path[index].type
        if kind == "block":  # parameters and body are one scope
            return index == 0 or path[index - 1].type not in _FUNCTIONS
        return kind in _OTHERS or (kind in _FUNCTIONS | _ITEMS and path[index + 1].field != "name")

    def part(self, path: Path, name: str) -> Part:
        """Return what a name is."""
        leaf, parent = path[-1], path[-2]
        if any(step.type in ("use_declaration", "attribute_item") for step in path):
            return _imported(path)
        match parent.type, leaf.field:
            case ("field_expression", "field") | ("scoped_identifier", "name"):
                return Part(Role.MEMBER)
            case "scoped_type_identifier", "name":
                return Part(Role.MEMBER)
            case "field_declaration" | "enum_variant" | "associated_type", "name":
                return Part(Role.MEMBER_DEFINITION, "field")
            case "field_initializer", "field":
                return Part(Role.KEY)
            case "shorthand_field_initializer", _:
                return Part(Role.REFERENCE, is_shorthand=True)
            case (("function_item" | "function_signature_item"), "name"):
                return _item(path, "method", "function")
            case (("const_item" | "static_item"), "name"):
                return _item(path, "field", "variable")
            case (kind, "name") if kind in _CLASSES:
                return Part(Role.DEFINITION, "class")
            case "mod_item", "name":
                return Part(Role.DEFINITION, "import")
            case "macro_invocation", "macro":
                return OTHER
            case "token_tree", _ if _follows_dot(path):
                return Part(Role.MEMBER)
            case (kind, _) if kind in _OTHER_PARENTS:
                return OTHER
            case "field_pattern", "name" if leaf.type == "field_identifier":
                return Part(Role.KEY)
        return _bound(path, name) or REFERENCE


def _bound(path: Path, name: str) -> Part | None:
    """Return a name that a pattern binds; one that begins with a capital is a constant."""
    at = len(path) - 1
    if path[at].field == "type" or name[0].isupper():
        return None
    while path[at - 1].type in _PATTERNS and path[at].field not in ("type", "condition"):
        at -= 1
    above, field = path[at - 1], path[at].field
    if above.type not in _BINDING or (above.type != "closure_parameters" and field != "pattern"):
        return None
    is_loop, is_let = above.type == "for_expression", above.type == "let_declaration"
    return Part(
        Role.DEFINITION,
        _BINDING[above.type],
        is_shorthand=path[-1].type == "shorthand_field_identifier",
        extent=at - 1 if is_loop else None,
        seen_after=at - 1 if is_let else None,
    )


def _item(path: Path, member: str, other: str) -> Part:
    """Return what an item defines: in an `impl` or a trait a member."""
    is_member = path[-3].type == "declaration_list" and path[-4].type in ("impl_item", "trait_item")
    return Part(Role.MEMBER_DEFINITION, member) if is_member else Part(Role.DEFINITION, other)


def _imported(path: Path) -> Part:
    """Return a name in a `use`: the last of a path, or what it is called here."""
    leaf, parent = path[-1], path[-2]
    at = len(path) - 1
    if parent.type == "scoped_identifier" and leaf.field == "name":
        at -= 1
    is_taken = path[at - 1].type in ("use_declaration", "use_list")
    if is_taken or (parent.type == "use_as_clause" and leaf.field == "alias"):
        return Part(Role.DEFINITION, "import")
    return OTHER


def _follows_dot(path: Path) -> bool:
    """Tell whether a word in a macro is a member."""
    before = path[-1].node.prev_sibling
    return before is not None and before.type == "."
