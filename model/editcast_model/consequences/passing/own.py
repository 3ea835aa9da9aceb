"""Values that a function passes on: those of its own parameters, which calls in it lack.

Also those that the constructor of what its class extends takes.
"""

import re
from collections.abc import Iterator

from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.parameters import gives, with_argument, with_parameter
from editcast_model.consequences.passing.takers import (
    hands_down_signal,
    is_means,
    signal_around,
    taking,
)
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import (
    Argument,
    Call,
    Function,
    call_around,
    call_at,
    call_of,
    called_by,
    calls_of,
    function_at,
    function_of,
)
from editcast_model.syntax.members import class_of_method
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.parameters import Parameter, Parameters
from editcast_model.syntax.roles import Role, Scope
from editcast_model.syntax.tree import field, type_declared
from editcast_model.syntax.types import bases_of

#: A call of the constructor of what a class extends.
_SUPER = re.compile(r"\bsuper\b(?:\(\)\.__init__)?\(")
#: A comparison with a constant that may stand for a missing value.
_COMPARISONS = frozenset({"is", "is not", "==", "!=", "===", "!=="})
#: A string with placeholders.
_FORMAT = re.compile(r"\w?[\"'`].*[%{].*[\"'`]$", re.DOTALL)


def passed_on(names: Names, function: Function, new: set[str]) -> Iterator[Consequence]:
    """Return what a function's body gives others of its new parameters, those of some names."""
    for parameter in function.parameters:
        if parameter.name in new and not parameter.is_rest:
            yield from _in_place_of_default(names, function, parameter)
            yield from _to_functions_of_file(names, function, parameter)
            yield from _to_others(names, function, parameter)
            yield from taking(names, function, parameter)
            yield from _to_base(names, function, parameter)


def given_own(
    names: Names, call: Call, parameters: Parameters, new: Parameter
) -> Iterator[Consequence]:
    """Return what a call can give for a new parameter that it may leave out.

    That is a parameter around the call, or a signal of a controller. A function that does nothing
    but call gets such a parameter itself for a signal.
    """
    if is_idle_around(names, call, new):
        yield from with_own(names, call, parameters, new.name)
    elif signal := signal_around(names, call, new):
        yield from with_own(names, call, parameters, new.name, signal)
    elif (caller := hands_down_signal(names, call, new)) is not None:
        declared = f"{new.name}?: {new.type.strip('?: ')}"
        hunk = with_parameter(names.tree.text, caller, len(caller.parameters), declared)
        yield Consequence(hunk, "hand_down_parameter")


def with_own(
    names: Names, call: Call, parameters: Parameters, name: str, value: str = ""
) -> Iterator[Consequence]:
    """Return a call with a variable for a parameter, where it gives nothing for it.

    Args:
        names: Of the text.
        call: The call.
        parameters: Those of the function that it calls.
        name: Of one of them.
        value: What is given for it, if that has another name.
    """
    index = next((at for at, one in enumerate(parameters) if one.name == name), None)
    given = call.positional
    if index is None or call.gives_by_name(name) or len(given) > index or call.spreads:
        return
    is_python = names.tree.language == "python"
    is_next = len(call.arguments) == index == len(given) and not parameters[index].is_named
    # In Python, what may be left out is given by its place where the one before it may be, too.
    is_behind_optional = index > 0 and not parameters[index - 1].is_required
    is_free = parameters[index].is_required or is_behind_optional
    if is_next and (is_free or not is_python):
        yield Consequence(with_argument(names, call, index, value or name), "pass_parameter")
    elif is_python:
        at, written = _place_by_name(call, parameters, name), names.rules.given_by_name(name, name)
        yield Consequence(with_argument(names, call, at, written), "pass_parameter")


def is_parameter_around(names: Names, call: Call, parameter: Parameter) -> bool:
    """Tell whether a function around a call has a parameter like one of what it calls.

    Of the same name, and of the same type where both types are written.
    """
    name = parameter.name
    defined = names.definitions(name, names.resolve(call.called, name))
    if len(defined) != 1 or defined[0].part.kind != "parameter":
        return False
    kinds = names.tree.of(type_declared(defined[0].path[-2].node)), parameter.type
    written = [one.strip("?: ") for one in kinds]
    return not all(written) or written[0] == written[1]


def is_idle_around(names: Names, call: Call, parameter: Parameter) -> bool:
    """Tell whether a function around a call has such a parameter that it does not use so far.

    Of those that it does use, 4 of 11 were passed on in commits. What cancels is for all calls.
    """
    if not is_parameter_around(names, call, parameter):
        return False
    name = parameter.name
    home = names.resolve(call.called, name)
    uses = (one for one in names.of(name, home) if one.role is Role.REFERENCE)
    return is_means(parameter) or not any(names.resolve(one) == home for one in uses)


def calls_with(
    names: Names, name: str, scope: Scope | None = None
) -> Iterator[tuple[Call, Argument]]:
    """Return the calls in a scope, or anywhere, that give a variable, with that argument."""
    for one in names.of(name, scope):
        call = call_around(names, one.start) if one.role is Role.REFERENCE else None
        argument = gives(names, call, name) if call is not None else None
        if call and argument and argument.start <= one.start < argument.end:
            yield call, argument


def calls_lacking(names: Names, function: Function, like: Call, name: str) -> Iterator[Call]:
    """Return the calls in a function's body of what another one calls that give no such variable.

    They are of the same function by all that is written of it.
    """
    written = names.tree.of(called_by(like.node))
    for one in names.of(like.called.name, Scope.of(function.node)):
        call = call_of(names.tree, one) if function.runs(one.start) else None
        if call is not None and names.tree.of(called_by(call.node)) == written:
            if not call.spreads and gives(names, call, name) is None:
                yield call


