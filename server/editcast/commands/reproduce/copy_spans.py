"""`editcast reproduce copy-spans`, and the edits that it can be given."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from editcast import ranges
from editcast.guarded import guarded

_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command("copy-spans")
@guarded("Stopped. The same command goes on from the latest checkpoints.")
@click.option("--pairs", type=_FOLDER, help="The folder of the bug-fix pairs; see the report.")
@click.option(
    "--size",
    "sizes",
    multiple=True,
    type=click.Choice(["small", "medium", "edits"]),
    default=("small",),
    show_default=True,
)
@click.option("--model", "models", multiple=True, help="[default: all]")
@click.option("--seed", "seeds", multiple=True, type=ranges.SEED, default=(0,), show_default=True)
@click.option("--hidden", default=128, show_default=True, type=click.IntRange(8, 2**14))
@click.option("--rate", default=0.002, show_default=True, type=ranges.Finite(10))
@click.option("--steps", default=10_000, show_default=True, type=ranges.STEPS)
@click.option("--batch", default=64, show_default=True, type=click.IntRange(1, 2**16))
@click.option(
    "--test",
    "most",
    default=0,
    show_default=True,
    type=click.IntRange(0, 2**31),
    help="Most test pairs; 0 for all.",
)
@click.option("--processes", default=1, show_default=True, type=ranges.PROCESSES)
@click.option("--threads", default=1, show_default=True, type=ranges.THREADS, help="Of each.")
@click.option("--results", type=_FOLDER, default=Path("benchmarks/copy-spans"), show_default=True)
@click.option("--scratch", type=_FOLDER, default=Path(".cache/copy-spans"), show_default=True)
def copy_spans(hidden: int, rate: float, steps: int, batch: int, **given: Any) -> None:
    """Panthaplackel et al. (2021): "Copy that! Editing Sequences by Copying Spans".

    Trains and tests what is not in the results, and writes the report. What was interrupted goes
    on.
    """
    from editcast_papers.copy_spans.reproduction import Wanted, run
    from editcast_papers.training import Config

    run(Wanted(config=Config(hidden, rate, batch, steps), **given), Console())


@click.command()
@guarded("Stopped; nothing was written.")
@click.argument("folder", type=_FOLDER)
@click.option(
    "--repositories",
    type=click.Path(path_type=Path),
    required=True,
    help="A TOML file with the lists train, dev and test of repositories, OWNER/NAME.",
)
@click.option("--mirror", type=_FOLDER, required=True, help="Their folder, OWNER+NAME.")
@click.option("--seed", type=ranges.SEED, default=0, show_default=True)
def edit_pairs(folder: Path, repositories: Path, mirror: Path, seed: int) -> None:
    """Write edits of repositories into FOLDER, for `copy-spans --size edits --pairs FOLDER`."""
    from editcast_papers.copy_spans.edits import write_edits
    from editcast_training.sources.registry import listed_repositories

    origins, missing = listed_repositories(repositories, mirror)
    if missing:
        click.secho(f"Not in {mirror}: {', '.join(missing)}", fg="yellow", err=True)
    counts = write_edits(origins, folder, seed)
    click.echo(", ".join(f"{part}: {count:,}" for part, count in counts.items()))
