"""Forgetting from outside the store, also where the disk has no byte left: it cannot wait for room.

SQLite writes a change somewhere else before it makes it, so even a removal needs room. Without any
it is made in place: what was to be undone is in memory only, and a crash in these milliseconds can
damage the store. Nobody else may have it open meanwhile.
"""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from editcast_model.errors import NoRoomError, StoreError
from editcast_store.forgetting import ALWAYS, Forgotten, Pattern, Period, delete_files, exactly
from editcast_store.saves import Store
from editcast_store.sqlite_file import explained, set_aside_files

#: Told whether the store has something of a path, chooses what is forgotten; None is everything.
Choose = Callable[[Callable[[str], bool]], Pattern]
_BUSY_SECONDS = 1.0


def forget(path: Path, choose: Choose, period: Period, warn: Callable[[str], None]) -> str:
    """Remove files' snapshots and outcomes, and their bytes from the disk, room or no room.

    Args:
        path: The store; this process may not have it open.
        choose: Chooses a path, a folder or a glob, or files.
        period: Of the saves to forget.
        warn: Given sentences for the user, such as what may hold some of it still.

    Returns:
        A sentence for the user: how much was forgotten.

    Raises:
        StoreError: It cannot be used, or the disk is full and the store is open elsewhere.
    """
    try:
        with Store.open(path) as store:
            try:
                forgotten = store.forget(choose(store.names), period)
            finally:
                for notice in store.notices:
                    warn(notice)
    except NoRoomError:
        gone = forget_without_room(path, choose, period)
        forgotten = Forgotten(*gone, set_aside_files(path))
    for warning in forgotten.warnings:
        warn(warning)
    return forgotten.sentence


def forget_without_room(path: Path, choose: Choose, period: Period = ALWAYS) -> tuple[int, int]:
    """Remove files' snapshots and outcomes, and their bytes, without adding a byte to the disk.

    Args:
        path: The store.
        choose: Chooses a path, a folder or a glob, or files.
        period: Of the saves to forget.

    Returns:
        How many files and how many snapshots were removed.

    Raises:
        StoreError: It is open elsewhere, or what is left does not fit into what is there.
    """
    with explained(path), closing(_alone(path)) as database:
        try:
            # The log's changes go where they belong; from here on the old pages are in memory.
            (mode,) = database.execute("PRAGMA journal_mode = MEMORY").fetchone()
            if mode == "memory":
                return _forget(database, choose, period)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_FULL:
                raise
            if database.in_transaction:
                database.execute("ROLLBACK")
        # The log has pages that the file has no room for: what is left takes the log's place.
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
            copy.text_factory = database.text_factory
            database.backup(copy)
            gone = _forget(copy, choose, period)
            _replace(path, copy.serialize())
        return gone


def _alone(path: Path) -> sqlite3.Connection:
    """Return the store, open here only; the index of its log is in memory and needs no file."""
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


def _forget(database: sqlite3.Connection, choose: Choose, period: Period) -> tuple[int, int]:
    rows = database.execute(
        "SELECT CAST(path AS TEXT) FROM files UNION SELECT CAST(path AS TEXT) FROM outcomes"
    )
    paths = [path for (path,) in rows]
    database.execute("PRAGMA foreign_keys = ON")
    database.execute("BEGIN IMMEDIATE")
    gone = delete_files(database, choose(lambda name: bool(exactly(paths, name))), period)
    database.execute("COMMIT")
    database.executescript("PRAGMA incremental_vacuum")
    return gone


def _replace(path: Path, image: bytes) -> None:
    """Write a whole store over the log, whose bytes on the disk there are, and put it in place."""
    log = path.with_name(path.name + "-wal")
    room = log.stat().st_size
    if len(image) > room:
        raise NoRoomError(
            f"The disk is full, and what is left in the history of saves {path} needs "
            f"{len(image) - room:,} bytes more than there are; free as many and try again. "
            "Nothing was forgotten."
        )
    with log.open("r+b") as file:
        file.write(image)
        file.flush()
        os.fsync(file.fileno())
        file.truncate(len(image))
        os.fsync(file.fileno())
    os.replace(log, path)
    with suppress(OSError):  # the index of a log that is no more
        path.with_name(path.name + "-shm").unlink()
