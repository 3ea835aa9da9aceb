"""Declarations of fields and parameters: where they have their names and types."""

import re

from tree_sitter import Node

from editcast_model.syntax.tree import field, first_child

#: Types of nodes that declare a field, and of those in them around its name.
_DECLARES = re.compile("declaration|signature|parameter$|assignment")
_DECLARATOR = re.compile("declarator$|^variable_declaration$|^property_element$")


def inner_of(node: Node) -> Node:
    """Return the expression of an expression statement; any other node itself."""
    inner = first_child(node) if node.type == "expression_statement" else None
    return inner or node


def declared(node: Node | None) -> tuple[Node | None, Node | None]:
    """Return the name and the type that a field or a parameter is declared with, if it is one."""
    one = inner_of(node) if node is not None else None
    if one is None or not _DECLARES.search(one.type):
        return None, None
    name = kind = None
    while one is not None and name is None:
        kind = kind or field(one, "type")
        name = field(one, "name", "left", "pattern") or (None if one.named_child_count else one)
        within = (each for each in one.named_children if _DECLARATOR.search(each.type))
        one = field(one, "declarator") or next(within, None)
    if kind is not None and kind.type == "type_annotation":
        kind = first_child(kind)
    return name, kind