def uses_of_default(names: Names, function: Function, parameter: Parameter) -> Iterator[Occurrence]:
    """Return where a function's body uses the constant that is a parameter's default.

    The parameter may be that of another function.
    """
    constant = _constant(names, parameter)
    home = names.resolve(constant) if constant is not None else None
    if home is None:
        return
    for one in names.of(parameter.default, Scope.of(function.node)):
        if one.role is Role.REFERENCE and names.resolve(one) == home and function.runs(one.start):
            yield one


def _constant(names: Names, parameter: Parameter) -> Occurrence | None:
    """Return the name that is a parameter's default; None where that is another value."""
    default = parameter.default
    one = names.at(parameter.end - len(default)) if default.isidentifier() else None
    return one if one is not None and one.role is Role.REFERENCE else None


def _in_place_of_default(
    names: Names, function: Function, parameter: Parameter
) -> Iterator[Consequence]:
    """Return uses of a parameter's default in the body, where the parameter is meant now."""
    default = parameter.default
    if not default:
        return
    if _constant(names, parameter) is not None:
        if sum(one.default == default for one in function.parameters) > 1:
            return  # the value of whatever is not given
        for one in uses_of_default(names, function, parameter):
            if not any(each.type in _COMPARISONS for each in one.path[-2].node.children):
                hunk = Hunk(one.start, one.end, parameter.name)
                yield Consequence(hunk, "use_parameter")
        return
    for one in names.of(parameter.name, Scope.of(function.node)):
        is_given = one.role is Role.KEYWORD and function.runs(one.start)
        value = field(one.path[-2].node, "value") if is_given else None
        if value is not None and names.tree.of(value) == default:
            hunk = Hunk(value.start_byte, value.end_byte, parameter.name)
            yield Consequence(hunk, "pass_parameter")


def _to_functions_of_file(
    names: Names, function: Function, parameter: Parameter
) -> Iterator[Consequence]:
    """Return calls of functions of the file that have a parameter of the same name."""
    for one in names.of(parameter.name):
        is_outside = one.role is Role.DEFINITION and not function.has(one.start)
        other = function_at(names, one.start) if is_outside else None
        found = other.parameters if other is not None else ()
        own = next((each for each in found if each.name == parameter.name), None)
        if other is None or own is None:
            continue
        for call in calls_of(names, other):
            if function.has(call.start) and is_parameter_around(names, call, own):
                yield from with_own(names, call, other.parameters, parameter.name)


def _to_others(names: Names, function: Function, parameter: Parameter) -> Iterator[Consequence]:
    """Return calls that give nothing of that name, where others of the same thing do."""
    name, order = parameter.name, function.parameters
    for like, argument in calls_with(names, name):
        if function.has(argument.start) or _is_format(names, like):
            continue
        for call in calls_lacking(names, function, like, name):
            yield from _given_as_in(names, call, like, argument, name, order)


def _is_format(names: Names, call: Call) -> bool:
    """Tell whether a call fills in a text, such as that of a message, which says what it takes."""
    first = names.tree.text[call.arguments[0].start : call.arguments[0].end]
    return bool(_FORMAT.match(first))


def _given_as_in(
    names: Names, call: Call, like: Call, argument: Argument, name: str, order: Parameters
) -> Iterator[Consequence]:
    """Return a call with an argument that another one of the same function has."""
    index = like.arguments.index(argument)
    if argument.keyword:
        if not call.gives_by_name(argument.keyword):
            written = names.tree.text[argument.start : argument.end]
            at = _place_by_name(call, order, name)
            yield Consequence(with_argument(names, call, at, written), "pass_parameter_alike")
    elif len(call.arguments) == len(like.arguments) - 1 == index == len(call.positional):
        yield Consequence(with_argument(names, call, index, name), "pass_parameter_alike")


def _place_by_name(call: Call, order: Parameters, name: str) -> int:
    """Return where an argument goes that has a name: as parameters are in order, or at the end."""
    keywords = [one.keyword for one in call.arguments]
    at = next(index for index, one in enumerate(order) if one.name == name)
    for one in reversed(order[:at]):
        if one.name in keywords:
            return keywords.index(one.name) + 1
    found = (keywords.index(one.name) for one in order[at + 1 :] if one.name in keywords)
    return next(found, len(keywords))


def _to_base(names: Names, function: Function, parameter: Parameter) -> Iterator[Consequence]:
    """Return the call of the constructor of a base with a parameter that it takes."""
    text, body = names.tree.text, function.node.child_by_field_name("body")
    taken = _taken(names, function) if function.is_constructor else ()
    found = _SUPER.search(text, body.start_byte, body.end_byte) if taken and body else None
    if found is None:
        return
    around = names.tree.around(names.tree.path(found.end() - 1)[-1].node)
    node = next((one for one in around if called_by(one) is not None), None)
    call = call_at(names.tree, function.defined, node) if node is not None else None
    if call is not None:
        yield from with_own(names, call, taken, parameter.name)


def _taken(names: Names, function: Function) -> Parameters:
    """Return the parameters of the constructor of what a class extends; empty where not known."""
    made = class_of_method(function.defined.path[:-1])
    bases = bases_of(names, made) if made is not None else frozenset[str]()
    others = (function_of(names, one) for one in names.of(names.rules.constructor))
    known = [one for one in others if one is not None and one.name in bases]
    return known[0].parameters if len(known) == 1 else ()
