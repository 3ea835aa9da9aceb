"""`editcast reproduce pretrained-encoder`."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from editcast import ranges
from editcast.guarded import guarded

_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command("pretrained-encoder")
@guarded("Stopped. The same command goes on from the latest checkpoints.")
@click.option("--data", type=_FOLDER, help="A clone of odashi/ase15-django-dataset.")
@click.option(
    "--repositories",
    type=click.Path(path_type=Path),
    default=Path("training/bundled.toml"),
    show_default=True,
    help="A TOML file with the list train of repositories, OWNER/NAME, to pre-train on.",
)
@click.option("--mirror", type=_FOLDER, help="Their folder, OWNER+NAME.")
@click.option("--model", "models", multiple=True, help="[default: all]")
@click.option("--seed", "seeds", multiple=True, type=ranges.SEED, default=(0,), show_default=True)
@click.option("--hidden", default=128, show_default=True, type=click.IntRange(8, 2**14))
@click.option("--rate", default=0.001, show_default=True, type=ranges.Finite(10))
@click.option("--steps", default=2_500, show_default=True, type=ranges.STEPS)
@click.option("--pretraining-steps", "before", default=2_500, show_default=True, type=ranges.STEPS)
@click.option("--batch", default=64, show_default=True, type=click.IntRange(1, 2**16))
@click.option("--processes", default=1, show_default=True, type=ranges.PROCESSES)
@click.option("--threads", default=1, show_default=True, type=ranges.THREADS, help="Of each.")
@click.option("--device", default="auto", type=click.Choice(["auto", "cpu", "cuda"]))
@click.option(
    "--results", type=_FOLDER, default=Path("benchmarks/pretrained-encoder"), show_default=True
)
@click.option(
    "--scratch", type=_FOLDER, default=Path(".cache/pretrained-encoder"), show_default=True
)
def pretrained_encoder(
    hidden: int, rate: float, steps: int, before: int, batch: int, **given: Any
) -> None:
    """Li (2020), topic 3: a pre-trained encoder and an LSTM decoder write lines of Django.

    Trains and tests what is not in the results, and writes the report. What was interrupted goes
    on.
    """
    from editcast_papers.pretrained_encoder.reproduction import Wanted, run
    from editcast_papers.training import Config

    config, first = (Config(hidden, rate, batch, one) for one in (steps, before))
    run(Wanted(config=config, pretraining=first, **given), Console())
