"""The experiments of both papers, run and written down: what is in the results is not run again."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from rich.console import Console

from editcast_model.errors import ReproductionError
from editcast_papers.jobs import Asked, report_runs, train_missing
from editcast_papers.lines import read_lines
from editcast_papers.multi_head.report import write_report
from editcast_papers.multi_head.runs import MODELS, Job, Run, Settings


@dataclass(frozen=True)
class Wanted(Asked):
    """The runs that are wanted.

    Attributes:
        data: A clone of `multi30k/dataset`; without it only the report is made.
        models: Names of the models; all of them if none is named.
        settings: Of every run.
        device: As `pick_device` has it.
    """

    data: Path | None
    models: Sequence[str]
    settings: Settings
    device: str


def run(wanted: Wanted, console: Console) -> None:
    """Train what is missing, and write the report.

    Raises:
        ReproductionError: There is no such model, its sizes do not fit, the pairs cannot be read,
            or the results cannot be written.
    """
    names = wanted.models or tuple(MODELS)
    _check(names, wanted.settings)
    if wanted.data is not None:
        # Seed by seed: whoever stops early has a run of each model.
        jobs = [
            Job(wanted.data, name, seed, wanted.settings, wanted.device, wanted.scratch)
            for seed, name in product(wanted.seeds, names)
        ]
        found, _ = read_lines(wanted.results, [Run])
        missing = [job for job in jobs if not job.is_in(found)]
        train_missing(wanted, "runs", missing, len(jobs), console)
    else:
        console.print("Nothing was trained: this needs --data, a clone of multi30k/dataset.")
    report_runs(wanted.results, Run, write_report, console)


def _check(names: Sequence[str], settings: Settings) -> None:
    for name in names:
        if name not in MODELS:
            raise ReproductionError(f"There is no model {name}; there are {'; '.join(MODELS)}.")
        if max(MODELS[name].layers or (0,)) >= settings.layers:
            raise ReproductionError(f"{name} needs more --layers, or leave it out by --model.")
    width, heads = settings.config.hidden, settings.heads
    if width % (2 * heads):
        raise ReproductionError(
            f"The width {width} is no multiple of two times {heads} heads; choose another "
            "--hidden or --heads."
        )
