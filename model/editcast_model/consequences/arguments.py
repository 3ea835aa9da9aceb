"""Edits that calls and signatures need once one of them has another argument."""

from collections.abc import Iterator
from dataclasses import replace

from editcast_model.consequences.changes import Change, Consequence
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import (
    Argument,
    Call,
    Function,
    Parameter,
    call_around,
    call_of,
    calls_of,
    function_at,
    function_of,
    functions_named,
)
from editcast_model.syntax.names import Names
from editcast_model.syntax.roles import Role

#: What a variable that is given as an argument is not.
_NO_VALUES = ("import", "class")


def after_signature(change: Change) -> Iterator[Consequence]:
    """Return what the calls of functions need whose parameters were added, removed or reordered."""
    seen: set[int] = set()
    for _, start, end in change.spans():
        function = function_at(change.after, end) or function_at(change.after, start)
        if function is None or function.start in seen or change.is_active(start, end):
            continue
        seen.add(function.start)
        earlier = change.same_before(function.defined)
        was = function_of(change.before, earlier) if earlier else None
        if was is not None and was.is_constructor == function.is_constructor:
            cause = f"{function.defined.name} {function.start}"
            yield from (replace(one, cause=cause) for one in _adapted(change, was, function))


def after_argument(change: Change) -> Iterator[Consequence]:
    """Return the parameter that a function needs of which a call has one argument more."""
    seen: set[int] = set()
    for _, start, end in change.spans():
        call = call_around(change.after, end) or call_around(change.after, start)
        if call is None or call.start in seen or change.is_active(start, end):
            continue
        seen.add(call.start)
        functions = functions_named(change.after, call.called)
        was = _call_before(change, call)
        if len(functions) == 1 and was is not None and len(was.arguments) < len(call.arguments):
            (function,) = functions
            new = [each for each in call.arguments if start <= each.start and each.end <= end]
            if len(new) == 1 and len(call.arguments) == len(was.arguments) + 1:
                yield from _parameter_for(change.after, function, call, new[0])


def _adapted(change: Change, was: Function, function: Function) -> Iterator[Consequence]:
    old, new = was.parameters, function.parameters
    if any(not each.name or each.is_rest for each in (*old, *new)):
        return
    names, others = [each.name for each in old], [each.name for each in new]
    added = [each for each in new if each.name not in names]
    removed = [each for each in old if each.name not in others]
    kept = [name for name in names if name in others]
    is_in_order = kept == [name for name in others if name in names]
    calls = [call for call in calls_of(change.after, function) if _is_as_before(change, call)]
    if is_in_order and len(added) == 1 and not removed and added[0].is_required:
        for call in calls:
            yield from with_argument(change.after, call, old, new.index(added[0]), added[0])
    elif is_in_order and len(removed) == 1 and not added:
        for call in calls:
            yield from without_argument(call, names.index(removed[0].name), removed[0])
    elif not is_in_order and not added and not removed:
        for call in calls:
            if _values(change.after, call) == _values(change.before, _call_before(change, call)):
                yield from _reordered(change.after, call, names, others)


def _is_as_before(change: Change, call: Call) -> bool:
    """Tell whether a call has as many arguments as before, spreads none and is not being typed."""
    was = _call_before(change, call)
    if was is None or change.is_active(call.start, call.end):
        return False
    if any(argument.is_spread for argument in call.arguments):
        return False
    return len(was.arguments) == len(call.arguments)


def _call_before(change: Change, call: Call) -> Call | None:
    called = change.same_before(call.called)
    return call_of(change.before.tree, called) if called else None


def _values(names: Names, call: Call | None) -> list[str]:
    """Return the arguments of a call as they are written."""
    return [names.tree.text[each.start : each.end] for each in call.arguments] if call else []


def _positional(call: Call) -> list[Argument]:
    return [argument for argument in call.arguments if not argument.keyword]


