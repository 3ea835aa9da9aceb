"""`editcast reproduce multi-head`."""

from typing import Any

import click
from rich.console import Console

from editcast.commands.reproduce.options import (
    FOLDER,
    LAYERS,
    config_options,
    device_option,
    models_option,
    paper_command,
)


@paper_command("multi-head")
@click.option("--data", type=FOLDER, help="A clone of multi30k/dataset.")
@models_option
@click.option("--layers", default=3, show_default=True, type=LAYERS)
@click.option("--heads", default=8, show_default=True, type=click.IntRange(1, 256))
@click.option(
    "--vocabulary",
    default=4000,
    show_default=True,
    type=click.IntRange(100, 2**16),
    help="Maximum size.",
)
@device_option
@config_options(hidden=128, rate=0.002, steps=10_000, batch=64)
def multi_head(config: Any, layers: int, heads: int, vocabulary: int, **given: Any) -> None:
    """Li et al. (2018, 2019): heads that disagree, and routing that joins them."""
    from editcast_papers.multi_head.reproduction import Wanted, run
    from editcast_papers.multi_head.runs import Settings

    run(Wanted(settings=Settings(config, layers, heads, vocabulary), **given), Console())
