"""Options that the commands of the papers share."""

from collections.abc import Callable
from functools import wraps
from inspect import getdoc
from pathlib import Path
from typing import Any

import click

from editcast import ranges
from editcast.guarded import guarded

FOLDER = click.Path(path_type=Path, file_okay=False)
LAYERS = click.IntRange(1, 64)
mirror_option = click.option(
    "--mirror", type=FOLDER, help="The folder of the repositories' clones, OWNER+NAME."
)
models_option = click.option("--model", "models", multiple=True, help="[default: all]")
device_option = click.option("--device", default="auto", type=click.Choice(["auto", "cpu", "cuda"]))
test_option = click.option(
    "--test",
    "most",
    default=0,
    show_default=True,
    type=click.IntRange(0, 2**31),
    help="Maximum number of test examples; 0 for all.",
)

Command = Callable[..., None]
_ALL = (
    "Runs and tests every training that is missing from the results, and writes the report. An "
    "interrupted training continues."
)


def paper_command(name: str) -> Callable[[Command], click.Command]:
    """Make a command of a paper that can be stopped, and has the options of all of them."""
    options = (
        click.option(
            "--seed",
            "seeds",
            multiple=True,
            type=ranges.SEED,
            default=(0,),
            show_default=True,
        ),
        click.option("--processes", default=1, show_default=True, type=ranges.PROCESSES),
        click.option(
            "--threads",
            default=1,
            show_default=True,
            type=ranges.THREADS,
            help="Threads of each process.",
        ),
        click.option("--results", type=FOLDER, default=Path("benchmarks", name), show_default=True),
        click.option("--scratch", type=FOLDER, default=Path(".cache", name), show_default=True),
    )

    def decorate(command: Command) -> click.Command:
        run = guarded("Stopped. The same command continues from the latest checkpoints.")(command)
        for option in options:
            run = option(run)
        return click.command(name, help=f"{getdoc(command)}\n\n{_ALL}")(run)

    return decorate


def config_options(
    *, hidden: int, rate: float, steps: int, batch: int
) -> Callable[[Command], Command]:
    """Add the options of a training, which the command receives as its `config`."""
    options = (
        click.option("--hidden", default=hidden, show_default=True, type=click.IntRange(8, 2**14)),
        click.option("--rate", default=rate, show_default=True, type=ranges.Finite(10)),
        click.option("--steps", default=steps, show_default=True, type=ranges.STEPS),
        click.option("--batch", default=batch, show_default=True, type=click.IntRange(1, 2**16)),
    )

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(hidden: int, rate: float, batch: int, steps: int, **given: Any) -> None:
            from editcast_papers.training import Config

            command(config=Config(hidden, rate, batch, steps), **given)

        for option in options:
            run = option(run)
        return run

    return decorate
