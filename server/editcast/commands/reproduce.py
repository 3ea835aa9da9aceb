"""The subcommand that makes a paper's tables and figures again: reproduce."""

from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from rich.console import Console

from editcast import ranges
from editcast.guarded import guarded
from editcast.render_diff import plain
from editcast_papers.zhao2019.paper import HIDDEN, INSERTIONS, RATES
from editcast_papers.zhao2019.runs import Results, append_line, read_runs

if TYPE_CHECKING:
    from editcast_papers.zhao2019.grid import AnyJob
    from editcast_papers.zhao2019.timing import Cell

# torch takes seconds to import: the parts that need it import what they call.

PARTS = ("tables", "timing", "real", "report")
_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.group()
def reproduce() -> None:
    """Make a paper's tables and figures again."""


@reproduce.command()
@guarded("Stopped. The same command goes on from the latest checkpoints.")
@click.argument("parts", nargs=-1, type=click.Choice(PARTS), metavar="[PARTS]...")
@click.option("--task", "tasks", multiple=True, help="[default: all]")
@click.option("--model", "models", multiple=True, help="[default: those of the tables, and IA+]")
@click.option("--seed", "seeds", multiple=True, type=ranges.SEED, default=(0,), show_default=True)
@click.option("--hidden", multiple=True, type=click.IntRange(8, 2**14), help="[default: 128]")
@click.option("--rate", "rates", multiple=True, type=ranges.Finite(10), help="[default: .001]")
@click.option("--grid", "full", is_flag=True, help="All rates and sizes of the paper.")
@click.option("--steps", multiple=True, type=ranges.STEPS, default=(4000,), show_default=True)
@click.option(
    "--schedule",
    type=click.Choice(["linear", "constant"]),
    default="linear",
    show_default=True,
    help="Of the learning rate; the paper's is constant.",
)
@click.option("--batch", default=64, show_default=True, type=click.IntRange(1, 2**16))
@click.option("--corpus", type=_FOLDER, help="For real: a folder that `editcast corpus` made.")
@click.option(
    "--max-state",
    default=1024,
    show_default=True,
    type=ranges.MAX_STATE,
    help="For real: most tokens of a state.",
)
@click.option(
    "--limit",
    default=120.0,
    show_default=True,
    type=ranges.Finite(24 * 60 * 60),
    help="For timing: most seconds of measuring a cell.",
)
@click.option(
    "--insertions",
    multiple=True,
    type=click.IntRange(1, 10_000),
    help="For timing.  [default: 10, 50, 100]",
)
@click.option("--processes", default=1, show_default=True, type=ranges.PROCESSES)
@click.option("--threads", default=1, show_default=True, type=ranges.THREADS, help="Of each.")
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
    full: bool,
    steps: tuple[int, ...],
    schedule: Literal["linear", "constant"],
    batch: int,
    corpus: Path | None,
    max_state: int,
    limit: float,
    insertions: tuple[int, ...],
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
    from editcast_papers.zhao2019 import grid, real_data, timing
    from editcast_papers.zhao2019.recipe import Config
    from editcast_papers.zhao2019.synthetic import NAMES
    from editcast_training.fit.trainer import pick_device

    if full and (hidden or rates):
        raise click.UsageError("--grid names all sizes and rates; leave out --hidden and --rate.")
    if "real" in parts and corpus is None:
        raise click.UsageError("real needs a --corpus, a folder that `editcast corpus` made.")
    grid.known(tasks, models)
    device = pick_device(device).type
    console = Console()
    found, problems = read_runs(results)
    for problem in problems:
        console.print(plain(problem), style="yellow")
    configs = [
        Config(size, rate, batch, count, schedule)
        for size, rate, count in product(
            HIDDEN if full else hidden or (128,), RATES if full else rates or (0.001,), steps
        )
    ]
    wanted = parts or PARTS
    if "tables" in wanted:
        jobs = grid.plan(
            tasks or NAMES, models or grid.PLAN, seeds, configs, scratch=scratch, device=device
        )
        _describe(results, found, dict.fromkeys(job.task for job in jobs))
        _train(console, results / "tables.jsonl", found, jobs, processes, threads)
    if "timing" in wanted:
        networks = [name for name in models if name != grid.POMP] or timing.MODELS
        cells = timing.cells(networks, hidden or HIDDEN, insertions or INSERTIONS)
        _time(console, results / "figure4.jsonl", found, cells, device, threads, limit)
        for task in tasks or timing.COSTS:
            for size in hidden or (128,):
                _cost(console, results / "cost.jsonl", found, task, networks, size, device)
    if "real" in wanted and corpus is None:
        console.print("The experiment on real edits is left out: it needs a --corpus.")
    elif "real" in wanted and corpus is not None:
        networks = [name for name in models if name != grid.POMP] or real_data.MODELS
        real = real_data.plan_real(
            corpus, networks, seeds, configs, max_state, scratch=scratch, device=device
        )
        _train(console, results / "real.jsonl", found, real, processes, threads)
    if "report" in wanted:
        from editcast_papers.zhao2019.report import write_report

        page = write_report(*read_runs(results), results)
        console.print(plain(f"The report is {page}."))


def _describe(folder: Path, found: Results, tasks: Iterable[str]) -> None:
    """A line in the results for each task that has none: what is known of it before training."""
    from editcast_papers.zhao2019.tasks import examples, statistics

    described = {line.task for line in found.statistics}
    for task in tasks:
        if task not in described:
            append_line(folder / "tasks.jsonl", statistics(task, examples(task, "test")))


def _train(
    console: Console,
    path: Path,
    found: Results,
    jobs: "Sequence[AnyJob]",
    processes: int,
    threads: int,
) -> None:
    """Train what is missing; a line in the file for each."""
    from editcast_papers.zhao2019.grid import run_all

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
            append_line(path, run)
            job.forget()
            done += 1
            status.update(f"{done} of {len(missing)} done")
            console.print(f"{job.name}: {run.test_accuracy:.2f} %", highlight=False)


def _cost(
    console: Console,
    path: Path,
    found: Results,
    task: str,
    networks: Sequence[str],
    hidden: int,
    device: str,
) -> None:
    """Measure a task's training step, unless this device has a line of it."""
    import torch

    from editcast_papers.zhao2019.recipe import device_words
    from editcast_papers.zhao2019.timing import measure_steps

    place = torch.device(device)
    here = device_words(place)
    known = {(one.task, one.hidden) for one in found.steps if one.device == here}
    if (task, hidden) in known:
        return
    for line in measure_steps(task, networks, hidden, place):
        append_line(path, line)
        console.print(f"{line.task}, {line.model}: {line.seconds:.3f} s a step", highlight=False)


def _time(
    console: Console,
    path: Path,
    found: Results,
    cells: "Sequence[Cell]",
    device: str,
    threads: int,
    limit: float,
) -> None:
    """Measure the cells that this device has no line of."""
    import torch

    from editcast_papers.zhao2019.recipe import device_words
    from editcast_papers.zhao2019.timing import measure

    torch.set_num_threads(threads)
    place = torch.device(device)
    here = device_words(place)
    known = {(one.model, one.hidden, one.insertions) for one in found.timings if one.device == here}
    missing = [cell for cell in cells if cell not in known]
    with console.status("") as status:
        for line in measure(missing, place, limit, status.update):
            append_line(path, line)
            said = f"{line.model}, hidden size {line.hidden}, {line.insertions} insertions"
            console.print(f"{said}: {line.seconds:.2f} s", highlight=False)
