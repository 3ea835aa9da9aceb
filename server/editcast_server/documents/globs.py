"""Globs as editors write them: `*.min.js`, `build/**`, `**/vendor/*.{c,h}`.

A glob is matched folder by folder: each part of it by `fnmatch` of the standard library, which
never goes back over what it has matched. The work grows no faster than the length of the glob
times that of the path. As one regular expression, `**/**/**/x` would take a time without bound.

Globs and paths have bounds as well: compiling a list takes at most some 40 ms, and a path some
20 ms, neither of them on the event loop. A path beyond the bounds counts as excluded: not to read a
file is never wrong.
"""

import fnmatch
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from editcast_model.errors import SettingsError

MOST_CHARACTERS: Final = 250
MOST_ALTERNATIVES: Final = 200
# Of all globs of one list, the braces multiplied out
MOST_GLOBS: Final = 200
MOST_CHARACTERS_TOGETHER: Final = 3_000
# Of a path: what Linux opens, and folders within each other
MOST_PATH_CHARACTERS: Final = 4_096
MOST_FOLDERS: Final = 100

_Run = tuple[re.Pattern[str], ...]
#: A glob without braces: runs of parts, and between two of them any number of folders.
_Pattern = tuple[_Run, ...]

_DRIVE = re.compile(r"[A-Za-z]:/")
_BRACKETS_OR_BRACE = re.compile(r"\[!?[^/][^\]/]*\]|[{}]")
_CHOICE = re.compile(r"\{([^{}]*)\}")
_PROTECTED = str.maketrans("{},", "\0\1\2")
_UNPROTECTED = str.maketrans("\0\1\2", "{},")


def matches_any(path: Path, globs: tuple[str, ...]) -> bool:
    """Tell whether one of the globs names the file.

    A glob without a slash is about names, wherever the file is; one with a slash is about the end
    of the path, or about all of it when it begins with a slash; one that ends in a slash is about
    everything in folders of that name. `**` between slashes is any number of folders. A path
    beyond the bounds is excluded by any glob.

    Raises:
        SettingsError: A glob is beyond the bounds.
    """
    name = path.as_posix()
    if globs and (len(name) > MOST_PATH_CHARACTERS or name.count("/") > MOST_FOLDERS):
        return True
    parts = name.split("/")
    return any(_matches(pattern, parts) for glob in globs for pattern in _compiled(glob))


def size(glob: str) -> tuple[int, int]:
    """Compute how many globs one stands for, its braces multiplied out, and their characters.

    Raises:
        SettingsError: It is beyond the bounds; the message says what it must be.
    """
    alternatives = _alternatives(glob)
    return len(alternatives), sum(len(one) for one in alternatives)


def _matches(runs: _Pattern, parts: Sequence[str]) -> bool:
    """Tell whether a path is what a glob says.

    Between the first run of parts and the last one, each run is taken where it is found first: what
    comes before it may be any number of folders, so a later place would leave less for the rest.
    """
    first, last = runs[0], runs[-1]
    if len(runs) == 1:
        return len(parts) == len(first) and _fits(first, parts, 0)
    at, end = len(first), len(parts) - len(last)
    if at > end or not _fits(first, parts, 0) or not _fits(last, parts, end):
        return False
    for run in runs[1:-1]:
        while not _fits(run, parts, at):
            at += 1
            if at > end:
                return False
        at += len(run)
    return at <= end


def _fits(run: _Run, parts: Sequence[str], at: int) -> bool:
    if at + len(run) > len(parts):
        return False
    for one in run:  # `all` with a generator takes five times as long
        if not one.match(parts[at]):
            return False
        at += 1
    return True


@lru_cache(maxsize=1024)
def _compiled(glob: str) -> tuple[_Pattern, ...]:
    return tuple(_pattern(one) for one in _alternatives(glob))


def _pattern(glob: str) -> _Pattern:
    if glob.endswith("/"):
        glob += "**"
    is_whole = glob.startswith("/") or _DRIVE.match(glob)
    parts = glob.removeprefix("./").split("/")
    if parts[-1] == "**":  # everything in a folder is not the folder
        parts.append("*")
    runs: list[list[re.Pattern[str]]] = [[]] if is_whole else [[], []]
    for part in parts:
        if part != "**":
            runs[-1].append(_part(part))
        elif runs[-1] or len(runs) == 1:  # several in a row are one
            runs.append([])
    return tuple(tuple(run) for run in runs)


def _part(part: str) -> re.Pattern[str]:
    translated = fnmatch.translate(part)
    if "(?!)" in translated:  # a range of characters that runs backwards
        return re.compile(re.escape(part) + r"\Z")
    return re.compile(translated)


def _alternatives(glob: str) -> list[str]:
    """Return the globs without braces that one with braces stands for."""
    if len(glob) > MOST_CHARACTERS:
        raise SettingsError(f"must be a glob of at most {MOST_CHARACTERS} characters")
    left, found = [_with_pairs(glob.replace("\\", "/"))], []
    while left:
        one = left.pop()
        if choice := _CHOICE.search(one):
            before, after = one[: choice.start()], one[choice.end() :]
            left.extend(f"{before}{each}{after}" for each in choice[1].split(","))
        else:
            found.append(one.translate(_UNPROTECTED))
        if len(left) + len(found) > MOST_ALTERNATIVES:
            raise SettingsError(f"must be a glob of at most {MOST_ALTERNATIVES} alternatives")
    return found


def _with_pairs(glob: str) -> str:
    """Return a glob whose braces come in pairs; those that are meant literally are protected.

    An open brace ends with the glob at the latest. A closing one that closes nothing, and what is
    between brackets, stands for itself.
    """
    depth = 0

    def replaced(found: re.Match[str]) -> str:
        nonlocal depth
        if found[0] == "{":
            depth += 1
        elif depth and found[0] == "}":
            depth -= 1
        else:
            return found[0].translate(_PROTECTED)
        return found[0]

    return _BRACKETS_OR_BRACE.sub(replaced, glob) + "}" * depth
