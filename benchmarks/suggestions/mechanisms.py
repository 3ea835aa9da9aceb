"""The worth of each candidate source and each feature of the ranker, beside all of them together.

The candidates of sessions are collected once, into a file that an interrupted run goes on with:
commits of repositories within their projects, and recorded saves. Then each mechanism is switched
off, and ranker and calibration are fitted again, each project ranked by what the others show. A
mechanism that moves nothing outside its interval in what is shown can be deleted.

    python benchmarks/suggestions/mechanisms.py candidates.jsonl --git PATH --git PATH --saves FILE

The line ranker decides which candidates there are, so that the same sessions are collected twice:

    python benchmarks/suggestions/mechanisms.py without.jsonl --no-line-ranker --git PATH
    python benchmarks/suggestions/mechanisms.py candidates.jsonl --against without.jsonl
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console

from editcast_model.bundle import bundled_path
from editcast_model.forecasting.candidates import UNSEEN
from editcast_model.forecasting.forecaster import SOURCES, NeuralForecaster
from editcast_model.forecasting.ranker import FEATURES
from editcast_training.calibration import ranker
from editcast_training.calibration.collected import Collected, collect_to_file, read
from editcast_training.evaluation.intervals import Interval, difference
from editcast_training.evaluation.project_sessions import Changes, within_projects
from editcast_training.evaluation.results import Row, outcomes, shares
from editcast_training.evaluation.sessions import EditingSession, draw_sessions
from editcast_training.sources.file_history import Skipped
from editcast_training.sources.registry import Origin, read_origin

#: The highest threshold that is used by default, whatever precision it reaches.
HIGHEST = 0.85
MEASURES = ("exact", "located", "50 %", "80 %", "shown", "clean of shown")
Steps = Sequence[Collected]
_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("candidates", type=_PATH)
@click.option("--git", multiple=True, type=_PATH, help="A bare repository of commits to replay.")
@click.option("--saves", multiple=True, type=_PATH, help="Recorded saves in JSON lines.")
@click.option("--commits", default=20, show_default=True, help="Sessions of each repository.")
@click.option("--bundle", type=_PATH, default=bundled_path(), help="[default: the bundled model]")
@click.option("--features/--sources", default=True, help="Whether features are switched off, too.")
@click.option("--together", multiple=True, help="Features to switch off at once: A,B.")
@click.option("--line-ranker/--no-line-ranker", default=True, help="Collect with it or without.")
@click.option("--against", type=_PATH, help="Compare with these candidates instead.")
@click.option("--samples", default=1000, show_default=True, help="Of the bootstrap.")
def main(
    candidates: Path,
    git: Sequence[Path],
    saves: Sequence[Path],
    commits: int,
    bundle: Path,
    features: bool,
    together: Sequence[str],
    line_ranker: bool,
    against: Path | None,
    samples: int,
) -> None:
    """Collect into CANDIDATES, unless nothing is named, and print a table in Markdown."""
    if git or saves:
        sessions = collected_sessions(git, saves, commits)
        forecaster = NeuralForecaster.load(bundle)
        if not line_ranker:
            forecaster.line_head = None
        steps = collect_to_file(forecaster, sessions, candidates)
    else:
        steps = read(candidates)
    whole = ranked(steps)
    if against:
        without = {against.stem: ranked(read(against))}
    else:
        without = {name: switched(steps) for name, switched in switches(features, together).items()}
    for kind in sorted({row.kind for row in whole}):
        baseline = [row for row in whole if row.kind == kind]
        print(f"\n{kind}, {len({row.session for row in baseline})} sessions, {len(baseline)} steps")
        print("\n| | " + " | ".join(MEASURES) + " |\n|---" + "|---" * len(MEASURES) + "|")
        values = measured(baseline)
        print("| all | " + " | ".join(f"{100 * values[name]:.1f}" for name in MEASURES) + " |")
        for name, ranking in without.items():
            rows = [row for row in ranking if row.kind == kind]
            found = difference(baseline, rows, measured, samples=samples)
            cells = (cell(found[one]) for one in MEASURES)
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def collected_sessions(
    git: Sequence[Path], saves: Sequence[Path], commits: int
) -> list[EditingSession]:
    """The sessions to replay, within their projects where their times are known."""
    # By two names: of many mirrors the last one is the same, and each project is ranked by others.
    origins = [Origin("/".join(path.resolve().parts[-2:]), "git", path) for path in git]
    origins += [Origin(path.name.partition(".")[0], "saves", path) for path in saves]
    found: list[EditingSession] = []
    console = Console(stderr=True)
    for origin in origins:
        with console.status(f"Reading {origin.name}"):
            changes = Changes()
            drawn = draw_sessions(changes.watched(read_origin(origin, Skipped())), count=commits)
            found += within_projects(drawn + changes.sessions(drawn))
    return found


def switches(
    features: bool, together: Sequence[str] = ()
) -> Mapping[str, Callable[[Steps], list[Row]]]:
    """By what is switched off, what ranks the steps without it."""

    def source(name: str) -> Callable[[Steps], list[Row]]:
        return lambda steps: ranked([without_source(step, name) for step in steps])

    def without(names: Sequence[str]) -> Callable[[Steps], list[Row]]:
        return lambda steps: ranked(steps, without=names)

    found = {f"without {one.name} edits": source(one.name) for one in SOURCES}
    found["without the network's scores"] = lambda steps: ranked([unscored(step) for step in steps])
    if features:
        found |= {f"without {name}": without([name]) for name in FEATURES}
    return found | {f"without {names}": without(names.split(",")) for names in together}


def without_source(step: Collected, name: str) -> Collected:
    """The step without the candidates of a source."""
    pairs = zip(step.candidates, step.scores, strict=True)
    kept = [(one, score) for one, score in pairs if one.source != name]
    candidates = tuple(one for one, _ in kept)
    return replace(step, candidates=candidates, scores=tuple(score for _, score in kept))


def unscored(step: Collected) -> Collected:
    """The step with repeated and cross-file edits that the network was not asked about."""
    candidates = tuple(
        one if one.source == "decoded" else replace(one, log_probability=0.0, line=UNSEEN)
        for one in step.candidates
    )
    return replace(step, candidates=candidates)


def ranked(steps: Steps, without: Sequence[str] = ()) -> list[Row]:
    """The best suggestion of every step, by rankers of the other projects.

    Confidence is above the default threshold, by the precision that a card's is chosen for, where
    it is 1 and more: so the threshold of each fit is the same.
    """
    rows = ranker.fit_across(steps, lambda step: step.row.project, without=without)
    threshold = min(HIGHEST, ranker.threshold_for(ranker.PRECISION, outcomes(rows)))
    return [
        row if row.confidence is None else replace(row, confidence=row.confidence / threshold)
        for row in rows
    ]


def measured(rows: Sequence[Row]) -> dict[str, float]:
    """Return what the steps come to, as shares by name."""
    return shares(rows, 1.0)


def cell(found: Interval) -> str:
    """A difference in points with its interval, in bold where that does not hold 0."""
    text = f"{100 * found.value:+.1f} ({100 * found.low:.1f}, {100 * found.high:.1f})"
    return text if found.low <= 0 <= found.high else f"**{text}**"


if __name__ == "__main__":
    main()
