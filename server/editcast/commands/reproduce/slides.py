"""`editcast reproduce slides`."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from editcast import ranges
from editcast.guarded import guarded

_FOLDER = click.Path(path_type=Path, file_okay=False)
_COUNT = click.IntRange(1, 2**31 - 1)
_TABLES = ("vocabulary", "positions", "network", "heads", "parents", "pretraining")


@click.command()
@guarded("Stopped. The same command goes on from the latest checkpoints.")
@click.option("--mirror", type=_FOLDER, help="The repositories' folder, OWNER+NAME.")
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
@click.option("--seed", "seeds", multiple=True, type=ranges.SEED, default=(0,), show_default=True)
@click.option("--hidden", default=128, show_default=True, type=click.IntRange(8, 2**14))
@click.option("--rate", default=0.001, show_default=True, type=ranges.Finite(10))
@click.option("--steps", default=2_500, show_default=True, type=ranges.STEPS)
@click.option("--batch", default=32, show_default=True, type=click.IntRange(1, 2**16))
@click.option("--train", default=40_000, show_default=True, type=_COUNT, help="Most edits.")
@click.option("--dev", default=1_000, show_default=True, type=_COUNT, help="Most edits.")
@click.option("--test", default=2_000, show_default=True, type=_COUNT, help="Most edits.")
@click.option("--processes", default=1, show_default=True, type=ranges.PROCESSES)
@click.option("--threads", default=1, show_default=True, type=ranges.THREADS, help="Of each.")
@click.option("--device", default="cpu", type=click.Choice(["auto", "cpu", "cuda"]))
@click.option("--results", type=_FOLDER, default=Path("benchmarks/slides"), show_default=True)
@click.option("--scratch", type=_FOLDER, default=Path(".cache/slides"), show_default=True)
def slides(
    hidden: int,
    rate: float,
    steps: int,
    batch: int,
    train: int,
    dev: int,
    test: int,
    **given: Any,
) -> None:
    """Nie's slides: vocabularies, positions, encoders and decoders, compared on edits.

    Trains and tests what is not in the results, and writes the report. What was interrupted goes
    on.
    """
    from editcast_papers.slides.reproduction import Wanted, run
    from editcast_papers.training import Config

    config, most = Config(hidden, rate, batch, steps), {"train": train, "dev": dev, "test": test}
    run(Wanted(config=config, most=most, **given), Console())
