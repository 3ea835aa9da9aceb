"""Names that a file defines for others, and how the files of its project import from it.

The convention is that of the imports which the project has: whether they are relative, where the
paths of its modules begin, and whether they end in `.js`.
"""

import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from editcast_model.consequences.other_files.import_statements import Origin
from editcast_model.consequences.other_files.modules import (
    family_of,
    reads_imports,
    stem,
    written_from,
)
from editcast_model.syntax.components import default_export
from editcast_model.syntax.languages import language_of

_MOST: Final = 200  # definitions of a file

_DEFINED: Final = {
    "python": re.compile(
        r"^(?:class|(?:async[ \t]+)?def)[ \t]+(?P<name>[A-Za-z]\w*)"
        r"|^(?P<constant>[A-Z][A-Z0-9_]+)(?:[ \t]*:[^=\n]+)?[ \t]*=(?!=)",
        re.MULTILINE,
    ),
    "script": re.compile(
        r"^export[ \t]+(?:declare[ \t]+|abstract[ \t]+|async[ \t]+)*"
        r"(?:(?P<type>interface|type)|class|function\*?|const|let|enum)[ \t]+"
        r"(?P<name>[A-Za-z_$][\w$]*)",
        re.MULTILINE,
    ),
    "java": re.compile(
        r"^public[ \t]+(?:(?:abstract|final|sealed|static)[ \t]+)*"
        r"(?:class|interface|enum|record|@interface)[ \t]+(?P<name>\w+)",
        re.MULTILINE,
    ),
}
_PACKAGE: Final = re.compile(r"^package[ \t]+([\w.]+)[ \t]*;", re.MULTILINE)
_ASIDE: Final = frozenset("tests test t testing __tests__ mocks __mocks__ docs examples".split())
_MOST_STEPS_UP: Final = 2  # from a file to another: what is farther away mostly has a name
_SHORTCUT: Final = re.compile(r"[@~]/")


class Definition(NamedTuple):
    """A name that other files can import.

    Attributes:
        family: Of languages that can import from each other.
        name: The name.
        file: The path of the file that defines it.
        is_type: Whether it is a type only, which TypeScript imports otherwise.
        package: The package of a Java class.
    """

    family: str
    name: str
    file: str
    is_type: bool = False
    package: str = ""


def definitions(text: str, identifier: str, path: str) -> tuple[Definition, ...]:
    """Return what a file defines at its top level for others.

    Args:
        text: The file's text.
        identifier: The editor's language identifier.
        path: The file's path in its project.
    """
    language = language_of(identifier, path)
    family = family_of(language) if language and reads_imports(language) else ""
    if family not in _DEFINED or language == "vue":
        return ()
    package = _PACKAGE.search(text) if family == "java" else None
    found: dict[str, Definition] = {}
    for match in _DEFINED[family].finditer(text):
        parts = match.groupdict()
        name = parts.get("constant") or parts["name"]
        is_type, within = bool(parts.get("type")), package[1] if package else ""
        found.setdefault(name, Definition(family, name, path, is_type, within))
        if len(found) > _MOST:
            return ()
    return tuple(found.values())


class Conventions:
    """The ways in which the files of a project write what they import from each other.

    Args:
        files: What each file imports and defines, by its path.
        modules: Returns the modules that files import by a full path which begins with a word.
    """

    def __init__(
        self,
        files: Mapping[str, Sequence[Origin | Definition]],
        modules: Callable[[str], Iterable[str]],
    ) -> None:
        self._files, self._modules = files, modules

    def statement(self, one: Definition, importer: str) -> str | None:
        """Return the statement by which a file imports a definition; None where nothing tells it.

        Args:
            one: The definition.
            importer: The path of the file that lacks it.
        """
        aside = _ASIDE.intersection(one.file.split("/")[:-1])
        if not aside.issubset(importer.split("/")):  # code does not import from its tests
            return None
        if one.family == "java":
            module = f"{one.package}.{one.name}" if one.package else ""
        elif one.family == "python":
            module = self._python_module(one.file, importer)
        else:
            module = self._script_module(one.file, importer)
        if not module:
            return None
        is_type = one.is_type and any(each.is_type for each in self._imports_of(importer))
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
        wanted = [*self._modules(first)]
        if importer.rpartition("/")[0] == root:  # a script beside it imports its neighbours
            own = (each.module for each in self._imports_of(importer))
            wanted += [each for each in own if "." not in each]
        paths = (f"{inside}{module.replace('.', '/')}" for module in wanted)
        return any(_is_there(path, self._files) for path in paths)

    def _script_module(self, file: str, importer: str) -> str:
        path = stem(file).removesuffix("/index")
        own = [each for each in self._imports_of(importer) if not each.is_required]
        relative = [each.module for each in own if each.module.startswith("/")]
        short = [each.module for each in own if _SHORTCUT.match(each.module)]
        is_below = path.startswith(importer.rpartition("/")[0] + "/")
        if short and not (relative and is_below):
            for module in short:
                root = self._root_of(module[2:])
                if root is not None and path.startswith(root):
                    return module[:2] + path[len(root) :]
        ending = ".js" if any(module.endswith(".js") for module in relative) else ""
        found = f"/{path}{ending}"
        is_near = (written_from(importer, found, "script") or "").count("../") <= _MOST_STEPS_UP
        return found if is_near and (relative or not short) else ""

    def _root_of(self, module: str) -> str | None:
        """Return the folder below which a module's path is that of a file."""
        ends = tuple(f"/{module}{suffix}" for suffix in _ENDS["script"])
        for file in self._files:
            for end in ends:
                if file.endswith(end):
                    return file[: -len(end) + 1]
        return None


_ENDS: Final = {
    "python": (".py", "/__init__.py"),
    "script": tuple(
        f"{index}.{one}" for index in ("", "/index") for one in "ts tsx js jsx".split()
    ),
}


def _is_there(path: str, files: Collection[str]) -> bool:
    return any(path + end in files for end in _ENDS["python"])


def named_export(before: str, after: str) -> Iterator[str]:
    """Return the default export of a script before, if it is exported by its name now."""
    name = "" if default_export(after) else default_export(before)
    if name and re.search(rf"^export\b[^\n;=(]*\b{name}\b", after, re.MULTILINE):
        yield name
