"""Recorded saves: from the store, and from a file of JSON lines, plain or gzip, as it exports them.

A line is `{id, language, path, license, origin, text0, time0?, changes: [{time, edits: [[start,
end, new text], ...]}, ...]}`. A change is one save; offsets are code points into the text before
it, and its edits are simultaneous. Times are milliseconds since the epoch, or null.
"""

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from editcast_model.diff import Hunk, apply_hunks
from editcast_model.errors import SourceError
from editcast_store.paths import unicode_path
from editcast_store.saves import Store, project_of
from editcast_store.secrets import is_secret
from editcast_training.sources.file_history import (
    MOST_TIME,
    FileHistory,
    Skipped,
    Snapshot,
    language_of,
    pieces,
    reason_to_skip,
)

_GZIP_MAGIC = b"\x1f\x8b"


def read_saves(path: Path, *, skipped: Skipped) -> Iterator[FileHistory]:
    """Yield the history that each line holds; its project is the line's `origin`.

    A broken line is left out and counted under its number, for instance "line 3: not JSON".

    Raises:
        SourceError: the file cannot be opened.
    """
    with ExitStack() as stack:
        try:
            packed = stack.enter_context(path.open("rb"))
            magic = packed.read(2)
            packed.seek(0)
        except OSError as error:
            raise SourceError(
                f"The save histories {path} cannot be read ({error.strerror or error}); "
                "name a .jsonl or .jsonl.gz file."
            ) from error
        lines = stack.enter_context(gzip.open(packed)) if magic == _GZIP_MAGIC else packed
        number = 0
        try:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield from _histories(line, number, path, skipped)
        except (OSError, EOFError, zlib.error):  # cut off, or damaged from here on
            skipped[f"line {number + 1}: unreadable, and all after it"] += 1


def read_store(store: Store, *, skipped: Skipped) -> Iterator[FileHistory]:
    """Yield the history of every file in the store; its project is the repository it lies in.

    The store may have recorded a file before its name was listed as a secret, so secrets are left
    out here too. Damage is reported in the store's `notices`.

    Raises:
        StoreError: It cannot be read.
    """
    for file in store.files():
        if reason := reason_to_skip(file.path):
            skipped[reason] += 1
            continue
        snapshots = (Snapshot(saved.text, saved.time) for saved in store.snapshots(file.path))
        for piece in pieces(snapshots, skipped):
            yield FileHistory(project_of(file.path), file.path, file.language, "saves", piece)


def _histories(line: bytes, number: int, path: Path, skipped: Skipped) -> Iterator[FileHistory]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        skipped[f"line {number}: not JSON"] += 1
        return
    try:
        name = unicode_path(_text(found["path"]))
        if is_secret(name):
            skipped["file: usually holds secrets"] += 1
            return
        language = unicode_path(_text(found.get("language") or language_of(name) or "plaintext"))
        project = unicode_path(_text(found.get("origin") or path.name))
        first = Snapshot(_text(found["text0"]), _time(found.get("time0")))
        changes = _changes(found["changes"], len(first.text))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        skipped[f"line {number}: not a save history ({type(error).__name__})"] += 1
        return
    for piece in pieces(_snapshots(first, changes), skipped):
        yield FileHistory(project, name, language, "saves", piece)


def _changes(found: list[dict[str, Any]], size: int) -> list[tuple[list[Hunk], int | None]]:
    """Read the changes of a text of this many characters, each with its time."""
    changes = []
    for change in found:
        hunks = [Hunk(_offset(a), _offset(b), _text(new)) for a, b, new in change["edits"]]
        hunks.sort(key=lambda hunk: hunk.start)  # stable: insertions at one place keep their order
        end = 0
        for hunk in hunks:
            if not end <= hunk.start <= hunk.end <= size:
                raise ValueError(f"edits overlap or leave the text at {hunk.start}")
            end = hunk.end
        size += sum(hunk.growth for hunk in hunks)
        changes.append((hunks, _time(change.get("time"))))
    return changes


def _snapshots(
    first: Snapshot, changes: Iterable[tuple[list[Hunk], int | None]]
) -> Iterator[Snapshot]:
    """Yield the texts one by one: together they may not fit into memory."""
    yield first
    text = first.text
    for hunks, time in changes:
        text = apply_hunks(text, hunks)
        yield Snapshot(text, time)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"text expected, not {type(value).__name__}")
    return value


def _offset(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"an offset expected, not {type(value).__name__}")
    return value


def _time(value: object) -> int | None:
    time = None if value is None else _offset(value)
    if time is not None and abs(time) > MOST_TIME:
        raise ValueError("a time that nobody lives in")
    return time
