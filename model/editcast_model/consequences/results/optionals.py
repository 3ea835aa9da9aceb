"""Results of functions of C++ that are an `std::optional` in the place of a number or a pointer.

The function says `std::nullopt` in the place of -1 or `nullptr`, and its callers ask and take the
value in the way of an optional.
"""

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.results.further import returns_in
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import Call, Function
from editcast_model.syntax.declarators import function_declarator
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, field, first_child, type_declared

#: What makes an optional without a value.
NOTHING: Final = "std::nullopt"
_OPTIONAL: Final = re.compile(r"(?:std::)?optional<(.*)>", re.DOTALL)
_WHOLE: Final = re.compile(
    r"(?:(?:un)?signed\s*)?(?:int|long|short|long long)?|(?:std::)?(?:s?size|ptrdiff|u?int\d+)_t"
)
_FOR_NOTHING: Final = re.compile(r"-1|nullptr|NULL|std::string::npos|npos")
#: Comparisons by which callers ask for nothing, and whether they ask for something instead.
_ASKED: Final = {"== -1": False, "< 0": False, "== nullptr": False, "== NULL": False} | {
    one: True for one in ("!= -1", ">= 0", "> -1", "!= nullptr", "!= NULL")
}
_CAST: Final = re.compile(r"static_cast<[\w: ]+>\((.*)\)", re.DOTALL)
#: What an optional is given to as it is, such as `!found` and `found->name`.
_AS_IT_IS: Final = ("condition_clause", "field_expression", "pointer_expression")


def made_optional(before: Tree, was: Node, after: Tree, now: Node) -> bool:
    """Tell whether a function's result is an optional in the place of a number or a pointer."""
    found, old = _OPTIONAL.fullmatch(_result(after, now)), _result(before, was)
    if found is None or not old:
        return False
    are_whole = bool(_WHOLE.fullmatch(old) and _WHOLE.fullmatch(found[1].strip()))
    return are_whole or old.removeprefix("const ").rstrip("*& ") + "*" == f"{found[1].strip()}*"


def returned(tree: Tree, function: Function) -> Iterator[Consequence]:
    """Return what a function says in the place of nothing, and without a cast to what it was."""
    kind = _OPTIONAL.fullmatch(_result(tree, function.node))
    for one in returns_in(function.node):
        value = first_child(one)
        written = tree.of(value)
        cast = _CAST.fullmatch(written)
        new = NOTHING if _FOR_NOTHING.fullmatch(written) else ""
        if cast is not None and kind is not None and kind[1] not in written:
            new = cast[1]
        elif written.startswith("&"):
            new = written[1:]
        if value is not None and new:
            yield Consequence(Hunk(value.start_byte, value.end_byte, new), "wrap_result")


def asked(names: Names, call: Call) -> Iterator[Consequence]:
    """Return how a caller asks for the value of an optional, and takes it."""
    tree, cause = names.tree, f"{call.called.name} optional"
    hunks = _comparison(tree, call.node, is_variable=False)
    declared = call.node.parent
    name = field(declared, "declarator")
    if declared is not None and declared.type == "init_declarator" and name is not None:
        one = names.of_node(name)
        if one is not None and one.path[-1].node == name and one.path[-1].type == "identifier":
            used = _used(names, one)
            hunks = [] if used is None else [*_typed(tree, declared), *used]
    yield from (Consequence(hunk, "wrap_result", cause=cause) for hunk in hunks)


def _typed(tree: Tree, declared: Node) -> list[Hunk]:
    """Return the type of a variable that was that of the result."""
    kind = type_declared(declared)
    is_open = kind is None or "auto" in tree.of(kind) or _OPTIONAL.fullmatch(tree.of(kind))
    return [] if is_open or kind is None else [Hunk(kind.start_byte, kind.end_byte, "auto")]


def _used(names: Names, defined: Occurrence) -> list[Hunk] | None:
    """Return the uses of a variable that is an optional; None where it is given another value."""
    tree, home, hunks = names.tree, names.home(defined), list[Hunk]()
    for one in names.of(defined.name, home):
        if one.role is not Role.REFERENCE or names.resolve(one) != home:
            continue
        node, above = one.path[-1].node, one.path[-2].node
        if above.type in ("assignment_expression", "update_expression") and (
            field(above, "left", "argument") == node
        ):
            return None
        compared = _comparison(tree, node, is_variable=True)
        is_asked = above.type in _AS_IT_IS or tree.of(above).startswith("!")
        is_asked |= tree.of(field(above, "operator")) in ("&&", "||")
        if compared or is_asked or above.type == "return_statement":
            hunks += compared
        elif not tree.of(above).startswith((f"{one.name} = ", f"{one.name} != std", "*")):
            hunks.append(Hunk(one.start, one.start, "*"))
    return hunks


def _comparison(tree: Tree, node: Node, *, is_variable: bool) -> list[Hunk]:
    """Return how an optional, a variable or the result of a call, is asked for nothing."""
    above = node.parent
    operands = above.named_children if above is not None else []
    if above is None or above.type != "binary_expression" or operands[0] != node:
        return []
    sign, other = tree.of(field(above, "operator")), operands[1]
    is_there = _ASKED.get(f"{sign} {tree.of(other)}")
    if is_there is None:
        return []
    if not is_variable and sign in ("==", "!="):
        return [Hunk(other.start_byte, other.end_byte, NOTHING)]
    if is_there:
        return [Hunk(node.end_byte, above.end_byte, "" if is_variable else ".has_value()")]
    return [Hunk(above.start_byte, above.end_byte, f"!{tree.of(node)}")]


def _result(tree: Tree, function: Node) -> str:
    """Return the type of a function's result, with the marks of a pointer."""
    kind, declarator = field(function, "type"), function_declarator(function)
    if kind is None or declarator is None:
        return ""
    return tree.of(kind) + tree.text[kind.end_byte : declarator.start_byte].strip()
