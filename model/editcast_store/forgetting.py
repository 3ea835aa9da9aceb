"""Taking files out of the store, by their names and times."""

import os
import sqlite3
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple


class Period(NamedTuple):
    """Times of saves in milliseconds since the epoch; `until` itself is not among them."""

    since: int = 0
    until: int = 2**62


#: All that the store can have.
ALWAYS = Period()


class Forgotten(NamedTuple):
    """Result of forgetting, with the damaged stores that nobody can look into."""

    files: int
    snapshots: int
    damaged_left: list[Path]

    @property
    def sentence(self) -> str:
        """Say what was forgotten."""
        return f"Forgot {self.snapshots:,} saves of {self.files:,} files."

    @property
    def warnings(self) -> list[str]:
        """Say what may hold some of it still."""
        return [
            f"{path} is damaged; delete it yourself if it may hold them."
            for path in self.damaged_left
        ]


#: The names of files; or a path, a folder (with all that is in it), or a glob over whole paths,
#: whose `*` matches `/` too; or None for all files.
Pattern = Sequence[str] | str | None


def key_of(path: str | os.PathLike[str]) -> str:
    """Return a path as SQLite can hold it: names that are not Unicode are escaped."""
    return os.fspath(path).encode("utf-8", "backslashreplace").decode()


def named(paths: Iterable[str], pattern: Pattern) -> list[str]:
    """List the paths a pattern names: these files; a file or folder of a name, else a glob.

    Brackets are usual in names: `app/[id]/page.tsx` is not `app/i/page.tsx` as well.

    Args:
        paths: Of the files that are known.
        pattern: None for all of them.
    """
    if pattern is None:
        return list(paths)
    if not isinstance(pattern, str):
        files = set(map(key_of, pattern))
        return [path for path in paths if path in files]
    paths, pattern = list(paths), key_of(pattern)
    return exactly(paths, pattern) or [path for path in paths if fnmatchcase(path, pattern)]


def exactly(paths: Iterable[str], name: str) -> list[str]:
    """Return the file of a name, or those in the folder of that name."""
    name = key_of(name)
    folder = name.rstrip("/\\")
    inside = (folder + "/", folder + "\\")
    return [path for path in paths if path == name or (folder and path.startswith(inside))]


def delete_files(
    database: sqlite3.Connection, pattern: Pattern, period: Period = ALWAYS
) -> tuple[int, int]:
    """Remove the snapshots and outcomes of a period, of the files that a pattern names.

    Returns:
        How many files lost snapshots, and how many snapshots were removed.
    """
    # By numbers: a damaged path is not found by its text.
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
    """Remove the texts and the files that no snapshot has any more."""
    database.execute(
        "DELETE FROM texts WHERE NOT EXISTS (SELECT 1 FROM snapshots WHERE text = texts.id)"
    )
    database.execute(
        "DELETE FROM files WHERE NOT EXISTS (SELECT 1 FROM snapshots WHERE file = files.id)"
    )
