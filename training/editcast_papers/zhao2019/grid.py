"""The trainings of the tables: each model on each task, with each configuration and seed."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from editcast_papers.jobs import check_names, folder_of
from editcast_papers.training import Config, Tell
from editcast_papers.zhao2019.networks.zoo import NAMES as NETWORKS
from editcast_papers.zhao2019.pomp import expected_accuracy
from editcast_papers.zhao2019.recipe import train_on_task
from editcast_papers.zhao2019.runs import Results, Run
from editcast_papers.zhao2019.synthetic import NAMES as TASKS
from editcast_papers.zhao2019.synthetic import Diff
from editcast_papers.zhao2019.tasks import Part, examples

POMP = "POMP"
#: What can be asked for: the networks, and the baseline that is not trained.
MODELS = (POMP, *NETWORKS)
#: Tables 1 and 3, and ours.
PLAN = (POMP, "E", "IR", "IA-ag", "IA-vg", "IA-a", "IA-v", "IA+")
_JUDGED: tuple[Part, ...] = ("train", "test")


@dataclass(frozen=True)
class Job:
    """One training that a table needs."""

    task: str
    model: str
    seed: int
    config: Config
    scratch: Path
    device: str = "cpu"
    diff: Diff = "canonical"

    @property
    def name(self) -> str:
        """For people."""
        if self.model == POMP:
            return f"{self.task}, POMP"
        under = "" if self.diff == "canonical" else f", {self.diff}"
        return f"{self.task}, {self.model}{under}, seed {self.seed}"

    @property
    def folder(self) -> Path:
        """Find where its checkpoints are: the name says what they are checkpoints of."""
        said = (self.task, self.model, self.seed, *asdict(self.config).values())
        said += () if self.diff == "canonical" else (self.diff,)
        return folder_of(self.scratch, *said)

    def is_in(self, results: Results) -> bool:
        """Tell whether the results have a line of it, made on whatever device."""
        return any(self._made(run) for run in results.runs)

    def _made(self, run: Run) -> bool:
        if (run.task, run.model, run.diff) != (self.task, self.model, self.diff):
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
            train, test = (examples(self.task, part, diff=self.diff) for part in _JUDGED)
            return Run(self.task, POMP, round(expected_accuracy(train, test), 2), diff=self.diff)
        return train_on_task(
            self.task,
            self.model,
            self.seed,
            self.config,
            self.folder,
            device=self.device,
            diff=self.diff,
            tell=lambda step, accuracy: tell(self.name, step, accuracy),
        )


def plan(
    tasks: Sequence[str],
    models: Sequence[str],
    seeds: Sequence[int],
    configs: Sequence[Config],
    *,
    scratch: Path,
    device: str,
    diff: Diff = "canonical",
) -> list[Job]:
    """Return the product of all; POMP, which has nothing to configure, once a task.

    Raises:
        ReproductionError: There is no such task or network; the message lists them.
    """
    known(tasks, models)
    jobs = [
        Job(task, model, seed, config, scratch, device, diff)
        for task, model, seed, config in itertools.product(tasks, models, seeds, configs)
        if model != POMP or (seed, config) == (seeds[0], configs[0])
    ]
    # MultiTask's tasks are POMP's to be told: the paper has no number for it either.
    return [job for job in jobs if (job.task, job.model) != ("MultiTask", POMP)]


def known(tasks: Iterable[str], models: Iterable[str]) -> None:
    """Check names of tasks and networks; see `check_names`."""
    check_names("task", tasks, TASKS)
    check_names("network", models, MODELS)
