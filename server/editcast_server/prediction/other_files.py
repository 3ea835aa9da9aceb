"""A search for files of a project that need edits because of a change in another file.

Read are the files that may import a changed one, from the editor or from the disk, those that are
open or in the same folder, and documents and settings; where a file is new or renamed, also those
in the folders around it. The result for a file is cached until its text or the changes differ.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.other_files.entry_index import EntryIndex
from editcast_model.consequences.other_files.import_index import ImportIndex
from editcast_model.consequences.other_files.module_changes import ModuleChange
from editcast_model.consequences.replaced.paths import RenamedFile
from editcast_model.consequences.replaced.versions import replaced
from editcast_model.diff import Hunk
from editcast_model.forecasting.interface import OtherSave
from editcast_model.syntax.languages import language_of

_MOST_READ: Final = 200  # files that may import what was changed
_MOST_REMEMBERED: Final = 500
_MOST_FOLDERS: Final = 6  # around a new or renamed file whose files are read
_WORD: Final = re.compile(r"[^\W\d]\w{3,}")
_TESTS: Final = re.compile(
    r"(?:^|[/_.-])(?:tests?|specs?|__tests__)(?:[/_.-]|$)|[a-z](?:Tests?|Spec)\.\w+$"
)
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

        They come in the order in which a person would go through them: code, tests, documents,
        and last what was changed already. If the search is cancelled, files read by then stay
        cached.
        """
        changed = {*(one.file for one in changes), *(one.file for one in saves)}
        importers = {
            each
            for one in sorted(changed)
            for each in self._imports.importers(one, language_of("", one) or "")
        }
        places = [*changed]
        for save in saves:
            if save.event:
                old = save.event.old if isinstance(save.event, RenamedFile) else save.file
                importers |= set(self._imports.importers(old, language_of("", old) or ""))
                places += _outwards(old)
        # The files of each folder once.
        folders = {place.rpartition("/")[0]: place for place in places}
        beside = {each for place in folders.values() for each in self._beside(place)}
        found: list[OtherFile] = []
        signs = _Signs.of(changes, saves)
        every = sorted((importers | beside) - {file}, key=lambda one: _turn(one, changed))
        for one in every[:_MOST_READ]:
            if cancelled():
                break
            left = self._left(one, (changes, saves), signs)
            if left:
                found.append(left)
        return tuple(found)

    def _left(self, file: str, changes: _Changes, signs: "_Signs") -> OtherFile | None:
        source = self._source(file)
        if source is None:
            return None
        mark, before, left = self._known.pop(file, (None, ((), ()), None))
        if mark != source.mark or before != changes:
            left = _read(file, source, changes, signs, self._entries)
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


def _turn(file: str, changed: Container[str]) -> tuple[bool, int, str]:
    """Return what files are sorted by: code, tests, documents; at the end what was changed."""
    is_code = language_of("", file) not in (None, "sql")
    return file in changed, (1 if _TESTS.search(file) else 0) if is_code else 2, file


class _Signs(NamedTuple):
    """Signs that a text may need edits, looked for before it is parsed.

    Attributes:
        words: Words of the module changes.
        gone: Words that saves took away, as `_plain` writes them.
        is_for_all: Whether a file is new or renamed, or a version was replaced: no word tells what
            that asks for.
        has_entries: Whether a list has another entry, which documents have and do not say so.
    """

    words: frozenset[str]
    gone: frozenset[str]
    is_for_all: bool
    has_entries: bool

    @classmethod
    def of(cls, changes: Sequence[ModuleChange], saves: Sequence[OtherSave]) -> "_Signs":
        """Return the signs of changes and saves."""
        both = ((_WORD.findall(one.before), _WORD.findall(one.after)) for one in saves)
        return cls(
            frozenset(word for one in changes for word in one.words),
            frozenset(_plain(word) for before, after in both for word in {*before} - {*after}),
            any(one.event or any(replaced(one.before, one.after)) for one in saves),
            any(one.entries for one in changes),
        )

    def are_in(self, file: str, text: str) -> bool:
        """Tell whether a file has one of them."""
        if self.is_for_all or (self.has_entries and language_of("", file) is None):
            return True
        if any(word in text for word in self.words):
            return True
        plain = _plain(text)
        return any(word in plain for word in self.gone)


def _plain(text: str) -> str:
    """Write text in small letters, and names alike however their parts are separated."""
    return text.lower().replace("_", "").replace("-", "")


def _read(
    file: str,
    source: Source,
    changes: _Changes,
    signs: _Signs,
    entries: EntryIndex | None,
) -> OtherFile | None:
    """Return a file with the edits that are certain enough; None if there are none."""
    text, consequences = source.read(), Consequences("", file)
    if not signs.are_in(file, text):
        return None
    for save in changes[1]:
        if save.file != file:
            consequences.add_other_save(save.file, save.number, save.before, save.after, save.event)
    found = consequences.propose((), text, entries=entries, elsewhere=changes[0])
    sure = tuple(one.hunk for one in found if one.strength >= _SURE)
    return OtherFile(source.uri, text, sure) if sure else None
