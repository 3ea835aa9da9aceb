"""The scopes of Rust. What a macro takes is read as an expression, word by word."""

from dataclasses import replace

from editcast_model.syntax import roles
from editcast_model.syntax.roles import Part, Rules
from editcast_model.syntax.tree import Path, word_set

_FUNCTIONS = "function_item closure_expression function_signature_item"
_ITEMS = "struct_item enum_item union_item trait_item type_item"
#: What is declared in an `impl` or a trait, by what it would be elsewhere.
_OF_CLASS = {roles.FUNCTION: roles.METHOD_OF_CLASS, roles.VARIABLE: roles.FIELD_OF_CLASS}


class RustRules(Rules):
    """Rust's scopes."""

    leaves = word_set("identifier field_identifier type_identifier shorthand_field_identifier")
    builtins = word_set("""
        AsMut AsRef Box Clone Copy Debug Default Drop Eq Err Fn FnMut FnOnce From FromIterator Hash
        Into IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd Result Self Send Sized
        Some String Sync ToOwned ToString TryFrom TryInto Unpin Vec core drop std
    """)
    selves = word_set("self Self")
    functions, bodies = word_set(_FUNCTIONS), word_set("block")
    outside = {
        "": "source_file match_arm for_expression if_expression while_expression block",
        "name": f"{_FUNCTIONS} {_ITEMS} impl_item mod_item",
    }
    rows = {
        roles.MEMBER: "field_expression.field scoped_identifier scoped_type_identifier",
        roles.FIELD_OF_CLASS: "field_declaration enum_variant associated_type",
        roles.KEY: "field_initializer.field",
        roles.SHORTHAND: "shorthand_field_initializer.*",
        roles.CLASS: f"{_ITEMS} type_parameter const_parameter",
        roles.FUNCTION: "function_item function_signature_item",
        roles.VARIABLE: "const_item static_item",
        roles.IMPORT: "mod_item",
        roles.OTHER: """
            lifetime.* label.* macro_definition.* attribute.* extern_crate_declaration.*
            macro_invocation.macro
        """,
    }
    patterns = word_set("""
        tuple_pattern tuple_struct_pattern slice_pattern reference_pattern mut_pattern or_pattern
        captured_pattern ref_pattern field_pattern struct_pattern match_pattern
    """)
    apart = word_set("tuple_struct_pattern.type struct_pattern.type match_pattern.condition")
    bound = {
        roles.PARAMETER: "parameter.pattern closure_parameters.*",
        roles.VARIABLE: "let_condition.pattern match_arm.pattern",
        roles.LOCAL_VARIABLE: "let_declaration.pattern",
        roles.LOOP_VARIABLE: "for_expression.pattern",
    }

    def _part(self, path: Path, name: str) -> Part:
        if any(step.type in ("use_declaration", "attribute_item") for step in path):
            return _imported(path)
        found = super()._part(path, name)
        is_listed = any(step.type == "declaration_list" for step in path[-3:-2])
        is_member = is_listed and path[-4].type in ("impl_item", "trait_item")
        return _OF_CLASS.get(found, found) if is_member else found

    def _other_part(self, path: Path, name: str) -> Part:
        leaf, parent = path[-1], path[-2]
        before = leaf.node.prev_sibling
        if parent.type == "token_tree" and before is not None and before.type == ".":
            return roles.MEMBER
        if (parent.type, leaf.field, leaf.type) == ("field_pattern", "name", "field_identifier"):
            return roles.KEY
        if name[0].isupper():  # a constant
            return roles.REFERENCE
        is_shorthand = leaf.type == "shorthand_field_identifier"
        return replace(self._part_bound(path), is_shorthand=is_shorthand)


def _imported(path: Path) -> Part:
    """Return a name in a `use`: the last of a path, or what it is called here."""
    leaf, parent = path[-1], path[-2]
    is_last = parent.type == "scoped_identifier" and leaf.field == "name"
    is_taken = path[-3 if is_last else -2].type in ("use_declaration", "use_list")
    is_taken |= parent.type == "use_as_clause" and leaf.field == "alias"
    return roles.IMPORT if is_taken else roles.OTHER
