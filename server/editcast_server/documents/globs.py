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

#: The parts of a glob without braces; None is `**`, any number of folders.
_Pattern = tuple[re.Pattern[str] | None, ...]

_DRIVE = re.compile(r"[A-Za-z]:/")
_CHOICE = re.compile(r"\{([^{}]*)\}")


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


def _matches(pattern: _Pattern, parts: Sequence[str]) -> bool:
    """Tell whether a glob matches a path.

    Where a part does not match, only the last `**` takes one folder more: a later place for what
    comes before it would leave less for the rest.
    """
    index = at = 0
    retry: tuple[int, int] | None = None  # the part after the last `**`, and its next place
    end, depth = len(pattern), len(parts)
    while at < depth:
        is_left = index < end
        one = pattern[index] if is_left else None
        if is_left and one is None:
            index += 1
            retry = index, at + 1
        elif one and one.match(parts[at]):
            index, at = index + 1, at + 1
        elif retry:
            index, at = retry
            retry = index, at + 1
        else:
            return False
    return index == end


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
    if not is_whole:
        parts.insert(0, "**")
    return tuple(None if part == "**" else _part(part) for part in parts)


def _part(part: str) -> re.Pattern[str]:
    translated = fnmatch.translate(part)
    if "(?!)" in translated:  # a range of characters that runs backwards
        return re.compile(re.escape(part) + r"\Z")
    return re.compile(translated)


def _alternatives(glob: str) -> list[str]:
    """Expand the braces of a glob; braces that are left open are closed at its end."""
    if len(glob) > MOST_CHARACTERS:
        raise SettingsError(f"must be a glob of at most {MOST_CHARACTERS} characters")
    unclosed = glob.count("{") - glob.count("}")
    left, found = [glob.replace("\\", "/") + "}" * unclosed], []
    while left:
        one = left.pop()
        if choice := _CHOICE.search(one):
            before, after = one[: choice.start()], one[choice.end() :]
            left.extend(f"{before}{each}{after}" for each in choice[1].split(","))
        else:
            found.append(one)
        if len(left) + len(found) > MOST_ALTERNATIVES:
            raise SettingsError(f"must be a glob of at most {MOST_ALTERNATIVES} alternatives")
    return found
