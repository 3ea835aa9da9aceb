"""Edits that a file needs because of what was renamed in another one, or is new there.

Only what an import ties to the other file is changed, or in Go the package that both belong to.
The file's own history does not count: uses of an old name that no longer exists are due, whether
the file was just opened or has been open for long.
"""

import re
from collections.abc import Collection, Container, Iterable, Iterator
from itertools import chain
from typing import Final

from editcast_model.consequences.arguments import fitted
from editcast_model.consequences.coroutines import made_alike, used_awaited, with_await
from editcast_model.consequences.kinds import Consequence, Kind
from editcast_model.consequences.lists.entries import SCHEMA
from editcast_model.consequences.lists.parallel_lists import lacking, surplus
from editcast_model.consequences.members.locked import locked
from editcast_model.consequences.members.records import read_by_name
from editcast_model.consequences.members.renames import given_properties, renamed_keyword
from editcast_model.consequences.members.unknown_objects import (
    COMMON,
    of_unknown,
    possible_keys,
    possible_uses,
)
from editcast_model.consequences.members.vue_properties import component_in, given_by_new_name
from editcast_model.consequences.other_files.imports import family_of, imports
from editcast_model.consequences.other_files.module_changes import (
    ModuleChange,
    NewName,
    NewParameters,
)
from editcast_model.consequences.other_files.ties import Ties
from editcast_model.consequences.passing.order import is_permuted, reordered
from editcast_model.consequences.passing.overrides import overriding
from editcast_model.consequences.passing.own import given_own
from editcast_model.consequences.passing.prototypes import declared_alike
from editcast_model.consequences.renames import renaming
from editcast_model.consequences.replaced.values import adapted
from editcast_model.consequences.results.async_clients import made_twins
from editcast_model.consequences.results.caught import with_error, without_error
from editcast_model.consequences.results.exchanged import failing
from editcast_model.consequences.results.further import all_taken_apart
from editcast_model.consequences.results.missing import with_checks, without_check
from editcast_model.consequences.results.wrapped import handed_on
from editcast_model.consequences.rewrites.containers import of_type_left_in
from editcast_model.consequences.rewrites.ownership import Owner, given, kept
from editcast_model.consequences.value_changes import by_names
from editcast_model.diff import Hunk
from editcast_model.syntax.calls import Call, call_at, call_of, called_by
from editcast_model.syntax.declarators import makers_named
from editcast_model.syntax.members import is_member, owner
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.parameters import Parameters
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import Tree, field, first_child

#: Methods that say with which arguments a function's stand-in was called in a test.
_EXPECTING: Final = re.compile(
    r"(to(HaveBeen|Be)(Last)?C|lastC|c)alled(Once)?With(Exactly)?"
    r"|assert_(called|awaited)(_once)?_with|assert_any_(call|await)"
)
#: Kinds of renames of a method by which it is probably meant, in calls as well.
_NAMED: Final[tuple[Kind, ...]] = ("rename_field_of_named",)
_PROBABLE: Final[tuple[Kind, ...]] = (*_NAMED, "rename_compound_field")


def after_modules(
    names: Names, path: str, changes: Iterable[ModuleChange], importable: Container[str] = ()
) -> Iterator[Consequence]:
    """Return what a file needs after changes of others.

    Args:
        names: The names of its text.
        path: Its path, among those of the changes.
        changes: Of the other files, and perhaps of itself, which means nothing.
        importable: Names that other files define or import.
    """
    family = family_of(names.tree.language)
    others = [one for one in changes if one.file != path and family_of(one.language) == family]
    due = [one for one in others if any(map(names.of, one.words))]
    imported = imports(names) if due else []
    for entry in (one for change in changes if change.language == SCHEMA for one in change.entries):
        yield from lacking(names, entry, (), importable)
    optional = _optional(due) if family == "c" else set()
    for change in due:
        ties = Ties(names, path, change, imported)
        for old, new in change.properties:
            yield from given_by_new_name(names, component_in(change.file), old, new)
        for name in change.names if ties.is_tied else ():
            if (name.owner, name.new) in change.coroutines:
                yield from made_alike(names, name.old, name.owner, name.new)
        for name in change.names:
            renames = _member_renamed(ties, name) if name.owner else _renamed(ties, name)
            is_task = (name.owner, name.new) in change.coroutines
            renames = (adapted(names.tree, one, name.value) for one in renames)
            yield from (with_await(names, one, name.old, is_task=is_task) for one in renames)
        for parameters in change.parameters:
            yield from _called_otherwise(ties, parameters, optional)
        for key in change.coroutines:
            for one in _uses(ties, *key, kinds=_NAMED):
                yield from used_awaited(names, one)
            if ties.is_tied:
                yield from made_alike(names, key[1], key[0])
        for key, error in change.certain:
            module = next((f"{one.bound}." for one in ties.modules if not names.of(error)), "")
            known = error and module + error
            for call in _calls(names, _uses(ties, *key, kinds=_NAMED)):
                yield from without_check(names, call, known)
                yield from with_error(names, call, known)
        for key, word, error in change.missing:
            for call in _calls(names, _uses(ties, *key, kinds=_NAMED, is_said=True)):
                yield from without_error(names, call, word, error)
        used = (_uses(ties, *key, kinds=_NAMED) for key, *_ in change.missing)
        yield from with_checks(names, _calls(names, chain.from_iterable(used)))
        yield from _of_tied(ties, change, importable) if ties.is_tied else ()


