"""`editcast history`: what the store remembers, shown, exported, forgotten."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.rule import Rule
from rich.table import Table

from editcast_model import paths
from editcast_model.diff import diff
from editcast_model.errors import StoreError
from editcast_model.history import Store
from editcast_server.rendering import render_changes


@contextmanager
def open_store(console: Console) -> Iterator[Store]:
    """The store; its notices are printed. Raises `StoreError`, also when there is none yet."""
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
                console.print(notice, style="yellow", highlight=False)


def list_files(console: Console, store: Store) -> None:
    """One line a file."""
    table = Table("file", "language", "saves", "first", "last", "bytes", box=None)
    for file in store.files():
        table.add_row(
            file.path,
            file.language,
            f"{file.snapshots:,}",
            _time(file.first),
            _time(file.last),
            f"{file.size:,}",
        )
    console.print(table, highlight=False)


def show_file(console: Console, store: Store, name: str, number: int | None) -> None:
    """What each save of a file changed; with a number, the text that this save left."""
    path = whole_path(name)
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


def whole_path(name: str) -> str:
    """A path as the store has it, from one on the command line; a glob stays as it is."""
    if any(character in name for character in "*?["):
        return name
    return str(Path(name).expanduser().absolute())


def _time(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000).strftime("%Y-%m-%d %H:%M:%S")
