"""Lines that are probably next where no text is sure enough: how often each of them is right.

    python benchmarks/places.py --git REPOSITORY --git REPOSITORY --saves FILE

After each save of a session at which nothing reaches the default threshold, the most probable line is
taken that is more than two lines from the last change: nobody needs a hint at the line that they are
on. It is right if one of the next changes touches it, and near if one touches a line at most two away.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click
from rich.console import Console
from rich.progress import track

from editcast_model.bundle import bundled_path
from editcast_model.forecasting.forecaster import NeuralForecaster, NeuralSession
from editcast_server.prediction.policy import default_threshold
from editcast_training.evaluation.intervals import intervals
from editcast_training.evaluation.metrics import Judge
from editcast_training.evaluation.sessions import EditingSession, draw_sessions, some_steps
from editcast_training.sources.file_history import Skipped
from editcast_training.sources.registry import Origin, read_origin

_PATH = click.Path(path_type=Path)
_NEAR = 2  # lines
_MOST_CHARACTERS = 80_000
_THRESHOLDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_SEED = 0


class Row(NamedTuple):
    """One save: whether nothing was shown, and the place that a hint would name, if any."""

    session: int
    kind: str
    is_silent: bool
    probability: float = 0.0
    is_right: bool = False
    is_near: bool = False


@click.command()
@click.option("--git", multiple=True, type=_PATH, help="A repository of commits to replay.")
@click.option("--saves", multiple=True, type=_PATH, help="Recorded saves in JSON lines.")
@click.option("--commits", default=40, show_default=True, help="Sessions of each repository.")
@click.option("--steps", default=1000, show_default=True, help="Saves at most of each file.")
@click.option("--bundle", type=_PATH, default=bundled_path(), help="[default: the bundled model]")
def main(
    git: Sequence[Path], saves: Sequence[Path], commits: int, steps: int, bundle: Path
) -> None:
    """Replay sessions, and print a table in Markdown: one line a kind and threshold."""
    origins = [Origin(path.name, "git", path) for path in git]
    origins += [Origin(path.name.partition(".")[0], "saves", path) for path in saves]
    sessions = [one for each in origins for one in read_sessions(each, commits, steps)]
    forecaster = NeuralForecaster.load(bundle, "cpu")
    shown = track(sessions, "Replaying", console=Console(stderr=True))
    rows = [row for number, one in enumerate(shown) for row in replayed(forecaster, number, one)]
    print("| kind | saves | silent | probability | hints | right | near |")
    print("|---|---|---|---|---|---|---|")
    for kind in sorted({row.kind for row in rows}):
        of_kind = [row for row in rows if row.kind == kind]
        for least in _THRESHOLDS:
            found = intervals(of_kind, partial(measured, least=least))
            cells = ("{:.1f} ({:.1f}, {:.1f})".format(*one) for one in found.values())
            silent = sum(row.is_silent for row in of_kind)
            print(f"| {kind} | {len(of_kind)} | {silent} | {least} | {' | '.join(cells)} |")


def read_sessions(origin: Origin, commits: int, steps: int) -> list[EditingSession]:
    """Read the sessions of a source whose files are short enough."""
    drawn = draw_sessions(read_origin(origin, Skipped()), count=commits, seed=_SEED)
    short = [one for one in drawn if len(one.texts[-1]) <= _MOST_CHARACTERS]
    return some_steps(short, steps, _SEED) if origin.kind == "saves" else short


def replayed(forecaster: NeuralForecaster, number: int, session: EditingSession) -> Iterator[Row]:
    """Yield a row for each save of a session."""
    threshold = default_threshold(forecaster.bundle.card)
    opened = forecaster.open(session.texts[0])
    for _, step in session.replay(partial(opened.update, saved=True), opened.add_other_save):
        best = opened.predict(1)
        if best and best[0].confidence >= threshold:
            yield Row(number, session.kind, False)
            continue
        line, probability = probable_line(opened)
        touched = Judge(step).touched
        near = any(abs(line - one) <= _NEAR for one in touched)
        yield Row(number, session.kind, True, probability, line in touched, near)


def probable_line(session: NeuralSession) -> tuple[int, float]:
    """Find the most probable line that is not beside the last change, and its probability."""
    view = session.situation(1).view
    history = session.history
    last = history.text.count("\n", 0, history.last)
    far = (
        {line: one for line, one in view.places.lines.items() if abs(line - last) > _NEAR}
        if view
        else {}
    )
    return max(far.items(), key=lambda one: one[1], default=(-1, 0.0))


def measured(rows: Sequence[Row], least: float) -> dict[str, float]:
    """Measure hints per cent of the saves, and how many of them are right, and near."""
    hints = [row for row in rows if row.is_silent and row.probability >= max(least, 1e-9)]
    count = max(1, len(hints))
    return {
        "hints": 100 * len(hints) / len(rows),
        "right": 100 * sum(row.is_right for row in hints) / count,
        "near": 100 * sum(row.is_near for row in hints) / count,
    }


if __name__ == "__main__":
    main()
