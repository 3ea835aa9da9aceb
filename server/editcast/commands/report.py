"""`editcast report`: the page on what became of the suggestions, as a file."""

from pathlib import Path

import click

from editcast.printable import printable
from editcast_server.prediction import model_loader
from editcast_server.usage_page import usage_page, write_page
from editcast_store import paths


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
    paths.home()
    page = usage_page(paths.store_path(), "", model_loader.bundle_path(model_loader.Choice()), [])
    out = out or paths.reports_dir() / "usage.html"
    write_page(page, out)
    click.echo(printable(str(out)))
