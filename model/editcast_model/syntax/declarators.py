"""Declarations of C and C++, in which the name stands within what is said of it."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.tree import field, first_child

_STATIC = re.compile(r"static\s+(?!inline\b)")  # headers have the others


def function_declarator(node: Node | None) -> Node | None:
    """Return what says the name and the parameters of a function in C; None for other nodes."""
    one = field(node, "declarator")
    while one is not None and one.type in ("pointer_declarator", "reference_declarator"):
        one = field(one, "declarator") or first_child(one)
    return one if one is not None and one.type == "function_declarator" else None


def declared_name(node: Node | None) -> Node | None:
    """Return the name that a declaration of C or C++ declares first, without its class."""
    one = field(node, "declarator")
    while one is not None and one.type.endswith(("declarator", "qualified_identifier")):
        one = field(one, "declarator", "name") or first_child(one)
    return one if one is not None and one.type.endswith("identifier") else None


def makers_named(names: Names, name: str) -> Iterator[Occurrence]:
    """Find the constructors and destructors of C++ that have a name, which is that of their class.

    They are the functions without a result.
    """
    for one in names.of(name) if names.tree.language == "cpp" else ():
        around = (step.node for step in reversed(one.path))
        declared = next((each for each in around if function_declarator(each)), None)
        is_maker = one.part.kind == "method" and field(declared, "type") is None
        if declared is not None and (is_maker or one.path[-2].type == "destructor_name"):
            yield one


def is_own(names: Names, one: Occurrence) -> bool:
    """Tell whether what a file of C or C++ defines is seen by no other one, if it is no header."""
    outer = [step.node for step in one.path]
    spaces = (each for each in outer if each.type == "namespace_definition")
    own = (each for each in spaces if field(each, "name") is None)
    declared = next((each for each in outer if function_declarator(each)), None)
    return any(own) or (declared is not None and bool(_STATIC.match(names.tree.of(declared))))
