"""Import statements: what a file takes of which other file, and by what name it knows it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from tree_sitter import Node

from editcast_model.consequences.other_files.modules import family_of, reads_imports
from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import Path, Tree, field

#: A file with more imports is skipped.
MOST_IMPORTS = 500
#: The name of an import of everything.
EVERYTHING = "*"

_PYTHON = re.compile(r"^[ \t]*(?:from|import)\b", re.MULTILINE)
_JAVA = re.compile(r"^[ \t]*import[ \t]+(?P<path>[\w.]+)[ \t]*;", re.MULTILINE)
_SCRIPT = re.compile(r"\b(?:from|import|require\s*\()\s*(?=[\"'])")


@dataclass(frozen=True, slots=True)
class Import:
    """A name, or a module, that a file takes of another file.

    Attributes:
        module: The module as it is written: `..shop`, `./prices`, `example.com/shop`.
        name: What is taken of it, as it is called there; empty for the module itself.
        at: Where that stands, or the module's own name, in code points.
        bound: What it is known by here, with dots for a module in packages; empty for what is only
            passed on.
        binding: Where the first word of that stands; None where it is not written, as in Go.
        is_type: Whether it is taken as a type only.
    """

    module: str
    name: str
    at: int
    bound: str
    binding: int | None
    is_type: bool = False


def imports(names: Names) -> list[Import]:
    """Return what a file imports, in the order of the text; none where that is too much."""
    language = names.tree.language
    read = _READERS.get(family_of(language)) if reads_imports(language) else None
    found = list(islice(read(names.tree), MOST_IMPORTS + 1)) if read else []
    return found if len(found) <= MOST_IMPORTS else []


def _taken(
    tree: Tree,
    module: str,
    name: Node,
    alias: Node | None = None,
    *,
    called: str | None = None,
    is_type: bool = False,
) -> Import:
    """Return the import of what a node names, which `called` says where the node does not."""
    bound, called = alias or name, tree.of(name) if called is None else called
    return Import(module, called, name.start_byte, tree.of(bound), bound.start_byte, is_type)


def _of_java(tree: Tree) -> Iterator[Import]:
    """Return the classes that are imported one by one."""
    for match in _JAVA.finditer(tree.text):
        package, _, name = match["path"].rpartition(".")
        at = match.end("path") - len(name)
        if package and name:
            yield Import(match["path"], name, at, name, at)


def _of_python(tree: Tree) -> Iterator[Import]:
    for match in _PYTHON.finditer(tree.text):
        for step in tree.path(match.end() - 1):
            if step.type in ("import_statement", "import_from_statement"):
                yield from _python_names(tree, step.node)


def _python_names(tree: Tree, statement: Node) -> Iterator[Import]:
    source = statement.child_by_field_name("module_name")
    module = tree.of(source).replace(" ", "") if source else ""
    for named in statement.children_by_field_name("name"):
        name, alias = field(named, "name") or named, field(named, "alias")
        if statement.type == "import_statement":
            yield _taken(tree, tree.of(name), name, alias, called="")
        else:
            yield _taken(tree, module, name, alias)
    for child in statement.named_children:
        if child.type == "wildcard_import":
            yield Import(module, EVERYTHING, child.start_byte, "", None)


def _of_script(tree: Tree) -> Iterator[Import]:
    for match in _SCRIPT.finditer(tree.text):
        path = tree.path(match.end())
        at = next((i for i in reversed(range(len(path))) if path[i].type == "string"), None)
        if at is None or at < 2:
            continue
        module = tree.of(path[at].node)[1:-1]
        above = path[at - 1]
        if above.type == "import_statement":
            yield from _script_names(tree, above.node, module)
        elif above.type == "export_statement" and path[at].field == "source":
            yield from _passed_on(tree, above.node, module)
        elif above.type == "arguments":
            yield from _required(tree, path[: at - 1], module)


def _script_names(tree: Tree, statement: Node, module: str) -> Iterator[Import]:
    is_type = any(child.type == "type" for child in statement.children)
    clauses = (one for one in statement.named_children if one.type == "import_clause")
    for part in (part for clause in clauses for part in clause.named_children):
        if part.type == "identifier":
            yield _taken(tree, module, part, called="default")
            continue
        for one in part.named_children:
            name = field(one, "name")
            if part.type == "namespace_import":
                yield _taken(tree, module, one, called="")
            elif name is not None:
                is_one = is_type or any(child.type == "type" for child in one.children)
                yield _taken(tree, module, name, field(one, "alias"), is_type=is_one)


def _passed_on(tree: Tree, statement: Node, module: str) -> Iterator[Import]:
    for clause in statement.named_children:
        for one in clause.named_children if clause.type == "export_clause" else ():
            name = field(one, "name")
            if name is not None:
                yield Import(module, tree.of(name), name.start_byte, "", None)


def _required(tree: Tree, path: Path, module: str) -> Iterator[Import]:
    """Return what `const ... = require(module)` binds; `path` leads to the call."""
    declared = path[-2].node
    bound = field(declared, "name") if declared.type == "variable_declarator" else None
    if bound is not None and bound.type == "identifier":
        yield _taken(tree, module, bound, called="")
    for one in bound.named_children if bound and bound.type == "object_pattern" else ():
        key, value = field(one, "key") or one, field(one, "value") or one
        if key.type.startswith(("property_", "shorthand_")) and value.named_child_count == 0:
            yield _taken(tree, module, key, value)


def _of_go(tree: Tree) -> Iterator[Import]:
    for statement in tree.root.named_children:
        if statement.type == "import_declaration":
            for child in statement.named_children:
                specs = child.named_children if child.type == "import_spec_list" else [child]
                for spec in specs:
                    yield from _go_package(tree, spec)
        elif statement.type not in ("package_clause", "comment"):
            return


def _go_package(tree: Tree, spec: Node) -> Iterator[Import]:
    path, alias = field(spec, "path"), field(spec, "name")
    if path is None:
        return
    module = tree.of(path)[1:-1]
    if alias is None:
        yield Import(module, "", path.start_byte, module.rsplit("/", 1)[-1], None)
    elif alias.type == "package_identifier":
        yield _taken(tree, module, path, alias, called="")


_READERS = {"go": _of_go, "java": _of_java, "python": _of_python, "script": _of_script}
