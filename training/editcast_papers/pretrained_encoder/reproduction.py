"""The experiments of the thesis, run and written down: what is in the results is not run again."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from editcast_papers.jobs import Asked, check_names, train_missing
from editcast_papers.lines import read_lines
from editcast_papers.pretrained_encoder.pretraining import Pretraining, PretrainingJob
from editcast_papers.pretrained_encoder.report import write_report
from editcast_papers.pretrained_encoder.runs import MODELS, Job, Run
from editcast_papers.training import Config

_SEED = 0  # of the one pre-training: as with the public encoders, all runs share it


@dataclass(frozen=True)
class Wanted(Asked):
    """The runs that are wanted.

    Attributes:
        data: The folder of Django; without it only the report is made.
        repositories: The list of projects to pre-train on.
        mirror: Their folder; without it no model has a pre-trained encoder.
        models: Names of the models; all of them if none is named.
        config: Of every run.
        pretraining: Of the pre-training.
        device: ``auto``, ``cpu`` or ``cuda``.
    """

    data: Path | None
    repositories: Path
    mirror: Path | None
    models: Sequence[str]
    config: Config
    pretraining: Config
    device: str


def run(wanted: Wanted, console: Console) -> None:
    """Train what is missing, and write the report.

    Raises:
        ReproductionError: There is no such model, the data cannot be read, or the results cannot be
            written.
    """
    check_names("model", wanted.models, MODELS)
    if wanted.data is not None:
        _train(wanted, wanted.data, console)
    else:
        console.print(
            "Nothing was trained: this needs --data, a clone of odashi/ase15-django-dataset."
        )
    found: list[Run | Pretraining]
    found, problems = read_lines(wanted.results, [Run, Pretraining])
    for problem in problems:
        console.print(problem, style="yellow", markup=False)
    page = write_report(
        [line for line in found if isinstance(line, Run)],
        [line for line in found if isinstance(line, Pretraining)],
        problems,
        wanted.results,
    )
    console.print(f"The report is {page}.", markup=False)


def _train(wanted: Wanted, data: Path, console: Console) -> None:
    """Train seed by seed, so that whoever stops early has a run of each model; scratch first."""
    mirror = wanted.mirror
    first = PretrainingJob(
        data,
        wanted.repositories,
        mirror or Path(),
        _SEED,
        wanted.pretraining,
        wanted.scratch,
        wanted.device,
    )
    jobs = [
        Job(data, first.weights, name, seed, wanted.config, wanted.scratch, wanted.device)
        for seed in wanted.seeds
        for name in wanted.models or MODELS
    ]
    found: list[Run | Pretraining]
    found, _ = read_lines(wanted.results, [Run, Pretraining])
    runs = [line for line in found if isinstance(line, Run)]
    missing = [job for job in jobs if not job.is_in(runs)]
    ready = first.weights.exists()
    if not ready and mirror is None and any(job.pretrained for job in missing):
        console.print("Pre-trained encoders are left out: they need --mirror, a folder of clones.")
        missing = [job for job in missing if not job.pretrained]

    def train(part: Sequence[Job | PretrainingJob], name: str) -> None:
        train_missing(wanted, name, part, len(part), console)

    if ready or not any(job.pretrained for job in missing):
        train(missing, "runs")
        return
    begun = next(at for at, job in enumerate(missing) if job.pretrained)
    if missing[:begun]:
        train(missing[:begun], "runs")
    train([first], "pretraining")
    train(missing[begun:], "runs")
