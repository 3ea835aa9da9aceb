"""Names and parameters that a file no longer has for others, and what they are now.

A file is compared with its last texts whenever it is saved, and the differences are kept for as
long as they hold: a name that is defined again, or whose successor is gone, is forgotten.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from editcast_model.consequences.changes import Change, Renamed, is_alike
from editcast_model.consequences.coroutines import new_coroutines
from editcast_model.consequences.lists.entries import SCHEMA, Entry
from editcast_model.consequences.lists.parallel_lists import entries_for_others, removed_entries
from editcast_model.consequences.lists.schema import added_table_columns, is_schema
from editcast_model.consequences.members.enums import Typed, newly_typed_for_others
from editcast_model.consequences.members.locked import Lock, new_locks
from editcast_model.consequences.members.records import Record, new_records
from editcast_model.consequences.members.renames import are_constructor_keywords
from editcast_model.consequences.members.vue_properties import component_in, renamed_properties
from editcast_model.consequences.other_files.imports import BY_NAME, package_of
from editcast_model.consequences.passing.objects import with_keys
from editcast_model.consequences.passing.overrides import NewSignature, new_signatures
from editcast_model.consequences.passing.prototypes import NewPrototype, new_prototypes
from editcast_model.consequences.results.async_clients import Twin, new_async_classes
from editcast_model.consequences.results.exchanged import newly_failing
from editcast_model.consequences.results.further import Place, new_results
from editcast_model.consequences.results.missing import newly_certain, newly_missing
from editcast_model.consequences.results.wrapped import newly_wrapped
from editcast_model.consequences.rewrites.containers import new_kinds
from editcast_model.consequences.rewrites.ownership import Owner, newly_owning
from editcast_model.consequences.value_changes import SAME, ValueChange, value_change
from editcast_model.syntax.calls import Function, function_of
from editcast_model.syntax.components import called_by_others, have_one_type
from editcast_model.syntax.declarators import is_own
from editcast_model.syntax.languages import language_of
from editcast_model.syntax.members import (
    class_named,
    defines_member,
    fields_defined,
    is_member,
    owner,
)
from editcast_model.syntax.names import Names, Occurrence, has_rules
from editcast_model.syntax.parameters import Parameters
from editcast_model.syntax.roles import Role
from editcast_model.syntax.tree import MOST_CHARACTERS, around, parse

log = logging.getLogger(__name__)

#: The most saved texts that the current text is compared with.
MOST_TEXTS = 3
#: The most changes kept for a file; with more, it was replaced as a whole.
MOST_CHANGES = 50

#: The class of a member, empty at module level, and the name.
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class NewName:
    """A definition that has another name now.

    Attributes:
        owner: The class that it is a member of, as that is called now; empty at module level.
        old: Its name before.
        new: Its name now.
        is_keyword: Whether calls of the class may give it by its name, as those of dataclasses do.
        value: The change of its values.
        is_property: Whether it is a property of the component `owner`.
    """

    owner: str
    old: str
    new: str
    is_keyword: bool = False
    value: ValueChange = SAME
    is_property: bool = False


@dataclass(frozen=True, slots=True)
class NewParameters:
    """A function that has other parameters now.

    Attributes:
        owner: The class that it is a method of, as that is called now; empty at module level and
            for a constructor.
        name: Its name now; a class's name for its constructor.
        before: The parameters that it had at one time or another; offsets mean nothing.
        after: Those that it has.
    """

    owner: str
    name: str
    before: tuple[Parameters, ...]
    after: Parameters


@dataclass(frozen=True, slots=True)
class ModuleChange:
    """The changes of a file that those who use it have to follow.

    Attributes:
        file: Its path.
        language: Its language, one that `has_rules`.
        package: In Go, the package that it belongs to.
        names: What has another name.
        parameters: What has other parameters.
        entries: What was added to lists that have a name, such as classes, in the last saves.
        removed: What was removed from such lists.
        coroutines: The functions that became coroutines in the last saves.
        signatures: The methods that got other parameters in the last saves.
        prototypes: The functions of C and C++ that are declared otherwise since the last saves.
        results: The functions that got further results in the last saves, with what those are
            called, and where they stand.
        failing: The functions of Go that return an error for a truth value since the last saves.
        wrapped: The functions whose results were wrapped in the last saves, with what makes the
            wrapper of a value.
        certain: The functions that fail where they returned nothing, with the error.
        missing: Those that return nothing where they failed, with the word for it and the error.
        typed: What is a member of an enum now.
        containers: The types that are other kinds of containers now, with both kinds.
        owners: What owns what it points to since the last saves, in C++.
        locks: The locks that its classes have got, in C++.
        twins: The classes of Python whose asynchronous twins took their place in the last saves.
        properties: The properties of a component of Vue that have other names, with both.
        records: The classes that take the place of tuples since the last saves, in Python.
    """

    file: str
    language: str
    package: str = ""
    names: tuple[NewName, ...] = ()
    parameters: tuple[NewParameters, ...] = ()
    entries: tuple[Entry, ...] = ()
    removed: tuple[Entry, ...] = ()
    coroutines: tuple[Key, ...] = ()
    signatures: tuple[NewSignature, ...] = ()
    prototypes: tuple[NewPrototype, ...] = ()
    results: tuple[tuple[Key, tuple[str, ...], Place], ...] = ()
    failing: tuple[Key, ...] = ()
    wrapped: tuple[tuple[Key, str], ...] = ()
    certain: tuple[tuple[Key, str], ...] = ()
    missing: tuple[tuple[Key, str, str], ...] = ()
    typed: tuple[Typed, ...] = ()
    containers: tuple[tuple[str, str], ...] = ()
    owners: tuple[Owner, ...] = ()
    locks: tuple[Lock, ...] = ()
    records: tuple[Record, ...] = ()
    twins: tuple[Twin, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()

    @property
    def words(self) -> set[str]:
        """Return the words of which a file that has to follow has one."""
        words = {one.old for one in self.names} | {one.name for one in self.prototypes}
        words |= {one.name for one in self.parameters} | {one.name for one in self.signatures}
        words |= {one.owner for one in (*self.entries, *self.removed) if one.owner}
        words |= {one.called for one in self.typed} | {name for name, _ in self.containers}
        words |= {one.name for one in self.owners} | {one.owner for one in self.locks}
        words |= {one.word for one in self.twins}.union(*(one.words for one in self.records))
        words |= {key[1] for key, *_ in self.results} | {key[1] for key, *_ in self.missing}
        words |= {key[1] for key, _ in (*self.wrapped, *self.certain)}
        words |= {component_in(self.file) for _ in self.properties}
        return words | {name for _, name in (*self.coroutines, *self.failing)}

    @property
    def own_names(self) -> set[str]:
        """Return the names that others import because of what changed."""
        return self.words | {name for one in self.names for name in (one.owner, one.new)}


class ModuleHistory:
    """The saves of one file, and what others have to follow because of them.

    Args:
        file: Its path.
        language: The editor's language identifier.
    """

    def __init__(self, file: str, language: str) -> None:
        self._file, self._language = file, language_of(language, file)
        self._texts: list[str] = []  # the first is the oldest, or the last that was read
        self._is_read = True
        self._names: dict[Key, NewName] = {}
        self._parameters: dict[Key, NewParameters] = {}
        self._change: ModuleChange | None = None

    def save(self, before: str, after: str) -> None:
        """Note that the file was saved; nothing slow is done now."""
        is_known = has_rules(self._language) or is_schema(self._file)
        if not is_known or len(after) > MOST_CHARACTERS:
            return
        for text in (before, after):
            if not self._texts or self._texts[-1] != text:
                self._texts.append(text)
                self._is_read = False
        del self._texts[1:-MOST_TEXTS]

    def change(self) -> ModuleChange | None:
        """Return what others have to follow; None for nothing, and where finding it fails.

        Parses the text after a save.
        """
        if not self._is_read:
            self._is_read = True
            try:
                self._read()
            except Exception:
                self._change = None
                log.exception("Changes of a file are not followed in others; please report this")
        return self._change

    def _read(self) -> None:
        *earlier, text = self._texts
        if is_schema(self._file):
            columns = tuple(added_table_columns(earlier[0], text)) if earlier else ()
            self._change = ModuleChange(self._file, SCHEMA, entries=columns) if columns else None
            return
        tree = parse(text, self._language)
        if tree is None or not tree.parses:
            return  # half done: it will be saved again
        now = Names(tree)
        found: dict[str, dict[Any, None]] = {kind: {} for kind in _KINDS}
        for one in reversed([one for one in earlier if one != text]):
            before = tree.reparsed(one)
            change = Change(Names(before), now) if before else None
            if change and change.is_legible:
                self._take_names(change)
                self._take_parameters(change)
                for kind, find in _KINDS.items():
                    found[kind] |= dict.fromkeys(find(change))
        self._forget(now)
        del self._texts[:-MOST_TEXTS]
        kinds = {kind: tuple(each) for kind, each in found.items()}
        kinds["names"] = tuple(self._names.values())
        kinds["parameters"] = tuple(self._parameters.values())
        is_kept = 0 < sum(map(len, kinds.values())) <= MOST_CHANGES
        new = ModuleChange(self._file, tree.language, package_of(now), **kinds)
        self._change = new if is_kept else None

    def _take_names(self, change: Change) -> None:
        for renamed in change.renamed:
            self._take_property(change, renamed)
            key = _key(change.after, renamed.after)
            if key is None or _was_there(change, renamed) or not is_alike(change, renamed):
                continue
            whose, new = key
            old = renamed.before.name
            for at, one in list(self._names.items()):
                if (one.owner, one.new) == (whose, old):
                    self._names[at] = replace(one, new=new)
            is_keyword = bool(whose) and are_constructor_keywords(change.after, renamed.after)
            value, known = value_change(change, renamed), self._names.get((whose, old))
            if value == SAME and known is not None and known.new == new:
                value = known.value  # it was renamed at several places, and only one says more
            self._names[whose, old] = NewName(whose, old, new, is_keyword, value)
            if not whose and renamed.after.part.kind == "class":
                named = [
                    replace(one, owner=new if one.owner == old else one.owner)
                    for one in self._names.values()
                ]
                self._names = {(one.owner, one.old): one for one in named}

    def _take_property(self, change: Change, renamed: Renamed) -> None:
        if have_one_type(change.before, renamed.before, change.after, renamed.after):
            for component in called_by_others(change.after, renamed.after):
                key = component, renamed.before.name
                self._names[key] = NewName(*key, renamed.after.name, is_property=True)

    def _take_parameters(self, change: Change) -> None:
        renamed = {one.after.start for one in change.renamed if not is_alike(change, one)}
        for was, function in change.functions:
            key = _key_of(change.after, function)
            is_same = function.defined.start not in renamed
            if key is None or not is_same or was.is_constructor != function.is_constructor:
                continue
            before = _placeless(was.parameters)
            after = _placeless(with_keys(change.after, function.parameters))
            known = self._parameters.get(key)
            others = known.before if known else ()
            if before not in others:
                others = (before, *others)[:MOST_TEXTS]
            self._parameters[key] = NewParameters(*key, others, after)

    def _forget(self, now: Names) -> None:
        """Forget what does not hold any more in a text."""
        self._names = {
            key: one
            for key, one in self._names.items()
            if one.old != one.new
            and not _defines(now, one.owner, one.old)
            and _defines(now, one.owner, one.new)
        }
        kept: dict[Key, NewParameters] = {}
        for key, one in self._parameters.items():
            after = _parameters_of(now, key)
            before = tuple(each for each in one.before if each != after)
            if after is not None and before:
                kept[key] = replace(one, before=before, after=after)
        self._parameters = kept


def _keyed(change: Change, found: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Yield what is found of functions, with what others call them by in their place."""
    for function, *others in found:
        if (key := _key_of(change.after, function)) is not None:
            yield key, *others


