"""The experiments of the paper, run and written down: what is in the results is not run again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from rich.console import Console

from editcast_papers.jobs import Asked, check_names, report_runs, train_missing
from editcast_papers.lines import read_lines
from editcast_papers.pointer_mixture.corpus import Amount
from editcast_papers.pointer_mixture.labels import Task
from editcast_papers.pointer_mixture.report import write_report
from editcast_papers.pointer_mixture.runs import NETWORKS, Job, Run
from editcast_papers.training import Config
from editcast_training.fit.trainer import pick_device
from editcast_training.sources.registry import Origin, listed_repositories

#: The list of repositories of a language.
LISTS = {
    "python": Path(__file__).parent.with_name("python.toml"),
    "javascript": Path(__file__).with_name("javascript.toml"),
}
LANGUAGES = tuple(LISTS)


@dataclass(frozen=True)
class Wanted(Asked):
    """The runs that are wanted.

    Attributes:
        mirror: The folder of the repositories; without it only the report is made.
        listing: Their list, in place of the language's own.
        languages: Of the files.
        tasks: `value` or `type`.
        vocabularies: Values of the vocabularies.
        networks: Names of them; all that the task has if none is named.
        config: Of every run.
        amount: Most nodes.
        device: `cpu`, `cuda`, or `auto`.
    """

    mirror: Path | None
    listing: Path | None
    languages: Sequence[str]
    tasks: Sequence[Task]
    vocabularies: Sequence[int]
    networks: Sequence[str]
    config: Config
    amount: Amount
    device: str


def run(wanted: Wanted, console: Console) -> None:
    """Train what is missing, and write the report.

    Raises:
        ReproductionError: There is no such network, the trees cannot be made, or the results
            cannot be written.
        CorpusError: The list of repositories cannot be read.
    """
    check_names("network", wanted.networks, NETWORKS)
    if wanted.mirror is not None:
        found, _ = read_lines(wanted.results, [Run])
        jobs = list(_jobs(wanted, wanted.mirror, console))
        missing = [job for job in jobs if not job.is_in(found)]
        train_missing(wanted, "runs", missing, len(jobs), console)
    else:
        console.print("Nothing was trained: this needs --mirror, the folder of the repositories.")
    report_runs(wanted.results, Run, write_report, console)


def _jobs(wanted: Wanted, mirror: Path, console: Console) -> Iterator[Job]:
    """Yield all trainings, seed by seed: whoever stops early has a run of each network."""
    device = pick_device(wanted.device).type
    origins = {one: _origins(wanted, mirror, one, console) for one in wanted.languages}
    for seed, language, task, vocabulary in product(
        wanted.seeds, wanted.languages, wanted.tasks, wanted.vocabularies
    ):
        for network, kind in NETWORKS.items():
            if wanted.networks and network not in wanted.networks:
                continue
            if kind.pointer and task == "type":  # every type is in the vocabulary
                continue
            yield Job(
                origins[language],
                wanted.amount,
                language,
                task,
                vocabulary,
                network,
                seed,
                wanted.config,
                device,
                wanted.scratch,
            )


def _origins(wanted: Wanted, mirror: Path, language: str, console: Console) -> list[Origin]:
    found, missing = listed_repositories(wanted.listing or LISTS[language], mirror)
    if missing:
        count = f"{len(missing)} of {len(found) + len(missing)} repositories"
        console.print(f"{count} for {language} are not in {mirror}.", style="yellow", markup=False)
    return found
