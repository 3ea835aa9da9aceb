"""The subcommand that makes a paper's tables and figures again: reproduce."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from rich.console import Console

from editcast_training.reproduce.paper import HIDDEN, RATES
from editcast_training.reproduce.runs import Results, append_line, read_runs

if TYPE_CHECKING:
    from editcast_training.reproduce.grid import Job

# torch takes seconds to import: the parts that need it import what they call.

PARTS = ("tables", "timing", "real", "report")
_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.group()
def reproduce() -> None:
    """Make a paper's tables and figures again."""


@reproduce.command()
@click.argument("parts", nargs=-1, type=click.Choice(PARTS), metavar="[PARTS]...")
@click.option("--task", "tasks", multiple=True, help="[default: all]")
@click.option("--model", "models", multiple=True, help="[default: those of the tables, and IA+]")
@click.option("--seed", "seeds", multiple=True, type=int, default=(0,), show_default=True)
@click.option("--hidden", multiple=True, type=click.IntRange(8), help="[default: 128]")
@click.option(
    "--rate",
    "rates",
    multiple=True,
    type=click.FloatRange(0, min_open=True),
    help="[default: .001]",
)
@click.option("--grid", is_flag=True, help="All learning rates and hidden sizes of the paper.")
@click.option("--steps", multiple=True, type=click.IntRange(1), default=(4000,), show_default=True)
@click.option(
    "--schedule",
    type=click.Choice(["linear", "constant"]),
    default="linear",
    show_default=True,
    help="Of the learning rate; the paper's is constant.",
)
@click.option("--processes", default=1, show_default=True, type=click.IntRange(1))
@click.option("--threads", default=1, show_default=True, type=click.IntRange(1), help="Of each.")
@click.option("--device", default="auto", type=click.Choice(["auto", "cpu", "cuda"]))
@click.option("--results", type=_FOLDER, default=Path("benchmarks/zhao2019"), show_default=True)
@click.option("--scratch", type=_FOLDER, default=Path(".cache/zhao2019"), show_default=True)
def zhao2019(
    parts: tuple[str, ...],
    tasks: tuple[str, ...],
    models: tuple[str, ...],
    seeds: tuple[int, ...],
    hidden: tuple[int, ...],
    rates: tuple[float, ...],
    grid: bool,
    steps: tuple[int, ...],
    schedule: Literal["linear", "constant"],
    processes: int,
    threads: int,
    device: str,
    results: Path,
    scratch: Path,
) -> None:
    """Zhao et al. (2019): "Neural Networks for Modeling Source Code Edits".

    PARTS are tables, timing, real and report; all of them by default. What is in the results
    already is not run again, and what was interrupted goes on. Options that can be repeated make
    a run of each combination.
    """
    from editcast_training.reproduce.grid import PLAN, known, plan
    from editcast_training.reproduce.recipe import Config
    from editcast_training.synthetic import NAMES
    from editcast_training.trainer import pick_device

    if grid and (hidden or rates):
        raise click.UsageError("--grid names all sizes and rates; leave out --hidden and --rate.")
    sizes = HIDDEN if grid else hidden or (128,)
    speeds = RATES if grid else rates or (0.001,)
    known(tasks, models)
    device = pick_device(device).type
    console = Console()
    found, problems = read_runs(results)
    for problem in problems:
        console.print(problem, style="yellow", highlight=False)
    wanted = parts or PARTS
    if "tables" in wanted:
        configs = [
            Config(size, rate, steps=count, schedule=schedule)
            for size, rate, count in product(sizes, speeds, steps)
        ]
        jobs = plan(tasks or NAMES, models or PLAN, seeds, configs, scratch=scratch, device=device)
        _tables(console, results, found, jobs, processes, threads)


def _tables(
    console: Console,
    folder: Path,
    found: Results,
    jobs: "Sequence[Job]",
    processes: int,
    threads: int,
) -> None:
    """Describe the tasks and train what is missing; a line in the results for each."""
    from editcast_training.reproduce.grid import run_all
    from editcast_training.reproduce.tasks import examples, statistics

    described = {line.task for line in found.statistics}
    for task in dict.fromkeys(job.task for job in jobs):
        if task not in described:
            append_line(folder / "tasks.jsonl", statistics(task, examples(task, "test")))
    missing = [job for job in jobs if not job.is_in(found)]
    if not missing:
        console.print("All trainings asked for are in the results.")
        return
    console.print(f"{len(missing)} of {len(jobs)} trainings to do.", highlight=False)
    with console.status("") as status:

        def tell(name: str, step: int, accuracy: float) -> None:
            status.update(f"{done} of {len(missing)} done; {name}, step {step}: {accuracy:.1f} %")

        done = 0
        for job, run in run_all(missing, processes, threads, tell):
            append_line(folder / "tables.jsonl", run)
            job.forget()
            done += 1
            status.update(f"{done} of {len(missing)} done")
            console.print(f"{job.name}: {run.test_accuracy:.2f} %", highlight=False)
