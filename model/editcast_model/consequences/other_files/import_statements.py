"""Import statements for names that a file uses and does not have, as other files write them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tree_sitter import Node

from editcast_model.consequences.lists.placing import put_behind
from editcast_model.consequences.other_files.import_order import (
    behind,
    next_name,
    put_in_order,
)
from editcast_model.consequences.other_files.imports import EVERYTHING, Import, imports
from editcast_model.consequences.other_files.modules import (
    family_of,
    placed,
    reads_imports,
    stem,
    written_from,
)
from editcast_model.diff import Hunk
from editcast_model.syntax.languages import language_of
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.tree import Tree, first_child, parse
from editcast_model.syntax.vue import script_start

#: Imports further down, in code points, do not belong to the imports at the beginning of a file.
MOST_CHARACTERS = 8_000

_STATEMENTS = (
    "import_statement",
    "import_from_statement",
    "future_import_statement",
    "import_declaration",
)
_BEFORE_IMPORTS = (
    "comment",
    "line_comment",
    "block_comment",
    "package_clause",
    "package_declaration",
    "hash_bang_line",
)
_DEFINITIONS = ("class_definition", "function_definition", "decorated_definition")
_IMPORTING = {
    "python": re.compile(r"^(?:from|import)\b", re.MULTILINE),
    "go": re.compile(r"^import\b", re.MULTILINE),
    "java": re.compile(r"^[ \t]*import\b", re.MULTILINE),
    "script": re.compile(r"\b(?:from|import|require\s*\()\s*[\"']"),
}
#: Comments for tools, and licence headers.
_ABOUT_FILE = re.compile(r"#!|@|coding[:=]|lint|licen[cs]e|copyright", re.IGNORECASE)
_QUOTES = str.maketrans("\"'", "'\"")


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
            written = written_from(importer, module, self.family)
            if written is None:
                return None
            module = written
        if self.family == "go":
            return f'import {self.alias} "{module}"' if self.alias else f'import "{module}"'
        if self.family == "python":
            renamed = f" as {self.alias}" if self.alias else ""
            if not self.name:
                return f"import {module}{renamed}"
            return f"from {module} import {self.name}{renamed}"
        return self._java(importer) if self.family == "java" else self._script(module)

    def _java(self, importer: str) -> str | None:
        folder, package = importer.rpartition("/")[0], self.module.rpartition(".")[0]
        is_of_package = f"/{folder}".endswith("/" + package.replace(".", "/"))
        return None if is_of_package else f"import {self.module};"

    def _script(self, module: str) -> str:
        taken = f"{{ {self.name}{f' as {self.alias}' if self.alias else ''} }}"
        if self.is_required:
            taken = taken.replace(" as ", ": ") if self.name else self.bound
            return f'const {taken} = require("{module}");'
        if self.name == "default":
            taken = self.bound
        elif not self.name:
            taken = f"* as {self.bound}"
        return f'import {"type " if self.is_type else ""}{taken} from "{module}";'


def origins(text: str, identifier: str, path: str) -> tuple[Origin, ...]:
    """Return where the names come from that a file imports at its beginning.

    Args:
        text: The file's text.
        identifier: The editor's language identifier.
        path: The file's path in its project.
    """
    language = language_of(identifier, path)
    if language is None or not reads_imports(language):
        return ()
    family = family_of(language)
    tree = parse(_head(text[:MOST_CHARACTERS], family), language)
    if tree is None:
        return ()
    names = Names(tree)
    found = []
    for one in imports(names):
        around = [step.type for step in tree.path(one.at)]
        if one.bound and one.name != EVERYTHING and len(around) > 1:
            is_required = "variable_declarator" in around
            if is_required or around[1] in _STATEMENTS:
                origin = _origin(one, family, path)
                found.append(replace(origin, is_required=is_required))
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


def _origin(one: Import, family: str, path: str) -> Origin:
    module = placed(one.module, path) if one.module.startswith(".") else one.module
    usual = one.name or (one.module.rsplit("/", 1)[-1] if family == "go" else one.module)
    has_own = family == "script" and one.name in ("", "default")  # a name that the importer chooses
    alias = "" if has_own or one.bound == usual else one.bound
    return Origin(family, one.bound.split(".")[0], module, one.name, alias, one.is_type)


def missing(
    names: Names, wanted: Mapping[str, str], start: int, end: int
) -> Iterator[tuple[Occurrence, Hunk]]:
    """Find names in a part of a text that mean nothing there, each with its import.

    Args:
        names: The names of the text.
        wanted: Import statements by the name that they bind.
        start: First offset of the part.
        end: Last offset of the part.
    """
    done: set[str] = set()
    for one in names.unbound(start, end, among=wanted):
        if names.tree.language == "go":  # whose imports define no names in their files
            if one.path[-2].type not in ("selector_expression", "qualified_type"):
                continue
            done |= {each.bound for each in imports(names)}
        if one.name in done:
            continue
        done.add(one.name)
        statement = wanted.get(one.name)
        hunk = _inserted(names, statement) if statement else None
        if hunk:
            yield one, hunk


def _inserted(names: Names, statement: str) -> Hunk | None:
    """Put an import statement among those of a text, or into one of them."""
    tree = names.tree
    if tree.language == "go":
        return _inserted_in_go(names, statement)
    start = script_start(tree.text) if tree.language == "vue" else 0
    if start is None:
        return None
    there = parse(statement, "typescript" if tree.language == "vue" else tree.language)
    wanted = imports(Names(there)) if there else []
    can_join = tree.language != "java" and "require(" not in statement
    if can_join and wanted and wanted[0].name not in ("", "default"):
        hunk = _joined(names, wanted[0])
        if hunk is not None:
            return hunk
    if tree.language != "python":
        statement = _in_style(tree.text, statement)
    children = [one for one in tree.root.named_children if one.start_byte >= start]
    return _beneath(children, tree.text, statement, start)


def _joined(names: Names, wanted: Import) -> Hunk | None:
    """Put a name into a statement that takes others out of its module.

    It goes where it belongs if they are in order, else behind the last one.
    """
    tree = names.tree
    there = [
        (one, statement.node)
        for one in imports(names)
        if one.module == wanted.module and one.name not in ("", "default", EVERYTHING)
        if one.binding is not None and "import" in (statement := tree.path(one.at)[1]).type
    ]
    taken = [one for one, statement in there if statement == there[-1][1]]
    if not taken or (taken[-1].is_type and not wanted.is_type):
        return None
    if tree.language == "python" and len(there) > len(taken) == 1:
        return None  # each name has a statement of its own
    last = taken[-1]
    renamed = f" as {wanted.bound}" if wanted.bound != wanted.name else ""
    kind = "type " if wanted.is_type and not last.is_type else ""
    line = tree.text[tree.text.rfind("\n", 0, last.at) + 1 : last.at]
    between = f",\n{line}" if not line.strip() else ", "
    following = next_name([one.name for one in taken], wanted.name, tree.language)
    if following is not None:
        at = taken[following].at
        return Hunk(at, at, f"{kind}{wanted.name}{renamed}{between}")
    end = (last.binding or 0) + len(last.bound)
    return put_behind(tree.text, end, between, f"{kind}{wanted.name}{renamed}")


def _in_style(text: str, statement: str) -> str:
    """Return a statement with the quotes and the ends that most of a text has."""
    if text.count("'") > text.count('"'):
        statement = statement.translate(_QUOTES)
    if not re.search(r";[ \t]*\r?$", text, re.MULTILINE):
        statement = statement.rstrip(";")
    return statement


def _beneath(children: list[Node], text: str, statement: str, start: int) -> Hunk:
    """Put a statement among the imports that code begins with, or beneath what must be first."""
    found: list[Node] = []
    head: list[Node] = []
    following = None
    for one in children:
        if one.type in _STATEMENTS or "require(" in _line(text, one):
            found.append(one)
        elif one.type not in _BEFORE_IMPORTS and not _is_string(one):
            following = one
            break
        elif not found:
            head.append(one)
    if found:
        is_quoted = '"' in statement or "'" in statement
        return (behind if is_quoted else put_in_order)(found, text, statement)
    # Python's style guide asks for two blank lines before a definition.
    is_definition = following is not None and following.type in _DEFINITIONS
    ends, place = "\n\n\n" if is_definition else "\n\n", following
    while head and place is not None and _is_about(text, head[-1], place):
        place = head.pop()
    if head:
        end = head[-1].end_byte
        is_close = place is not None and text.count("\n", end, place.start_byte) < 2
        return Hunk(end, end, "\n\n" + statement + (ends[1:] if is_close else ""))
    if start:
        return Hunk(start, start, "\n" + statement)
    return Hunk(0, 0, statement + ends)


def _is_about(text: str, comment: Node, code: Node) -> bool:
    """Tell whether a comment is about the code on the next line, and not about the whole file."""
    is_above = "comment" in comment.type and text.count("\n", comment.end_byte, code.start_byte) < 2
    return is_above and not _ABOUT_FILE.search(text, comment.start_byte, comment.end_byte)


def _line(text: str, node: Node) -> str:
    return text[node.start_byte : node.end_byte].split("\n", 1)[0]


def _is_string(node: Node) -> bool:
    """Tell whether a statement is the docstring of a module, or a directive."""
    inner = first_child(node) if node.type == "expression_statement" else None
    return inner is not None and inner.type == "string"


def _inserted_in_go(names: Names, statement: str) -> Hunk:
    """Put an import of Go among those of its kind: the standard library's, or others.

    It goes where it belongs if they are in order, else behind the last one; a single one becomes a
    group.
    """
    tree, line = names.tree, statement.removeprefix("import ")
    declared = [one for one in tree.root.named_children if one.type == "import_declaration"]
    groups = [one for each in declared for one in each.named_children]
    specs = [
        spec
        for group in groups
        if group.type == "import_spec_list"
        for spec in group.named_children
        if spec.type == "import_spec"
    ]
    if specs:
        return _in_group(tree, specs, line)
    # The comment above `import "C"` is code, for that statement alone.
    if len(groups) == 1 and tree.of(groups[0]) != '"C"':
        other = tree.of(groups[0])
        between = "\n\t" if _is_others(other) == _is_others(line) else "\n\n\t"
        grouped = between.join(sorted((other, line), key=_place_in_go))
        return Hunk(groups[0].start_byte, groups[0].end_byte, f"(\n\t{grouped}\n)")
    package = [one for one in tree.root.named_children if one.type == "package_clause"]
    if not declared and not package:
        return Hunk(0, 0, statement + "\n")
    end = (declared or package)[-1].end_byte
    return Hunk(end, end, ("\n" if declared else "\n\n") + statement)


def _in_group(tree: Tree, specs: list[Node], line: str) -> Hunk:
    alike = [one for one in specs if _is_others(tree.of(one)) == _is_others(line)]
    places = [_place_in_go(tree.of(one)) for one in alike]
    if places == sorted(places):
        for one, place in zip(alike, places, strict=True):
            if place > _place_in_go(line):
                return Hunk(one.start_byte, one.start_byte, line + "\n\t")
    end = (alike or specs)[-1].end_byte
    return put_behind(tree.text, end, "\n\t" if alike else "\n\n\t", line)


def _place_in_go(line: str) -> tuple[bool, str]:
    """Return by what imports are sorted: the standard library first, then by their paths."""
    return _is_others(line), line.split()[-1]


def _is_others(line: str) -> bool:
    return "." in line.split()[-1].split("/")[0]
