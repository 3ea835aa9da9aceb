"""`editcast reproduce pointer-mixture`."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from editcast.commands.reproduce.options import (
    FOLDER,
    config_options,
    device_option,
    paper_command,
)

_NODES = click.IntRange(100, 2**31 - 1)


@paper_command("pointer-mixture")
@click.option("--mirror", type=FOLDER, help="The folder of the repositories' clones, OWNER+NAME.")
@click.option(
    "--repositories",
    "listing",
    type=click.Path(path_type=Path),
    help="A TOML file with the lists train, dev and test of repositories, OWNER/NAME.  "
    "[default: the bundled model's for Python, the paper's own for JavaScript]",
)
@click.option(
    "--language",
    "languages",
    multiple=True,
    type=click.Choice(["python", "javascript"]),
    default=("python",),
    show_default=True,
)
@click.option(
    "--task",
    "tasks",
    multiple=True,
    type=click.Choice(["value", "type"]),
    default=("value",),
    show_default=True,
    help="The predicted part of a node.",
)
@click.option(
    "--vocabulary",
    "vocabularies",
    multiple=True,
    type=click.IntRange(2, 2**24),
    default=(1_000,),
    show_default=True,
    help="Number of values in the vocabulary.",
)
@click.option("--network", "networks", multiple=True, help="[default: all]")
@click.option(
    "--nodes", default=3_000_000, show_default=True, type=_NODES, help="Nodes to train on."
)
@click.option("--test", default=300_000, show_default=True, type=_NODES, help="Nodes to test on.")
@device_option
@config_options(hidden=256, rate=0.002, steps=4_000, batch=128)
def pointer_mixture(nodes: int, test: int, **given: Any) -> None:
    """Li et al. (2018): "Code Completion with Neural Attention and Pointer Networks".

    Options that can be repeated make a run of each combination.
    """
    from editcast_papers.pointer_mixture.corpus import Amount
    from editcast_papers.pointer_mixture.reproduction import Wanted, run

    run(Wanted(amount=Amount(nodes, test), **given), Console())
