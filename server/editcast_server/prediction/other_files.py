"""A search for files of a project that need edits because of a change in another file.

Only files that may import the changed file are read, from the editor or from the disk; where a
version was replaced, a list has a new entry, or the language's imports are not read, also those
that are open or in the same folder, and where a file is new or renamed, in the folders around it.
The result for a file is cached until its text or the changes differ.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.other_files.entry_index import EntryIndex
from editcast_model.consequences.other_files.import_index import ImportIndex
from editcast_model.consequences.other_files.imports import BY_NAME
from editcast_model.consequences.other_files.module_changes import ModuleChange
from editcast_model.consequences.replaced.paths import RenamedFile
from editcast_model.consequences.replaced.versions import replaced
from editcast_model.diff import Hunk
from editcast_model.forecasting.interface import OtherSave
from editcast_model.syntax.languages import language_of

_MOST_READ: Final = 200  # files that may import what was changed
_MOST_REMEMBERED: Final = 500
_MOST_FOLDERS: Final = 6  # around a new or renamed file whose files are read
#: The least strength of an edit that names a file: about that from which on it is shown there.
_SURE: Final = 0.25

_Changes = tuple[Sequence[ModuleChange], Sequence[OtherSave]]


@dataclass(frozen=True, slots=True)
class OtherFile:
    """A file that needs edits, with these in the order in which a person would make them."""

    uri: str
    text: str
    hunks: tuple[Hunk, ...]

    @property
    def line(self) -> int:
        """Return the line of the first edit, counted from 0."""
        return self.text.count("\n", 0, self.hunks[0].start)


@dataclass(frozen=True, slots=True)
class Source:
    """A file that may need edits, with a mark that changes with its text."""

    uri: str
    mark: Any
    read: Callable[[], str]


class OtherFiles:
    """The search in one project; used on the engine's thread.

    Args:
        imports: The project's index of imports.
        source: Returns a file by its path in the index; None if it may not be read.
        beside: Returns the files that are open or in the folder of a file.
        entries: The project's index of texts that have names.
    """

    def __init__(
        self,
        imports: ImportIndex,
        source: Callable[[str], Source | None],
        beside: Callable[[str], Iterable[str]],
        entries: EntryIndex | None = None,
    ) -> None:
        self._imports, self._source, self._beside = imports, source, beside
        self._entries = entries
        self._known: OrderedDict[str, tuple[Any, _Changes, OtherFile | None]] = OrderedDict()

    def find(
        self,
        file: str,
        changes: Sequence[ModuleChange],
        saves: Sequence[OtherSave],
        cancelled: Callable[[], bool],
    ) -> tuple[OtherFile, ...]:
        """Find the files that need edits because of changes in all files, except `file`.

        They are sorted by path. If the search is cancelled, files read by then stay cached.
        """
        importers = {
            one: None
            for change in changes
            for one in self._imports.importers(change.file, change.language)
        }
        saves = [one for one in saves if one.event or any(replaced(one.before, one.after))]
        by_name = [one.file for one in changes if one.language in BY_NAME or one.entries]
        places = [*by_name, *(one.file for one in saves)]
        for save in saves:
            if save.event:
                old = save.event.old if isinstance(save.event, RenamedFile) else save.file
                importers |= dict.fromkeys(self._imports.importers(old, language_of("", old) or ""))
                places += _outwards(old)
        # The files of each folder once.
        folders = {place.rpartition("/")[0]: place for place in places}
        beside = {each for place in folders.values() for each in self._beside(place)}
        found: list[OtherFile] = []
        for one in sorted((importers.keys() | beside) - {file})[:_MOST_READ]:
            if cancelled():
                break
            left = self._left(one, (changes, saves))
            if left:
                found.append(left)
        return tuple(found)

    def _left(self, file: str, changes: _Changes) -> OtherFile | None:
        source = self._source(file)
        if source is None:
            return None
        mark, before, left = self._known.pop(file, (None, ((), ()), None))
        if mark != source.mark or before != changes:
            left = _read(file, source, changes, self._entries)
        self._known[file] = source.mark, changes, left
        while len(self._known) > _MOST_REMEMBERED:
            self._known.popitem(last=False)
        return left


def _outwards(file: str) -> list[str]:
    """Return a path and the folders around it, the innermost first."""
    found = [file]
    for _ in range(_MOST_FOLDERS):
        found.append(found[-1].rpartition("/")[0])
    return found


def _read(
    file: str, source: Source, changes: _Changes, entries: EntryIndex | None
) -> OtherFile | None:
    """Return a file with the edits that are certain enough; None if there are none."""
    text, consequences = source.read(), Consequences("", file)
    # Documents have the entries of a list, and nothing that says so.
    has_entries = language_of("", file) is None and any(one.entries for one in changes[0])
    if not (changes[1] or has_entries):
        if not any(word in text for one in changes[0] for word in one.words):
            return None
    for save in changes[1]:
        if save.file != file:
            consequences.add_other_save(save.file, save.number, save.before, save.after, save.event)
    found = consequences.propose((), text, entries=entries, elsewhere=changes[0])
    sure = tuple(one.hunk for one in found if one.strength >= _SURE)
    return OtherFile(source.uri, text, sure) if sure else None