def with_argument(
    names: Names, call: Call, old: tuple[Parameter, ...], index: int, added: Parameter
) -> Iterator[Consequence]:
    """Return a call with the argument that it lacks, where a variable of its name is in scope."""
    given = call.arguments
    required = sum(each.is_required for each in old)
    scope = names.resolve(call.called, added.name)
    if not required <= len(given) <= len(old) or scope is None:
        return
    if any(each.part.kind in _NO_VALUES for each in names.definitions(added.name, scope)):
        return
    count = len(_positional(call))
    is_by_name = added.is_named or count < index
    text = f"{added.name}={added.name}" if is_by_name else added.name
    if any(argument.keyword == added.name for argument in given):
        return
    at = len(given) if is_by_name else index
    yield Consequence(_inserted(names.tree.text, call, at, text), "add_argument", 0.8)


def _inserted(text: str, call: Call, index: int, new: str) -> Hunk:
    """Put an argument before the one of an index, or behind the last."""
    given = call.arguments
    if not given:
        return Hunk(call.start, call.start, new)
    first, last = given[0], given[-1]
    lead = text[call.start : first.start]
    between = "," + lead if "\n" in lead else ", "
    if index < len(given):
        return Hunk(given[index].start, given[index].start, new + between)
    return Hunk(last.end, last.end, between + new)


def without_argument(call: Call, index: int, removed: Parameter) -> Iterator[Consequence]:
    """Return a call without the argument of a parameter that was taken away."""
    given = call.arguments
    at = next((i for i, each in enumerate(given) if each.keyword == removed.name), None)
    if at is None:
        if removed.is_named or index >= len(_positional(call)):
            return
        at = index
    if at + 1 < len(given):
        hunk = Hunk(given[at].start, given[at + 1].start, "")
    else:
        hunk = Hunk(given[at - 1].end if at else given[at].start, given[at].end, "")
    yield Consequence(hunk, "remove_argument", 0.9)


def _reordered(names: Names, call: Call, old: list[str], new: list[str]) -> Iterator[Consequence]:
    given, text = call.arguments, names.tree.text
    if len(given) != len(old) or len(_positional(call)) != len(given):
        return
    parts = [text[each.start : each.end] for each in given]
    out = text[given[0].start : given[0].start]
    for index, name in enumerate(new):
        if index:
            out += text[given[index - 1].end : given[index].start]
        out += parts[old.index(name)]
    if out != text[given[0].start : given[-1].end]:
        hunk = Hunk(given[0].start, given[-1].end, out)
        yield Consequence(hunk, "reorder_arguments", 0.85)


def _parameter_for(
    names: Names, function: Function, call: Call, argument: Argument
) -> Iterator[Consequence]:
    """Return the parameter that takes an argument which the function has no place for."""
    text, parameters = names.tree.text, function.parameters
    known = {each.name for each in parameters}
    name = argument.keyword or text[argument.start : argument.end]
    if not name.isidentifier() or name in known or any(each.is_rest for each in parameters):
        return
    if not argument.keyword and len(_positional(call)) != len(parameters) + 1:
        return
    declared = _declared(names, call, argument, name)
    if declared is None:
        return
    index = len(parameters) if argument.keyword else call.arguments.index(argument)
    start, end = function.span
    if not parameters:
        head = text[start:end].rstrip()
        lead = ", " if head and not head.endswith(",") else ""
        hunk = Hunk(start + len(head), start + len(head), lead + declared)
    elif index < len(parameters):
        at = parameters[index].start
        hunk = Hunk(at, at, declared + ", ")
    else:
        at = parameters[-1].end
        hunk = Hunk(at, at, ", " + declared)
    yield Consequence(hunk, "add_parameter", 0.7, is_first=True)


def _declared(names: Names, call: Call, argument: Argument, name: str) -> str | None:
    """Return a parameter as its language declares it; None where its type is not known."""
    language = names.tree.language
    if language == "python" or language.startswith("javascript"):
        return name
    text = names.tree.text[argument.start : argument.end]
    one = names.at(argument.start)
    if one is None or one.role is not Role.REFERENCE or one.name != text:
        return None
    found = names.definitions(text, names.resolve(one))
    kind = found[0].path[-2].node.child_by_field_name("type") if len(found) == 1 else None
    if kind is None:
        return None
    written = names.tree.of(kind)
    return f"{name} {written}" if language == "go" else f"{name}{written}"
