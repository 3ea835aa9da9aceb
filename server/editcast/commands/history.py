"""`editcast history`: showing, exporting and deleting recorded saves."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import click
from rich.console import Console
from rich.rule import Rule

from editcast import kinds
from editcast.printable import printable
from editcast.render_diff import plain, render_changes
from editcast_model.diff import diff
from editcast_model.errors import StoreError
from editcast_model.wording import counted
from editcast_store import forgetting_without_room, paths
from editcast_store.forgetting import ALWAYS, Period, absolute
from editcast_store.saves import Store

_TIME = click.DateTime(["%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S"])


@click.group(cls=kinds.Group)
def history() -> None:
    """Show, export or delete the recorded saves on this machine."""


@history.command("list")
def list_() -> None:
    """List every file that has saves."""
    console = Console()
    with _open_store(console) as store:
        line = "{:>7}  {:<19}  {:<19}  {:>12}  {}".format  # paths last: they are long
        click.echo(line("saves", "first", "last", "bytes", "file"))
        for file in store.files():
            times = _time(file.first), _time(file.last)
            size = f"{file.bytes:,}"
            click.echo(line(f"{file.saves:,}", *times, size, printable(file.path)))


@history.command()
@click.argument("path")
@click.option("--number", type=kinds.Whole(1, 10**9), metavar="N", help="Print the text of save N.")
def show(path: str, number: int | None) -> None:
    """Show the changes of each save of the file PATH."""
    console = Console()
    path = absolute(path)
    with _open_store(console) as store:
        snapshots = store.snapshots(path)
        if not snapshots:
            raise StoreError(
                f"No saves of {path} are recorded; `editcast history list` names the files."
            )
        if number is not None:
            if number > len(snapshots):
                raise StoreError(f"The saves of {path} are numbered from 1 to {len(snapshots)}.")
            console.file.write(snapshots[number - 1].text)
            return
        before = snapshots[0].text
        for count, snapshot in enumerate(snapshots, 1):
            console.print(Rule(f"Save {count}, {_time(snapshot.time)}", align="left"))
            if count == 1:
                lines = before.count("\n") + 1
                console.print(f"first save, {lines:,} lines", highlight=False)
            else:
                changes = render_changes(before, diff(before, snapshot.text))
                console.print(changes, soft_wrap=True)
            before = snapshot.text


@history.command()
@click.option(
    "--workspace",
    "workspaces",
    type=kinds.OLD_FOLDER,
    multiple=True,
    help="A folder whose repository is included.  [default: the current folder]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def count(workspaces: tuple[Path, ...], as_json: bool) -> None:
    """Count the history available for training: saves, VS Code's Local History, repositories."""
    from editcast_model.bundle import bundled_path
    from editcast_model.tokenizer import Tokenizer
    from editcast_training.data.counting import count_own_history
    from editcast_training.data.instances import LEAST_INSTANCES

    paths.home()
    tokenizer = Tokenizer((bundled_path() / "tokenizer.json").read_text("utf-8"))
    sources = list(count_own_history(workspaces or (Path.cwd(),), tokenizer))
    if as_json:
        found = {"sources": [asdict(one) for one in sources], "needed": LEAST_INSTANCES}
        click.echo(json.dumps(found))
        return
    for one in sources:
        said = f"{counted(one.saves, 'save')} of {counted(one.files, 'file')}"
        if one.kind == "git":
            said = "commits that git cannot read"
            if one.commits is not None:
                files = counted(one.files, "file")
                said = f"{counted(one.commits, 'commit')}, the newest of {files}"
        click.echo(printable(f"{one.name}: {said}, about {counted(one.instances, 'instance')}"))
    total = sum(one.instances for one in sources)
    click.echo(
        f"Together about {counted(total, 'instance')}: pieces of a file's history, of some 100 "
        f"edits each. A training needs {LEAST_INSTANCES}."
    )


@history.command()
@click.argument("pattern", required=False)
@click.option(
    "--output", type=kinds.FILE, metavar="FILE", help="Write to this file instead of stdout."
)
def export(pattern: str | None, output: Path | None) -> None:
    """Write the histories of all files, or of those that match PATTERN, as JSON lines.

    PATTERN is a path, a folder, or a glob for whole paths. Secrets are left out. Only you can read
    the FILE.
    """
    with _open_store(Console(stderr=True)) as store:
        if output is None or str(output) == "-":
            for line in store.export(pattern):
                click.echo(line)
            return
        store.export_to(output, pattern)
        click.echo(printable(f"The saves are in {output}."))


@history.command()
@click.argument("pattern", required=False)
@click.option("--all", "everything", is_flag=True, help="Delete everything.")
@click.option("--since", type=_TIME, metavar="TIME", help="Only saves at this time or later.")
@click.option("--until", type=_TIME, metavar="TIME", help="Only saves before this time.")
def forget(
    pattern: str | None, everything: bool, since: datetime | None, until: datetime | None
) -> None:
    """Delete the saves of files that match PATTERN, and overwrite their bytes on the disk.

    PATTERN is a path, a folder, or a glob for whole paths. A time is a local one, such as
    2026-11-23 or "2026-11-23 14:30:00".
    """
    if everything == (pattern is not None) and (everything or not (since or until)):
        raise click.UsageError("Give a PATTERN, --all, --since or --until.")
    console = Console()
    period = Period(
        _milliseconds(since) if since else ALWAYS.since,
        _milliseconds(until) if until else ALWAYS.until,
    )
    warnings: list[str] = []
    try:
        said = forgetting_without_room.forget(_store_path(), pattern, period, warnings.append)
        console.print(said, highlight=False)
    finally:
        for warning in warnings:
            console.print(plain(warning), style="yellow")


@contextmanager
def _open_store(console: Console) -> Iterator[Store]:
    """Open the store and print its notices; raise `StoreError` if there is none yet."""
    with Store.open(_store_path()) as store:
        try:
            yield store
        finally:
            for notice in store.notices:
                console.print(plain(notice), style="yellow")


def _store_path() -> Path:
    paths.home()
    path = paths.store_path()
    if not path.exists():
        raise StoreError(
            f"No saves are recorded yet ({path} does not exist); edit and save a file in an editor "
            "that runs Editcast."
        )
    return path


def _time(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000).strftime("%Y-%m-%d %H:%M:%S")


def _milliseconds(time: datetime) -> int:
    return round(1000 * time.timestamp())
