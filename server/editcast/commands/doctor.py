"""`editcast doctor`, a list of versions and folders, and `editcast report`, a page."""

import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from editcast import kinds
from editcast.printable import printable
from editcast_model.bundle import bundled_path
from editcast_model.errors import BundleError, EditcastError
from editcast_model.inference.telemetry import load_onnxruntime
from editcast_server.prediction import model_loader
from editcast_server.prediction.policy import default_threshold, measured_precision
from editcast_server.usage import usage_page, write_page
from editcast_store import paths
from editcast_store.models import default_bundle_path
from editcast_store.saves import Store

_PACKAGES = ("pygls", "lsprotocol", "rapidfuzz", "numpy", "onnxruntime-gpu", "onnxruntime", "torch")

Fact = tuple[str, object]


@click.command()
def doctor() -> None:
    """Report versions, the model in use, the recorded saves and the folders."""
    for title, facts in (
        ("Versions", _versions()),
        ("Model", _model()),
        ("History", _history()),
        ("Folders", _folders()),
    ):
        click.secho(title, bold=True)
        for name, value in facts:
            click.echo(printable(f"  {name:<18}{value}"))


@click.command()
@click.option(
    "--out",
    type=kinds.FILE,
    metavar="FILE",
    help="The file to write.  [default: in Editcast's own folder]",
)
def report(out: Path | None) -> None:
    """Write a page about the outcomes of suggestions, and print its path.

    The page stays on this machine, and only you can read it.
    """
    paths.home()
    page = usage_page(paths.store_path(), "", model_loader.bundle_path(model_loader.Choice()), [])
    out = out or paths.own_folder("reports") / "usage.html"
    write_page(page, out)
    click.echo(printable(str(out)))


def _versions() -> Iterator[Fact]:
    yield "editcast", version("editcast")
    yield "Python", f"{platform.python_version()} ({sys.executable})"
    yield "system", platform.platform()
    for package in _PACKAGES:
        try:
            yield package, version(package)
        except PackageNotFoundError:  # one onnxruntime of the two is enough
            if package == "torch":
                yield package, "not installed; only training needs it"
    try:
        yield "providers", ", ".join(load_onnxruntime().get_available_providers())
    except (BundleError, ImportError) as error:
        yield "onnxruntime fails", error


def _model() -> Iterator[Fact]:
    path = default_bundle_path()
    model = model_loader.load(model_loader.Choice())
    yield "name", model.forecaster.name
    yield "path", f"{path} ({'bundled' if path == bundled_path() else 'trained or installed here'})"
    if model.problem:
        yield "problem", model.problem
    yield "device", getattr(model.forecaster, "device", "none")
    yield "shown from", f"a confidence of {default_threshold(model.card):.2f}"
    if model.card:
        precision = measured_precision(model.card)
        yield "clean of these", "not measured" if precision is None else f"{100 * precision:.0f} %"
        yield "made", model.card.written.get("created", "at an unknown time")
        yield "from", model.card.base or "nothing"
        yield "all about it", path / "card.json"


def _history() -> Iterator[Fact]:
    path = paths.store_path()
    yield "path", path
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
        yield "problem", error


def _folders() -> Iterator[Fact]:
    yield "home", paths.home()
    yield "models", paths.own_folder("models")
    yield "logs", paths.own_folder("logs")
