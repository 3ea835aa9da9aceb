"""`editcast doctor`, a list of versions and folders, and `editcast report`, a page."""

import platform
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from editcast.printable import printable
from editcast.render_diff import plain
from editcast_model.bundle import bundled_path
from editcast_model.errors import BundleError, EditcastError
from editcast_model.inference.telemetry import load_onnxruntime
from editcast_server.prediction import model_loader
from editcast_server.prediction.policy import default_threshold, measured_precision
from editcast_server.usage_page import usage_page, write_page
from editcast_store import paths
from editcast_store.models import default_bundle_path
from editcast_store.saves import Store

_PACKAGES = ("pygls", "lsprotocol", "rapidfuzz", "numpy", "tokenizers", "onnxruntime", "torch")

Fact = tuple[str, str]


@click.command()
def doctor() -> None:
    """Report versions, providers, the model in use, the store's size, and the folders."""
    console = Console()
    for title, facts in (
        ("Versions", _versions()),
        ("ONNX Runtime", _providers()),
        ("Model", _model()),
        ("History", _history()),
        ("Folders", _folders()),
    ):
        table = Table(title=title, title_justify="left", show_header=False, box=None)
        table.add_column(style="bold", no_wrap=True)
        table.add_column(overflow="fold")
        for name, value in facts:
            table.add_row(plain(name), plain(value))
        console.print(table, "", highlight=False)


@click.command()
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The file to write.  [default: in Editcast's own folder]",
)
def report(out: Path | None) -> None:
    """Write a page about the outcomes of suggestions, and print its path.

    The page stays on this machine, and only you can read it.
    """
    paths.home()
    page = usage_page(paths.store_path(), "", model_loader.bundle_path(model_loader.Choice()), [])
    out = out or paths.reports_dir() / "usage.html"
    write_page(page, out)
    click.echo(printable(str(out)))


def _versions() -> Iterator[Fact]:
    yield "editcast", version("editcast")
    yield "Python", f"{platform.python_version()} ({sys.executable})"
    yield "system", platform.platform()
    for package in _PACKAGES:
        yield package, _installed(package)


def _installed(package: str) -> str:
    names = ("onnxruntime-gpu", "onnxruntime") if package == "onnxruntime" else (package,)
    for name in names:
        try:
            found = version(name)
        except PackageNotFoundError:
            continue
        return found if name == package else f"{found} ({name})"
    return "not installed; only training needs it" if package == "torch" else "not installed"


def _providers() -> Iterator[Fact]:
    try:
        onnxruntime = load_onnxruntime()
    except (BundleError, ImportError) as error:
        yield "cannot be used", str(error)
        return
    yield "providers", ", ".join(onnxruntime.get_available_providers())


def _model() -> Iterator[Fact]:
    path = default_bundle_path()
    yield "path", f"{path} ({'bundled' if path == bundled_path() else 'trained here'})"
    model = model_loader.load(model_loader.Choice())
    yield "name", model.forecaster.name
    if model.problem:
        yield "problem", model.problem
    yield "device", str(getattr(model.forecaster, "device", "none"))
    yield "shown from", f"{default_threshold(model.card):.2f}"
    if model.card:
        precision = measured_precision(model.card)
        yield "clean of these", "not measured" if precision is None else f"{100 * precision:.0f} %"
        numbers = ("calibration", "lines")  # of the ranker's, for nobody to read
        yield from _flat({k: v for k, v in model.card.written.items() if k not in numbers})


def _flat(card: Mapping[str, Any], prefix: str = "") -> Iterator[Fact]:
    """Return a card's entries, one a line; long lists are counted only."""
    for name, value in card.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, list) and len(str(value)) > 80:
            yield prefix + name, f"{len(value)} values"
        elif prefix or name != "name":
            yield prefix + name, f"{value:.4g}" if isinstance(value, float) else str(value)


def _history() -> Iterator[Fact]:
    path = paths.store_path()
    yield "path", str(path)
    if not path.exists():
        yield "saves", "none yet"
        return
    try:
        with Store.open(path) as store:
            files = store.files()
            saves = sum(file.saves for file in files)
            yield "saves", f"{saves:,} of {len(files):,} files"
            yield "size", f"{store.size() / 1e6:.1f} MB"
            outcomes = [outcome.what for outcome in store.outcomes()]
            accepted, rejected = outcomes.count("accepted"), outcomes.count("rejected")
            yield "suggestions", f"{accepted:,} accepted, {rejected:,} dismissed"
            for notice in store.notices:
                yield "problem", notice
    except EditcastError as error:
        yield "problem", str(error)


def _folders() -> Iterator[Fact]:
    yield "home", str(paths.home())
    yield "models", str(paths.models_dir())
    yield "logs", str(paths.logs_dir())
