"""Arguments of scripts that became the fields of one: `plan(a, 3)` as `plan({ a, bikes: 3 })`."""

from collections.abc import Iterator
from dataclasses import replace

from tree_sitter import Node

from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk, apply_hunks
from editcast_model.syntax.calls import Call
from editcast_model.syntax.languages import SCRIPTS
from editcast_model.syntax.names import Names
from editcast_model.syntax.parameters import Parameter, Parameters
from editcast_model.syntax.tree import Tree, around, field, first_child
from editcast_model.syntax.types import fields_in, fields_of

#: What cannot be an object that is given already.
_LITERALS = ("string", "number", "template_string", "true", "false", "null", "arrow_function")


def with_keys(names: Names, parameters: Parameters) -> Parameters:
    """Return parameters of scripts with the fields of the objects that they are."""
    if names.tree.language not in SCRIPTS:
        return parameters
    return tuple(replace(one, keys=_keys(names, one)) for one in parameters)


def in_object(
    names: Names, call: Call, before: Parameters, after: Parameters, *, is_as_before: bool
) -> Iterator[Consequence]:
    """Return a call whose arguments are fields of an object since the parameters are.

    The arguments are those of `fitted`.
    """
    objects = [at for at, one in enumerate(after) if one.keys]
    at, rest = objects[0] if len(objects) == 1 else len(after), len(after) - 1
    end = len(before) - (rest - at)
    moved, given = before[at:end], call.arguments[at:end]
    kept = [one.name for one in (*before[:at], *before[end:])]
    others = [one.name for one in (*after[:at], *after[at + 1 :])]
    if not objects or kept != others or not given or not moved:
        return
    if any(one.is_rest or one.name not in after[at].keys for one in moved):
        return
    found = (call.node.named_descendant_for_byte_range(one.start, one.end) for one in given)
    nodes = [one for one in found if one is not None]
    is_old = is_as_before and len(call.arguments) >= sum(one.is_required for one in before)
    is_old |= len(call.arguments) > len(after)
    is_old |= nodes[0].type in _LITERALS
    if is_old and nodes[0].type != "object":
        yield Consequence(_written(names.tree, call, moved, nodes), "name_arguments")


def _written(tree: Tree, call: Call, moved: Parameters, given: list[Node]) -> Hunk:
    """Return arguments as an object, in lines of their own if they stand in such."""
    first, last = call.arguments[0], call.arguments[-1]
    start, end = given[0].start_byte, given[-1].end_byte
    opening, closing = "{ ", " }"
    if "\n" in tree.text[call.start : start] and (first.start, last.end) == (start, end):
        start, end, opening, closing = call.start, call.end, "{", "}"
    hunks = list[Hunk]()
    for one, node in zip(moved, given, strict=False):
        if tree.of(node) != one.name:
            hunks.append(Hunk(node.start_byte - start, node.start_byte - start, f"{one.name}: "))
    written = apply_hunks(tree.text[start:end], hunks)
    return Hunk(start, end, f"{opening}{written}{closing}")


def _keys(names: Names, parameter: Parameter) -> tuple[str, ...]:
    """Return the fields of a parameter by its type, or those that are taken out of it."""
    path = names.tree.path(parameter.start)
    at = around(path, "formal_parameters")
    node = path[at + 1].node if at is not None and at + 1 < len(path) else None
    kind = first_child(field(node, "type"))
    if kind is not None and kind.type == "object_type":
        return tuple(fields_in(names.tree, kind))
    known = fields_of(names, parameter.type) if parameter.type.isidentifier() else {}
    pattern = field(node, "pattern", "left") or node
    if known or pattern is None or pattern.type != "object_pattern":
        return tuple(known)
    words = (field(one, "key", "left") or one for one in pattern.named_children)
    return tuple(names.tree.of(one) for one in words)