#: By attribute of `ModuleChange`, the functions that find the changes of the last saves.
_KINDS: Final[dict[str, Callable[[Change], Iterable[Any]]]] = {
    "entries": entries_for_others,
    "removed": lambda change: (one.for_other_files for one in removed_entries(change) if one.owner),
    "coroutines": lambda change: (key for (key,) in _keyed(change, zip(new_coroutines(change)))),
    "signatures": new_signatures,
    "prototypes": new_prototypes,
    "results": lambda change: _keyed(
        change, ((one.function, one.names, one.place) for one in new_results(change))
    ),
    "failing": lambda change: (key for (key,) in _keyed(change, zip(newly_failing(change)))),
    "wrapped": lambda change: (one[:2] for one in _keyed(change, newly_wrapped(change))),
    "certain": lambda change: _keyed(change, newly_certain(change)),
    "missing": lambda change: _keyed(change, newly_missing(change)),
    "typed": newly_typed_for_others,
    "containers": new_kinds,
    "owners": newly_owning,
    "locks": new_locks,
    "records": new_records,
    "twins": new_async_classes,
    "properties": renamed_properties,
}


def _key(names: Names, one: Occurrence) -> Key | None:
    """Return what others call a definition by; None for what they cannot use."""
    if is_member(one):
        whose = owner(names, one)
        name = (whose or "").split("@")[0]
        if whose is None or not name or not _is_at_top(names, name, whose):
            return None
        return (name, one.name) if defines_member(names, one, whose) else None
    # What a file imports is known by its own name elsewhere.
    is_foreign = one.part.kind == "import" and names.tree.language in BY_NAME
    is_outer = one.role is Role.DEFINITION and names.home(one) == one.scopes[-1]
    is_foreign |= is_outer and names.tree.language in ("c", "cpp") and is_own(names, one)
    return ("", one.name) if is_outer and not is_foreign and not names.is_weak(one) else None