def _of_tied(ties: Ties, change: ModuleChange, importable: Container[str]) -> Iterator[Consequence]:
    """Return what a file needs that uses the other one."""
    names = ties.names
    for entry in change.entries:
        yield from lacking(names, entry, change.entries, importable)
    yield from chain.from_iterable(surplus(names.tree, one) for one in change.removed)
    yield from chain.from_iterable(overriding(names, one) for one in change.signatures)
    for prototype in change.prototypes if ties.is_declared_here else ():
        yield from declared_alike(names, prototype)
    for lock in change.locks if ties.is_declared_here else ():
        yield from locked(names.tree, lock)
    for owning in change.owners:
        yield from _owned(ties, owning)
    for twin in change.twins:
        yield from made_twins(names, twin)
    for record in change.records:
        yield from read_by_name(names, record)
    for key, further, place in change.results:
        yield from all_taken_apart(names, _calls(names, _uses(ties, *key)), further, place)
    for key in change.failing:
        yield from failing(names, _calls(names, _uses(ties, *key)))
    for kind, kinds in change.containers:
        yield from of_type_left_in(names, kinds, ties.uses(kind))
    for key, maker in change.wrapped:
        for call in _calls(names, _uses(ties, *key)):
            yield from handed_on(names, call, maker)


def _renamed(ties: Ties, name: NewName) -> Iterator[Consequence]:
    """Return the import of a renamed definition, and its uses."""
    names, old, new = ties.names, name.old, name.new
    taken = [one for one in ties.taken if one.name == old]
    bound = [one for one in ties.taken if one.name == new]
    if taken and bound:
        return  # the user is renaming it
    for one in taken:
        if one.bound != old or ties.is_only(one, new):
            hunk = Hunk(one.at, one.at + len(old), new)
            yield Consequence(hunk, "rename_import", is_first=True)
    for use in ties.uses(old):
        if use.role is Role.MEMBER:
            yield Consequence(Hunk(use.start, use.end, new), "rename_use")
        elif names.resolve(use, new) is None:
            is_first = use.role is Role.DEFINITION
            yield Consequence(renaming(use, new), "rename_use", is_first=is_first)
    for maker in makers_named(names, old) if ties.is_declared_here else ():
        yield Consequence(renaming(maker, new), "rename_use")
    scopes = [ties.scope_of(one) for one in bound if one.bound == new]
    for use in names.of(old) if scopes else ():  # the import was renamed before
        if use.role is Role.REFERENCE and not names.is_known(use, old):
            if names.resolve(use, new) in scopes:
                yield Consequence(renaming(use, new), "rename_use")


def _member_renamed(ties: Ties, name: NewName) -> Iterator[Consequence]:
    """Return the uses of a renamed member of a class, and its name in calls of the class."""
    names, whose = ties.names, ties.classes(name.owner)
    if name.is_property:
        used = ties.uses(name.owner, with_others=True)
        yield from given_properties(names, name.old, name.new, used)
        return
    for one in names.of(name.old):
        is_bare = one.role is Role.REFERENCE and names.tree.language == "cpp"
        if (is_member(one) or one.role is Role.KEY or is_bare) and owner(names, one) in whose:
            yield Consequence(Hunk(one.start, one.end, name.new), "rename_field")
    if name.new.startswith("_") <= name.old.startswith("_"):  # others do not use private members
        classes = {*whose, name.owner}
        for one, kind in possible_uses(names, name.old, classes, is_tied=ties.is_tied):
            yield Consequence(Hunk(one.start, one.end, name.new), kind)
    for call in _calls(names, _uses(ties, "", name.owner)) if name.is_keyword else ():
        yield from renamed_keyword(call, name.old, name.new)
    for one in possible_keys(names, name.old) if ties.is_tied else ():
        text = f"{name.new}: {name.old}" if one.part.is_shorthand else name.new
        yield Consequence(Hunk(one.start, one.end, text), "rename_compound_field")


