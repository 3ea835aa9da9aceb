"""Lines for a new file or of a deleted one, where other files list what is beside it.

An index exports each module of its folder, the navigation of a manual names each page, settings
name each plugin.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from editcast_model.consequences.kinds import Consequence
from editcast_model.consequences.lists.word_forms import forms, parts_of, renamed, written_forms
from editcast_model.diff import Hunk

_LEAST: Final = 3  # files of a folder that are listed in lines that read alike
_LEAST_SHARE: Final = 0.5  # of the files of the folder
_MOST_SPREAD: Final = 2  # lines from the first to the last one, for each
_LONGEST_LINE: Final = 200
SHORTEST_NAME: Final = 3
#: Names that files of any folder have, because of what they are for.
COMMON_NAMES: Final = frozenset("index __init__ __main__ mod main lib conftest".split())
_WORD: Final = re.compile(r"[\w$]+(?:-[\w$]+)*")
_IN_PATHS: Final = "./\\'\""


class FolderFile(NamedTuple):
    """A file that came into a folder, or left it; names are without what follows the first dot.

    Attributes:
        name: Its name.
        beside: Those of the files of its kind in its folder.
        is_gone: Whether it was deleted.
    """

    name: str
    beside: tuple[str, ...]
    is_gone: bool = False


def folder_file(file: str, beside: Sequence[str], *, is_gone: bool = False) -> FolderFile | None:
    """Describe a file among those of its folder, by path; None where its name says nothing."""
    name, _, kind = PurePosixPath(file).name.partition(".")
    parts = (PurePosixPath(one).name.partition(".") for one in beside)
    names = {one for one, _, other in parts if other == kind and one != name}
    found = tuple(sorted(filter(_says_something, names)))
    is_one = _says_something(name) and len(found) >= _LEAST
    return FolderFile(name, found, is_gone) if is_one else None


def _says_something(name: str) -> bool:
    return len(name) >= SHORTEST_NAME and name not in COMMON_NAMES


def listed(text: str, files: Mapping[str, FolderFile], path: str) -> Iterator[Consequence]:
    """Return the lines that a text lacks for new files, by path, or has for deleted ones."""
    lines = text.splitlines(keepends=True) if files else []
    for file, one in files.items():
        for group in _groups(lines, one) if file != path else ():
            if one.name in group:  # it was deleted
                row = group[one.name]
                start = sum(map(len, lines[:row]))
                hunk = Hunk(start, start + len(lines[row]), "")
                yield Consequence(hunk, "unlist_file", cause=f"deleted {one.name}")
            elif not one.is_gone and (added := _line(lines, group, one.name)) is not None:
                yield Consequence(added, "list_file", cause=f"new {one.name}")


def _groups(lines: Sequence[str], one: FolderFile) -> Iterator[dict[str, int]]:
    """Yield the lists of most files of a folder: the line of each, by name.

    There are none if the file is new and has a line, or was deleted and has none.
    """
    rows = _rows(lines, one)
    least = max(_LEAST, _LEAST_SHARE * (len(one.beside) + one.is_gone))
    if (one.name in rows) != one.is_gone or len(rows) < least:
        return
    # Lines that read alike but for the name, by what they are without it: each with its name.
    alike = defaultdict[str, list[tuple[str, int]]](list)
    for name, found in rows.items():
        for row in found:
            shape = renamed(lines[row], name, "\0", within=True).strip()
            alike[shape].append((name, row))
    for pairs in alike.values():
        group, places = dict(pairs), [row for _, row in pairs]
        has_one_each = len(places) == len(group) >= least
        if has_one_each and max(places) - min(places) < _MOST_SPREAD * len(places):
            yield group


def _rows(lines: Sequence[str], one: FolderFile) -> dict[str, list[int]]:
    """Return the lines with the names of a file and of those beside it."""
    names = {
        form: name
        for name in (*one.beside, one.name)
        for form in written_forms(name)
        if form.startswith("_") or not name.startswith("_")  # else the list is of something public
    }
    rows = defaultdict[str, list[int]](list)
    for row, line in enumerate(lines):
        if len(line) <= _LONGEST_LINE:
            for name in {names[word] for word in _WORD.findall(line) if word in names}:
                rows[name].append(row)
    return rows


def _line(lines: Sequence[str], place: Mapping[str, int], name: str) -> Hunk | None:
    """Return the insertion of a line: in the order of the names, or behind the last line."""
    order = sorted(place, key=lambda one: place[one])
    row = place[order[-1]] + 1
    if order == sorted(order):
        row = next((place[one] for one in order if one > name), row)
    several = [one for one in order if len(parts_of(one)) > 1]
    like = (several or order)[-1] if len(parts_of(name)) > 1 else order[-1]
    source = lines[place[like]]
    if len(parts_of(like)) == 1 < len(parts_of(name)):
        found = forms(like, within=True).finditer(source)
        if any(source[max(0, one.start() - 1) : one.start()] not in _IN_PATHS for one in found):
            return None  # `SortIcon` or `sort-icon` in place of `menu`
    start = sum(map(len, lines[:row]))
    new = renamed(source, like, name, within=True)
    if row and not lines[row - 1].endswith("\n"):
        return Hunk(start, start, f"\n{new.rstrip()}")
    return Hunk(start, start, new if new.endswith("\n") else f"{new}\n")
