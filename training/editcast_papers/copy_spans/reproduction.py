"""The experiments of the paper, run and written down: what is in the results is not run again."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from rich.console import Console

from editcast_papers.copy_spans.pairs import Size
from editcast_papers.copy_spans.report import write_report
from editcast_papers.copy_spans.runs import MODELS, Job, Run
from editcast_papers.jobs import Asked, check_names, report_runs, train_missing
from editcast_papers.lines import read_lines
from editcast_papers.training import Config


@dataclass(frozen=True)
class Wanted(Asked):
    """The runs that are wanted.

    Attributes:
        pairs: The folder of the bug-fix pairs; without it only the report is made.
        sizes: Of the pairs.
        models: Names of the models; all of them if none is named.
        config: Of every run.
        most: Test pairs at most; 0 for all.
    """

    pairs: Path | None
    sizes: Sequence[Size]
    models: Sequence[str]
    config: Config
    most: int


def run(wanted: Wanted, console: Console) -> None:
    """Train what is missing, and write the report.

    Raises:
        ReproductionError: There is no such model, the pairs cannot be read, or the results cannot
            be written.
    """
    models = wanted.models or tuple(MODELS)
    check_names("model", models, MODELS)
    if wanted.pairs is not None:
        # Seed by seed: whoever stops early has a run of each model.
        jobs = [
            Job(wanted.pairs, size, model, seed, wanted.config, wanted.most, wanted.scratch)
            for size, seed, model in product(wanted.sizes, wanted.seeds, models)
        ]
        found, _ = read_lines(wanted.results, [Run])
        missing = [job for job in jobs if not job.is_in(found)]
        train_missing(wanted, "runs", missing, len(jobs), console)
    else:
        console.print("Nothing was trained: this needs --pairs, the folder of the bug-fix pairs.")
    report_runs(wanted.results, Run, write_report, console)
