"""Edits that follow from the last ones by the meaning of names: what they left unbound or wrong.

The text is compared with the last ones that it had: a definition renamed in several small steps
is one renamed definition beside the text of the last save. Nothing is proposed that the text does
not ask for any more, so that what was applied, or undone, is proposed no longer.
"""

from bisect import bisect_left, insort
from collections import OrderedDict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists import in_documents
from editcast_model.consequences.lists.folder_files import FolderFile, listed
from editcast_model.consequences.members.enums import enums_left_in
from editcast_model.consequences.other_files.elsewhere import after_modules
from editcast_model.consequences.other_files.entry_index import EntryIndex
from editcast_model.consequences.other_files.includes import included
from editcast_model.consequences.other_files.module_changes import ModuleChange
from editcast_model.consequences.replaced.columns import in_column
from editcast_model.consequences.replaced.flags import flags_left_in
from editcast_model.consequences.replaced.paths import RenamedFile, add_renamed, paths_left_in
from editcast_model.consequences.replaced.python_versions import dropped_left_in
from editcast_model.consequences.replaced.saves import Save, add_save
from editcast_model.consequences.replaced.units import new_units, units_left_in
from editcast_model.consequences.replaced.versions import versions_left_in
from editcast_model.consequences.replaced.words import words_left_in
from editcast_model.consequences.rewrites.migrations import migrations_left_in
from editcast_model.consequences.rewrites.rewrites import (
    after_rewrite,
    change_of_save,
    rewrites_left_in,
)
from editcast_model.consequences.rules import after_change, replacing
from editcast_model.consequences.unused.functions import copied_elsewhere
from editcast_model.diff import Hunk
from editcast_model.syntax.breaking import breaking
from editcast_model.syntax.languages import language_of
from editcast_model.syntax.names import Names, has_rules, have_same_rules
from editcast_model.syntax.tree import parse

#: The most earlier texts that the current text is compared with.
MOST_TEXTS = 6
#: The number of these texts that may show a rewrite: an older one says little about the next edit.
_FRESH = 3
#: Longer texts are skipped.
MOST_CHARACTERS = 300_000
#: The most consequences that are returned.
MOST_CONSEQUENCES = 200
#: Prefixes of the kinds that replace a word by a word, or add a whole statement. All others are
#: applied and parsed first, and those that break the text are dropped.
_SAFE = ("rename", "replace", "import")


#: What happened to another file beside a save.
FileEvent = FolderFile | RenamedFile


