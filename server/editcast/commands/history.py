"""`editcast history`: what the store remembers, shown, exported, forgotten."""

import glob
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import click
from rich.console import Console
from rich.rule import Rule
from rich.table import Table

from editcast.render_diff import plain, render_changes
from editcast_model import private_files
from editcast_model.diff import diff
from editcast_model.errors import NoRoomError, ReportError, StoreError
from editcast_store import paths
from editcast_store.forgetting_without_room import forget_without_room
from editcast_store.saves import Store
from editcast_store.sqlite_file import set_aside_files


@contextmanager
def open_store(console: Console) -> Iterator[Store]:
    """The store; its notices are printed. Raises `StoreError`, also when there is none yet."""
    paths.home()
    path = paths.store_path()
    if not path.exists():
        raise StoreError(
            f"No saves are remembered yet ({path} does not exist); edit and save something in an "
            "editor that runs Editcast."
        )
    with Store.open(path) as store:
        try:
            yield store
        finally:
            for notice in store.notices:
                console.print(plain(notice), style="yellow")


def list_files(console: Console, store: Store) -> None:
    """One line a file."""
    table = Table("file", "language", "saves", "first", "last", "bytes", box=None)
    for file in store.files():
        table.add_row(
            plain(file.path),
            plain(file.language),
            f"{file.snapshots:,}",
            _time(file.first),
            _time(file.last),
            f"{file.size:,}",
        )
    console.print(table, highlight=False)


def show_file(console: Console, store: Store, name: str, number: int | None) -> None:
    """Return what each save of a file changed; with a number, the text that this save left."""
    path = _absolute(name)
    snapshots = store.snapshots(path)
    if not snapshots:
        raise StoreError(
            f"No saves of {path} are remembered; `editcast history list` names the files."
        )
    if number is not None:
        if not 1 <= number <= len(snapshots):
            raise StoreError(f"The saves of {path} are numbered from 1 to {len(snapshots)}.")
        console.file.write(snapshots[number - 1].text)
        return
    before = snapshots[0].text
    for count, snapshot in enumerate(snapshots, 1):
        console.print(Rule(f"Save {count}, {_time(snapshot.time)}", align="left"))
        if count == 1:
            lines = before.count("\n") + 1
            console.print(f"the first one, {lines:,} lines", highlight=False)
        else:
            changes = render_changes(before, diff(before, snapshot.text))
            console.print(changes, soft_wrap=True)
        before = snapshot.text


def write_lines(lines: Iterable[str], path: Path | None) -> None:
    """Write lines to a file that only its owner can read, or to stdout.

    Raises:
        ReportError: They cannot be written there.
    """
    if path is None or str(path) == "-":
        for line in lines:
            click.echo(line)
        return
    try:
        private_files.write_lines(path, (f"{line}\n" for line in lines))
    except OSError as error:
        raise ReportError(
            f"The histories cannot be written to {path} ({error.strerror or error}); name another "
            "file with --output."
        ) from error


def forget_files(console: Console, name: str | None) -> None:
    """Forget what a path, a folder or a glob names, or everything; also where the disk is full."""

    def choose(names: Callable[[str], bool]) -> str | None:
        return None if name is None else whole_path(names, name)

    damaged: tuple[Path, ...] = ()
    try:
        with open_store(console) as store:
            gone = store.forget(choose(store.names))
        files, snapshots, damaged = gone.files, gone.snapshots, gone.damaged_left
    except NoRoomError:
        files, snapshots = forget_without_room(paths.store_path(), choose)
        damaged = tuple(set_aside_files(paths.store_path()))
    console.print(f"Forgot {snapshots:,} saves of {files:,} files.", highlight=False)
    for path in damaged:
        sentence = f"{path} is damaged; delete it yourself if it may hold them."
        console.print(plain(sentence), style="yellow")


def whole_path(names: Callable[[str], bool], name: str) -> str:
    """A path as the store has it, from one on the command line; a glob stays as it is.

    Folders can have brackets in their names: what is stored, or is there, is no glob.

    Args:
        names: Whether the store has something of a path.
        name: As the user wrote it.
    """
    path = _absolute(name)
    if not any(character in name for character in "*?[") or names(path):
        return path
    return glob.escape(path) if os.path.lexists(path) else name


def _absolute(name: str) -> str:
    return os.path.abspath(os.path.expanduser(name))


def _time(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000).strftime("%Y-%m-%d %H:%M:%S")
