"""The index of the names that a project's files import and define, for files that lack an import.

A name that no file of the project knows is one of the standard library, if that has it, or of a
library that other names are imported from.
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace

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
from editcast_model.consequences.other_files.standard_library import LIBRARIES, STATEMENTS
from editcast_model.syntax.languages import language_of

#: The key for the modules that files import names from.
_LIBRARY = "library of scripts"


class ImportIndex(ProjectIndex[Origin | Definition]):
    """The imports and definitions of one project's files by name."""

    def __init__(self) -> None:
        super().__init__()
        self._conventions = Conventions(self._files, self._modules)
        self._same: dict[Origin, Origin] = {}  # most files take the same names of the same modules

    def of(self, file: str, language: str) -> Mapping[str, str]:
        """Return the import statements for a file by the name that they bind, as known by then."""
        known = language_of(language, file)
        return _Statements(self, family_of(known), file) if known and reads_imports(known) else {}

    def forget(self) -> None:
        """Forget all files."""
        super().forget()
        self._same.clear()

    def names(self, family: str) -> set[str]:
        """Return the names that files of a family of languages import or define."""
        return {key[1] for key in list(self._known) if isinstance(key, tuple) and key[0] == family}

    def has(self, family: str, name: str) -> bool:
        """Tell whether any file of a family of languages imports or defines a name."""
        return (family, name) in self._known

    def library(self, family: str, name: str) -> str | None:
        """Return the statement that takes a name of a library that the project imports from."""
        module = LIBRARIES.get(family, {}).get(name, "")
        known = list(self._known.get((_LIBRARY, module), ()))
        found = [one for one in known if isinstance(one, Origin)]
        if not found:
            return None
        like = replace(found[0], bound=name, name=name, alias="", is_type=False)
        return like.statement("")

    def importers(self, file: str, language: str) -> list[str]:
        """Return the files that may use a file, by the last part of what they import.

        In Go that is its folder. In Go and Java the files of a folder use each other without it.
        """
        family, called = family_of(language), module_name(file, language)
        with self._lock:
            return [
                one
                for one, found in self._files.items()
                if any(
                    isinstance(each, Origin) and each.family == family and called in each.parts
                    for each in found
                )
                or (language in ("go", "java") and is_same_package(one, file))
            ]

    def statement(self, family: str, name: str, importer: str) -> str | None:
        """Return the statement by which a file gets a name.

        None unless all get it from one place, or one file defines what nobody imports. The file
        itself does not count, which others may still import a moved definition from.
        """
        with self._lock:
            known = list(self._known.get((family, name), ()))
            imported = (one for one in known if isinstance(one, Origin))
            found = [one for one in imported if not means(one.module, importer, family)]
            defined = [one for one in known if isinstance(one, Definition) and one.file != importer]
            if not found:
                is_one = len(defined) == 1
                return self._conventions.statement(defined[0], importer) if is_one else None
        if len({replace(one, is_type=False) for one in found}) != 1:
            return None
        is_type = all(one.is_type for one in found)
        return replace(found[0], is_type=is_type).statement(importer)

    def _things(self, file: str, language: str, text: str) -> tuple[Origin | Definition, ...]:
        """Return where a file takes names from, and what it defines."""
        found = (self._same.setdefault(one, one) for one in origins(text, language, file))
        return *found, *definitions(text, language, file)

    def _keys(self, thing: Origin | Definition) -> Iterator[Hashable]:
        """Yield the name behind its family, and of a module of Python its first word."""
        if isinstance(thing, Definition):
            yield thing.family, thing.name
            return
        yield thing.family, thing.bound
        if thing.family == "python" and not thing.module.startswith("/"):
            yield thing.module.partition(".")[0]
        elif thing.family == "script" and thing.name:
            yield _LIBRARY, thing.module

    def _modules(self, word: str) -> Iterator[str]:
        """Yield the modules of Python that files import by a full path which begins with a word."""
        return (one.module for one in self._known.get(word, ()) if isinstance(one, Origin))


class _Statements(Mapping[str, str]):
    """The import statements for one file, by the name that they bind.

    A name that the files of the project import from several places has none.
    """

    def __init__(self, known: ImportIndex, family: str, file: str) -> None:
        self._known, self._family, self._file = known, family, file
        self._standard = STATEMENTS.get(family, {})

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (
            self._known.has(self._family, name)
            or name in self._standard
            or self._known.library(self._family, name) is not None
        )

    def __getitem__(self, name: str) -> str:
        if self._known.has(self._family, name):
            statement = self._known.statement(self._family, name, self._file)
        elif name in self._standard:
            statement = self._standard[name]
        else:
            statement = self._known.library(self._family, name)
        if statement is None:
            raise KeyError(name)
        return statement

    def __iter__(self) -> Iterator[str]:
        libraries = LIBRARIES.get(self._family, ())
        found = {name for name in libraries if self._known.library(self._family, name)}
        return iter(self._known.names(self._family) | self._standard.keys() | found)

    def __len__(self) -> int:
        return len(list(iter(self)))
