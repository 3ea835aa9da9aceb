"""The rules: what a change of a file asks for in the same file."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain

from editcast_model.consequences.arguments import after_signature
from editcast_model.consequences.changes import Change, Renamed
from editcast_model.consequences.conditions import after_condition
from editcast_model.consequences.constants import after_constant
from editcast_model.consequences.coroutines import after_coroutine, new_coroutines, with_await
from editcast_model.consequences.entry_references import after_reference
from editcast_model.consequences.formats.formats import after_format
from editcast_model.consequences.kinds import Consequence, Kind
from editcast_model.consequences.lists.assigned import after_constructor, after_local
from editcast_model.consequences.lists.parallel_lists import after_entry
from editcast_model.consequences.members.enums import after_enum
from editcast_model.consequences.members.guarded import after_guard, after_new_lock
from editcast_model.consequences.members.keys import after_key
from editcast_model.consequences.members.locked import after_new_mutex
from editcast_model.consequences.members.new_enums import after_new_enum
from editcast_model.consequences.members.pairs import after_paired_call
from editcast_model.consequences.members.records import after_record
from editcast_model.consequences.members.renames import (
    after_member,
    after_parameter,
    after_property,
)
from editcast_model.consequences.members.vue_properties import after_model_value
from editcast_model.consequences.other_files.entry_index import EntryIndex
from editcast_model.consequences.other_files.import_statements import missing
from editcast_model.consequences.other_files.rust_uses import after_first_use
from editcast_model.consequences.parameters import after_argument, after_name
from editcast_model.consequences.passing.fields import after_field
from editcast_model.consequences.passing.grouped import after_grouping
from editcast_model.consequences.passing.options import after_option
from editcast_model.consequences.passing.overrides import after_method
from editcast_model.consequences.passing.prototypes import after_prototype
from editcast_model.consequences.renames import after_definition, after_state, after_use
from editcast_model.consequences.replaced.values import adapted
from editcast_model.consequences.results.async_clients import after_async_class
from editcast_model.consequences.results.exchanged import after_exchange
from editcast_model.consequences.results.further import after_results
from editcast_model.consequences.results.missing import after_nothing
from editcast_model.consequences.results.tasks import after_task
from editcast_model.consequences.results.wrapped import after_wrapping
from editcast_model.consequences.rewrites.annotations import after_annotation
from editcast_model.consequences.rewrites.clocks import after_clock
from editcast_model.consequences.rewrites.containers import after_container
from editcast_model.consequences.rewrites.locks import after_lock
from editcast_model.consequences.rewrites.migrations import after_migration, lines_to_migrate
from editcast_model.consequences.rewrites.ownership import after_ownership
from editcast_model.consequences.translation.marks import after_translation
from editcast_model.consequences.translation.translators import after_translator
from editcast_model.consequences.unused.duplicates import after_moved_declaration
from editcast_model.consequences.unused.functions import after_last_call
from editcast_model.consequences.unused.imports import after_import, after_last_use, exchanged
from editcast_model.consequences.value_changes import SAME, by_names, value_change
from editcast_model.diff import Hunk
from editcast_model.syntax.members import is_member
from editcast_model.syntax.names import Names
from editcast_model.syntax.roles import Role

#: Longer insertions were pasted, or written by a program.
_LONGEST = 5_000

#: The rules that need nothing but the change, the surest first.
_RULES = (
    after_paired_call,
    after_signature,
    after_method,
    after_prototype,
    after_grouping,
    after_option,
    after_argument,
    after_name,
    after_field,
    after_entry,
    after_constructor,
    after_local,
    after_task,
    after_coroutine,
    after_async_class,
    after_condition,
    after_exchange,
    after_results,
    after_wrapping,
    after_nothing,
    after_constant,
    after_format,
    after_annotation,
    after_container,
    after_migration,
    after_clock,
    after_lock,
    after_ownership,
    after_translation,
    after_translator,
    after_new_enum,
    after_record,
    after_model_value,
    after_guard,
    after_new_lock,
    after_new_mutex,
    after_moved_declaration,
    after_import,
    after_last_use,
    after_last_call,
)


def after_change(
    change: Change, imports: Mapping[str, str] | None, entries: EntryIndex | None
) -> Iterator[Consequence]:
    """Yield what follows from a change of a file within it, the surest first.

    Args:
        change: The change.
        imports: Import statements of other files of the project, by the name that they bind.
        entries: The texts that files of the project give names to.
    """
    yield from lines_to_migrate(change)
    new = {one.defined.start for one in new_coroutines(change)} if change.renamed else set()
    for renamed in change.renamed:
        cause = f"{renamed.before.name} {renamed.after.name}"
        value = value_change(change, renamed)
        for one in _after_rename(change, renamed):
            is_task = renamed.after.start in new
            one = with_await(change.after, one, renamed.before.name, is_task=is_task)
            yield replace(adapted(change.after.tree, one, value), cause=cause)
    for one in after_key(change):
        cause = replacing(change.after, one.hunk)
        value = by_names(*cause.split()) if cause.count(" ") == 1 else SAME
        one = adapted(change.after.tree, one, value) if value.factor != 1 else one
        yield replace(one, cause=cause)
    added = list(_missing(change, imports)) if imports is not None else []
    yield from after_first_use(change)
    found = chain.from_iterable(rule(change) for rule in _RULES)
    yield from exchanged(change.after.tree, found, added)
    if entries is not None:
        yield from after_enum(change, entries)
        yield from after_reference(change, entries)


def _after_rename(change: Change, renamed: Renamed) -> Iterator[Consequence]:
    one = renamed.after
    if is_member(one):
        yield from after_member(change, renamed)
    if one.role is Role.DEFINITION:
        yield from after_definition(change, renamed)
        yield from after_state(change, renamed)
        if one.part.kind == "parameter":
            yield from after_parameter(change, renamed)
    elif one.role is Role.REFERENCE:
        yield from after_use(change, renamed)
    yield from after_property(change, renamed)


def _missing(change: Change, imports: Mapping[str, str]) -> Iterator[Consequence]:
    """Return the imports of names that mean nothing here since they, or their uses, were changed.

    A name that was just written, or one whose definition was taken away.
    """
    # Tools add those of Go and Java when a file is saved.
    is_added = change.after.tree.language in ("go", "java")
    kind: Kind = "import_often_added" if is_added else "import_missing"
    parts = [(imports, start, end) for _, start, end in change.spans() if end - start <= _LONGEST]
    lost = {name: statement for name in _undefined(change) if (statement := imports.get(name))}
    if lost:
        parts.append((lost, 0, len(change.after.tree.text)))
    for wanted, *part in parts:
        for one, hunk in missing(change.after, wanted, *part):
            if not change.is_active(one.start, one.end):
                yield Consequence(hunk, kind, is_first=not is_added)


def _undefined(change: Change) -> set[str]:
    """Return the names whose definition at module level was taken away, and not renamed."""
    renamed = {one.before.name for one in change.renamed}
    return {
        one.name
        for hunk, _, _ in change.finished()
        if hunk.end - hunk.start <= _LONGEST
        for one in change.before.between(hunk.start, hunk.end)
        if one.role is Role.DEFINITION
        and one.part.kind != "import"
        and change.before.home(one) == one.scopes[-1]
    } - renamed


def replacing(names: Names, hunk: Hunk) -> str:
    """Return the cause of edits that replace the same by the same."""
    return f"{names.tree.text[hunk.start : hunk.end]} {hunk.text}"
