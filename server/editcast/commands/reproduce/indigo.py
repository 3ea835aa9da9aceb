"""`editcast reproduce indigo`."""

from typing import Any

import click
from rich.console import Console

from editcast.commands.reproduce.options import (
    FOLDER,
    LAYERS,
    config_options,
    device_option,
    paper_command,
    test_option,
)


@paper_command("indigo")
@click.option(
    "--data",
    type=FOLDER,
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
@click.option("--layers", default=2, show_default=True, type=LAYERS)
@click.option(
    "--orders",
    default=2,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Number of orders to search per text; the paper searches 8.",
)
@click.option(
    "--beam",
    "beams",
    multiple=True,
    type=click.IntRange(1, 100),
    default=(1, 5, 10),
    show_default=True,
    help="Beam widths.",
)
@test_option
@device_option
@click.option("--timing", is_flag=True, help="Measure the time of training steps instead.")
@config_options(hidden=128, rate=0.002, steps=1000, batch=64)
def indigo(layers: int, orders: int, most: int, **given: Any) -> None:
    """Gu et al. (2019): "Insertion-based Decoding with Automatically Inferred Generation Order"."""
    from editcast_papers.indigo.reproduction import Wanted, run
    from editcast_papers.indigo.runs import Sizes

    run(Wanted(sizes=Sizes(layers, orders, most), **given), Console())
