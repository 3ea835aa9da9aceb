"""Edits that calls need once the function that they call has other parameters."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from editcast_model.consequences.changes import Change, Consequence
from editcast_model.consequences.parameters import (
    argument_for,
    call_before,
    handed_down,
    inserted,
    is_value,
    positional,
    value_given,
)
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import (
    Call,
    Function,
    calls_of,
    function_at,
)
from editcast_model.syntax.names import Names
from editcast_model.syntax.parameters import Parameter
from editcast_model.syntax.roles import Role

_QUOTED = re.compile("[\"'`]")
#: The strength of an argument that all other calls give; assumed, since it never came up first on
#: commits of eighteen projects.
_AS_OTHERS = 0.45


def after_signature(change: Change) -> Iterator[Consequence]:
    """Return what the calls of functions need whose parameters were added, removed or reordered."""
    for was, function in change.functions():
        listed = change.before.tree.text[slice(*was.span)]
        is_changed = listed != change.after.tree.text[slice(*function.span)]
        if is_changed and was.is_constructor == function.is_constructor:
            # A value that is handed down through several functions is one thing to do.
            new = {one.name for one in function.parameters} - {one.name for one in was.parameters}
            cause = " ".join(sorted(new)) or f"{function.defined.name} {function.start}"
            found = chain(_adapted(change, was, function), _passed_on(change.after, function, new))
            yield from (replace(one, cause=cause) for one in found)


def _adapted(change: Change, was: Function, function: Function) -> Iterator[Consequence]:
    old, new = was.parameters, function.parameters
    if any(not each.name or each.is_rest for each in (*old, *new)):
        return
    names, others = [each.name for each in old], [each.name for each in new]
    added = [each for each in new if each.name not in names]
    removed = [each for each in old if each.name not in others]
    kept = [name for name in names if name in others]
    is_in_order = kept == [name for name in others if name in names]
    every = [call for call in calls_of(change.after, function) if not _spreads(call)]
    calls = [call for call in every if _is_as_before(change, call)]
    if names == others:
        for call in calls:
            yield from with_names(change.after, call, new)
    elif is_in_order and len(added) == 1 and not removed and added[0].is_required:
        index, given = new.index(added[0]), [each for each in every if each not in calls]
        for call in calls:
            yield from with_argument(change.after, call, old, index, added[0], given)
            if _lacks(call, old, added[0]):
                yield from handed_down(change.after, call, index, added[0], given)
    elif is_in_order and len(removed) == 1 and not added:
        required = sum(each.is_required for each in old)
        for call in calls:
            if len(call.arguments) >= required:  # it fitted what the function was
                yield from without_argument(call, names.index(removed[0].name), removed[0])
    elif not is_in_order and not added and not removed:
        for call in calls:
            if _values(change.after, call) == _values(change.before, call_before(change, call)):
                yield from _reordered(change.after, call, names, others)


def _passed_on(names: Names, function: Function, new: set[str]) -> Iterator[Consequence]:
    """Return what a function's body gives others of a parameter that is new and may be left out."""
    text, node = names.tree.text, function.node
    for parameter in function.parameters:
        default = text[parameter.start : parameter.end].partition("=")[2].strip()
        if parameter.name not in new or not default:
            continue
        for one in names.of(parameter.name):
            is_inside = node.start_byte <= one.start < node.end_byte
            if is_inside and one.role is Role.KEYWORD:
                value = one.path[-2].node.child_by_field_name("value")
                if value is not None and names.tree.of(value) == default:
                    hunk = Hunk(value.start_byte, value.end_byte, parameter.name)
                    yield Consequence(hunk, "add_argument", 0.5)
            elif one.role is Role.DEFINITION and not is_inside:
                if (other := function_at(names, one.start)) is not None:
                    for call in calls_of(names, other):
                        if node.start_byte <= call.start < node.end_byte:
                            yield from _with_own(names, call, other, parameter.name)


def _with_own(names: Names, call: Call, function: Function, name: str) -> Iterator[Consequence]:
    """Return a call with the caller's parameter of a name, where it gives nothing for it."""
    index = next((at for at, one in enumerate(function.parameters) if one.name == name), None)
    given = positional(call)
    is_given = any(argument.keyword == name for argument in call.arguments)
    if index is None or is_given or len(given) > index or _spreads(call):
        return
    is_python = names.tree.language == "python"
    if is_python or len(call.arguments) == index:
        new = names.rules.given_by_name(name, name) if is_python else name
        span = call.start, call.end
        hunk = inserted(names.tree.text, span, call.arguments, len(call.arguments), new)
        yield Consequence(hunk, "add_argument", 0.5)


