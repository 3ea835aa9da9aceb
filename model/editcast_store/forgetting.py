"""Taking files out of the store, by their names."""

import os
import sqlite3
from collections.abc import Iterable
from fnmatch import fnmatchcase


def key_of(path: str | os.PathLike[str]) -> str:
    """Return a path as SQLite can hold it: names that are not Unicode are escaped."""
    return os.fspath(path).encode("utf-8", "backslashreplace").decode()


def named(paths: Iterable[str], pattern: str | None) -> list[str]:
    """List the paths a pattern names: a file or folder of that very name, else a glob.

    Brackets are usual in names: `app/[id]/page.tsx` is not `app/i/page.tsx` as well.

    Args:
        paths: Of the files that are known.
        pattern: None for all of them.
    """
    if pattern is None:
        return list(paths)
    paths, pattern = list(paths), key_of(pattern)
    return exactly(paths, pattern) or [path for path in paths if fnmatchcase(path, pattern)]


def exactly(paths: Iterable[str], name: str) -> list[str]:
    """Return the file of a name, or those in the folder of that name."""
    name = key_of(name)
    folder = name.rstrip("/\\")
    inside = (folder + "/", folder + "\\")
    return [path for path in paths if path == name or (folder and path.startswith(inside))]


def delete_files(database: sqlite3.Connection, pattern: str | None) -> tuple[int, int]:
    """Remove the files that a pattern names, with their snapshots and outcomes.

    Returns:
        How many files and how many snapshots were removed.
    """
    # By numbers: a damaged path is not found by its text.
    files = database.execute("SELECT id, CAST(path AS TEXT) FROM files").fetchall()
    outcomes = database.execute("SELECT id, CAST(path AS TEXT) FROM outcomes").fetchall()
    chosen = set(named({path for _, path in (*files, *outcomes)}, pattern))
    file_ids = [(number,) for number, path in files if path in chosen]
    snapshots = 0
    for number in file_ids:
        snapshots += database.execute("DELETE FROM snapshots WHERE file = ?", number).rowcount
        database.execute("DELETE FROM files WHERE id = ?", number)
    for number, path in outcomes:
        if path in chosen:
            database.execute("DELETE FROM outcomes WHERE id = ?", (number,))
    drop_unused(database)
    return len(file_ids), snapshots


def drop_unused(database: sqlite3.Connection) -> None:
    """Remove the texts and the files that no snapshot has any more."""
    database.execute(
        "DELETE FROM texts WHERE NOT EXISTS (SELECT 1 FROM snapshots WHERE text = texts.id)"
    )
    database.execute(
        "DELETE FROM files WHERE NOT EXISTS (SELECT 1 FROM snapshots WHERE file = files.id)"
    )
