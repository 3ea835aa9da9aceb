"""One SQLite file that must not lose what it acknowledged: how it is opened, and what can go wrong.

The file belongs to its owner alone. It appears with its tables in it, so that an empty one has lost
what it held. A damaged one is set aside under a new name, never repaired in place and never
deleted; one that a newer version wrote is left as it is.
"""

import errno
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TypeVar

from editcast_model.errors import NoRoomError, StoreError
from editcast_store.lock import process_lock
from editcast_store.paths import private_folder

_Result = TypeVar("_Result")

#: Seconds that others who have the file are waited for.
WAIT = 15.0
_APPLICATION_ID = 0x45646974  # "Edit"
_VERSION = 1
_SCHEMA = """
CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, language TEXT NOT NULL);
CREATE TABLE texts (
    id INTEGER PRIMARY KEY, sha256 BLOB NOT NULL UNIQUE, size INTEGER NOT NULL, data BLOB NOT NULL
);
CREATE TABLE snapshots (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    file INTEGER NOT NULL REFERENCES files,
    time INTEGER NOT NULL,
    text INTEGER NOT NULL REFERENCES texts
);
CREATE INDEX snapshots_by_file ON snapshots (file, id);
CREATE INDEX snapshots_by_time ON snapshots (time);
CREATE INDEX snapshots_by_text ON snapshots (text);
CREATE TABLE outcomes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    suggestion TEXT NOT NULL,
    what TEXT NOT NULL,
    path TEXT NOT NULL,
    language TEXT NOT NULL,
    model TEXT NOT NULL,
    confidence REAL NOT NULL,
    time INTEGER NOT NULL
);
CREATE INDEX outcomes_by_path ON outcomes (path)
"""

_opening = threading.Lock()
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
# What SQLite reports where it cannot make the files that it needs beside the database.
_WITHOUT_ROOM = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
_LEAST_ROOM = 1 << 16  # bytes of these files


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite reports about the file into a `StoreError` that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        code = _code(error)
        if code is None:  # a mistake in the program, not something about the file
            raise
        if code == sqlite3.SQLITE_FULL or (code in _WITHOUT_ROOM and _is_full(path.parent)):
            raise no_room(path) from error
        if code in _DAMAGED:
            advice = (
                f"is damaged ({error}); restart the editor or run the command again, and it is set "
                "aside under a new name"
            )
        elif code in _LOCKED:
            advice = "is held by another program; close that program and try again"
        else:
            advice = f"cannot be used ({error}); check its permissions, its folder and the disk"
        raise StoreError(f"The history of saves {path} {advice}.") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise no_room(path) from error
        raise StoreError(
            f"The history of saves {path} cannot be used ({error.strerror or error}); "
            "check its permissions, its folder and the disk."
        ) from error


def no_room(path: Path) -> NoRoomError:
    """Make the error of a disk that is full."""
    return NoRoomError(
        f"The history of saves {path} has no room: the disk is full. What was stored before is "
        "safe; free some space and save again."
    )


def _is_full(folder: Path) -> bool:
    return shutil.disk_usage(folder).free < _LEAST_ROOM


def connect(path: Path, wait: float) -> tuple[sqlite3.Connection, list[str]]:
    """Open the file, or make it and its folder, in WAL mode with full synchronisation.

    Args:
        path: The file.
        wait: Seconds to wait for others that have it.

    Returns:
        The connection, in autocommit mode and usable from any thread, one at a time; and a
        sentence for the user when a damaged file was set aside.

    Raises:
        StoreError: The file is another program's or a newer version's, or cannot be used.
    """
    with _opening, explained(path):
        private_folder(path.parent)
        notice = _check(path, wait)
        database = _retrying(lambda: _connect(path, wait), wait)
    return database, [] if notice is None else [notice]


def set_aside_files(path: Path) -> list[Path]:
    """Return the damaged files that were set aside next to `path`, with their logs."""
    return sorted(path.parent.glob(f"{path.stem}.damaged-*{path.suffix}*"))


def _code(error: sqlite3.Error) -> int | None:
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF  # without the extension


