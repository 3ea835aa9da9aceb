"""Names that a file has for others: where it imports them from, and what it defines itself."""

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from editcast_model.consequences.other_files.imports import (
    EVERYTHING,
    Import,
    family_of,
    folder_of,
    imports,
    placed,
    stem,
    written_from,
)
from editcast_model.syntax.languages import language_of
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import parse

#: Imports further down, in code points, do not belong to the imports at the beginning of a file.
MOST_CHARACTERS: Final = 8_000
#: Types of nodes that import.
STATEMENTS: Final = (
    "import_statement",
    "import_from_statement",
    "future_import_statement",
    "import_declaration",
)
_MOST: Final = 200  # definitions of a file

_IMPORTING: Final = {
    "python": re.compile(r"^(?:from|import)\b", re.MULTILINE),
    "go": re.compile(r"^import\b", re.MULTILINE),
    "java": re.compile(r"^[ \t]*import\b", re.MULTILINE),
    "script": re.compile(r"\b(?:from|import|require\s*\()\s*[\"']"),
}
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


@dataclass(frozen=True, slots=True)
class Origin:
    """The import statements of a name.

    Attributes:
        family: Of languages that can import from each other.
        bound: The name that they know it by; the first word of it.
        module: As they write it; of a relative one its path, which begins with a slash.
        name: What it is called there; empty for the module itself.
        alias: What they call it otherwise, if they do.
        is_type: Whether it is taken as a type only.
        is_required: Whether it is taken by `require`.
    """

    family: str
    bound: str
    module: str
    name: str
    alias: str = ""
    is_type: bool = False
    is_required: bool = False

    @property
    def parts(self) -> tuple[str, str]:
        """Return the last part of the module, and the name, which may be a module as well."""
        last = self.module.rpartition("/")[2]
        is_dotted = self.family in ("python", "java")
        return last.rpartition(".")[2] if is_dotted else stem(last), self.name

    def statement(self, importer: str) -> str | None:
        """Return the statement that takes it in a file of a path.

        None where it cannot be written.
        """
        module = self.module
        if module.startswith("/"):
            module = written_from(importer, module, self.family) or ""
        renamed = f" as {self.alias}" if self.alias else ""
        if not module:
            return None
        if self.family == "go":
            return f'import {self.alias} "{module}"' if self.alias else f'import "{module}"'
        if self.family == "python":
            taken = f"from {module} import {self.name}" if self.name else f"import {module}"
            return taken + renamed
        if self.family == "java":
            package = module.rpartition(".")[0].replace(".", "/")
            is_of_package = f"/{folder_of(importer)}".endswith(f"/{package}")
            return None if is_of_package else f"import {module};"
        taken = f"{{ {self.name}{renamed} }}"
        if self.is_required:
            taken = taken.replace(" as ", ": ") if self.name else self.bound
            return f'const {taken} = require("{module}");'
        if self.name in ("", "default"):
            taken = self.bound if self.name else f"* as {self.bound}"
        return f'import {"type " if self.is_type else ""}{taken} from "{module}";'


class Definition(NamedTuple):
    """A name that other files can import.

    Attributes:
        family: Of languages that can import from each other.
        name: The name.
        file: The path of the file that defines it.
        is_type: Whether it is a type only, which TypeScript imports otherwise.
        module: That of a Java class, by which it is imported.
    """

    family: str
    name: str
    file: str
    is_type: bool = False
    module: str = ""


def definitions(text: str, identifier: str, path: str) -> tuple[Definition, ...]:
    """Return what a file defines at its top level for others.

    Args:
        text: The file's text.
        identifier: The editor's language identifier.
        path: The file's path in its project.
    """
    language = language_of(identifier, path)
    family = family_of(language or "")
    if family not in _DEFINED or language == "vue":
        return ()
    package = _PACKAGE.search(text) if family == "java" else None
    found: dict[str, Definition] = {}
    for match in _DEFINED[family].finditer(text):
        parts = match.groupdict()
        name = parts.get("constant") or parts["name"]
        module = f"{package[1]}.{name}" if package else ""
        found.setdefault(name, Definition(family, name, path, bool(parts.get("type")), module))
    return tuple(found.values()) if len(found) <= _MOST else ()


def origins(text: str, identifier: str, path: str) -> tuple[Origin, ...]:
    """Return where the names come from that a file imports; takes what `definitions` takes."""
    language = language_of(identifier, path)
    family = family_of(language or "")
    if family not in _IMPORTING:
        return ()
    tree = parse(_head(text[:MOST_CHARACTERS], family), language)
    if tree is None:
        return ()
    names = Names(tree)
    found = []
    for one in imports(names):
        around = [step.type for step in tree.path(one.at)]
        if one.bound and one.name != EVERYTHING and len(around) > 1:
            is_required = "variable_declarator" in around
            if is_required or around[1] in STATEMENTS:
                found.append(_origin(one, family, path, is_required))
    return tuple(found)


def _head(text: str, family: str) -> str:
    """Return the part of a text that ends with its last import, to parse no more than that."""
    ends = [match.end() for match in _IMPORTING[family].finditer(text)]
    if not ends:
        return ""
    end = text.find("\n", ends[-1])
    opened = text.find("(", ends[-1], end)
    if opened >= 0 and family != "script":
        end = text.find("\n", text.find(")", opened))
    return text if end < 0 else text[: end + 1]


def _origin(one: Import, family: str, path: str, is_required: bool) -> Origin:
    module = (placed(one.module, path) or "/") if one.module.startswith(".") else one.module
    usual = one.name or (one.module.rsplit("/", 1)[-1] if family == "go" else one.module)
    has_own = family == "script" and one.name in ("", "default")  # a name that the importer chooses
    alias = "" if has_own or one.bound == usual else one.bound
    bound = one.bound.split(".")[0]
    return Origin(family, bound, module, one.name, alias, one.is_type, is_required)
