"""Deletion of saves that also works on a full disk, where it must not wait for free space.

SQLite writes a change to another file first, so even a deletion needs space. Without free space the
store is changed in place, with the rollback data in memory only: a crash within these milliseconds
can damage the store. No one else may have it open.
"""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from editcast_model.errors import NoRoomError, StoreError
from editcast_model.wording import counted
from editcast_store.forgetting import ALWAYS, Forgotten, Pattern, Period, delete_files
from editcast_store.saves import Store
from editcast_store.sqlite_file import explained, set_aside_files

_BUSY_SECONDS = 1.0


def forget(path: Path, pattern: Pattern, period: Period, warn: Callable[[str], None]) -> str:
    """Delete snapshots and outcomes, and overwrite their bytes on the disk.

    This process must not have the store open. `warn` is called with sentences for the user.

    Returns:
        A sentence for the user that says how much was deleted.

    Raises:
        StoreError: The store cannot be used, or the disk is full and it is open elsewhere.
    """
    try:
        with Store.open(path) as store:
            try:
                forgotten = store.forget(pattern, period)
            finally:
                for notice in store.notices:
                    warn(notice)
    except NoRoomError:
        gone = forget_without_room(path, pattern, period)
        forgotten = Forgotten(*gone, set_aside_files(path))
    for damaged in forgotten.damaged_left:
        warn(f"{damaged} is damaged and may still contain them; delete it yourself if so.")
    return f"Forgot {counted(forgotten.snapshots, 'save')} of {counted(forgotten.files, 'file')}."


def forget_without_room(path: Path, pattern: Pattern, period: Period = ALWAYS) -> tuple[int, int]:
    """Delete snapshots and outcomes without writing an additional byte to the disk.

    Returns:
        The number of files that lost snapshots, and of deleted snapshots.

    Raises:
        StoreError: The store is open elsewhere, or the rest does not fit into its present size.
    """
    with explained(path), closing(_alone(path)) as database:
        try:
            # This applies the log to the file; from here on the rollback data is in memory.
            (mode,) = database.execute("PRAGMA journal_mode = MEMORY").fetchone()
            if mode == "memory":
                return _forget(database, pattern, period)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_FULL:
                raise
            if database.in_transaction:
                database.execute("ROLLBACK")
        # The log does not fit into the file, so the remaining data replaces the log instead.
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
            copy.text_factory = database.text_factory
            database.backup(copy)
            gone = _forget(copy, pattern, period)
            _replace(path, copy.serialize())
        return gone


def _alone(path: Path) -> sqlite3.Connection:
    """Open the store exclusively, which keeps the index of its log in memory."""
    database = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        database.text_factory = lambda data: data.decode("utf-8", "backslashreplace")
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        database.execute("PRAGMA temp_store = MEMORY")
        database.execute("PRAGMA secure_delete = ON")
        database.execute("BEGIN EXCLUSIVE")
        database.execute("COMMIT")
    except sqlite3.OperationalError as error:
        database.close()
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            raise StoreError(
                f"The disk is full, and the history of saves {path} is open in another editor or "
                "window; close the others, or free some space, and try again. Nothing was "
                "forgotten."
            ) from error
        raise
    return database


def _forget(database: sqlite3.Connection, pattern: Pattern, period: Period) -> tuple[int, int]:
    database.execute("PRAGMA foreign_keys = ON")
    database.execute("BEGIN IMMEDIATE")
    gone = delete_files(database, pattern, period)
    database.execute("COMMIT")
    database.executescript("PRAGMA incremental_vacuum")
    return gone


def _replace(path: Path, image: bytes) -> None:
    """Overwrite the log, whose bytes are allocated, with a whole store, and rename it."""
    log = path.with_name(path.name + "-wal")
    room = log.stat().st_size
    if len(image) > room:
        raise NoRoomError(
            f"The disk is full, and the rest of the history of saves {path} needs "
            f"{len(image) - room:,} more bytes; free this space and try again. Nothing was "
            "forgotten."
        )
    with log.open("r+b") as file:
        file.write(image)
        file.flush()
        os.fsync(file.fileno())
        file.truncate(len(image))
        os.fsync(file.fileno())
    os.replace(log, path)
    with suppress(OSError):  # the index of the old log
        path.with_name(path.name + "-shm").unlink()
