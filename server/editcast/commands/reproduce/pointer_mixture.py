"""`editcast reproduce pointer-mixture`."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from editcast import ranges
from editcast.guarded import guarded

_FOLDER = click.Path(path_type=Path, file_okay=False)
_NODES = click.IntRange(100, 2**31 - 1)


@click.command("pointer-mixture")
@guarded("Stopped. The same command goes on from the latest checkpoints.")
@click.option("--mirror", type=_FOLDER, help="The repositories' folder, OWNER+NAME.")
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
    help="What is predicted.",
)
@click.option(
    "--vocabulary",
    "vocabularies",
    multiple=True,
    type=click.IntRange(2, 2**24),
    default=(1_000,),
    show_default=True,
    help="Values that a network knows.",
)
@click.option("--network", "networks", multiple=True, help="[default: all]")
@click.option("--seed", "seeds", multiple=True, type=ranges.SEED, default=(0,), show_default=True)
@click.option("--hidden", default=256, show_default=True, type=click.IntRange(8, 2**14))
@click.option("--rate", default=0.002, show_default=True, type=ranges.Finite(10))
@click.option("--steps", default=4_000, show_default=True, type=ranges.STEPS)
@click.option("--batch", default=128, show_default=True, type=click.IntRange(1, 2**16))
@click.option("--nodes", default=3_000_000, show_default=True, type=_NODES, help="To train on.")
@click.option("--test", default=300_000, show_default=True, type=_NODES, help="Nodes to test on.")
@click.option("--processes", default=1, show_default=True, type=ranges.PROCESSES)
@click.option("--threads", default=1, show_default=True, type=ranges.THREADS, help="Of each.")
@click.option("--device", default="auto", type=click.Choice(["auto", "cpu", "cuda"]))
@click.option(
    "--results", type=_FOLDER, default=Path("benchmarks/pointer-mixture"), show_default=True
)
@click.option("--scratch", type=_FOLDER, default=Path(".cache/pointer-mixture"), show_default=True)
def pointer_mixture(
    hidden: int, rate: float, steps: int, batch: int, nodes: int, test: int, **given: Any
) -> None:
    """Li et al. (2018): "Code Completion with Neural Attention and Pointer Networks".

    Trains and tests what is not in the results, and writes the report. Options that can be
    repeated make a run of each combination. What was interrupted goes on.
    """
    from editcast_papers.pointer_mixture.corpus import Amount
    from editcast_papers.pointer_mixture.reproduction import Wanted, run
    from editcast_papers.training import Config

    config = Config(hidden, rate, batch, steps)
    run(Wanted(config=config, amount=Amount(nodes, test), **given), Console())
