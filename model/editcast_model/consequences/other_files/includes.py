"""Headers of the standard library of C++ that a text needs since a change.

When commits of five projects used one of most of the names below for the first time in a file that
did not include its header, 52 of 64 added the header; for those that count in headers only, 42 of
70 did (counted once, by a script that was not kept). `std::string` and the like mostly come with
other headers.
"""

import re
from collections.abc import Iterable, Iterator
from posixpath import basename
from typing import Final

from editcast_model.consequences.changes import Change
from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.passing.prototypes import includes
from editcast_model.consequences.replaced.saves import Save
from editcast_model.diff import Hunk

_INCLUDE: Final = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([\w./]+)>[^\n]*\n", re.MULTILINE)
_FIRST: Final = re.compile(r"^[ \t]*#[ \t]*include\b[^\n]*\n", re.MULTILINE)
_ONCE: Final = re.compile(r"^#pragma once[^\n]*\n", re.MULTILINE)
_USED: Final = re.compile(r"\bstd::(\w+)")
_ANYWHERE: Final = {
    "atomic": "atomic",
    "deque": "deque",
    "jthread": "thread",
    "lock_guard": "mutex",
    "make_optional": "optional",
    "mutex": "mutex",
    "nullopt": "optional",
    "optional": "optional",
    "ostringstream": "sstream",
    "scoped_lock": "mutex",
    "shared_lock": "shared_mutex",
    "shared_mutex": "shared_mutex",
    "stringstream": "sstream",
    "thread": "thread",
    "unique_lock": "mutex",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "variant": "variant",
}
#: Used in a file that others include, it needs a header as well.
_IN_HEADERS: Final = {
    "array": "array",
    "chrono": "chrono",
    "function": "functional",
    "map": "map",
    "set": "set",
    "shared_ptr": "memory",
    "string_view": "string_view",
    "unique_ptr": "memory",
}
#: What only headers begin with.
_GUARD: Final = re.compile(r"^#(?:pragma once|ifndef \w+_H\w*)\b", re.MULTILINE)
#: By name of the standard library, its header.
HEADERS: Final = {**_ANYWHERE, **_IN_HEADERS}


def included(change: Change, saves: Iterable[Save]) -> Iterator[Consequence]:
    """Yield the `#include` of a name of the standard library that a text did not use before.

    Unless a file that it includes got the header by one of the `saves` of other files.
    """
    text, before = change.after.tree.text, change.before.tree.text
    if change.after.tree.language != "cpp":
        return
    headers = HEADERS if _GUARD.search(text) else _ANYWHERE
    taken = includes(change.after)
    given = (one.after for one in saves if basename(one.file) in taken)
    known = {one[1] for each in (text, *given) for one in _INCLUDE.finditer(each)}
    for _, start, end in change.finished():
        for found in _USED.finditer(text, max(0, start - len("std::")), end):
            header = headers.get(found[1])
            if header is not None and header not in known and f"std::{found[1]}" not in before:
                known.add(header)
                if (hunk := _placed(text, header)) is not None:
                    yield Consequence(hunk, "import_missing", is_first=True)


def _placed(text: str, header: str) -> Hunk | None:
    """Put a header among those of a text; None where it has none."""
    line, there = f"#include <{header}>\n", list(_INCLUDE.finditer(text))
    behind = next((one for one in there if one[1] > header and "." not in one[1]), None)
    if behind is not None:
        return Hunk(behind.start(), behind.start(), line)
    if there:
        return Hunk(there[-1].end(), there[-1].end(), line)
    first, once = _FIRST.search(text), _ONCE.search(text)
    if first is not None and _GUARD.search(text):
        return Hunk(first.start(), first.start(), f"{line}\n")
    return Hunk(once.end(), once.end(), f"\n{line}") if once is not None else None
