"""Atomic writing of files and folders that only their owner can read, whatever the umask.

A file or folder is written beside its destination and renamed once it is complete. Readers find the
old or the new version, and a killed process or a full disk changes nothing.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_FILE, _FOLDER = 0o600, 0o700


def private_folder(path: Path) -> Path:
    """Create a folder and its missing parents; an existing folder is not changed."""
    if not path.is_dir():
        if path.parent != path:
            private_folder(path.parent)
        path.mkdir(_FOLDER, exist_ok=True)
    return path


@contextmanager
def atomic_write(path: Path, mode: int = _FILE) -> Iterator[Path]:
    """Yield an empty file to write to, which replaces `path` when the block ends.

    The new file is synchronized to the disk first. If the block raises, nothing changes. `mode`
    sets the permissions.

    Raises:
        OSError: The file cannot be written.
    """
    partial = path.with_name(f".{path.name}.partial")
    partial.unlink(missing_ok=True)  # of a process that was killed
    try:
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE))
        yield partial
        _settle(partial, mode)
        os.replace(partial, path)
    except BaseException as error:
        if isinstance(error, OSError) and error.filename in (None, str(partial)):
            error.filename = str(path)
        with suppress(OSError):
            partial.unlink()
        raise
    _sync(path.parent)


def write_text(path: Path, text: str, mode: int = _FILE) -> None:
    """Write a whole file in UTF-8; see `atomic_write`."""
    with atomic_write(path, mode) as partial:
        partial.write_text(text, "utf-8")


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a file that the user named, in UTF-8; it may be a link, a terminal or a pipe."""
    path = path.resolve()
    if path.exists() and not path.is_file():  # a terminal or a pipe cannot be replaced
        with path.open("w", encoding="utf-8") as file:
            file.writelines(lines)
        return
    with atomic_write(path) as partial, partial.open("w", encoding="utf-8") as file:
        file.writelines(lines)


def append_text(path: Path, text: str) -> None:
    """Append to a file, which is created if missing."""
    with open(path, "a", encoding="utf-8", opener=_opener) as file:
        file.write(text)


@contextmanager
def fresh_folder(place: Path) -> Iterator[Path]:
    """Yield an empty folder to fill, which replaces `place` when the block ends.

    If a process is killed between the two renamings, the next call restores the old folder. Only
    one process at a time may replace the same folder.

    Raises:
        OSError: The folder cannot be written.
    """
    fresh, old = (place.with_name(f".{place.name}.{kind}") for kind in ("partial", "replaced"))
    _put_back(old, place)
    for left in (fresh, old):
        shutil.rmtree(left, ignore_errors=True)
    private_folder(place.parent)
    try:
        fresh.mkdir(_FOLDER)
        yield fresh
        make_private(fresh)
        if place.exists():
            os.rename(place, old)
        os.rename(fresh, place)
    finally:
        _put_back(old, place)
        for left in (fresh, old):
            shutil.rmtree(left, ignore_errors=True)
    _sync(place.parent)


def make_private(folder: Path) -> None:
    """Make a folder and its contents private to the owner, and synchronize them to the disk."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            _settle(path)


def discard(folder: Path) -> None:
    """Remove a folder; if the process is killed, no part of the folder stays in its place."""
    gone = folder.with_name(f".{folder.name}.gone")
    shutil.rmtree(gone, ignore_errors=True)
    if folder.exists():
        os.rename(folder, gone)
        shutil.rmtree(gone, ignore_errors=True)


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags, _FILE)


def _put_back(old: Path, place: Path) -> None:
    if old.exists() and not place.exists():
        os.rename(old, place)


def _settle(path: Path, mode: int = _FILE) -> None:
    path.chmod(_FOLDER if path.is_dir() else mode)
    _sync(path)


def _sync(path: Path) -> None:
    """Synchronize a file, or the names in a folder, to the disk."""
    if path.is_dir() and os.name != "posix":
        return  # Windows cannot open folders; its journal includes renamings
    handle = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
