"""Many trainings: what is still to be done, and several processes that do it.

Every training has its own scratch folder, named after it, where it goes on when it is asked for
again. A folder is removed once its line is written.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import Protocol

import torch
from rich.console import Console

from editcast_model.errors import ReproductionError
from editcast_papers.lines import Kind, Line, append_line, read_lines
from editcast_papers.training import Tell
from editcast_training.interrupts import held
from editcast_training.workers import as_ended, worker_pool


class Trained(Line, Protocol):
    """A line of a training."""

    @property
    def test_accuracy(self) -> float:
        """In percent."""


class AnyJob(Protocol):
    """A training that leaves a line of results."""

    @property
    def name(self) -> str:
        """For people."""

    def make(self, tell: Tell = ...) -> Trained:
        """Train and test."""

    def forget(self) -> None:
        """Remove its checkpoints."""


def run_all(
    jobs: Sequence[AnyJob], processes: int, threads: int, tell: Tell
) -> Iterator[tuple[AnyJob, Trained]]:
    """Train all, and yield each as it ends.

    With one process `tell` hears each evaluation. Whoever stops iterating, or is killed, stops
    the processes with it; what they had done is in their checkpoints.

    Raises:
        ReproductionError: A process was killed.
    """
    if processes == 1 or len(jobs) < 2:
        torch.set_num_threads(threads)
        for job in jobs:
            yield job, job.make(tell)
        return
    try:
        with worker_pool(
            min(processes, len(jobs)), partial(torch.set_num_threads, threads)
        ) as pool:
            with held():  # a process whose start is interrupted ends with a traceback, or never
                futures = {pool.submit(job.make): job for job in jobs}
            for future in as_ended(futures):
                yield futures[future], future.result()
    except BrokenProcessPool as error:
        raise ReproductionError(
            "A training's process was killed, perhaps for want of memory; run the same command "
            "again, with fewer --processes, and it goes on."
        ) from error


def train_missing(
    path: Path,
    missing: Sequence[AnyJob],
    asked: int,
    processes: int,
    threads: int,
    console: Console,
) -> None:
    """Train what is missing of all that was asked for; a line in the file for each.

    Raises:
        ReproductionError: A process was killed, or the line cannot be written.
    """
    if not missing:
        console.print("All trainings asked for are in the results.")
        return
    console.print(f"{len(missing)} of {asked} trainings to do.", highlight=False)
    with console.status("") as status:

        def show(name: str, step: int, accuracy: float) -> None:
            status.update(f"{done} of {len(missing)} done; {name}, step {step}: {accuracy:.1f} %")

        done = 0
        for job, trained in run_all(missing, processes, threads, show):
            append_line(path, trained)
            job.forget()
            done += 1
            status.update(f"{done} of {len(missing)} done")
            console.print(f"{job.name}: {trained.test_accuracy:.2f} %", highlight=False)


def report_runs(
    results: Path,
    kind: type[Kind],
    write_report: Callable[[list[Kind], list[str], Path], Path],
    console: Console,
) -> None:
    """Write the report of the lines of one kind, and say which lines are none."""
    found, problems = read_lines(results, [kind])
    for problem in problems:
        console.print(problem, style="yellow", markup=False)
    console.print(f"The report is {write_report(found, problems, results)}.", markup=False)
