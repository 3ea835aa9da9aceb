"""Options that the commands of the papers share."""

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import getdoc
from pathlib import Path
from typing import Any

import click

from editcast import kinds
from editcast.guarded import guarded

Command = Callable[..., None]
PYTHON = Path("training/editcast_papers/python.toml")


def several(
    option: str, name: str, kind: Any = str, default: Sequence[Any] = (), help: str = ""
) -> Callable[[Command], Command]:
    """Make an option that can be repeated."""
    return click.option(option, name, multiple=True, type=kind, default=default, help=help)


def repositories_option(
    name: str, default: Path | None = PYTHON, more: str = ""
) -> Callable[[Command], Command]:
    """Make the option for a list of repositories, which the command receives by this name."""
    help = f"A TOML file with the lists train, dev and test of repositories, OWNER/NAME.{more}"
    return click.option("--repositories", name, type=kinds.PATH, default=default, help=help)


models_option = several("--model", "models", help="[default: all]")
LAYERS = kinds.Whole(1, 64)
mirror_option = click.option(
    "--mirror", type=kinds.FOLDER, help="The folder of the repositories' clones, OWNER+NAME."
)
test_option = click.option(
    "--test",
    "most",
    default=0,
    type=kinds.Whole(0, 2**31),
    help="Maximum number of test examples; 0 for all.",
)

_ALL = (
    "Runs and tests every training that is missing from the results, and writes the report. An "
    "interrupted training continues."
)


def paper_command(name: str) -> Callable[[Command], click.Command]:
    """Make a command of a paper that can be stopped, and has the options of all of them."""
    options = (
        several("--seed", "seeds", kinds.SEED, (0,)),
        click.option("--processes", default=1, type=kinds.PROCESSES),
        click.option("--threads", default=1, type=kinds.THREADS, help="Threads of each process."),
        click.option("--results", type=kinds.FOLDER, default=Path("benchmarks", name)),
        click.option("--scratch", type=kinds.FOLDER, default=Path(".cache", name)),
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
        click.option("--hidden", default=hidden, type=kinds.Whole(8, 2**14)),
        click.option("--rate", default=rate, type=kinds.Finite(10)),
        click.option("--steps", default=steps, type=kinds.STEPS),
        click.option("--batch", default=batch, type=kinds.Whole(1, 2**16)),
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
