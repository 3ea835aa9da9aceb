"""`editcast reproduce zhao2019`."""

from typing import Any

import click
from rich.console import Console

from editcast import ranges
from editcast.commands.reproduce.options import FOLDER, device_option, paper_command

PARTS = ("tables", "timing", "real", "report")


@paper_command("zhao2019")
@click.argument("parts", nargs=-1, type=click.Choice(PARTS), metavar="[PARTS]...")
@click.option("--task", "tasks", multiple=True, help="[default: all]")
@click.option("--model", "models", multiple=True, help="[default: those of the tables, and IA+]")
@click.option("--hidden", multiple=True, type=click.IntRange(8, 2**14), help="[default: 128]")
@click.option("--rate", "rates", multiple=True, type=ranges.Finite(10), help="[default: .001]")
@click.option("--grid", "full", is_flag=True, help="All rates and sizes of the paper.")
@click.option("--steps", multiple=True, type=ranges.STEPS, default=(4000,), show_default=True)
@click.option(
    "--schedule",
    type=click.Choice(["linear", "constant"]),
    default="linear",
    show_default=True,
    help="Schedule of the learning rate; the paper's is constant.",
)
@click.option("--batch", default=64, show_default=True, type=click.IntRange(1, 2**16))
@click.option(
    "--diff",
    type=click.Choice(["canonical", "longest-block"]),
    default="canonical",
    show_default=True,
    help="Diff between the snapshots of a task; the paper's is longest-block.",
)
@click.option("--corpus", type=FOLDER, help="For real: a folder that `editcast corpus` made.")
@click.option(
    "--max-state",
    default=1024,
    show_default=True,
    type=ranges.MAX_STATE,
    help="For real: maximum number of tokens in a state.",
)
@click.option(
    "--limit",
    default=120.0,
    show_default=True,
    type=ranges.Finite(24 * 60 * 60),
    help="For timing: maximum seconds to measure one cell.",
)
@click.option(
    "--insertions",
    multiple=True,
    type=click.IntRange(1, 10_000),
    help="For timing.  [default: 10, 50, 100]",
)
@device_option
def zhao2019(**given: Any) -> None:
    """Zhao et al. (2019): "Neural Networks for Modeling Source Code Edits".

    PARTS are tables, timing, real and report; the default is all of them. Options that can be
    repeated make a run of each combination.
    """
    from editcast_papers.zhao2019.reproduction import Wanted, run

    if given["full"] and (given["hidden"] or given["rates"]):
        raise click.UsageError("--grid names all sizes and rates; leave out --hidden and --rate.")
    if "real" in given["parts"] and given["corpus"] is None:
        raise click.UsageError("real needs a --corpus, a folder that `editcast corpus` made.")
    run(Wanted(**given), Console())
