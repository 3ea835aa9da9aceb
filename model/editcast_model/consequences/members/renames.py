"""Renames that are left once a member of a class has been renamed."""

from collections.abc import Iterable, Iterator
from itertools import chain

from editcast_model.consequences.changes import Change, Renamed
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.members.unknown_objects import possible_uses
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import Call, call_of, calls_of, function_at
from editcast_model.syntax.components import (
    attributes_of,
    components_with,
    have_one_type,
)
from editcast_model.syntax.members import (
    are_apart,
    class_around,
    defines_member,
    fields_defined,
    is_declared_member,
    is_member,
    of_class_itself,
    owner,
)
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role
from editcast_model.syntax.types import bases_of


def after_member(change: Change, renamed: Renamed) -> Iterator[Consequence]:
    """Return the places where a renamed member of a class keeps its old name."""
    before, after, old = change.before, change.after, renamed.before.name
    new = renamed.after
    whose, was = owner(after, new), owner(before, renamed.before)
    if whose is None or was is None or _has(before, new, was):
        return
    declared = fields_defined(after, old, whose)
    is_declaration = defines_member(after, new, whose)
    if is_declaration and declared and len(declared) >= len(fields_defined(before, old, was)):
        return  # the old one is still there: another one was added
    if any(is_declared_member(one) and change.same_before(one) is None for one in declared):
        return  # it was declared again
    if not is_declaration:  # of fields, 4 of 36 were renamed like a use of them in commits
        is_method = any(one.part.kind in ("function", "method") for one in declared)
        if not is_method or any(change.wrote(one.start, one.end) for one in after.of(old)):
            return  # inherited, or what the user meant is another member
        if _inherits(after, whose) or _takes_others(change, renamed):
            return  # another method, of what it inherits from, or with other arguments
    family = _heirs(after, whose) if is_declaration else [whose]
    for one in after.of(old):
        if are_apart(one, new):
            continue
        is_key = one.role in (Role.KEY, Role.REFERENCE) or one.part.is_shorthand
        if (is_member(one) or is_key) and owner(after, one) in family:
            is_first = not is_declaration and one in declared
            hunk = _keyed(after, one, new.name)
            yield Consequence(hunk, "rename_field", is_first=is_first)
    if is_declaration and not whose.startswith("@"):
        for one, kind in possible_uses(after, old, family):
            if not are_apart(one, new):
                yield Consequence(_replaced(one, new.name), kind)
        used = after.of(whose.split("@")[0]) if are_constructor_keywords(after, new) else []
        itself = whose, of_class_itself(whose)
        own = (one for one in after.of("cls") if used and class_around(after, one.path) in itself)
        for one in chain(used, own):
            call = call_of(after.tree, one) if one.role is Role.REFERENCE else None
            yield from renamed_keyword(call, old, new.name) if call else ()


def after_parameter(change: Change, renamed: Renamed) -> Iterator[Consequence]:
    """Return the arguments that calls give to a renamed parameter by its old name."""
    names, old = change.after, renamed.before.name
    function = function_at(names, renamed.after.start)
    if function is not None and all(one.name != old for one in function.parameters):
        for call in calls_of(names, function):
            yield from renamed_keyword(call, old, renamed.after.name)


def renamed_keyword(call: Call, old: str, new: str) -> Iterator[Consequence]:
    """Return the argument that a call gives to a parameter by its old name."""
    sigil = call.called.rules.sigil
    for argument in call.arguments:
        if argument.keyword == old:
            end = argument.start + len(old.removeprefix(sigil))
            hunk = Hunk(argument.start, end, new.removeprefix(sigil))
            if argument.is_shorthand:
                hunk = Hunk(argument.start, argument.end, f"{new}: {old}")
            yield Consequence(hunk, "rename_keyword")


def after_property(change: Change, renamed: Renamed) -> Iterator[Consequence]:
    """Return the attributes that give a component a renamed property by its old name."""
    names, new = change.after, renamed.after
    if have_one_type(change.before, renamed.before, names, new):
        for component in components_with(names, new):
            named = (one for one in names.of(component.name) if one.role is Role.REFERENCE)
            home = names.home(component)
            used = [one for one in named if names.resolve(one) == home]
            yield from given_properties(names, renamed.before.name, new.name, used)


def given_properties(
    names: Names, old: str, new: str, used: Iterable[Occurrence]
) -> Iterator[Consequence]:
    """Return the attributes that give components a property by its old name."""
    for one in attributes_of(names, used, old):
        yield Consequence(_replaced(one, new), "rename_attribute")


def _has(names: Names, new: Occurrence, whose: str) -> bool:
    members = (one for one in names.of(new.name) if is_member(one) and not are_apart(one, new))
    return any(owner(names, one) == whose for one in members)


def _heirs(names: Names, whose: str) -> list[str]:
    """Return a class, and in Python those that extend it; elsewhere members may be others' own.

    On commits 67 of 107 renames in such classes were clean.
    """
    found = [whose]
    for each in found:
        for one in names.of(each.partition("@")[0]):
            if [step.type for step in one.path[-3:-1]] == ["class_definition", "argument_list"]:
                heir = class_around(names, one.path)
                if heir is not None and heir not in found:
                    found.append(heir)
    return found


def _inherits(names: Names, whose: str) -> bool:
    """Tell whether a class of this file has another one above it."""
    start = whose.split("@")[1]
    path = names.tree.path(int(start)) if start else ()
    return any(bases_of(names, step.node) for step in path if step.node.start_byte == int(start))


def _takes_others(change: Change, renamed: Renamed) -> bool:
    """Tell whether a call has another number of arguments since its method has another name."""
    was = call_of(change.before.tree, renamed.before)
    now = call_of(change.after.tree, renamed.after)
    return len(was.arguments if was else ()) != len(now.arguments if now else ())


def _replaced(one: Occurrence, new: str) -> Hunk:
    return Hunk(one.start, one.end, new)


def _keyed(names: Names, one: Occurrence, new: str) -> Hunk:
    """Return the replacement of a member; a variable that is named as it is goes along, if it can.

    What is taken apart has the members' names, by custom; what is put together has its own.
    """
    is_own = one.role is not Role.DEFINITION or names.resolve(one, new) is not None
    if one.part.is_shorthand and is_own:
        return Hunk(one.start, one.start, f"{new}: ")
    return _replaced(one, new)


def are_constructor_keywords(names: Names, field: Occurrence) -> bool:
    """Tell whether calls of a class may name a field of it, as those of dataclasses do."""
    if names.tree.language != "python" or field.role is not Role.DEFINITION:
        return False
    whose = owner(names, field)
    has_own = whose is None or fields_defined(names, "__init__", whose)
    return field.part.kind == "variable" and not has_own