def _owned(ties: Ties, owner: Owner) -> Iterator[Consequence]:
    """Return what is left to do with what owns what it points to now."""
    if owner.place is None:
        yield from kept(ties.names, owner) if ties.is_declared_here else ()
    else:
        used = _uses(ties, owner.whose, owner.name, kinds=_NAMED)
        yield from given(ties.names, owner, _calls(ties.names, used))


def _optional(changes: Iterable[ModuleChange]) -> set[tuple[str, str]]:
    """Return functions with their parameters that have defaults, as only prototypes do in C++."""
    every = (function for change in changes for function in change.parameters)
    return {(each.name, one.name) for each in every for one in each.after if not one.is_required}


def _called_otherwise(
    ties: Ties, function: NewParameters, optional: set[tuple[str, str]]
) -> Iterator[Consequence]:
    """Return the calls of a function that do not fit its parameters any more.

    Unless a parameter is among the `optional` ones of another declaration of it.
    """
    names, after = ties.names, function.after
    if optional & {(function.name, one.name) for one in after if one.is_required}:
        return
    kinds = () if function.name in COMMON else _PROBABLE
    for call in _calls(names, _uses(ties, function.owner, function.name, kinds=kinds)):
        for before in function.before:
            found = [
                *fitted(names, call, before, after, is_as_before=False),
                *_renamed_keywords(names, call, before, after),
                *_passed_on(names, call, before, after),
            ]
            if found:
                yield from found
                break
    whose = ties.classes(function.owner) if function.owner else ()
    for before in function.before if whose else ():
        if is_permuted(before, after):  # calls may be those of a method, on unknown objects
            unknown = of_unknown(names, function.name, whose, is_tied=True)
            for call in _calls(names, unknown):
                yield from reordered(names, call, before, after, is_known=False)


def _passed_on(
    names: Names, call: Call, before: Parameters, after: Parameters
) -> Iterator[Consequence]:
    """Return a call in a function that has a parameter which may be given to the other one now."""
    known = {one.name for one in before}
    for one in after if len(after) == len(before) + 1 else ():
        if one.name and one.name not in known and not (one.is_required or one.is_rest):
            yield from given_own(names, call, after, one)


def _renamed_keywords(
    names: Names, call: Call, before: Parameters, after: Parameters
) -> Iterator[Consequence]:
    """Return the arguments that a call gives to renamed parameters by their old names."""
    old, new = [one.name for one in before], [one.name for one in after]
    keywords = {argument.keyword for argument in call.arguments}
    for was, now in zip(old, new, strict=True) if len(old) == len(new) else ():
        if was and now and was not in new and now not in {*old, *keywords}:
            for one in renamed_keyword(call, was, now):
                yield adapted(names.tree, one, by_names(was, now))


def _uses(
    ties: Ties,
    class_name: str,
    name: str,
    *,
    kinds: Collection[Kind] = (),
    is_said: bool = False,
) -> Iterator[Occurrence]:
    """Return where a function of the other file is used.

    Args:
        ties: To the other file.
        class_name: The class that it is a method of; empty at module level.
        name: Its name.
        kinds: Kinds of renames by which uses of a method are followed that are only probable.
        is_said: Whether what stands around a call says of which class an unknown object is.
    """
    names = ties.names
    if not class_name:
        return ties.uses(name, with_others=True)
    whose: set[str | None] = {*ties.classes(class_name)}
    if is_said and ties.is_tied:
        whose = {*whose, None}
    roles = (Role.MEMBER, Role.REFERENCE) if names.tree.language == "cpp" else (Role.MEMBER,)
    members = (one for one in names.of(name) if one.role in roles)
    used = (one for one in members if owner(names, one) in whose)
    if kinds:
        classes = {*ties.classes(class_name), class_name}
        possible = possible_uses(names, name, classes, is_tied=ties.is_tied)
        return chain(used, (one for one, kind in possible if kind in kinds))
    return used


def _calls(names: Names, used: Iterable[Occurrence]) -> Iterator[Call]:
    """Return the calls of a function where it is used, and what tests say of their arguments."""
    found = (call_of(names.tree, one) or _expected(names.tree, one) for one in used)
    return (call for call in found if call is not None)


def _expected(tree: Tree, called: Occurrence) -> Call | None:
    """Return what a test says of the arguments that a function's stand-in is called with.

    `expect(send).toHaveBeenCalledWith(mail)` and `api.send.assert_called_with(mail)` say it.
    """
    thing = called.path[-2 if called.role is Role.MEMBER else -1].node
    expected = first_child(thing.parent) == thing and thing.parent and thing.parent.parent
    if expected and tree.of(called_by(expected)) == "expect":
        thing = expected
    method = thing.parent
    name = tree.of(field(method, "property", "attribute"))
    if method is None or method.parent is None or not _EXPECTING.fullmatch(name):
        return None
    return call_at(tree, called, method.parent) if called_by(method.parent) == method else None
