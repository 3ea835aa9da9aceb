"""`editcast reproduce slides`."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from editcast.commands.reproduce.options import FOLDER, config_options, paper_command

_COUNT = click.IntRange(1, 2**31 - 1)
_TABLES = ("vocabulary", "positions", "network", "heads", "parents", "pretraining")


@paper_command("slides")
@click.option("--mirror", type=FOLDER, help="The folder of the repositories' clones, OWNER+NAME.")
@click.option(
    "--repositories",
    "listing",
    type=click.Path(path_type=Path),
    default=Path("training/bundled.toml"),
    show_default=True,
    help="A TOML file with the lists train, dev and test of repositories, OWNER/NAME.",
)
@click.option(
    "--table",
    "tables",
    multiple=True,
    type=click.Choice(_TABLES),
    default=_TABLES,
    show_default=True,
)
@click.option("--train", default=40_000, show_default=True, type=_COUNT, help="Maximum edits.")
@click.option("--dev", default=1_000, show_default=True, type=_COUNT, help="Maximum edits.")
@click.option("--test", default=2_000, show_default=True, type=_COUNT, help="Maximum edits.")
@click.option("--device", default="cpu", type=click.Choice(["auto", "cpu", "cuda"]))
@config_options(hidden=128, rate=0.001, steps=2_500, batch=32)
def slides(train: int, dev: int, test: int, **given: Any) -> None:
    """Nie's slides: vocabularies, positions, encoders and decoders, compared on edits."""
    from editcast_papers.slides.reproduction import Wanted, run

    run(Wanted(most={"train": train, "dev": dev, "test": test}, **given), Console())
