"""The subcommands of a user who takes suggestions: serve, demo, report, history, doctor."""

from contextlib import suppress
from pathlib import Path

import click

# `serve` must be up in a second: nothing is imported before the command is known.


@click.command()
@click.option("--tcp", metavar="HOST:PORT", help="Listen there instead of on stdio, to debug.")
@click.option("--stdio", is_flag=True, help="Speak on stdin and stdout; the default.")
def serve(tcp: str | None, stdio: bool) -> None:
    """Speak LSP with an editor, on stdin and stdout."""
    from editcast_server.logs import start_logging

    address = None if tcp is None else _address(tcp)
    start_logging()
    _remove_telemetry()
    from editcast_server.lsp.app import create_server

    server = create_server()
    try:
        if address is None:
            server.start_io()
        else:
            server.start_tcp(*address)
    finally:
        server.stop()
    if server.exit_code:
        raise SystemExit(server.exit_code)


def _remove_telemetry() -> None:
    """Remove what ONNX Runtime left in the user's caches before Editcast switched it off."""
    from editcast_model.errors import EditcastError
    from editcast_model.inference.telemetry import remove_traces
    from editcast_store.paths import home

    with suppress(EditcastError, OSError):
        remove_traces(home())


def _address(tcp: str) -> tuple[str, int]:
    host, colon, port = tcp.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise click.BadParameter("it must be HOST:PORT, such as 127.0.0.1:9000", param_hint="--tcp")
    return host.strip("[]") or "127.0.0.1", int(port)


@click.command()
def demo() -> None:
    """Replay a small editing session through a real server and print each step."""
    from rich.console import Console

    from editcast.commands import demo as replay

    replay.run(Console())


@click.command()
def doctor() -> None:
    """Report versions, providers, the model in use, the store's size, and where everything is."""
    from rich.console import Console

    from editcast.commands.doctor import report

    report(Console())


@click.command()
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write it there.  [default: in Editcast's own folder]",
)
def report(out: Path | None) -> None:
    """Write a page on what became of the suggestions, and print where it is.

    Nothing of it leaves this machine, and only you can read the file.
    """
    from editcast.printable import printable
    from editcast_server.prediction import model_loader
    from editcast_server.usage_page import usage_page, write_page
    from editcast_store import paths

    paths.home()
    page = usage_page(paths.store_path(), "", model_loader.bundle_path(model_loader.Choice()), [])
    out = out or paths.reports_dir() / "usage.html"
    write_page(page, out)
    click.echo(printable(str(out)))


@click.group()
def history() -> None:
    """The saves that Editcast remembers; they never leave this machine."""


@history.command("list")
def list_() -> None:
    """Every file that has saves."""
    from rich.console import Console

    from editcast.commands.history import list_files, open_store

    console = Console()
    with open_store(console) as store:
        list_files(console, store)


@history.command()
@click.argument("path")
@click.option(
    "--number", type=click.IntRange(1, 10**9), metavar="N", help="Print the text that save N left."
)
def show(path: str, number: int | None) -> None:
    """Return what each save of the file PATH changed."""
    from rich.console import Console

    from editcast.commands.history import open_store, show_file

    console = Console()
    with open_store(console) as store:
        show_file(console, store, path, number)


@history.command()
@click.argument("pattern", required=False)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A file instead of stdout.",
)
def export(pattern: str | None, output: Path | None) -> None:
    """Save histories as JSON lines, of all files or of those that PATTERN names; no secrets.

    PATTERN is a path, a folder, or a glob over whole paths. Only you can read the FILE.
    """
    from rich.console import Console

    from editcast.commands.history import open_store, whole_path, write_lines

    console = Console(stderr=True)
    with open_store(console) as store:
        lines = store.export(None if pattern is None else whole_path(store.names, pattern))
        write_lines(lines, output)


@history.command()
@click.argument("pattern", required=False)
@click.option("--all", "everything", is_flag=True, help="Forget everything.")
def forget(pattern: str | None, everything: bool) -> None:
    """Remove the saves of the files that PATTERN names, and their bytes from the disk.

    PATTERN is a path, a folder, or a glob over whole paths.
    """
    from rich.console import Console

    from editcast.commands.history import forget_files

    if everything == (pattern is not None):
        raise click.UsageError("Give a PATTERN, or --all.")
    forget_files(Console(), pattern)
