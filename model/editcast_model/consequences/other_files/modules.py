"""Files that import statements mean, as far as paths tell.

Paths are those of one project, with slashes; nothing is read from the disk. What could as well be
a file of another project means none.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

_SUFFIX = re.compile(r"(\.d)?\.(?:py[iw]?|[mc]?[jt]s|[jt]sx|java)$")
#: Folders that are never part of a module's name.
_ROOTS = ("src", "lib", "python")
#: Families of languages whose imports are read.
_FAMILIES = ("python", "go", "java", "script")
#: Languages in which files know classes of other files by name, without an import.
BY_NAME = ("c", "cpp", "csharp", "php", "ruby", "rust")
_SHORTCUTS = ("@/", "~/")


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
    here, there = importer.split("/")[:-1], file.split("/")
    if language == "go":
        return _is_package(written, here, there[:-1])
    there[-1] = _SUFFIX.sub("", there[-1])
    if language == "python":
        return _is_python_module(written, here, there)
    if language == "java":
        parts = written.split(".")
        return len(parts) > 1 and there[-len(parts) :] == parts
    return _is_script_module(written, here, there)


def stem(name: str) -> str:
    """Return the name of a file of Python, JavaScript or Java without its suffix."""
    return _SUFFIX.sub("", name)


def indexes_of(file: str) -> list[str]:
    """Return the files that may pass on what one defines: those of its folder and of the next."""
    folder, _, name = file.rpartition("/")
    index = "__init__.py" if name.endswith((".py", ".pyi")) else "index.ts"
    folders = [one for one in (folder, folder.rpartition("/")[0]) if one]
    return [f"{one}/{index}" for one in folders if f"{one}/{index}" != file]


def module_name(file: str, language: str) -> str:
    """Return the last part of what a file is imported by: its name, or that of its folder."""
    parts = file.split("/")
    name = "index" if language == "go" else stem(parts[-1])
    return parts[-2] if name in ("__init__", "index") and len(parts) > 1 else name


def family_of(language: str) -> str:
    """Return what the languages have in common that can import from each other."""
    if language == "cpp":
        return "c"  # of one project, whose headers have one suffix
    return "script" if language.startswith(("javascript", "typescript", "vue")) else language


def is_followed(language: str | None) -> bool:
    """Tell whether other files follow what changes in a file of a language."""
    return language in BY_NAME or reads_imports(language)


def reads_imports(language: str | None) -> bool:
    """Tell whether it is understood what a language's files take from each other."""
    return language is not None and family_of(language) in _FAMILIES


def placed(written: str, importer: str) -> str:
    """Return the path of a module that is written relative to its importer.

    It begins with a slash.
    """
    here = importer.split("/")[:-1]
    if "/" not in written and written.lstrip(".") != written and written not in (".", ".."):
        dots = len(written) - len(written.lstrip("."))  # Python's
        parts = written[dots:].split(".") if written[dots:] else []
        return "/" + "/".join([*here[: len(here) - dots + 1], *parts])
    return "/" + "/".join(_resolved(written, here) or [])


def written_from(importer: str, module: str, family: str) -> str | None:
    """Return a module, by its `placed` path, as an importer writes it; None where it cannot.

    In Python only from the folder that it is in, or one above it: others may be no packages.
    """
    here, there = importer.split("/")[:-1], module[1:].split("/")
    common = 0
    while common < min(len(here), len(there)) and here[common] == there[common]:
        common += 1
    down, up = there[common:], len(here) - common
    if family == "python":
        return None if up else "." + ".".join(down)
    return "/".join([*([".."] * up or ["."]), *down])


def means(module: str, file: str, family: str) -> bool:
    """Tell whether a module, by its `placed` path or its name in Python, is a file itself."""
    own = "/" + stem(file).removesuffix("/__init__").removesuffix("/index")
    if module.startswith("/"):
        return own == module
    return family == "python" and own.endswith("/" + module.replace(".", "/"))


def is_same_package(importer: str, file: str) -> bool:
    """Tell whether two files, of Go or Java, are in one folder."""
    return importer != file and importer.rpartition("/")[0] == file.rpartition("/")[0]


def _is_python_module(written: str, here: Sequence[str], there: Sequence[str]) -> bool:
    if there[-1] == "__init__":
        there = there[:-1]
    name = written.lstrip(".")
    parts, dots = name.split(".") if name else [], len(written) - len(name)
    if dots:
        base = list(here[: len(here) - dots + 1])
        return len(here) >= dots - 1 and base + parts == list(there)
    if not parts or list(there[-len(parts) :]) != parts:
        return False
    root = list(there[: -len(parts)])
    return len(parts) > 1 or list(here[: len(root)]) == root or root[-1] in _ROOTS


def _is_script_module(written: str, here: Sequence[str], there: Sequence[str]) -> bool:
    written = _SUFFIX.sub("", written)
    if there[-1] == "index" and written.rsplit("/", 1)[-1] != "index":
        there = there[:-1]
    if written.startswith(_SHORTCUTS):
        parts = written[2:].split("/")
        return list(there[-len(parts) :]) == parts
    return written.startswith(".") and _resolved(written, here) == list(there)


def _resolved(written: str, here: Sequence[str]) -> list[str] | None:
    """Return the parts of a relative path from a folder; None where it leads out of all folders."""
    base = list(here)
    for part in written.split("/"):
        if part == "..":
            if not base:
                return None
            base.pop()
        elif part not in (".", ""):
            base.append(part)
    return base


def _is_package(written: str, here: Sequence[str], there: Sequence[str]) -> bool:
    """Tell whether an import path ends as a folder does; one of a single part is Go's own."""
    parts = written.split("/")
    return (
        len(parts) > 1 and parts[-1] == there[-1] and list(here) != list(there) if there else False
    )
