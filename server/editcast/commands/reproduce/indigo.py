"""`editcast reproduce indigo`."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from editcast import ranges
from editcast.guarded import guarded

_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command("indigo")
@guarded("Stopped. The same command goes on from the latest checkpoints.")
@click.option(
    "--data",
    type=_FOLDER,
    help="A clone of multi30k/dataset or, for the task django, odashi/ase15-django-dataset.",
)
@click.option(
    "--task",
    "tasks",
    multiple=True,
    type=click.Choice(["word order", "django", "en-de"]),
    default=("word order",),
    show_default=True,
)
@click.option("--order", "variants", multiple=True, help="L2R, SAO, ...  [default: all]")
@click.option("--seed", "seeds", multiple=True, type=ranges.SEED, default=(0,), show_default=True)
@click.option("--hidden", default=128, show_default=True, type=click.IntRange(8, 2**14))
@click.option("--layers", default=2, show_default=True, type=click.IntRange(1, 64))
@click.option("--rate", default=0.002, show_default=True, type=ranges.Finite(10))
@click.option("--steps", default=1000, show_default=True, type=ranges.STEPS)
@click.option("--batch", default=64, show_default=True, type=click.IntRange(1, 2**16))
@click.option(
    "--orders",
    default=2,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Orders of a text that are searched; the paper's are 8.",
)
@click.option(
    "--beam",
    "beams",
    multiple=True,
    type=click.IntRange(1, 100),
    default=(1, 5, 10),
    show_default=True,
    help="Of decoding.",
)
@click.option(
    "--test",
    "most",
    default=0,
    show_default=True,
    type=click.IntRange(0, 2**31),
    help="Most test examples; 0 for all.",
)
@click.option("--processes", default=1, show_default=True, type=ranges.PROCESSES)
@click.option("--threads", default=1, show_default=True, type=ranges.THREADS, help="Of each.")
@click.option("--device", default="auto", type=click.Choice(["auto", "cpu", "cuda"]))
@click.option("--timing", is_flag=True, help="Measure the time of training steps instead.")
@click.option("--results", type=_FOLDER, default=Path("benchmarks/indigo"), show_default=True)
@click.option("--scratch", type=_FOLDER, default=Path(".cache/indigo"), show_default=True)
def indigo(
    hidden: int,
    rate: float,
    steps: int,
    batch: int,
    layers: int,
    orders: int,
    most: int,
    **given: Any,
) -> None:
    """Gu et al. (2019): "Insertion-based Decoding with Automatically Inferred Generation Order".

    Trains and tests what is not in the results, and writes the report. What was interrupted goes
    on.
    """
    from editcast_papers.indigo.reproduction import Wanted, run
    from editcast_papers.indigo.runs import Sizes
    from editcast_papers.training import Config

    run(
        Wanted(
            config=Config(hidden, rate, batch, steps),
            sizes=Sizes(layers, orders, most),
            **given,
        ),
        Console(),
    )
