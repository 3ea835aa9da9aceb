"""Many trainings: what is still to be done, and several processes that do it.

Every training has its own scratch folder, named after it, where it goes on when it is asked for
again. A folder is removed once its line is written.
"""

import itertools
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

import torch

from editcast_model.errors import ReproductionError
from editcast_papers.zhao2019.pomp import expected_accuracy
from editcast_papers.zhao2019.recipe import Config, Tell, train_on_task
from editcast_papers.zhao2019.runs import RealRun, Results, Run
from editcast_papers.zhao2019.synthetic import NAMES as TASKS
from editcast_papers.zhao2019.tasks import examples
from editcast_papers.zhao2019.zoo import NAMES as NETWORKS
from editcast_training.workers import worker_pool

POMP = "POMP"
#: What can be asked for: the networks, and the baseline that is not trained.
MODELS = (POMP, *NETWORKS)
#: Tables 1 and 3, and ours.
PLAN = (POMP, "E", "IR", "IA-ag", "IA-vg", "IA-a", "IA-v", "IA+")


@dataclass(frozen=True)
class Job:
    """One training that a table needs."""

    task: str
    model: str
    seed: int
    config: Config
    scratch: Path
    device: str = "cpu"

    @property
    def name(self) -> str:
        """For people."""
        if self.model == POMP:
            return f"{self.task}, POMP"
        return f"{self.task}, {self.model}, seed {self.seed}"

    @property
    def folder(self) -> Path:
        """Find where its checkpoints are: the name says what they are checkpoints of."""
        said = (self.task, self.model, self.seed, *asdict(self.config).values())
        return self.scratch / "_".join(re.sub(r"[^\w.+-]+", "-", str(one)) for one in said)

    def is_in(self, results: Results) -> bool:
        """Tell whether the results have a line of it, made on whatever device."""
        return any(self._made(run) for run in results.runs)

    def _made(self, run: Run) -> bool:
        if (run.task, run.model) != (self.task, self.model):
            return False
        return self.model == POMP or (
            run.seed == self.seed and dict(run.config) == self.config.to_json()
        )

    def make(self, tell: Tell = lambda name, step, accuracy: None) -> Run:
        """Train and test.

        Raises:
            ReproductionError: There is no such task or network.
            TrainingError: There is no such device, or a checkpoint is damaged.
        """
        if self.model == POMP:
            found = expected_accuracy(examples(self.task, "train"), examples(self.task, "test"))
            return Run(self.task, POMP, round(found, 2))
        return train_on_task(
            self.task,
            self.model,
            self.seed,
            self.config,
            self.folder,
            device=self.device,
            tell=lambda step, accuracy: tell(self.name, step, accuracy),
        )

    def forget(self) -> None:
        """Remove its checkpoints."""
        shutil.rmtree(self.folder, ignore_errors=True)


def plan(
    tasks: Sequence[str],
    models: Sequence[str],
    seeds: Sequence[int],
    configs: Sequence[Config],
    *,
    scratch: Path,
    device: str,
) -> list[Job]:
    """Return the product of all; POMP, which has nothing to configure, once a task.

    Raises:
        ReproductionError: There is no such task or network; the message lists them.
    """
    known(tasks, models)
    jobs = [
        Job(task, model, seed, config, scratch, device)
        for task, model, seed, config in itertools.product(tasks, models, seeds, configs)
        if model != POMP or (seed, config) == (seeds[0], configs[0])
    ]
    # MultiTask's tasks are POMP's to be told: the paper has no number for it either.
    return [job for job in jobs if (job.task, job.model) != ("MultiTask", POMP)]


def known(tasks: Iterable[str], models: Iterable[str]) -> None:
    """Check names before anything is begun.

    Raises:
        ReproductionError: There is no such task or network; the message lists them.
    """
    for kind, names, there in (("task", tasks, TASKS), ("network", models, MODELS)):
        for name in names:
            if name not in there:
                raise ReproductionError(f"There is no {kind} {name}; there are {', '.join(there)}.")


class AnyJob(Protocol):
    """A training that leaves a line of results."""

    @property
    def name(self) -> str:
        """For people."""

    def is_in(self, results: Results) -> bool:
        """Tell whether the results have a line of it."""

    def make(self, tell: Tell = ...) -> Run | RealRun:
        """Train and test."""

    def forget(self) -> None:
        """Remove its checkpoints."""


def run_all(
    jobs: Sequence[AnyJob], processes: int, threads: int, tell: Tell
) -> Iterator[tuple[AnyJob, Run | RealRun]]:
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
            futures = {pool.submit(job.make): job for job in jobs}
            for future in as_completed(futures):
                yield futures[future], future.result()
    except BrokenProcessPool as error:
        raise ReproductionError(
            "A training's process was killed, perhaps for want of memory; run the same command "
            "again, with fewer --processes, and it goes on."
        ) from error
