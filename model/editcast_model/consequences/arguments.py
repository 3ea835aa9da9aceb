"""Edits that calls need once the function that they call has other parameters."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.placing import without
from editcast_model.consequences.parameters import (
    call_before,
    handed_down,
    value_for,
    with_argument,
)
from editcast_model.consequences.passing.objects import in_object, with_keys
from editcast_model.consequences.passing.order import reordered
from editcast_model.consequences.passing.own import given_own, passed_on
from editcast_model.consequences.passing.siblings import like_it
from editcast_model.diff import Hunk, apply_hunks
from editcast_model.syntax.calls import Call, Function, call_around, calls_of
from editcast_model.syntax.names import Names
from editcast_model.syntax.parameters import Parameter, Parameters

_CODE = re.compile("function|lambda|func_literal|closure")


def after_signature(change: Change) -> Iterator[Consequence]:
    """Return what the calls of functions need whose parameters were added, removed or reordered."""
    for was, function in change.functions:
        listed = change.before.tree.text[slice(*was.span)]
        is_changed = listed != change.after.tree.text[slice(*function.span)]
        if is_changed and was.is_constructor == function.is_constructor:
            # A value that is handed down through several functions is one thing to do.
            now, known = ({each.name for each in one.parameters} for one in (function, was))
            new, gone = now - known, known - now
            cause = " ".join(sorted(new)) or f"{function.defined.name} {function.start}"
            found = chain(
                _adapted(change, was, function),
                _without_unbound(change.after, passed_on(change.after, function, new), gone),
                like_it(change, function, new),
            )
            yield from (replace(one, cause=cause) for one in found)


def _without_unbound(
    names: Names, found: Iterator[Consequence], gone: set[str]
) -> Iterator[Consequence]:
    """Leave out the calls with names that mean nothing any more: those get other arguments."""
    for one in found:
        call = call_around(names, one.hunk.start) if gone else None
        if call is None or not names.unbound(call.start, call.end, gone):
            yield one


def _adapted(change: Change, was: Function, function: Function) -> Iterator[Consequence]:
    """Return the calls of a function with arguments as before, as they fit its parameters now."""
    names, old, new = change.after, was.parameters, with_keys(change.after, function.parameters)
    is_plain = _are_plain(old, new)
    if not is_plain and not any(one.keys for one in new):
        return
    known = [one.name for one in old]
    is_reordered = known != [one.name for one in new] and len(old) == len(new)
    every = [(call, call_before(change, call)) for call in calls_of(names, function)]
    calls = [call for call, earlier in every if _is_as_before(change, call, earlier, is_reordered)]
    added = [one for one in new if one.name not in known] if len(new) > len(old) else []
    given = [call for call, _ in every if call not in calls and not call.spreads]
    for call in calls:
        yield from fitted(names, call, old, new, is_as_before=True)
        if not is_plain:
            continue
        is_needed = len(added) == 1 and added[0].is_required and _lacks(call, old, added[0])
        if is_needed and value_for(names, call, added[0], new.index(added[0])) is None:
            yield from handed_down(names, call, new.index(added[0]), added[0], given)
        for one in added:
            if not one.is_required:
                yield from given_own(names, call, new, one)


def _is_as_before(change: Change, call: Call, earlier: Call | None, is_whole: bool) -> bool:
    """Tell whether a call has as many arguments as before, or just the same, and is finished."""
    if earlier is None or change.is_active(call.start, call.end) or call.spreads:
        return False
    values, others = _values(change.after, call), _values(change.before, earlier)
    return values == others if is_whole else len(values) == len(others)


def fitted(
    names: Names, call: Call, before: Parameters, after: Parameters, *, is_as_before: bool
) -> Iterator[Consequence]:
    """Return a call of a function with other parameters as it fits those.

    Args:
        names: Of the text.
        call: The call.
        before: The parameters that the function had.
        after: Those that it has.
        is_as_before: Whether the call is known to be for those before: otherwise it is left alone
            if it fits.
    """
    if call.spreads:
        return
    found = list(in_object(names, call, before, after, is_as_before=is_as_before))
    if found or not _are_plain(before, after):
        yield from found
        return
    old, new = [one.name for one in before], [one.name for one in after]
    added = [one for one in after if one.name not in old]
    removed = [one for one in before if one.name not in new]
    is_in_order = [name for name in old if name in new] == [name for name in new if name in old]
    if old == new:
        yield from _with_names(names, call, after)
    elif not is_in_order:
        if not added and not removed:
            yield from reordered(names, call, before, after, is_as_before=is_as_before)
    elif len(added) == 1 and not removed and added[0].is_required:
        if is_as_before or _lacks_any(call, after):
            yield from _with_argument(names, call, before, new.index(added[0].name), added[0])
    elif len(removed) == 1 and not added:
        is_given = call.gives_by_name(removed[0].name)
        is_given |= len(call.positional) > sum(not one.is_named for one in after)
        fitted_before = len(call.arguments) >= sum(one.is_required for one in before)
        if fitted_before if is_as_before else is_given:
            yield from _without_argument(names, call, old.index(removed[0].name), removed[0])


def _are_plain(*lists: Parameters) -> bool:
    """Tell whether all parameters have names, and take one argument each."""
    return all(one.name and not one.is_rest for listed in lists for one in listed)


def _values(names: Names, call: Call | None) -> list[str]:
    """Return the arguments of a call as they are written."""
    return [names.tree.text[each.start : each.end] for each in call.arguments] if call else []


def _with_argument(
    names: Names, call: Call, old: Parameters, index: int, added: Parameter
) -> Iterator[Consequence]:
    """Return a call with the argument that it lacks, if there is a value for it."""
    value = value_for(names, call, added, index) if _lacks(call, old, added) else None
    if value is not None:
        if added.is_named or len(call.positional) < index:
            index, value = len(call.arguments), names.rules.given_by_name(added.name, value)
        yield Consequence(with_argument(names, call, index, value), "add_argument")


def _lacks(call: Call, old: Parameters, added: Parameter) -> bool:
    """Tell whether a call fits the parameters before and does not give the one that was added."""
    required = sum(each.is_required for each in old)
    return required <= len(call.arguments) <= len(old) and not call.gives_by_name(added.name)


def _lacks_any(call: Call, parameters: Parameters) -> bool:
    """Tell whether a call gives nothing for a parameter that it must give."""
    unplaced = parameters[len(call.positional) :]
    return any(one.is_required and not call.gives_by_name(one.name) for one in unplaced)


def _with_names(names: Names, call: Call, parameters: Sequence[Parameter]) -> Iterator[Consequence]:
    """Return a call that gives by their names what it can give by its place no longer."""
    given = call.positional
    pairs = list(zip(given, parameters, strict=False))
    late = [(argument, one) for argument, one in pairs if one.is_named]
    if not late or len(given) > len(parameters):
        return
    start, end = late[0][0].start, late[-1][0].end
    places = [(argument.start - start, one.name + names.rules.by_name) for argument, one in late]
    hunks = [Hunk(place, place, written) for place, written in places]
    new = apply_hunks(names.tree.text[start:end], hunks)
    yield Consequence(Hunk(start, end, new), "name_arguments")


def _without_argument(
    names: Names, call: Call, index: int, removed: Parameter
) -> Iterator[Consequence]:
    """Return a call without the argument of a parameter that was taken away."""
    given = call.arguments
    at = next((i for i, each in enumerate(given) if each.keyword == removed.name), None)
    if at is None:
        if removed.is_named or index >= len(call.positional):
            return
        at = index
    node = call.node.named_descendant_for_byte_range(given[at].start, given[at].end)
    is_code = node is not None and bool(_CODE.search(node.type))
    if is_code and "\n" in names.tree.text[given[at].start : given[at].end]:
        return  # what a callback did has to be done elsewhere
    if len(given) == 1 and call.span is not None:
        hunk = Hunk(*call.span, "")
    else:
        before, following = given[:at][-1:], given[at + 1 : at + 2]
        ends = before[0].end if before else None, following[0].start if following else None
        hunk = without(names.tree.text, given[at].start, given[at].end, *ends)
    yield Consequence(hunk, "remove_argument")
