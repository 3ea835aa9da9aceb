"""The tables, run and written down: what is in the results is not run again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from editcast_papers.jobs import Asked, report_runs, train_missing
from editcast_papers.lines import read_lines
from editcast_papers.slides.report import write_report
from editcast_papers.slides.runs import TABLES, Job, Run
from editcast_papers.training import Config
from editcast_training.sources.registry import Origin, listed_repositories


@dataclass(frozen=True)
class Wanted(Asked):
    """The runs that are wanted.

    Attributes:
        mirror: The folder of the repositories; without it only the report is made.
        listing: The list of repositories.
        tables: Of `TABLES`.
        config: Of every run.
        most: Most edits of each split.
        device: ``auto``, ``cpu`` or ``cuda``.
    """

    mirror: Path | None
    listing: Path
    tables: Sequence[str]
    config: Config
    most: Mapping[str, int]
    device: str


def run(wanted: Wanted, console: Console) -> None:
    """Train what is missing, and write the report.

    Raises:
        ReproductionError: The edits cannot be made, or the results cannot be written.
        CorpusError: The list of repositories cannot be read.
    """
    if wanted.mirror is not None:
        origins, missing = listed_repositories(wanted.listing, wanted.mirror)
        if missing:
            count = f"{len(missing)} of {len(missing) + len(origins)} repositories"
            console.print(f"{count} are not in {wanted.mirror}.", style="yellow", markup=False)
        jobs = _jobs(wanted, tuple(origins))
        found, _ = read_lines(wanted.results, [Run])
        left = [job for job in jobs if not job.is_in(found)]
        train_missing(wanted, "runs", left, len(jobs), console)
    else:
        console.print("Nothing was trained: this needs --mirror, the folder of the repositories.")
    report_runs(wanted.results, Run, write_report, console)


def _jobs(wanted: Wanted, origins: tuple[Origin, ...]) -> list[Job]:
    """List the trainings, seed by seed; what two tables share is trained once."""
    models = dict.fromkeys(model for table in wanted.tables for model in TABLES[table])
    return [
        Job(origins, wanted.most, model, seed, wanted.config, wanted.scratch, wanted.device)
        for seed in wanted.seeds
        for model in models
    ]
