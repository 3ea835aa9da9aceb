"""The experiments of the paper, run and written down: what is in the results is not run again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Literal

import torch
from rich.console import Console

from editcast_papers.jobs import Asked, train_missing
from editcast_papers.lines import append_line
from editcast_papers.training import Config, device_words
from editcast_papers.zhao2019 import grid, real_data, timing
from editcast_papers.zhao2019.reporting.paper import HIDDEN, INSERTIONS, RATES
from editcast_papers.zhao2019.reporting.report import write_report
from editcast_papers.zhao2019.runs import Results, read_runs
from editcast_papers.zhao2019.synthetic import NAMES, Diff
from editcast_papers.zhao2019.tasks import examples, statistics
from editcast_training.fit.trainer import pick_device

PARTS = ("tables", "timing", "real", "report")


@dataclass(frozen=True)
class Wanted(Asked):
    """The runs that are wanted; where a tuple is empty, those of the paper.

    Attributes:
        parts: Of `PARTS`.
        tasks: Names of the synthetic tasks.
        models: Names of the models.
        hidden: Sizes of the networks.
        rates: Learning rates.
        full: Whether all sizes and rates of the paper are tried.
        steps: How long the trainings are.
        schedule: Of the learning rate.
        batch: Examples of a batch.
        diff: Between the snapshots of a task.
        corpus: The corpus of real edits.
        max_state: Tokens of one of its states at most.
        limit: Seconds of measuring a cell at most.
        insertions: Lengths of what is timed.
        device: `cpu`, `cuda`, or `auto`.
    """

    parts: tuple[str, ...]
    tasks: tuple[str, ...]
    models: tuple[str, ...]
    hidden: tuple[int, ...]
    rates: tuple[float, ...]
    full: bool
    steps: tuple[int, ...]
    schedule: Literal["linear", "constant"]
    batch: int
    diff: Diff
    corpus: Path | None
    max_state: int
    limit: float
    insertions: tuple[int, ...]
    device: str


def run(wanted: Wanted, console: Console) -> None:
    """Run what is missing, part by part, and write it into the results."""
    grid.known(wanted.tasks, wanted.models)
    device = pick_device(wanted.device).type
    found, problems = read_runs(wanted.results)
    for problem in problems:
        console.print(problem, style="yellow", markup=False)
    parts = wanted.parts or PARTS
    if "tables" in parts:
        _run_tables(wanted, device, found, console)
    if "timing" in parts:
        _run_timing(wanted, device, found, console)
    if "real" in parts:
        _run_real(wanted, device, found, console)
    if "report" in parts:
        page = write_report(*read_runs(wanted.results), wanted.results)
        console.print(f"The report is {page}.", markup=False)


def _configs(wanted: Wanted) -> list[Config]:
    sizes = HIDDEN if wanted.full else wanted.hidden or (128,)
    rates = RATES if wanted.full else wanted.rates or (0.001,)
    return [
        Config(size, rate, wanted.batch, count, wanted.schedule)
        for size, rate, count in product(sizes, rates, wanted.steps)
    ]


def _run_tables(wanted: Wanted, device: str, found: Results, console: Console) -> None:
    jobs = grid.plan(
        wanted.tasks or NAMES,
        wanted.models or grid.PLAN,
        wanted.seeds,
        _configs(wanted),
        scratch=wanted.scratch,
        device=device,
        diff=wanted.diff,
    )
    _describe(wanted.results, found, dict.fromkeys(job.task for job in jobs))
    missing = [job for job in jobs if not job.is_in(found)]
    train_missing(wanted, "tables", missing, len(jobs), console)


def _run_timing(wanted: Wanted, device: str, found: Results, console: Console) -> None:
    networks = _networks(wanted) or timing.MODELS
    cells = timing.cells(networks, wanted.hidden or HIDDEN, wanted.insertions or INSERTIONS)
    place = torch.device(device)
    _time(wanted, found, cells, place, console)
    for task in wanted.tasks or timing.COSTS:
        for size in wanted.hidden or (128,):
            _cost(wanted.results / "cost.jsonl", found, task, networks, size, place, console)


def _run_real(wanted: Wanted, device: str, found: Results, console: Console) -> None:
    if wanted.corpus is None:
        console.print("The experiment on real edits is left out: it needs a --corpus.")
        return
    jobs = real_data.plan_real(
        wanted.corpus,
        _networks(wanted) or real_data.MODELS,
        wanted.seeds,
        _configs(wanted),
        wanted.max_state,
        scratch=wanted.scratch,
        device=device,
    )
    missing = [job for job in jobs if not job.is_in(found)]
    train_missing(wanted, "real", missing, len(jobs), console)


def _networks(wanted: Wanted) -> list[str]:
    return [name for name in wanted.models if name != grid.POMP]


def _describe(folder: Path, found: Results, tasks: Iterable[str]) -> None:
    """Write a line for each task that has none: what is known of it before training."""
    described = {line.task for line in found.statistics}
    for task in tasks:
        if task not in described:
            append_line(folder / "tasks.jsonl", statistics(task, examples(task, "test")))


def _cost(
    path: Path,
    found: Results,
    task: str,
    networks: Sequence[str],
    hidden: int,
    place: torch.device,
    console: Console,
) -> None:
    """Measure a task's training step, unless this device has a line of it."""
    here = device_words(place)
    if any((one.task, one.hidden, one.device) == (task, hidden, here) for one in found.steps):
        return
    for line in timing.measure_steps(task, networks, hidden, place):
        append_line(path, line)
        console.print(f"{line.task}, {line.model}: {line.seconds:.3f} s a step", highlight=False)


def _time(
    wanted: Wanted,
    found: Results,
    cells: Sequence[timing.Cell],
    place: torch.device,
    console: Console,
) -> None:
    """Measure the cells that this device has no line of."""
    torch.set_num_threads(wanted.threads)
    here = device_words(place)
    known = {(one.model, one.hidden, one.insertions) for one in found.timings if one.device == here}
    missing = [cell for cell in cells if cell not in known]
    with console.status("") as status:
        for line in timing.measure(missing, place, wanted.limit, status.update):
            append_line(wanted.results / "figure4.jsonl", line)
            said = f"{line.model}, hidden size {line.hidden}, {line.insertions} insertions"
            console.print(f"{said}: {line.seconds:.2f} s", highlight=False)
