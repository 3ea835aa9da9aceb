"""The index of the names that a project's files import and define, for files that lack an import.

A name that no file of the project knows is one of the standard library, if that has it, or of a
library that other names are imported from.

What a file defines is imported as the project's files import from each other: whether they do so
by relative paths, where the paths of its modules begin, and whether they end in `.js`.
"""

import re
import sys
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import Final

from editcast_model.consequences.other_files.imports import (
    family_of,
    folder_of,
    is_same_package,
    means,
    module_name,
    reads_imports,
    stem,
    written_from,
)
from editcast_model.consequences.other_files.origins import (
    Definition,
    Origin,
    definitions,
    origins,
)
from editcast_model.consequences.other_files.project_index import ProjectIndex
from editcast_model.consequences.other_files.standard_library import LIBRARIES, STATEMENTS
from editcast_model.syntax.languages import language_of

#: The key for the modules that files import names from.
_LIBRARY = "library"
_ASIDE: Final = frozenset("tests test t testing __tests__ mocks __mocks__ docs examples".split())
_MOST_STEPS_UP: Final = 2  # from a file to another: what is farther away mostly has a name
_MOST_SEEN: Final = 100  # relative imports, which say how modules are written
_SHORTCUT: Final = re.compile(r"[@~]/")


class ImportIndex(ProjectIndex[Origin | Definition]):
    """The imports and definitions of one project's files by name."""

    def __init__(self) -> None:
        super().__init__()
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
                return self._definition(defined[0], importer) if is_one else None
        if len({replace(one, is_type=False) for one in found}) != 1:
            return None
        is_type = all(one.is_type for one in found)
        return replace(found[0], is_type=is_type).statement(importer)

    def _definition(self, one: Definition, importer: str) -> str | None:
        """Return the statement by which a file imports a definition; None where nothing tells it.

        Args:
            one: The definition.
            importer: The path of the file that lacks it.
        """
        aside = _ASIDE.intersection(folder_of(one.file).split("/"))
        if not aside.issubset(importer.split("/")):  # code does not import from its tests
            return None
        if one.family == "java":
            module = one.module
        elif one.family == "python":
            module = self._python_module(one.file, importer)
        else:
            module = self._script_module(one.file, importer)
        if not module:
            return None
        own = (each.is_type for each in self._imports_of(importer))
        known = (each.is_type for each in islice(self._relative(), _MOST_SEEN))
        is_type = one.is_type and (any(own) or any(known))
        origin = Origin(one.family, one.name, module, one.name, is_type=is_type)
        return origin.statement(importer)

    def _imports_of(self, file: str) -> list[Origin]:
        return [one for one in self._files.get(file, ()) if isinstance(one, Origin)]

    def _python_module(self, file: str, importer: str) -> str:
        path = stem(file).removesuffix("/__init__")
        modules = [each.module for each in self._imports_of(importer)]
        relative = sum(each.startswith("/") for each in modules)
        full = sum(f"/{each.partition('.')[0]}/" in f"/{importer}" for each in modules)
        if relative > full:
            return f"/{path}"
        parts = path.split("/")
        for begin in reversed(range(len(parts))):
            is_own = parts[begin] not in sys.stdlib_module_names
            if is_own and self._is_root("/".join(parts[:begin]), parts[begin], importer):
                return ".".join(parts[begin:])
        return ""

    def _is_root(self, root: str, first: str, importer: str) -> bool:
        """Tell whether modules of a folder are imported by paths that begin with a word of it."""
        inside = f"{root}/" if root else ""
        if f"{inside}__init__.py" in self._files:  # a package, whose modules begin above it
            return False
        known = self._known.get(first, ())
        wanted = [one.module for one in known if isinstance(one, Origin)]
        if folder_of(importer) == root:  # a script beside it imports its neighbours
            own = (each.module for each in self._imports_of(importer))
            wanted += [each for each in own if "." not in each]
        paths = (f"{inside}{module.replace('.', '/')}" for module in wanted)
        ends = (".py", "/__init__.py")
        return any(path + end in self._files for path in paths for end in ends)

    def _script_module(self, file: str, importer: str) -> str:
        path = stem(file).removesuffix("/index")
        own = [each for each in self._imports_of(importer) if not each.is_required]
        relative = [each.module for each in own if each.module.startswith("/")]
        short = [each.module for each in own if _SHORTCUT.match(each.module)]
        is_below = path.startswith(folder_of(importer) + "/")
        if short and not (relative and is_below):
            for module in short:
                root = self._root_of(module[2:])
                if root is not None and path.startswith(root):
                    return module[:2] + path[len(root) :]
        known = relative or (one.module for one in islice(self._relative(), _MOST_SEEN))
        ending = ".js" if any(module.endswith(".js") for module in known) else ""
        found = f"/{path}{ending}"
        is_near = (written_from(importer, found, "script") or "").count("../") <= _MOST_STEPS_UP
        return found if is_near and (relative or not short) else ""

    def _relative(self) -> Iterator[Origin]:
        """Yield what scripts import by relative paths."""
        for one in chain.from_iterable(self._files.values()):
            if isinstance(one, Origin) and one.family == "script" and one.module.startswith("/"):
                yield one

    def _root_of(self, module: str) -> str | None:
        """Return the folder below which a module's path is that of a file."""
        paths = (stem(file).removesuffix("/index") for file in self._files)
        return next((path[: -len(module)] for path in paths if path.endswith(f"/{module}")), None)

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
        if thing.family in LIBRARIES and thing.name:
            yield _LIBRARY, thing.module


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
        else:
            statement = self._standard.get(name) or self._known.library(self._family, name)
        if statement is None:
            raise KeyError(name)
        return statement

    def __iter__(self) -> Iterator[str]:
        known = LIBRARIES.get(self._family, {})
        found = {name for name in known if self._known.library(self._family, name)}
        return iter(self._known.names(self._family) | self._standard.keys() | found)

    def __len__(self) -> int:
        return len(list(iter(self)))
