"""Deletion of saves from the store, by file and time."""

import os
import sqlite3
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from editcast_store.paths import unicode_path


class Period(NamedTuple):
    """A period in milliseconds since the epoch, from `since` until before `until`."""

    since: int = 0
    until: int = 2**62


#: The period of all saves.
ALWAYS = Period()


class Forgotten(NamedTuple):
    """The result of a deletion, with the damaged stores that cannot be searched."""

    files: int
    snapshots: int
    damaged_left: list[Path]


#: Names of files; or the user's input, which is a path, a folder (with its contents), or a glob for
#: whole paths, whose `*` also matches `/`; or None for all files.
Pattern = Sequence[str] | str | None


def named(paths: Iterable[str], pattern: Pattern) -> list[str]:
    """Return the paths that a pattern matches.

    A pattern that names a file or folder, in the store or on the disk, is not a glob, since names
    may contain brackets: `app/[id]/page.tsx` does not match `app/i/page.tsx`.
    """
    if pattern is None:
        return list(paths)
    if not isinstance(pattern, str):
        files = set(map(unicode_path, pattern))
        return [path for path in paths if path in files]
    place, glob = absolute(pattern), unicode_path(pattern)
    name = unicode_path(place)
    folder = name.rstrip("/\\")
    inside = (folder + "/", folder + "\\")
    paths = list(paths)
    found = [path for path in paths if path == name or (folder and path.startswith(inside))]
    if found or os.path.lexists(place):
        return found
    return [path for path in paths if fnmatchcase(path, glob)]


def absolute(typed: str) -> str:
    """Return the path that the user typed."""
    return os.path.abspath(os.path.expanduser(typed))


def delete_files(
    database: sqlite3.Connection, pattern: Pattern, period: Period = ALWAYS
) -> tuple[int, int]:
    """Delete the snapshots and outcomes of matching files in a period.

    Returns:
        The number of files that lost snapshots, and of deleted snapshots.
    """
    # By id, since a damaged path is not found by its text.
    files = database.execute("SELECT id, CAST(path AS TEXT) FROM files").fetchall()
    outcomes = database.execute("SELECT id, CAST(path AS TEXT) FROM outcomes").fetchall()
    chosen = set(named({path for _, path in (*files, *outcomes)}, pattern))
    within = "time >= ? AND time < ?"
    removed = [
        database.execute(
            f"DELETE FROM snapshots WHERE file = ? AND {within}", (number, *period)
        ).rowcount
        for number, path in files
        if path in chosen
    ]
    for number, path in outcomes:
        if path in chosen:
            database.execute(f"DELETE FROM outcomes WHERE id = ? AND {within}", (number, *period))
    drop_unused(database)
    return sum(count > 0 for count in removed), sum(removed)


def drop_unused(database: sqlite3.Connection) -> None:
    """Delete the texts and files that no snapshot refers to."""
    database.execute(
        "DELETE FROM texts WHERE NOT EXISTS (SELECT 1 FROM snapshots WHERE text = texts.id)"
    )
    database.execute(
        "DELETE FROM files WHERE NOT EXISTS (SELECT 1 FROM snapshots WHERE file = files.id)"
    )
