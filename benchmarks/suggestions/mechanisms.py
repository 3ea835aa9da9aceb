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

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
from histories import history_options
from rich.console import Console

from editcast.commands.evaluate import read_all
from editcast_model.bundle import bundled_path
from editcast_model.forecasting.candidates import UNSEEN
from editcast_model.forecasting.forecaster import SOURCES, NeuralForecaster
from editcast_model.forecasting.ranker import FEATURES
from editcast_training.calibration import ranker
from editcast_training.calibration.collected import Collected, collect_to_file, read
from editcast_training.evaluation.intervals import Interval, difference, grouped
from editcast_training.evaluation.project_sessions import within_projects
from editcast_training.evaluation.results import Row, outcomes, shares
from editcast_training.evaluation.sessions import EditingSession
from editcast_training.sources.registry import Origin

#: The highest threshold that is used by default, whatever precision it reaches.
HIGHEST = 0.85
MEASURES = ("exact", "located", "50 %", "80 %", "shown", "clean of shown")
Steps = Sequence[Collected]
_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("candidates", type=_PATH)
@history_options
@click.option("--commits", default=20, show_default=True, help="Sessions of each repository.")
@click.option("--bundle", type=_PATH, default=bundled_path(), help="[default: the bundled model]")
@click.option("--features/--sources", default=True, help="Whether features are switched off, too.")
@click.option("--together", multiple=True, help="Features to switch off at once: A,B.")
@click.option("--line-ranker/--no-line-ranker", default=True, help="Collect with it or without.")
@click.option("--against", type=_PATH, help="Compare with these candidates instead.")
@click.option("--samples", default=1000, show_default=True, help="Of the bootstrap.")
def main(
    candidates: Path,
    origins: list[Origin],
    commits: int,
    bundle: Path,
    features: bool,
    together: Sequence[str],
    line_ranker: bool,
    against: Path | None,
    samples: int,
) -> None:
    """Collect into CANDIDATES, unless nothing is named, and print a table in Markdown."""
    if origins:
        sessions = collected_sessions(origins, commits)
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
        without = switched_off(steps, features, together)
    for kind, baseline in grouped(whole, "kind").items():
        print(f"\n{kind}, {len({row.session for row in baseline})} sessions, {len(baseline)} steps")
        print("\n| | " + " | ".join(MEASURES) + " |\n|---" + "|---" * len(MEASURES) + "|")
        values = measured(baseline)
        print("| all | " + " | ".join(f"{100 * values[name]:.1f}" for name in MEASURES) + " |")
        for name, ranking in without.items():
            rows = [row for row in ranking if row.kind == kind]
            found = difference(baseline, rows, measured, samples=samples)
            cells = (cell(found[one]) for one in MEASURES)
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def collected_sessions(origins: Sequence[Origin], commits: int) -> list[EditingSession]:
    """Read the sessions to replay, within their projects where their times are known."""
    # By two names: of many mirrors the last one is the same, and each project is ranked by others.
    named = [
        replace(one, name="/".join(one.path.resolve().parts[-2:])) if one.kind == "git" else one
        for one in origins
    ]
    console = Console(stderr=True)
    return within_projects(read_all(named, console, commits=commits, seed=0, held_out=False))


def switched_off(
    steps: Steps, features: bool, together: Sequence[str] = ()
) -> dict[str, list[Row]]:
    """Rank the steps without each mechanism; return the rows by what is switched off."""
    sources = {
        f"without {one.name} edits": [without_source(step, one.name) for step in steps]
        for one in SOURCES
    }
    sources["without the network's scores"] = [unscored(step) for step in steps]
    names = (*(FEATURES if features else ()), *together)
    return {name: ranked(some) for name, some in sources.items()} | {
        f"without {name}": ranked(steps, without=name.split(",")) for name in names
    }


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
