"""`editcast reproduce multi-head`."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from editcast import ranges
from editcast.guarded import guarded

_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command("multi-head")
@guarded("Stopped. The same command goes on from the latest checkpoints.")
@click.option("--data", type=_FOLDER, help="A clone of multi30k/dataset.")
@click.option("--model", "models", multiple=True, help="[default: all]")
@click.option("--seed", "seeds", multiple=True, type=ranges.SEED, default=(0,), show_default=True)
@click.option("--hidden", default=128, show_default=True, type=click.IntRange(8, 2**14))
@click.option("--layers", default=3, show_default=True, type=click.IntRange(1, 64))
@click.option("--heads", default=8, show_default=True, type=click.IntRange(1, 256))
@click.option(
    "--vocabulary", default=4000, show_default=True, type=click.IntRange(100, 2**16), help="Most."
)
@click.option("--rate", default=0.002, show_default=True, type=ranges.Finite(10))
@click.option("--steps", default=10_000, show_default=True, type=ranges.STEPS)
@click.option("--batch", default=64, show_default=True, type=click.IntRange(1, 2**16))
@click.option("--processes", default=1, show_default=True, type=ranges.PROCESSES)
@click.option("--threads", default=1, show_default=True, type=ranges.THREADS, help="Of each.")
@click.option("--device", default="auto", type=click.Choice(["auto", "cpu", "cuda"]))
@click.option("--results", type=_FOLDER, default=Path("benchmarks/multi-head"), show_default=True)
@click.option("--scratch", type=_FOLDER, default=Path(".cache/multi-head"), show_default=True)
def multi_head(
    hidden: int,
    layers: int,
    heads: int,
    vocabulary: int,
    rate: float,
    steps: int,
    batch: int,
    **given: Any,
) -> None:
    """Li et al. (2018, 2019): heads that disagree, and routing that joins them.

    Trains and tests what is not in the results, and writes the report. What was interrupted goes
    on.
    """
    from editcast_papers.multi_head.reproduction import Wanted, run
    from editcast_papers.multi_head.runs import Settings
    from editcast_papers.training import Config

    settings = Settings(Config(hidden, rate, batch, steps), layers, heads, vocabulary)
    run(Wanted(settings=settings, **given), Console())
