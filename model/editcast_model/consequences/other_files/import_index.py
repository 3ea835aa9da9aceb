"""The index of the names that the files of a project import, for files that lack an import.

Nothing is read from the disk here, and nothing written there.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from editcast_model.consequences.other_files.import_statements import Origin, origins
from editcast_model.consequences.other_files.modules import (
    family_of,
    is_same_package,
    module_name,
    reads_imports,
)
from editcast_model.syntax.languages import language_of

_MOST_NAMES: Final = 50_000  # of all files together


class ImportIndex:
    """The import statements of one project's files by name; any thread may read and add."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: dict[str, tuple[Origin, ...]] = {}
        self._origins: dict[tuple[str, str], dict[Origin, int]] = {}
        self._same: dict[Origin, Origin] = {}  # most files take the same names of the same modules
        self._size = 0
        self._unread: dict[str, tuple[str, str]] = {}

    def of(self, file: str, language: str) -> Mapping[str, str]:
        """Return the import statements for a file by the name that they bind, as known by then."""
        known = language_of(language, file)
        return _Statements(self, family_of(known), file) if known and reads_imports(known) else {}

    def update(self, file: str, language: str, text: str) -> None:
        """Take in the text of a file, which is read when there is time."""
        self._unread[file] = language, text

    def read(self) -> None:
        """Read the texts that were told."""
        while self._unread:
            file, (language, text) = self._unread.popitem()
            self.put(file, origins(text, language, file))

    def put(
        self, file: str, found: tuple[Origin, ...], is_wanted: Callable[[], bool] | None = None
    ) -> None:
        """Store where a file takes names from.

        Args:
            file: Its path.
            found: What it imports.
            is_wanted: Given for what is only wanted as long as it says so, and as long as nothing
                else is known of the file: what the editor has is newer than what is on the disk.
        """
        with self._lock:
            if is_wanted and (file in self._files or not is_wanted()):
                return
            for one in self._files.pop(file, ()):
                self._remove(one)
            if self._size + len(found) > _MOST_NAMES:
                return
            self._size += len(found)
            self._files[file] = found = tuple(self._same.setdefault(one, one) for one in found)
            for one in found:
                counts = self._origins.setdefault((one.family, one.bound), {})
                counts[one] = counts.get(one, 0) + 1

    def forget(self) -> None:
        """Forget all files."""
        self._unread.clear()
        with self._lock:
            for known in (self._files, self._origins, self._same):
                known.clear()
            self._size = 0

    def names(self) -> list[tuple[str, str]]:
        """Return the names that files take from somewhere, each behind its family of languages."""
        return list(self._origins)

    def has(self, family: str, name: str) -> bool:
        """Tell whether any file of a family of languages takes a name from somewhere."""
        return (family, name) in self._origins

    def importers(self, file: str, language: str) -> list[str]:
        """Return the files that may use a file, by the last part of what they import.

        In Go that is its folder. In Go and Java the files of a folder use each other without it.
        """
        family, called = family_of(language), module_name(file, language)
        with self._lock:
            return [
                one
                for one, found in self._files.items()
                if any(each.family == family and called in each.parts for each in found)
                or (language in ("go", "java") and is_same_package(one, file))
            ]

    def statement(self, family: str, name: str, importer: str) -> str | None:
        """Return the statement by which a file gets a name.

        None unless all get it from one place.
        """
        with self._lock:
            found = list(self._origins.get((family, name), ()))
        places = {replace(one, is_type=False) for one in found}
        if len(places) != 1:
            return None
        is_type = all(one.is_type for one in found)
        return replace(found[0], is_type=is_type).statement(importer)

    def _remove(self, one: Origin) -> None:
        counts = self._origins[one.family, one.bound]
        counts[one] -= 1
        if not counts[one]:
            del counts[one]
        if not counts:
            del self._origins[one.family, one.bound]
        self._size -= 1


class _Statements(Mapping[str, str]):
    """The import statements for one file, by the name that they bind."""

    def __init__(self, known: ImportIndex, family: str, file: str) -> None:
        self._known, self._family, self._file = known, family, file

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._known.has(self._family, name)

    def __getitem__(self, name: str) -> str:
        statement = self._known.statement(self._family, name, self._file)
        if statement is None:
            raise KeyError(name)
        return statement

    def __iter__(self) -> Iterator[str]:
        return iter([name for family, name in self._known.names() if family == self._family])

    def __len__(self) -> int:
        return len(self._known.names())