def _is_as_before(change: Change, call: Call) -> bool:
    """Tell whether a call has as many arguments as before and is not being typed."""
    was = call_before(change, call)
    if was is None or change.is_active(call.start, call.end):
        return False
    return len(was.arguments) == len(call.arguments)


def _spreads(call: Call) -> bool:
    return any(argument.is_spread for argument in call.arguments)


def _values(names: Names, call: Call | None) -> list[str]:
    """Return the arguments of a call as they are written."""
    return [names.tree.text[each.start : each.end] for each in call.arguments] if call else []


def with_argument(
    names: Names,
    call: Call,
    old: tuple[Parameter, ...],
    index: int,
    added: Parameter,
    others: Sequence[Call] = (),
) -> Iterator[Consequence]:
    """Return a call with the argument that it lacks.

    It is the variable of its name, where that is in scope, or else what all others give.
    """
    if not _lacks(call, old, added):
        return
    value, strength = added.name, 0.5
    if not is_value(names, call.called, added.name):
        value, strength = _given_by_all(names, call, index, added, others), _AS_OTHERS
    if value:
        given = call.arguments
        is_by_name = added.is_named or len(positional(call)) < index
        text = names.rules.given_by_name(added.name, value) if is_by_name else value
        at = len(given) if is_by_name else index
        hunk = inserted(names.tree.text, (call.start, call.end), given, at, text)
        yield Consequence(hunk, "add_argument", strength)


def _given_by_all(
    names: Names, call: Call, index: int, added: Parameter, others: Sequence[Call]
) -> str:
    """Return what all other calls give for a parameter, if it means the same in one of them.

    What is said in words is said for one place.
    """
    values = {value_given(names, one, index, added.name) for one in others}
    if len(values) != 1 or _QUOTED.search("".join(values)):
        return ""
    argument = argument_for(others[0], index, added.name)
    for one in names.between(argument.start, argument.end) if argument else ():
        is_used = one.role is Role.REFERENCE
        if is_used and names.resolve(call.called, one.name) != names.resolve(one):
            return ""
    return values.pop() if argument else ""


def _lacks(call: Call, old: tuple[Parameter, ...], added: Parameter) -> bool:
    """Tell whether a call fits the parameters before and does not give the one that was added."""
    required = sum(each.is_required for each in old)
    is_given = any(argument.keyword == added.name for argument in call.arguments)
    return required <= len(call.arguments) <= len(old) and not is_given


def with_names(names: Names, call: Call, parameters: Sequence[Parameter]) -> Iterator[Consequence]:
    """Return a call that gives by their names what it can give by its place no longer."""
    given = positional(call)
    pairs = list(zip(given, parameters, strict=False))
    late = [(argument, one) for argument, one in pairs if one.is_named]
    if not late or len(given) > len(parameters):
        return
    text, at, parts = names.tree.text, late[0][0].start, []
    for argument, one in late:
        parts += [
            text[at : argument.start],
            one.name,
            names.rules.by_name,
            text[argument.start : argument.end],
        ]
        at = argument.end
    yield Consequence(Hunk(late[0][0].start, at, "".join(parts)), "name_arguments", 0.6)


def without_argument(call: Call, index: int, removed: Parameter) -> Iterator[Consequence]:
    """Return a call without the argument of a parameter that was taken away."""
    given = call.arguments
    at = next((i for i, each in enumerate(given) if each.keyword == removed.name), None)
    if at is None:
        if removed.is_named or index >= len(positional(call)):
            return
        at = index
    if at + 1 < len(given):
        hunk = Hunk(given[at].start, given[at + 1].start, "")
    elif len(given) == 1 and call.span is not None:
        hunk = Hunk(*call.span, "")
    else:
        hunk = Hunk(given[at - 1].end if at else given[at].start, given[at].end, "")
    yield Consequence(hunk, "remove_argument", 0.95)


def _reordered(names: Names, call: Call, old: list[str], new: list[str]) -> Iterator[Consequence]:
    given, text = call.arguments, names.tree.text
    if not len(given) == len(old) == len(new) or len(positional(call)) != len(given):
        return
    parts = [text[each.start : each.end] for each in given]
    out = text[given[0].start : given[0].start]
    for index, name in enumerate(new):
        if index:
            out += text[given[index - 1].end : given[index].start]
        out += parts[old.index(name)]
    if out != text[given[0].start : given[-1].end]:
        hunk = Hunk(given[0].start, given[-1].end, out)
        yield Consequence(hunk, "reorder_arguments", 0.6)
