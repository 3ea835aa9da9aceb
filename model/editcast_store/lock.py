"""A lock between processes that is released when its process ends, even by a crash."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path


@contextmanager
def process_lock(path: Path, *, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock of a file in an existing folder; wait this many seconds for it.

    SQLite implements the locking for each platform; the file remains afterwards, empty.

    Raises:
        TimeoutError: The lock is held elsewhere, in this process or another.
        OSError: The file cannot be created or locked.
    """
    with closing(_open(path, wait)) as database:
        try:
            database.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                raise TimeoutError(f"{path} is locked") from error
            raise OSError(f"{path} cannot be locked: {error}") from error
        yield


def ensure_file(path: Path) -> None:
    """Create a missing file, empty, for its owner only; SQLite would let everybody read it."""
    with suppress(FileExistsError):
        # An existing file is not opened: closing it would drop the locks that another
        # connection of this process holds on it (SQLite, "How To Corrupt", 2.2).
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _open(path: Path, wait: float) -> sqlite3.Connection:
    try:
        ensure_file(path)
        return sqlite3.connect(path, timeout=wait, isolation_level=None)
    except (sqlite3.Error, OSError) as error:
        raise OSError(f"{path} cannot be opened: {error}") from error