class Consequences:
    """The consequences of one file's edits; keeps the trees of its last texts.

    Args:
        language: The editor's language identifier.
        path: The file's path in its project; its suffix counts where the identifier says nothing.
    """

    def __init__(self, language: str, path: str = "") -> None:
        self._language, self._path = language_of(language, path), path
        self._names: OrderedDict[str, Names] = OrderedDict()
        self._saves: list[Save] = []
        self._folder_files = dict[str, FolderFile]()
        self._renamed_files: list[RenamedFile] = []

    def add_other_save(
        self,
        file: str,
        number: int | None,
        before: str,
        after: str,
        event: FileEvent | None = None,
    ) -> None:
        """Take in the changed lines of a save of another file; see `OtherSave`."""
        if before != after:
            self._saves = add_save(self._saves, Save(file, number, before, after))
        if isinstance(event, RenamedFile):
            self._renamed_files = add_renamed(self._renamed_files, event)
            self._folder_files.pop(event.old, None)
        elif event is not None:
            self._folder_files[file] = event
        elif before != after:
            self._folder_files.pop(file, None)  # it is no new one, or is there again

    def propose(
        self,
        history: Sequence[str],
        text: str,
        *,
        active: range | None = None,
        cursor: int | None = None,
        imports: Mapping[str, str] | None = None,
        entries: EntryIndex | None = None,
        elsewhere: Iterable[ModuleChange] = (),
    ) -> list[Consequence]:
        """Return what the last edits ask for, in the order in which a person would go on.

        Args:
            history: The texts that the file had, the oldest first: as it was opened, at each save,
                and in between if known.
            text: The text now.
            active: What is being typed, in code points of `text`: it is not copied.
            cursor: Where the last change ends, in code points; None for the end of the last hunk.
            imports: Import statements of other files of the project, by the name that they bind.
            entries: The texts that files of the project give names to.
            elsewhere: What was changed in other files, that this one may have to follow.

        Returns:
            Edits of `text` that do not overlap: definitions, then what is below the last change
            from the nearest on, then what is above; in the same order what follows from other
            files. Without rules for its language, or where it is too long, only words.
        """
        now = self.names(text)
        words = self._words(history, text, now, active)
        others = [one for one in elsewhere if one.file != self._path]
        entries_of = chain.from_iterable(one.entries for one in others)
        if now is None:
            units = units_left_in(new_units(self._saves, others, ()), text, now)
            every = chain(units, words, in_documents.lacking_in_documents(text, entries_of))
            apart = _apart(one for one in every if not _is_active(active, one))
            return _ordered(apart, text, cursor or 0)
        taken: list[tuple[int, int]] = []

        def free(proposed: Iterable[Consequence]) -> Iterator[Consequence]:
            return _fitting(now, (one for one in proposed if not _is_active(active, one)), taken)

        found: list[Consequence] = []
        changes: list[Change] = []
        for age, before in enumerate(filter(None, map(self.names, _earlier(history, text)))):
            change = Change(before, now, active)
            if not change.is_legible:
                continue
            if cursor is None:
                cursor = max(end for _, _, end in change.spans())
            changes.append(change)
            rewrites = _rewrites(change, changes[0]) if age < _FRESH else ()
            found += free(_counted(change, chain(after_change(change, imports, entries), rewrites)))
        words = chain(words, in_documents.lacking_in_whole_lists(text, entries_of))
        due = self._following(now, changes, others, words, imports or ())
        if entries is not None:
            typed = (one for change in others for one in change.typed)
            due = chain(enums_left_in(now, typed, self._changes_elsewhere(now), entries), due)
        in_order = (_ordered(each, text, cursor or 0) for each in (found, list(free(due))))
        return list(chain.from_iterable(in_order))[:MOST_CONSEQUENCES]

    def _words(
        self, history: Sequence[str], text: str, now: Names | None, active: range | None
    ) -> Iterator[Consequence]:
        """Yield what is to be replaced whatever the language is; the arguments are `propose`'s."""
        is_code = has_rules(self._language)
        yield from versions_left_in(
            self._saves, history, text, self._path, is_code=is_code, active=active
        )
        pairs = [(one, text) for one in _earlier(history, text)]
        pairs += [one[2:] for one in self._saves]
        yield from dropped_left_in(pairs, text, self._path)
        yield from in_documents.lacking_in_sequences(pairs, text, self._path, active)
        yield from words_left_in(self._saves, text, now)
        yield from flags_left_in(self._saves, text, now) if now is None else ()
        yield from paths_left_in(text, self._renamed_files, self._path)
        yield from listed(text, self._folder_files, self._path)

    def _following(
        self,
        now: Names,
        changes: Sequence[Change],
        elsewhere: Sequence[ModuleChange],
        words: Iterable[Consequence],
        importable: Container[str],
    ) -> Iterator[Consequence]:
        """Yield the consequences of changes in other files, the surest first."""
        yield from flags_left_in(self._saves, now.tree.text, now)
        for change in changes:
            yield from included(change, self._saves)
        yield from copied_elsewhere(self._saves, now)
        for one in after_modules(now, self._path, elsewhere, importable):
            yield replace(one, cause=replacing(now, one.hunk))
        yield from units_left_in(new_units(self._saves, elsewhere, changes), now.tree.text, now)
        for one in chain(rewrites_left_in(self._saves, now), migrations_left_in(self._saves, now)):
            if not any(last.wrote(one.hunk.start, one.hunk.end) for last in changes[:1]):
                yield one
        yield from words

    def _changes_elsewhere(self, now: Names) -> Iterator[Change | None]:
        """Yield the changes of saves of files of the same language, the newest first."""
        language, folder = now.tree.language, self._path.rpartition("/")[0]
        for one in reversed(self._saves):
            is_near = language != "go" or one.file.rpartition("/")[0] == folder  # one package
            if is_near and have_same_rules(language_of("", one.file), language):
                yield change_of_save(one.before, one.after, language)

    def names(self, text: str) -> Names | None:
        """Return the names of a text of the file; None for one without rules, or too long."""
        found = self._names.get(text)
        if found is None:
            if not has_rules(self._language) or len(text) > MOST_CHARACTERS:
                return None
            last = next(reversed(self._names.values()), None)
            tree = last.tree.reparsed(text) if last else parse(text, self._language)
            if tree is None:
                return None
            found = self._names[text] = Names(tree)
            while len(self._names) > MOST_TEXTS + 2:
                self._names.popitem(last=False)
        self._names.move_to_end(text)
        return found