def _key_of(names: Names, function: Function) -> Key | None:
    if function.is_constructor:
        is_outer = _is_at_top(names, function.name, function.owner or "")
        return ("", function.name) if is_outer else None
    return _key(names, function.defined)


def _is_at_top(names: Names, class_name: str, whose: str) -> bool:
    """Tell whether a class is at module level, Go's in any file; modules of Ruby group classes."""
    if whose.endswith("@"):
        return names.rules.has_other_files
    is_ruby = names.tree.language == "ruby"
    return any(
        names.home(one) == one.scopes[-1] or (is_ruby and around(one.path[:-2], "class") is None)
        for one in names.of(class_name)
        if one.role is Role.DEFINITION and class_named(names, one.path[-2].node) == whose
    )


def _was_there(change: Change, renamed: Renamed) -> bool:
    """Tell whether the new name was another definition's before: two things have one name now."""
    before, new = change.before, renamed.after
    if not is_member(new):
        found = before.definitions(new.name, before.home(renamed.before))
        return any(not before.is_weak(one) for one in found)
    whose = owner(before, renamed.before)
    return whose is None or bool(fields_defined(before, new.name, whose))


def _defines(names: Names, class_name: str, name: str) -> bool:
    """Tell whether a text defines a name at module level, or a member of a class there."""
    return any(
        _key(names, one) == (class_name, name) or class_name in called_by_others(names, one)
        for one in names.of(name)
    )


def _parameters_of(names: Names, key: Key) -> Parameters | None:
    """Return the parameters of the only function of a key; None for none, or several."""
    found = [
        function
        for name in (key[1], "__init__", "constructor")
        for one in names.of(name)
        if (function := function_of(names, one)) and _key_of(names, function) == key
    ]
    return _placeless(with_keys(names, found[0].parameters)) if len(found) == 1 else None


def _placeless(parameters: Parameters) -> Parameters:
    return tuple(replace(one, start=0, end=0) for one in parameters)
