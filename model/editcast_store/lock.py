"""A lock between processes that is released when its process ends, even by a crash."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path


@contextmanager
def process_lock(path: Path, *, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock of a file, which remains afterwards, empty.

    SQLite implements the locking for each platform; nothing is written to the file.

    Args:
        path: The file; its folder must exist.
        wait: Seconds to wait for the lock.

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
