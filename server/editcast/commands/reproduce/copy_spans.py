"""`editcast reproduce copy-spans`, and the edits that it can be given."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from editcast import ranges
from editcast.commands.reproduce.options import (
    FOLDER,
    config_options,
    models_option,
    paper_command,
    test_option,
)
from editcast.guarded import guarded


@paper_command("copy-spans")
@click.option("--pairs", type=FOLDER, help="The folder of the bug-fix pairs; see the report.")
@click.option(
    "--size",
    "sizes",
    multiple=True,
    type=click.Choice(["small", "medium", "edits"]),
    default=("small",),
    show_default=True,
)
@models_option
@test_option
@config_options(hidden=128, rate=0.002, steps=10_000, batch=64)
def copy_spans(**given: Any) -> None:
    """Panthaplackel et al. (2021): "Copy that! Editing Sequences by Copying Spans"."""
    from editcast_papers.copy_spans.reproduction import Wanted, run

    run(Wanted(**given), Console())


@click.command()
@guarded("Stopped; nothing was written.")
@click.argument("folder", type=FOLDER)
@click.option(
    "--repositories",
    type=click.Path(path_type=Path),
    required=True,
    help="A TOML file with the lists train, dev and test of repositories, OWNER/NAME.",
)
@click.option(
    "--mirror",
    type=FOLDER,
    required=True,
    help="The folder of the repositories' clones, OWNER+NAME.",
)
@click.option("--seed", type=ranges.SEED, default=0, show_default=True)
def edit_pairs(folder: Path, repositories: Path, mirror: Path, seed: int) -> None:
    """Write edits from repositories into FOLDER, for `copy-spans --size edits --pairs FOLDER`."""
    from editcast_papers.copy_spans.edits import write_edits
    from editcast_training.sources.registry import listed_repositories

    origins, missing = listed_repositories(repositories, mirror)
    if missing:
        click.secho(f"Not in {mirror}: {', '.join(missing)}", fg="yellow", err=True)
    counts = write_edits(origins, folder, seed)
    click.echo(", ".join(f"{part}: {count:,}" for part, count in counts.items()))
