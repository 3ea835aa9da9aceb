"""Import statements: what a file takes of which other file, and by what name it knows it.

Files are those of one project, by their paths or URIs; nothing is read from the disk. What could as
well be a file of another project means none.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from posixpath import basename, relpath

from tree_sitter import Node

from editcast_model.syntax.names import Names
from editcast_model.syntax.tree import Path, Tree, field

#: A file with more imports is skipped.
MOST_IMPORTS = 500
#: The name of an import of everything.
EVERYTHING = "*"
#: Languages in which files know classes of other files by name, without an import.
BY_NAME = ("c", "cpp", "csharp", "php", "ruby", "rust")

_PYTHON = re.compile(r"^[ \t]*(?:from|import)\b", re.MULTILINE)
_JAVA = re.compile(r"^[ \t]*import[ \t]+(?P<path>[\w.]+)[ \t]*;", re.MULTILINE)
_SCRIPT = re.compile(r"\b(?:from|import|require\s*\()\s*(?=[\"'])")
_SUFFIX = re.compile(r"(\.d)?\.(?:py[iw]?|[mc]?[jt]s|[jt]sx|java)$")
#: Folders that are never part of a module's name.
_ROOTS = ("src", "lib", "python")
#: The folder of tests beside that of the code which they test, in Java.
_TESTS = re.compile(r"\bsrc/test/(?=java/)")
_SHORTCUTS = ("@/", "~/")


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
    read = _READERS.get(family_of(names.tree.language))
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


@lru_cache(maxsize=8192)  # the same few are asked about at every key
def is_module(written: str, importer: str, file: str, language: str) -> bool:
    """Tell whether a module, as an importer writes it, is a file.

    Args:
        written: The module as it is written there.
        importer: Path of the file that imports it.
        file: Path of the file that may be meant; in Go any file of the package.
        language: The importer's language, one that `has_rules`.
    """
    if importer == file:
        return False
    if language == "go":  # the path of a package ends as its folder; one of a single part is Go's
        folder = folder_of(file)
        # A test may be in a package of its own, in the folder of the one that it tests.
        is_other = folder != folder_of(importer) or importer.endswith("_test.go")
        is_path = "/" in written and basename(written) == basename(folder)
        return bool(folder) and is_other and is_path
    there, path = f"/{stem(file)}", f"/{written.replace('.', '/')}"
    if language == "java":
        return "." in written and there.endswith(path)
    if language == "python":
        there = there.removesuffix("/__init__")
        root = there[: 1 - len(path)]
        is_near = f"/{importer}".startswith(root) or basename(root[:-1]) in _ROOTS
        is_absolute = there.endswith(path) and ("." in written or is_near)
    else:
        written = stem(written)
        if basename(written) != "index":
            there = there.removesuffix("/index")
        is_absolute = written.startswith(_SHORTCUTS) and there.endswith(written[1:])
    return placed(written, importer) == there if written.startswith(".") else is_absolute


def placed(written: str, importer: str) -> str | None:
    """Return the path of a relative module behind a slash; None where it leads out of all folders.

    That of the outermost folder is empty.
    """
    if "/" not in written:  # Python's, or a folder alone
        name = written.lstrip(".")
        written = "../" * (len(written) - len(name) - 1) + name.replace(".", "/")
    here = f"/{importer}".split("/")[:-1]
    for part in written.split("/"):
        if part == "..":
            here.pop()
            if not here:
                return None
        elif part not in (".", ""):
            here.append(part)
    return "/".join(here)


def written_from(importer: str, module: str, family: str) -> str | None:
    """Return a module, by its `placed` path, as an importer writes it; None where it cannot.

    In Python only from the folder that it is in, or one above it: others may be no packages.
    """
    path = relpath(module, f"/{folder_of(importer)}")
    is_above = path.partition("/")[0] == ".."
    if family == "python":
        return None if is_above else "." + path.removeprefix(".").replace("/", ".")
    return path if is_above or path == "." else f"./{path}"


def means(module: str, file: str, family: str) -> bool:
    """Tell whether a module, by its `placed` path or its name in Python, is a file itself."""
    own = "/" + stem(file).removesuffix("/__init__").removesuffix("/index")
    if module.startswith("/"):
        return own == module
    return family == "python" and own.endswith("/" + module.replace(".", "/"))


def is_same_package(importer: str, file: str) -> bool:
    """Tell whether two files, of Go or Java, are in one folder, or one tests the other's."""
    folders = (_TESTS.sub("src/main/", folder_of(one)) for one in (importer, file))
    return importer != file and len(set(folders)) == 1


def indexes_of(file: str) -> list[str]:
    """Return the files that may pass on what one defines: those of its folder and of the next."""
    index = "__init__.py" if file.endswith((".py", ".pyi")) else "index.ts"
    folders = [one for one in (folder_of(file), folder_of(folder_of(file))) if one]
    return [f"{one}/{index}" for one in folders if f"{one}/{index}" != file]


def module_name(file: str, language: str) -> str:
    """Return the last part of what a file is imported by: its name, or that of its folder."""
    name = "index" if language == "go" else stem(basename(file))
    return basename(folder_of(file)) or name if name in ("__init__", "index") else name


def folder_of(file: str) -> str:
    """Return the folder that a file is in; empty for the outermost one."""
    return file.rpartition("/")[0]


def stem(name: str) -> str:
    """Return the name of a file of Python, JavaScript or Java without its suffix."""
    return _SUFFIX.sub("", name)


def family_of(language: str) -> str:
    """Return what the languages have in common that can import from each other."""
    if language == "cpp":
        return "c"  # of one project, whose headers have one suffix
    return "script" if language.startswith(("javascript", "typescript", "vue")) else language


def reads_imports(language: str | None) -> bool:
    """Tell whether it is understood what a language's files take from each other."""
    return language is not None and family_of(language) in _READERS


def package_of(names: Names) -> str:
    """Return the package that a file of Go says that it belongs to; empty for none."""
    for one in names.tree.root.named_children:
        if one.type == "package_clause":
            return names.tree.of(one).removeprefix("package").strip()
    return ""


def modules_of_rust(names: Names, file: str) -> Iterator[Import]:
    """Yield the declarations and imports of a file of Rust, which is a module of its name."""
    *_, folder, name = ("", *file.removesuffix(".rs").split("/"))
    called = folder if name == "mod" else name
    for one in names.of(called):
        if one.part.kind == "import":
            yield Import(called, "", one.start, called, one.start)