@cache
def _wanted() -> dict[str, set[str]]:
    """Return the columns of each table of `_SCHEMA`."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(_SCHEMA)
        return _columns(database)


def _columns(database: sqlite3.Connection) -> dict[str, set[str]]:
    tables: dict[str, set[str]] = {}
    for table, column in database.execute(
        "SELECT tables.name, columns.name FROM sqlite_master AS tables"
        " JOIN pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'"
    ):
        tables.setdefault(table, set()).add(column)
    return tables


def _check(path: Path, wait: float) -> str | None:
    """Make sure that a usable file is there; a sentence when a damaged one was set aside for it."""
    lock = path.with_name(path.name + ".lock")
    while True:
        if not path.exists():
            with _alone(lock, wait):
                if not path.exists():  # else another window was faster
                    _make(path, wait)
        identity = _own(path)
        try:
            damage = _damage(path, wait)
        except (FileNotFoundError, sqlite3.OperationalError):
            if _own(path) == identity:
                raise
            continue  # another window set it aside while it was looked at
        if damage is None:
            return None
        with _alone(lock, wait):
            if _own(path) == identity:  # else another window was faster
                kept = _set_aside(path)
                _make(path, wait)
                return (
                    f"The history of saves {path} was damaged ({damage}). It is kept as {kept}, "
                    "and a new history was begun."
                )


def _make(path: Path, wait: float) -> None:
    """Make a file that was not there, at once with its tables in it; for one process at a time."""
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size > 0:
        _own(path)  # its file is gone: empty, it is found to be damaged, and the log is kept
        return
    fresh = path.with_name(path.name + ".new")
    for rest in (fresh, *(fresh.with_name(fresh.name + suffix) for suffix in ("-wal", "-shm"))):
        rest.unlink(missing_ok=True)  # of a process that was killed here
    _own(fresh)
    _connect(fresh, wait).close()
    fresh.rename(path)


@contextmanager
def _alone(lock: Path, wait: float) -> Iterator[None]:
    """Keep other processes out while a file is made, or a damaged one is set aside."""
    _own(lock)
    try:
        with process_lock(lock, wait=wait):
            yield
    except TimeoutError as error:
        raise StoreError(
            f"The history of saves beside {lock} is held by another program; close that program "
            "and try again."
        ) from error


def _own(path: Path) -> tuple[int, int]:
    """Make the file, empty, for its owner only; SQLite gives `-wal` and `-shm` the same mode.

    Returns:
        What tells this file from another one of the same name.
    """
    with suppress(FileExistsError):
        # A file that is there is not opened: closing it would drop the locks that another
        # connection of this process holds on it (SQLite, "How To Corrupt", 2.2).
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    status = path.stat()
    if os.name == "posix" and status.st_mode & 0o077:
        path.chmod(0o600)
    return status.st_dev, status.st_ino


def _damage(path: Path, wait: float) -> str | None:
    """Describe the damage of the file, None when there is none. Reads only: evidence stays."""
    if path.stat().st_size == 0:
        # SQLite would take the file for a new one and delete the log, with all that is in it.
        return "it was empty"
    try:
        return _retrying(lambda: _examine(path, wait), wait)
    except UnicodeDecodeError:  # of SQLite's own message, which repeats the name
        return "the names of its tables make no sense"
    except sqlite3.DatabaseError as error:
        if _code(error) in (*_DAMAGED, sqlite3.SQLITE_ERROR):  # the latter: tables without sense
            return str(error)
        raise


def _examine(path: Path, wait: float) -> str | None:
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=wait)) as database:
        database.text_factory = lambda name: name.decode(errors="replace")  # damaged, it may be any
        database.execute("BEGIN")  # another window may be making it: all of this is read at once
        (found_id,) = database.execute("PRAGMA application_id").fetchone()
        (found_version,) = database.execute("PRAGMA user_version").fetchone()
        tables, wanted = _columns(database), _wanted()
        if tables and found_id != _APPLICATION_ID and not wanted.keys() <= tables.keys():
            raise StoreError(
                f"{path} is a database of another program; move it away, or set EDITCAST_HOME "
                "to another folder."
            )
        if found_id == _APPLICATION_ID and found_version > _VERSION:
            raise StoreError(
                f"The history of saves {path} was written by a newer Editcast (format "
                f"{found_version}, this one knows {_VERSION}); update Editcast. Nothing in it "
                "was changed."
            )
        (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            return str(verdict)
    for table, columns in wanted.items() if tables or found_id == _APPLICATION_ID else ():
        if missing := sorted(columns - tables.get(table, set())):
            return f"its table {table} lacks {', '.join(missing)}"
    if tables and (found_id, found_version) != (_APPLICATION_ID, _VERSION):
        return f"it says that it is of format {found_version} of {found_id:#x}"
    return None


def _connect(path: Path, wait: float) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=wait, isolation_level=None, check_same_thread=False)
    # A damaged name is one that is escaped, and no error of whoever reads the others.
    database.text_factory = lambda data: data.decode("utf-8", "backslashreplace")
    try:
        # Before the first page is written, or never: forgotten pages can then leave the file.
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("PRAGMA fullfsync = ON")  # macOS: fsync alone stops at the drive's cache
        database.execute("PRAGMA checkpoint_fullfsync = ON")
        database.execute("PRAGMA secure_delete = ON")
        database.execute("PRAGMA temp_store = MEMORY")  # no text in a file of SQLite's own
        database.execute("PRAGMA foreign_keys = ON")
        database.execute("BEGIN IMMEDIATE")  # of several windows that open it first, one makes it
        if not _columns(database):
            for statement in _SCHEMA.split(";"):
                database.execute(statement)
            database.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            database.execute(f"PRAGMA user_version = {_VERSION}")
        database.execute("COMMIT")
    except BaseException:
        database.close()
        raise
    return database


def _retrying(attempt: Callable[[], _Result], wait: float) -> _Result:
    """Try again while another window makes the file: SQLite does not wait for that by itself."""
    deadline = time.monotonic() + wait
    while True:
        try:
            return attempt()
        except sqlite3.OperationalError as error:
            if _code(error) not in _LOCKED or time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def _set_aside(path: Path) -> Path:
    """Rename a damaged file and its log; the log first, since without it the file is less."""
    stamp = f"{datetime.now():%Y%m%d-%H%M%S}"
    kept = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
    count = 1
    while kept.exists():
        count += 1
        kept = path.with_name(f"{path.stem}.damaged-{stamp}-{count}{path.suffix}")
    log, index = (path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))
    if log.exists() and log.stat().st_size > 0:
        log.rename(kept.with_name(kept.name + "-wal"))
    path.rename(kept)
    for rest in (log, index):  # the index is made anew from the log
        rest.unlink(missing_ok=True)
    return kept
