"""Parameters that functions need because others beside them have them now.

A function got a parameter and passes it on. The others of its class, or of its file, that do the
same as it did, get it as well.
"""

from collections.abc import Iterator

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.parameters import may_take, with_parameter
from editcast_model.consequences.passing.own import (
    are_alike,
    calls_with,
    gives,
    uses_of_default,
)
from editcast_model.consequences.passing.takers import is_means, takes
from editcast_model.syntax.calls import Call, Function, call_of, function_of
from editcast_model.syntax.names import Names
from editcast_model.syntax.parameters import Parameter
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import first_child

#: The most functions of a class, or of a file, that are examined.
_MOST = 200
_AROUND = ("export_statement", "variable_declarator", "lexical_declaration")


def like_it(change: Change, function: Function, new: set[str]) -> Iterator[Consequence]:
    """Return the parameters of other functions that lack what a function has got.

    Args:
        change: Of the text.
        function: The function.
        new: The names of its parameters that are new.
    """
    names = change.after
    for parameter in function.parameters:
        if parameter.name in new and parameter.name and not parameter.is_rest:
            for other in _siblings(names, function):
                if _uses(names, other, parameter.name):
                    continue
                # All calls of the other function are looked at last: this takes the longest.
                is_needed = _needs(change, function, other, parameter)
                if is_needed and may_take(names, other, parameter.name):
                    yield _with(names, function, other, parameter)


def _needs(change: Change, function: Function, other: Function, parameter: Parameter) -> bool:
    """Tell whether another function needs a parameter.

    A call of the same function as one that is given it needs it only if it is a means of
    cancelling: of other parameters, 1 of 60 were added so in commits.
    """
    names = change.after
    if any(uses_of_default(names, other, parameter)):
        return True
    if not is_means(parameter):
        return False
    if takes(names, other, parameter):
        return True
    for call, argument in calls_with(names, parameter.name, function):
        if not change.wrote(argument.start, argument.end):
            continue
        for one in names.of(call.called.name):
            like = call_of(names.tree, one)
            if like is not None and _is_in_body(other, like) and are_alike(names, call, like):
                is_lacking = len(like.arguments) == len(call.arguments) - 1
                if is_lacking and not like.spreads and gives(names, like, parameter.name) is None:
                    return True
    return False


def _siblings(names: Names, function: Function) -> Iterator[Function]:
    """Return the other functions of a class, or at the top of a file."""
    around = names.tree.around(function.node)
    container = next((one for one in around if one.type not in _AROUND), None)
    for child in container.named_children[:_MOST] if container is not None else ():
        defined = names.of_node(_name(child))
        other = function_of(names, defined) if defined is not None else None
        if other is not None and other.start != function.start and other.owner == function.owner:
            yield other


def _name(node: Node) -> Node | None:
    """Return the name of what a statement declares."""
    if node.type == "export_statement":
        declared = node.child_by_field_name("declaration")
        return _name(declared) if declared is not None else None
    if node.type == "lexical_declaration":
        declarator = first_child(node)
        return _name(declarator) if declarator is not None else None
    return node.child_by_field_name("name")


def _uses(names: Names, function: Function, name: str) -> bool:
    """Tell whether a name stands anywhere in a function."""
    node = function.node
    return any(
        node.start_byte <= one.start < node.end_byte
        for one in names.of(name)
        if one.role in (Role.DEFINITION, Role.REFERENCE)
    )


def _with(names: Names, function: Function, other: Function, parameter: Parameter) -> Consequence:
    """Return a function with a parameter at the place where another one has it."""
    text, listed = names.tree.text, function.parameters
    declared = text[parameter.start : parameter.end]
    if names.tree.language == "go" and declared == parameter.name:
        declared = f"{declared} {parameter.type}"  # it stands behind another name
    is_first = listed[0] is parameter and len(listed) > 1 and parameter.is_required
    at = 0 if is_first or parameter.type == "context.Context" else None
    hunk = with_parameter(text, other, at, declared)
    return Consequence(hunk, "add_parameter_alike")


def _is_in_body(function: Function, call: Call) -> bool:
    body = function.node.child_by_field_name("body")
    return body is not None and body.start_byte <= call.start < body.end_byte
