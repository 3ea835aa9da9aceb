"""New parameters of a constructor that the one of what its class extends takes, too."""

import re
from collections.abc import Iterator
from dataclasses import replace

from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.passing.own import with_own
from editcast_model.syntax.calls import Function, call_at, called_by, function_of
from editcast_model.syntax.members import class_of_method
from editcast_model.syntax.names import Names
from editcast_model.syntax.parameters import Parameter
from editcast_model.syntax.types import bases_of

_SUPER = re.compile(r"\bsuper\b(?:\(\)\.__init__)?\(")
#: The type of the second parameter of all errors of scripts.
_ERROR_OPTIONS = "ErrorOptions"


def to_base(names: Names, function: Function, new: set[str]) -> Iterator[Consequence]:
    """Return the call of the other constructor with the parameters of some names that it takes."""
    for one in function.parameters:
        if one.name in new:
            yield from _given(names, function, one)


def _given(names: Names, function: Function, parameter: Parameter) -> Iterator[Consequence]:
    text, body = names.tree.text, function.node.child_by_field_name("body")
    taken = _taken(names, function, parameter) if function.is_constructor else ()
    found = _SUPER.search(text, body.start_byte, body.end_byte) if taken and body else None
    if found is None:
        return
    around = names.tree.around(names.tree.path(found.end() - 1)[-1].node)
    node = next((one for one in around if called_by(one) is not None), None)
    call = call_at(names.tree, function.defined, node) if node is not None else None
    if call is not None:
        yield from with_own(names, call, taken, parameter.name)


def _taken(names: Names, function: Function, parameter: Parameter) -> tuple[Parameter, ...]:
    """Return the parameters of the constructor of what a class extends; empty where not known."""
    made = class_of_method(function.defined.path[:-1])
    bases = bases_of(names, made) if made is not None else frozenset[str]()
    others = (function_of(names, one) for one in names.of(names.rules.constructor))
    known = [one for one in others if one is not None and one.name in bases]
    if len(known) == 1:
        return known[0].parameters
    if not known and parameter.type.strip("?: ") == _ERROR_OPTIONS:
        return replace(parameter, name="message"), parameter
    return ()
