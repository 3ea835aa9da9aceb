"""The experiments of the paper, run and written down: what is in the results is not run again."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import torch
from rich.console import Console

from editcast_papers.indigo.report import write_report
from editcast_papers.indigo.runs import VARIANTS, Job, Run, Sizes
from editcast_papers.indigo.timing import Timing, time_training
from editcast_papers.jobs import Asked, check_names, train_missing
from editcast_papers.lines import append_line, read_lines
from editcast_papers.training import Config


@dataclass(frozen=True)
class Wanted(Asked):
    """The runs that are wanted.

    Attributes:
        data: The folder of the tasks' data; without it only the report is made.
        tasks: Of `TASKS`.
        variants: Of `VARIANTS`; all if none is named.
        config: Of every run.
        sizes: Of every run.
        beams: Of decoding.
        device: Where they run.
        timing: Whether the time of training steps is measured, in place of trainings.
    """

    data: Path | None
    tasks: Sequence[str]
    variants: Sequence[str]
    config: Config
    sizes: Sizes
    beams: Sequence[int]
    device: str
    timing: bool


def run(wanted: Wanted, console: Console) -> None:
    """Train what is missing, and write the report.

    Raises:
        ReproductionError: There is no such order, the data cannot be read, or the results cannot
            be written.
    """
    check_names("order", wanted.variants, VARIANTS)
    jobs = _jobs(wanted)
    if wanted.timing:
        _time(wanted, jobs, console)
    elif jobs:
        found = _lines(wanted.results)[0]
        missing = [job for job in jobs if not job.is_in(found)]
        train_missing(wanted, "runs", missing, len(jobs), console)
    else:
        console.print("Nothing was trained: this needs --data, the folder of the data.")
    runs, timings, problems = _lines(wanted.results)
    for problem in problems:
        console.print(problem, style="yellow", markup=False)
    page = write_report(runs, timings, problems, wanted.results)
    console.print(f"The report is {page}.", markup=False)


def _lines(folder: Path) -> tuple[list[Run], list[Timing], list[str]]:
    """Return the trainings, the measurements, and a sentence for each line that is neither."""
    kinds: list[type[Run | Timing]] = [Run, Timing]
    lines, problems = read_lines(folder, kinds)
    runs = [one for one in lines if isinstance(one, Run)]
    return runs, [one for one in lines if isinstance(one, Timing)], problems


def _time(wanted: Wanted, jobs: Sequence[Job], console: Console) -> None:
    """Measure the steps of each task, and write a line of each measurement."""
    torch.set_num_threads(wanted.threads)
    for task, folder in {job.task: job.data for job in jobs}.items():
        for line in time_training(task, folder, wanted.config, wanted.sizes, wanted.device):
            append_line(wanted.results / "time.jsonl", line)
            speed = f"{line.batches_per_second:.2f} batches a second"
            console.print(f"{task}, orders searched: {line.orders}: {speed}", highlight=False)


def _jobs(wanted: Wanted) -> list[Job]:
    """List the trainings seed by seed: whoever stops early has a run of each."""
    if wanted.data is None:
        return []
    variants = wanted.variants or tuple(VARIANTS)
    return [
        Job(
            wanted.data,
            task,
            variant,
            seed,
            wanted.config,
            wanted.sizes,
            wanted.beams,
            wanted.device,
            wanted.scratch,
        )
        for seed, task, variant in product(wanted.seeds, wanted.tasks, variants)
        if _has(task, variant)
    ]


def _has(task: str, variant: str) -> bool:
    """Tell whether a task has an order: syntax trees are there of Python only."""
    return task == "django" or VARIANTS[variant].order != "SYN"
