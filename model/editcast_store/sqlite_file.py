"""A SQLite file that must not lose acknowledged writes: opening it, and handling damage.

Only its owner can read the file. It is created together with its tables, so an empty file is one
that lost its contents. A damaged file is renamed, never repaired in place and never deleted. A file
from a newer version is not changed.
"""

import errno
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TypeVar

from editcast_model.errors import NoRoomError, StoreError
from editcast_store.lock import ensure_file, process_lock
from editcast_store.paths import closed_folder, unused

_Result = TypeVar("_Result")

_WAIT = 15.0  # seconds that each operation waits for other processes that use the file
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
# The errors of SQLite if it cannot create the additional files of the database.
_WITHOUT_ROOM = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
_LEAST_ROOM = 1 << 16  # bytes of these files


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn errors of SQLite about the file into a `StoreError` that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        code = _code(error)
        if code is None:  # a bug, not a problem of the file
            raise
        if code == sqlite3.SQLITE_FULL or (code in _WITHOUT_ROOM and _is_full(path.parent)):
            raise _no_room(path) from error
        if code in _DAMAGED:
            advice = (
                f"is damaged ({error}); restart the editor or run the command again to set it "
                "aside under a new name"
            )
        elif code in _LOCKED:
            advice = "is in use by another program; close that program and try again"
        else:
            advice = f"cannot be used ({error}); check its permissions, its folder and the disk"
        raise StoreError(f"The history of saves {path} {advice}.") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _no_room(path) from error
        raise StoreError(
            f"The history of saves {path} cannot be used ({error.strerror or error}); "
            "check its permissions, its folder and the disk."
        ) from error


def _no_room(path: Path) -> NoRoomError:
    return NoRoomError(
        f"The history of saves {path} cannot grow: the disk is full. Earlier saves are safe; free "
        "some space and save again."
    )


def _is_full(folder: Path) -> bool:
    return shutil.disk_usage(folder).free < _LEAST_ROOM


def connect(path: Path) -> tuple[sqlite3.Connection, list[str]]:
    """Open the file in WAL mode with full synchronization; create it and its folder if missing.

    Returns:
        The connection, in autocommit mode and usable from any thread, one at a time; and a
        sentence for the user if a damaged file was set aside.

    Raises:
        StoreError: The file belongs to another program or a newer version, or cannot be used.
    """
    with _opening, explained(path):
        closed_folder(path.parent)
        notice = _check(path)
        database = _retrying(lambda: _connect(path))
    return database, [] if notice is None else [notice]


def set_aside_files(path: Path) -> list[Path]:
    """Return the damaged files that were set aside beside `path`, with their logs."""
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


def _check(path: Path) -> str | None:
    """Make sure that there is a usable file; return a sentence if a damaged one was set aside."""
    lock = path.with_name(path.name + ".lock")
    while True:
        if not path.exists():
            with _alone(lock):
                if not path.exists():  # else another window was faster
                    _make(path)
        identity = secured(path)
        if identity is None:
            continue  # another window has set it aside meanwhile
        try:
            damage = _damage(path)
        except (FileNotFoundError, sqlite3.OperationalError):
            if secured(path) == identity:
                raise
            continue  # as above
        if damage is None:
            return None
        with _alone(lock):
            if secured(path) == identity:  # else another window was faster
                kept = _set_aside(path)
                _make(path)
                return (
                    f"The history of saves {path} was damaged ({damage}). It is kept as {kept}, "
                    "and a new history was started."
                )


def _make(path: Path) -> None:
    """Create a missing file together with its tables; for one process at a time."""
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size > 0:
        _own(path)  # the file is gone: an empty one counts as damaged, which keeps the log
        return
    fresh = path.with_name(path.name + ".new")
    for rest in (fresh, *(fresh.with_name(fresh.name + suffix) for suffix in ("-wal", "-shm"))):
        rest.unlink(missing_ok=True)  # of a process that was killed here
    _own(fresh)
    _connect(fresh).close()
    fresh.rename(path)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Exclude other processes while a file is created, or a damaged one is set aside."""
    _own(lock)
    try:
        with process_lock(lock, wait=_WAIT):
            yield
    except TimeoutError as error:
        raise StoreError(
            f"The history of saves beside {lock} is in use by another program; close that program "
            "and try again."
        ) from error


def _own(path: Path) -> None:
    """Make sure that only its owner reads a file; SQLite gives `-wal` and `-shm` the same mode."""
    ensure_file(path)
    secured(path)


def secured(path: Path) -> tuple[int, int] | None:
    """Make sure that only its owner reads the file.

    Returns:
        An identity that distinguishes this file from another one of the same name; None if there
        is no file, which another window may set aside at any moment.
    """
    try:
        status = path.stat()
        if os.name == "posix" and status.st_mode & 0o077:
            path.chmod(0o600)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _damage(path: Path) -> str | None:
    """Describe the damage of the file, without changing it; None if there is none."""
    if path.stat().st_size == 0:
        # SQLite would treat the file as a new one, and delete the log with its data.
        return "it was empty"
    try:
        return _retrying(lambda: _examine(path))
    except UnicodeDecodeError:  # in SQLite's own message, which quotes the name
        return "the names of its tables are invalid"
    except sqlite3.DatabaseError as error:
        if _code(error) in (*_DAMAGED, sqlite3.SQLITE_ERROR):  # the latter for invalid tables
            return str(error)
        raise


def _examine(path: Path) -> str | None:
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=_WAIT)) as database:
        database.text_factory = lambda name: name.decode(
            errors="replace"
        )  # damaged names may be invalid
        database.execute("BEGIN")  # read everything at once: another window may be creating it
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
        return f"it has format {found_version} of {found_id:#x}"
    return None


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
    # A damaged name is escaped, so that the others can be read.
    database.text_factory = lambda data: data.decode("utf-8", "backslashreplace")
    try:
        # Only possible before the first page is written; lets the file shrink later.
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("PRAGMA fullfsync = ON")  # macOS: fsync alone stops at the drive's cache
        database.execute("PRAGMA checkpoint_fullfsync = ON")
        database.execute("PRAGMA secure_delete = ON")
        database.execute("PRAGMA temp_store = MEMORY")  # no texts in temporary files
        database.execute("PRAGMA foreign_keys = ON")
        database.execute(
            "BEGIN IMMEDIATE"
        )  # if several windows open it first, only one creates the tables
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


def _retrying(attempt: Callable[[], _Result]) -> _Result:
    """Retry while another window creates the file, since SQLite does not wait for that."""
    deadline = time.monotonic() + _WAIT
    while True:
        try:
            return attempt()
        except sqlite3.OperationalError as error:
            if _code(error) not in _LOCKED or time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def _set_aside(path: Path) -> Path:
    """Rename a damaged file and its log; the log first, since the file needs it."""
    kept = unused(path.with_stem(f"{path.stem}.damaged-{datetime.now():%Y%m%d-%H%M%S}"))
    log, index = (path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))
    if log.exists() and log.stat().st_size > 0:
        log.rename(kept.with_name(kept.name + "-wal"))
    path.rename(kept)
    for rest in (log, index):  # the index is rebuilt from the log
        rest.unlink(missing_ok=True)
    return kept