def _earlier(history: Sequence[str], text: str) -> list[str]:
    """Return the texts before, the last one first; without those that were undone."""
    past = history[::-1]
    if text in past:
        past = past[past.index(text) + 1 :]
    return [one for one in dict.fromkeys(past) if one != text][:MOST_TEXTS]


def _counted(change: Change, found: Iterable[Consequence]) -> Iterator[Consequence]:
    """Fill in how many other changes were made."""
    for one in found:
        yield one if one.others is not None else replace(one, others=len(change.made) - 1)


def _rewrites(change: Change, last: Change) -> Iterator[Consequence]:
    """Return the rewrites that are left, but for code written with the example, or in the last.

    Brackets around `await` stay where a part of its value is taken.
    """
    text = change.after.tree.text
    for one in after_rewrite(change):
        if one.hunk.text.startswith("(await ") and not text.startswith(
            (".", "[", "?"), one.hunk.end
        ):
            continue
        if not any(each.wrote(one.hunk.start, one.hunk.end) for each in (change, last)):
            yield one


def _fitting(
    names: Names, proposed: Iterable[Consequence], taken: list[tuple[int, int]]
) -> Iterator[Consequence]:
    """Yield the consequences that leave a text that parses, of overlapping ones the first."""
    left = list(proposed)
    while left:
        found, waiting = list[Consequence](), list[Consequence]()
        for one in left:
            if _is_free(one.hunk, taken):
                insort(taken, (one.hunk.start, one.hunk.end))
                found.append(one)
            else:
                waiting.append(one)
        checked = sorted((one.hunk for one in found if not one.kind.startswith(_SAFE)), key=_place)
        refused = set(breaking(names.tree, checked))
        for hunk in refused:
            taken.remove(_place(hunk))
        yield from (one for one in found if one.hunk not in refused)
        left = waiting if refused else []


def _apart(proposed: Iterable[Consequence]) -> list[Consequence]:
    """Return the first ones of those that overlap."""
    taken, found = list[tuple[int, int]](), list[Consequence]()
    for one in proposed:
        if _is_free(one.hunk, taken):
            insort(taken, _place(one.hunk))
            found.append(one)
    return found


def _place(hunk: Hunk) -> tuple[int, int]:
    return hunk.start, hunk.end


def _is_free(hunk: Hunk, taken: Sequence[tuple[int, int]]) -> bool:
    """Tell whether a hunk changes nothing that others change, and nothing at the place of one."""
    at = bisect_left(taken, (hunk.start, hunk.start))
    after = at == len(taken) or (hunk.start < taken[at][0] and hunk.end <= taken[at][0])
    return after and (at == 0 or taken[at - 1][1] <= hunk.start)


def _is_active(active: range | None, one: Consequence) -> bool:
    """Tell whether a consequence is where something is being typed."""
    return active is not None and one.hunk.start <= active.stop and active.start <= one.hunk.end


def _ordered(found: list[Consequence], text: str, cursor: int) -> list[Consequence]:
    """Return consequences as a person would go on, each with the column on its right kept."""

    def rank(one: Consequence) -> tuple[bool, bool, int]:
        start = one.hunk.start
        return not one.is_first, start < cursor, abs(start - cursor)

    return [replace(one, hunk=in_column(text, one.hunk)) for one in sorted(found, key=rank)]
