"""Many trainings: what is still to be done, and several processes that do it.

Every training has its own scratch folder, named after it, where it goes on when it is asked for
again. A folder is removed once its line is written.
"""

import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

import torch
from rich.console import Console
from torch import Tensor, nn

from editcast_model.errors import ReproductionError
from editcast_papers.lines import Kind, Line, append_line, read_lines
from editcast_papers.training import Config, Progress, Tell, Training
from editcast_training.interrupts import held
from editcast_training.workers import as_ended, worker_pool


class Trained(Line, Protocol):
    """A line of a training."""

    @property
    def test_accuracy(self) -> float:
        """The accuracy on test data, in per cent."""


class AnyJob(Protocol):
    """A training that leaves a line of results."""

    @property
    def name(self) -> str:
        """The name that people see."""

    @property
    def seed(self) -> int:
        """The seed of everything that the training draws."""

    @property
    def folder(self) -> Path:
        """Find where its checkpoints are."""

    def make(self, tell: Tell = ...) -> Trained:
        """Train and test."""


@dataclass(frozen=True)
class Asked:
    """Trainings of a paper that are asked for.

    Attributes:
        seeds: A run of each.
        processes: How many trainings at once.
        threads: Of each.
        results: The folder of the results.
        scratch: The folder of the checkpoints, and of what else is made only once.
    """

    seeds: Sequence[int]
    processes: int
    threads: int
    results: Path
    scratch: Path


def check_names(kind: str, names: Iterable[str], there: Collection[str]) -> None:
    """Check names before anything is begun.

    Raises:
        ReproductionError: There is no such name; the message lists those that there are.
    """
    for name in names:
        if name not in there:
            raise ReproductionError(f"There is no {kind} {name}; there are {', '.join(there)}.")


def folder_of(scratch: Path, *said: object) -> Path:
    """Name a folder of checkpoints by what they are checkpoints of."""
    return scratch / "_".join(re.sub(r"[^\w.+-]+", "-", str(one)) for one in said)


def train_job(
    job: AnyJob,
    network: nn.Module,
    config: Config,
    loss: Callable[[int], Tensor],
    dev: Callable[[], float],
    tell: Tell,
    notes: int = 10,
) -> Progress:
    """Train the network of a job in the folder of the job; see `Training`."""

    def noted(step: int, found: float) -> None:
        tell(job.name, step, found)

    return Training(network, config, job.seed, loss, dev, job.folder, noted, notes).run()


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
    asked: Asked, name: str, missing: Sequence[AnyJob], of: int, console: Console
) -> None:
    """Train what is missing of so many jobs; a line in the results' file `name` for each.

    Raises:
        ReproductionError: A process was killed, or the line cannot be written.
    """
    if not missing:
        console.print("All trainings asked for are in the results.")
        return
    console.print(f"{len(missing)} of {of} trainings to do.", highlight=False)
    with console.status("") as status:

        def show(name: str, step: int, accuracy: float) -> None:
            status.update(f"{done} of {len(missing)} done; {name}, step {step}: {accuracy:.1f} %")

        done = 0
        for job, trained in run_all(missing, asked.processes, asked.threads, show):
            append_line(asked.results / f"{name}.jsonl", trained)
            shutil.rmtree(job.folder, ignore_errors=True)
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
