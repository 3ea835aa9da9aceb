"""The index of the names that a project's files import and define, for files that lack an import.

Nothing is read from the disk here, and nothing written there.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from editcast_model.consequences.other_files.definitions import (
    Conventions,
    Definition,
    definitions,
)
from editcast_model.consequences.other_files.import_statements import Origin, origins
from editcast_model.consequences.other_files.modules import (
    family_of,
    is_same_package,
    means,
    module_name,
    reads_imports,
)
from editcast_model.consequences.other_files.project_index import ProjectIndex
from editcast_model.syntax.languages import language_of

_MOST_NAMES: Final = 50_000  # of all files together


class ImportIndex(ProjectIndex):
    """The imports and definitions of one project's files by name; any thread may read and add."""

    def __init__(self) -> None:
        super().__init__()
        self._files: dict[str, tuple[Origin, ...]] = {}
        self._origins: dict[tuple[str, str], dict[Origin, int]] = {}
        self._defined: dict[str, tuple[Definition, ...]] = {}  # by file
        self._definitions: dict[tuple[str, str], dict[str, Definition]] = {}  # by name, then file
        self._modules: dict[str, Counter[str]] = {}  # Python's, by their first word
        self._conventions = Conventions(self._files, lambda word: self._modules.get(word, ()))
        self._same: dict[Origin, Origin] = {}  # most files take the same names of the same modules
        self._size = 0

    def of(self, file: str, language: str) -> Mapping[str, str]:
        """Return the import statements for a file by the name that they bind, as known by then."""
        known = language_of(language, file)
        return _Statements(self, family_of(known), file) if known and reads_imports(known) else {}

    def put(
        self, file: str, language: str, text: str, is_wanted: Callable[[], bool] | None = None
    ) -> None:
        """Read where a file takes names from, and what it defines; see `ProjectIndex`."""
        found, defined = origins(text, language, file), definitions(text, language, file)
        with self._lock:
            if is_wanted and (file in self._files or not is_wanted()):
                return
            self._remove(file)
            if self._size + len(found) + len(defined) > _MOST_NAMES:
                return
            self._size += len(found) + len(defined)
            self._files[file] = found = tuple(self._same.setdefault(one, one) for one in found)
            for one in found:
                counts = self._origins.setdefault((one.family, one.bound), {})
                counts[one] = counts.get(one, 0) + 1
                if one.family == "python" and not one.module.startswith("/"):
                    first = one.module.partition(".")[0]
                    self._modules.setdefault(first, Counter())[one.module] += 1
            if defined:
                self._defined[file] = defined
            for each in defined:
                self._definitions.setdefault((each.family, each.name), {})[file] = each

    def forget(self) -> None:
        """Forget all files."""
        self._unread.clear()
        with self._lock:
            tables = self._files, self._origins, self._defined, self._definitions, self._modules
            for known in (*tables, self._same):
                known.clear()
            self._size = 0

    def names(self) -> list[tuple[str, str]]:
        """Return the names that files import or define, each behind its family of languages."""
        return [*{**self._origins, **self._definitions}]

    def has(self, family: str, name: str) -> bool:
        """Tell whether any file of a family of languages imports or defines a name."""
        return (family, name) in self._origins or (family, name) in self._definitions

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

        None unless all get it from one place, or one file defines what nobody imports; that file
        itself has none.
        """
        with self._lock:
            found = list(self._origins.get((family, name), ()))
            if not found:
                return self._of_definition(family, name, importer)
        places = {replace(one, is_type=False) for one in found}
        if len(places) != 1 or means(found[0].module, importer, family):
            return None
        is_type = all(one.is_type for one in found)
        return replace(found[0], is_type=is_type).statement(importer)

    def _of_definition(self, family: str, name: str, importer: str) -> str | None:
        defined = self._definitions.get((family, name), {})
        if len(defined) != 1 or importer in defined:
            return None
        ((file, one),) = defined.items()
        return self._conventions.statement(one, file, importer)

    def _remove(self, file: str) -> None:
        """Remove what is known of a file."""
        for one in (gone := self._files.pop(file, ())):
            counts = self._origins[one.family, one.bound]
            counts[one] -= 1
            if not counts[one]:
                del counts[one]
            if not counts:
                del self._origins[one.family, one.bound]
            first = one.module.partition(".")[0]
            if one.family == "python" and first in self._modules:
                self._modules[first] -= Counter([one.module])
                if not self._modules[first]:
                    del self._modules[first]
        for each in (defined := self._defined.pop(file, ())):
            del self._definitions[each.family, each.name][file]
            if not self._definitions[each.family, each.name]:
                del self._definitions[each.family, each.name]
        self._size -= len(gone) + len(defined)


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
