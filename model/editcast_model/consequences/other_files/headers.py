"""Headers of the standard libraries of C and C++ that a file lacks for names that were written.

A source file may get a header from one of the project's that it includes: then it is only asked
for functions, whose headers those seldom need.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.other_files.import_statements import place_in_order
from editcast_model.diff import Hunk
from editcast_model.syntax.names import WORD, Names, whole_words
from editcast_model.syntax.roles import Role

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
#: By language, the header of each name.
_HEADERS: Final = {
    language: {
        name: header
        for headers in kinds.values()
        for header, listed in headers.items()
        for name in listed.split()
    }
    for language, kinds in _TABLE.items()
}
_TYPES: Final = {header for kinds in _TABLE.values() for header in kinds["types"]}
#: A file that is included, at most once.
_GUARD: Final = re.compile(r"#pragma once|#ifndef (\w+)\s+#define \1\b")
_INCLUDE: Final = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*([<\"][^>\"\n]+[>\"])[^\n]*", re.MULTILINE
)
_LEAVES: Final = ("identifier", "type_identifier", "primitive_type", "namespace_identifier")


def names_of_header(header: str) -> frozenset[str]:
    """Return the names that a header of the standard library is included for."""
    known = (name for names in _HEADERS.values() for name, one in names.items() if one == header)
    return frozenset(known)


def after_name_of_library(change: Change) -> Iterator[Consequence]:
    """Return the headers that a file lacks for names of the library that are new in it."""
    names, done = change.after, set[str]()
    if names.tree.language not in ("c", "cpp"):
        return
    there = {one[1][1:-1] for one in _INCLUDE.finditer(names.tree.text)}
    is_whole = _GUARD.search(names.tree.text) is not None or '#include "' not in names.tree.text
    for _, start, end in change.finished():
        for header in _wanted(names, *whole_words(names.tree.text, start, end)):
            plain = header.removeprefix("c") + ".h", "c" + header.removesuffix(".h")
            if header in done or there & {header, *plain} or (header in _TYPES and not is_whole):
                continue
            done.add(header)
            hunk = None if _was_used(change.before, header) else _placed(names.tree.text, header)
            if hunk is not None:
                others = sum(_line(names, one[1]) != _line(names, start) for one in change.spans())
                yield Consequence(hunk, "import_missing", is_first=True, others=others)


def _line(names: Names, offset: int) -> int:
    return names.tree.text.count("\n", 0, offset)


def _wanted(names: Names, start: int, end: int) -> Iterator[str]:
    """Yield the headers of the names of the library in a part of a text."""
    text = names.tree.text
    is_c = names.tree.language == "c"
    for word in WORD.finditer(text, start, end):
        is_std = text.endswith("std::", 0, word.start())
        header = _HEADERS["c++" if is_std else "c"].get(word[0])
        if header is None or (not is_std and not is_c):
            continue
        one = names.at(word.start())
        is_foreign = one is None or one.role is not Role.REFERENCE or names.resolve(one) is None
        is_foreign &= one is None or one.role in (Role.REFERENCE, Role.MEMBER) or is_std
        if is_foreign and names.tree.path(word.start())[-1].type in _LEAVES:
            yield header


def _was_used(names: Names, header: str) -> bool:
    """Tell whether a text used a header's names, which it had from elsewhere."""
    lead = "std::" if header in _HEADERS["c++"].values() else r"(?<![.>\w])"
    known = "|".join(names_of_header(header))
    return re.search(rf"{lead}({known})\b", names.tree.text) is not None


def _placed(text: str, header: str) -> Hunk | None:
    """Put an `#include` among those of the library, or beneath what guards the file."""
    line, found = f"#include <{header}>", list(_INCLUDE.finditer(text))
    groups: list[list[re.Match[str]]] = []
    for one in found:
        if not groups or text[groups[-1][-1].end() : one.start()].strip("\r") != "\n":
            groups.append([])
        groups[-1].append(one)
    own = [each for each in groups if any("/" not in one[1] and one[1][0] == "<" for one in each)]
    if own:
        listed = [one for one in own[-1] if one[1][0] == "<"]
        at = place_in_order([one[1] for one in listed], f"<{header}>")
        if at is None:
            return Hunk(listed[-1].end(), listed[-1].end(), "\n" + line)
        return Hunk(listed[at].start(), listed[at].start(), line + "\n")
    guard = _GUARD.search(text)
    end = found[-1].end() if found else guard.end() if guard else None
    if end is None:
        return None
    line_end = text.find("\n", end)
    return Hunk(line_end, line_end, "\n\n" + line) if line_end >= 0 else None
