"""The durable store of snapshots and of the outcomes of suggestions, in one SQLite file.

A save is one transaction, synchronized to the disk before `record` returns. A text is compressed
and stored once, even if several snapshots share it. Several processes may write at once.
"""

import json
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, Self

from editcast_model.diff import diff
from editcast_model.errors import ReportError
from editcast_model.private_files import write_lines
from editcast_store.forgetting import (
    ALWAYS,
    Forgotten,
    Pattern,
    Period,
    delete_files,
    drop_unused,
    named,
)
from editcast_store.paths import unicode_path
from editcast_store.secrets import is_secret
from editcast_store.sqlite_file import connect, explained, secured, set_aside_files

#: A save within this many milliseconds of the newest snapshot replaces it (auto-save).
MERGE_WINDOW_MS = 10_000

#: The outcomes of a suggestion: the user saw, accepted, rejected or passed over it; a minute after
#: an accept its text was still there, or was not.
What = Literal["shown", "accepted", "rejected", "passed", "kept", "changed"]


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file with the number of its saves, their first and last time (ms) and total bytes."""

    path: str
    language: str
    saves: int
    first: int
    last: int
    bytes: int


@dataclass(frozen=True, slots=True)
class StoredSnapshot:
    """The text of a save, and its time (milliseconds since the epoch)."""

    time: int
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """An outcome of a suggestion; `time` is in milliseconds since the epoch."""

    suggestion: str
    what: str
    path: str
    language: str
    model: str
    confidence: float
    time: int


def project_of(path: str | os.PathLike[str]) -> str:
    """Return the project of a file on this machine: its repository or folder."""
    for folder in Path(path).parents:
        if (folder / ".git").exists():
            return str(folder)
    return str(Path(path).parent)


class Store:
    """The store, which is thread-safe; every method may raise `StoreError`."""

    def __init__(self, path: Path, database: sqlite3.Connection, notices: list[str]) -> None:
        self.path = path
        #: Sentences for the user, about a damaged file that was set aside or unreadable texts.
        self.notices = notices
        self._identity = secured(path)
        self._database = database
        self._lock = threading.RLock()

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the store, or create it; a damaged one is set aside and named in `notices`.

        Raises:
            StoreError: It belongs to another program or a newer version, or cannot be used.
        """
        return cls(path, *connect(path))

    @property
    def is_in_place(self) -> bool:
        """Tell whether the file still has its name: another window may have set it aside."""
        with explained(self.path):
            return secured(self.path) == self._identity

    def close(self) -> None:
        """Close the file; all records are on the disk already."""
        with self._lock:
            self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # Writing

    def record(self, path: str | os.PathLike[str], text: str, time_ms: int, language: str) -> bool:
        """Record the text of a save, which is on the disk when this returns.

        A save within `MERGE_WINDOW_MS` of the file's newest snapshot replaces that snapshot but
        keeps its own time, so the window moves along with auto-saves.

        Returns:
            False if nothing was recorded, because the text is the last one recorded, or the file is
            a secret or a link to one.
        """
        if is_secret(path):
            return False
        encoded = text.encode("utf-8", "surrogatepass")
        digest = sha256(encoded).digest()
        data = zlib.compress(encoded)
        with self._writing() as database:
            file = self._file(path, language)
            newest = database.execute(
                "SELECT snapshots.id, time, sha256, text FROM snapshots"
                " JOIN texts ON texts.id = text WHERE file = ? ORDER BY snapshots.id DESC LIMIT 2",
                (file,),
            ).fetchall()
            if newest and newest[0][2] == digest:
                return False
            if newest:
                snapshot, last, _, old_text = newest[0]
                if abs(time_ms - last) < MERGE_WINDOW_MS:
                    database.execute("DELETE FROM snapshots WHERE id = ?", (snapshot,))
                    database.execute(
                        "DELETE FROM texts WHERE id = ?"
                        " AND NOT EXISTS (SELECT 1 FROM snapshots WHERE text = texts.id)",
                        (old_text,),
                    )
                    if len(newest) == 2 and newest[1][2] == digest:  # back to what it was before
                        return True
                time_ms = max(time_ms, last)  # keep the order if the clock was set back
            database.execute(
                "INSERT INTO texts (sha256, size, data) VALUES (?, ?, ?)"
                " ON CONFLICT (sha256) DO NOTHING",
                (digest, len(encoded), data),
            )
            database.execute(
                "INSERT INTO snapshots (file, time, text)"
                " SELECT ?, ?, id FROM texts WHERE sha256 = ?",
                (file, time_ms, digest),
            )
        return True

    def record_outcome(
        self,
        suggestion: str,
        what: What,
        *,
        path: str | os.PathLike[str],
        confidence: float,
        time_ms: int,
        model: str,
        language: str,
    ) -> None:
        """Record an outcome of a suggestion, which is on the disk when this returns."""
        with self._writing() as database:
            database.execute(
                "INSERT INTO outcomes (suggestion, what, path, language, model, confidence, time)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (suggestion, what, unicode_path(path), language, model, confidence, time_ms),
            )

    # Reading

    def files(self) -> list[StoredFile]:
        """Return all files with snapshots, sorted by path."""
        rows = self._read(
            "SELECT CAST(path AS TEXT), language, count(*), min(time), max(time), sum(size)"
            " FROM snapshots JOIN files ON files.id = file JOIN texts ON texts.id = text"
            " GROUP BY file ORDER BY path"
        )
        return [StoredFile(*row) for row in rows]

    def snapshots(self, path: str | os.PathLike[str]) -> list[StoredSnapshot]:
        """Return the snapshots of a file in order of time; consecutive texts differ.

        The list is empty if the file is unknown.
        """
        rows = self._read(
            "SELECT time, data FROM snapshots JOIN files ON files.id = file"
            " JOIN texts ON texts.id = text WHERE path = ? ORDER BY snapshots.id",
            (unicode_path(path),),
        )
        found: list[StoredSnapshot] = []
        for time_ms, data in rows:
            try:
                text = zlib.decompress(data).decode("utf-8", "surrogatepass")
            except (zlib.error, UnicodeDecodeError):
                self.notices.append(
                    f"A text of {path} in {self.path} is damaged and was left out; the others can "
                    "be read."
                )
                continue
            if not found or found[-1].text != text:
                found.append(StoredSnapshot(time_ms, text))
        return found

    def outcomes(self, last: int = -1) -> list[Outcome]:
        """Return the last outcomes, or all, in the order in which they were recorded."""
        rows = self._read(
            "SELECT suggestion, what, path, language, model, confidence, time FROM outcomes"
            " ORDER BY id DESC LIMIT ?",
            (last,),
        )
        return [Outcome(*row) for row in reversed(rows)]

    def size(self) -> int:
        """Return the size of the store on the disk in bytes, without its write-ahead log."""
        return self._pragma("page_count") * self._pragma("page_size")

    def export(self, pattern: Pattern = None) -> Iterator[str]:
        """Yield the histories as JSON lines (without line ends), one per file, without secrets.

        The format is that of save histories: `{id, language, path, license, origin, text0, time0,
        changes: [{time, edits: [[start, end, new text], ...]}, ...]}`. Offsets are code points
        into the text before the change; the edits of one change are simultaneous.
        """
        files = {file.path: file for file in self.files()}
        for path in named(files, pattern):
            if is_secret(path):
                continue
            file = files[path]
            snapshots = self.snapshots(file.path)
            if not snapshots:  # forgotten meanwhile
                continue
            first = snapshots[0]
            changes, before = [], first.text
            for snapshot in snapshots[1:]:
                edits = [[hunk.start, hunk.end, hunk.text] for hunk in diff(before, snapshot.text)]
                changes.append({"time": snapshot.time, "edits": edits})
                before = snapshot.text
            yield json.dumps(
                {
                    "id": file.path,
                    "language": file.language,
                    "path": file.path,
                    "license": None,
                    "origin": project_of(file.path),
                    "text0": first.text,
                    "time0": first.time,
                    "changes": changes,
                }
            )

    def export_to(self, out: Path, pattern: Pattern = None) -> None:
        """Write the lines of `export` to a file that only the user can read.

        Raises:
            ReportError: The file cannot be written.
        """
        try:
            write_lines(out, (f"{line}\n" for line in self.export(pattern)))
        except OSError as error:
            raise ReportError(
                f"The histories cannot be written to {out} ({error.strerror or error}); name "
                "another file."
            ) from error

    # Deleting

    def forget(self, pattern: Pattern, period: Period = ALWAYS) -> Forgotten:
        """Delete snapshots and outcomes, and overwrite their bytes on the disk.

        For all files and all times, damaged stores that were set aside are deleted too.
        """
        with self._writing() as database:
            files, snapshots = delete_files(database, pattern, period)
        self._shrink()
        damaged = set_aside_files(self.path)
        if pattern is None and period == ALWAYS:
            with explained(self.path):
                for path in damaged:
                    path.unlink(missing_ok=True)
            damaged = []
        return Forgotten(files, snapshots, damaged)

    def prune(self, days: int, max_bytes: int) -> int:
        """Delete what is older than `days`, then the oldest until the store fits `max_bytes`.

        Returns:
            The number of deleted snapshots.
        """
        oldest = int(time.time() * 1000) - days * 86_400_000
        with self._writing() as database:
            removed = database.execute("DELETE FROM snapshots WHERE time < ?", (oldest,)).rowcount
            database.execute("DELETE FROM outcomes WHERE time < ?", (oldest,))
            drop_unused(database)
            while self._used() > max_bytes:
                (left,) = database.execute("SELECT count(*) FROM snapshots").fetchone()
                if left == 0:
                    break
                removed += database.execute(
                    "DELETE FROM snapshots WHERE id IN"
                    " (SELECT id FROM snapshots ORDER BY time, id LIMIT ?)",
                    (max(1, left // 50),),
                ).rowcount
                drop_unused(database)
        if removed:
            self._shrink()
        return removed

    # The file

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that has the write lock from its beginning."""
        with self._lock, explained(self.path):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    def _read(self, query: str, values: tuple[str | int, ...] = ()) -> list[tuple[Any, ...]]:
        with self._lock, explained(self.path):
            return self._database.execute(query, values).fetchall()

    def _pragma(self, name: str) -> int:
        value: int = self._read(f"PRAGMA {name}")[0][0]
        return value

    def _used(self) -> int:
        pages = self._pragma("page_count") - self._pragma("freelist_count")
        return pages * self._pragma("page_size")

    def _file(self, path: str | os.PathLike[str], language: str) -> int:
        row: tuple[int] = self._database.execute(
            "INSERT INTO files (path, language) VALUES (?, ?)"
            " ON CONFLICT (path) DO UPDATE SET language = excluded.language RETURNING id",
            (unicode_path(path), language),
        ).fetchone()
        return row[0]

    def _shrink(self) -> None:
        """Free the pages of deleted rows, and empty the log, which contains them too."""
        with self._lock, explained(self.path):
            # `execute` would run only one step, which frees one page.
            self._database.executescript("PRAGMA incremental_vacuum")
            self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
