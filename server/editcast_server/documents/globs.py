"""Globs as editors write them: `*.min.js`, `build/**`, `**/vendor/*.{c,h}`.

A glob is matched folder by folder. `fnmatch` of the standard library matches each part without
backtracking, so the work is at most proportional to the length of the glob times that of the path.
As a single regular expression, `**/**/**/x` would take unbounded time.

Globs and paths have limits as well. The slowest list within them takes 40 ms to compile, once, and
20 ms to match a path, once for each document. A longer path counts as excluded, which is safe.
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
# All globs of one list together, with their braces expanded
MOST_GLOBS: Final = 200
MOST_CHARACTERS_TOGETHER: Final = 3_000
# Of a path: the longest that Linux opens, and its depth
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

    A glob without a slash matches a file's name. A glob with a slash matches the end of the path,
    or the whole path if it begins with a slash. A glob that ends in a slash matches everything in
    folders of that name. `**` between slashes matches any number of folders. Any glob matches a
    path beyond the limits.

    Raises:
        SettingsError: A glob is beyond the limits.
    """
    name = path.as_posix()
    if globs and (len(name) > MOST_PATH_CHARACTERS or name.count("/") > MOST_FOLDERS):
        return True
    parts = name.split("/")
    return any(_matches(pattern, parts) for glob in globs for pattern in _compiled(glob))


def size(glob: str) -> tuple[int, int]:
    """Count the globs that a glob with braces expands to, and their characters.

    Raises:
        SettingsError: It is beyond the limits; the message says what it must be.
    """
    alternatives = _alternatives(glob)
    return len(alternatives), sum(len(one) for one in alternatives)


def _matches(runs: _Pattern, parts: Sequence[str]) -> bool:
    """Tell whether a glob matches a path.

    Each run of parts between the first and the last is matched at its first place: any number of
    folders may come before it, so a later place would only leave less for the other runs.
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
    """Expand the braces of a glob."""
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
    """Return a glob whose braces come in pairs, with literal braces protected.

    An open brace is closed at the end of the glob at the latest. A closing brace that closes
    nothing, and braces within brackets, are literal.
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
