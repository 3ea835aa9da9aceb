"""Parameters that functions need because others beside them have them now.

A function got a parameter and passes it on. The others of its class, or of its file, that do the
same as it did, get it as well.
"""

from collections.abc import Iterator

from tree_sitter import Node

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.parameters import may_take, with_parameter
from editcast_model.consequences.passing.own import calls_lacking, calls_with, uses_of_default
from editcast_model.consequences.passing.takers import is_means, signal_around, takes
from editcast_model.syntax.calls import Function, function_of
from editcast_model.syntax.names import Names
from editcast_model.syntax.parameters import Parameter
from editcast_model.syntax.roles import Role, Scope
from editcast_model.syntax.tree import field, first_child

#: The most functions of a class, or of a file, that are examined.
_MOST = 200
_STATEMENTS = ("export_statement", "lexical_declaration")


def like_it(change: Change, function: Function, new: set[str]) -> Iterator[Consequence]:
    """Return the parameters of other functions that lack what a function has got.

    `new` are the names of its parameters that are new.
    """
    names = change.after
    for parameter in function.parameters:
        if parameter.name in new and parameter.name and not parameter.is_rest:
            for other in _siblings(names, function):
                own = names.of(parameter.name, Scope.of(other.node))
                is_there = any(one.role in (Role.DEFINITION, Role.REFERENCE) for one in own)
                # All calls of the other function are looked at last: this takes the longest.
                is_needed = not is_there and _needs(change, function, other, parameter)
                if is_needed and may_take(names, other, parameter.name):
                    yield _with(names, function, other, parameter)


def _needs(change: Change, function: Function, other: Function, parameter: Parameter) -> bool:
    """Tell whether another function needs a parameter.

    A call of the same function as one that is given it needs it only if it is a means of
    cancelling: of other parameters, 1 of 60 were added so in commits.
    """
    names = change.after
    if any(uses_of_default(names, other, parameter)):
        return not function.is_constructor  # which keeps it for the others
    if not is_means(parameter):
        return False
    if takes(names, other, parameter):
        return True
    return any(
        len(like.arguments) == len(call.arguments) - 1
        for call, argument in calls_with(names, parameter.name, Scope.of(function.node))
        if change.wrote(argument.start, argument.end)
        for like in calls_lacking(names, other, call, parameter.name)
        if not signal_around(names, like, parameter)  # else it is given that one
    )


def _siblings(names: Names, function: Function) -> Iterator[Function]:
    """Return the other functions of a class, or at the top of a file."""
    around = names.tree.around(function.node)
    inside = (*_STATEMENTS, "variable_declarator")
    container = next((one for one in around if one.type not in inside), None)
    for child in container.named_children[:_MOST] if container is not None else ():
        defined = names.of_node(_name(child))
        other = function_of(names, defined) if defined is not None else None
        if other is not None and other.start != function.start and other.owner == function.owner:
            yield other


def _name(statement: Node) -> Node | None:
    """Return the name of what a statement declares."""
    node: Node | None = statement
    while node is not None and node.type in _STATEMENTS:
        node = field(node, "declaration") or first_child(node)
    return field(node, "name")


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
