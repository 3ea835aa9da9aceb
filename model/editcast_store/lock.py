"""A lock between processes that ends with its process, however that ends: nothing is ever stale."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def process_lock(path: Path, *, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock that a file stands for; the file stays behind, empty.

    SQLite knows how to lock a file on each platform; nothing is ever written to it.

    Args:
        path: The file; its folder must be there.
        wait: Seconds to wait for the one who holds it.

    Raises:
        TimeoutError: Another one holds it, in this process or in another.
        OSError: The file cannot be made or locked here.
    """
    with closing(_open(path, wait)) as database:
        try:
            database.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                raise TimeoutError(f"{path} is locked") from error
            raise OSError(f"{path} cannot be locked: {error}") from error
        yield


def _open(path: Path, wait: float) -> sqlite3.Connection:
    try:
        # SQLite would make it for everybody to read.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        return sqlite3.connect(path, timeout=wait, isolation_level=None)
    except (sqlite3.Error, OSError) as error:
        raise OSError(f"{path} cannot be opened: {error}") from error
