"""Lines that are probably next where no text is sure enough: how often each of them is right.

    python benchmarks/suggestions/places.py --git REPOSITORY --git REPOSITORY --saves FILE

After each save of a session at which nothing reaches the default threshold, the line is taken that
is most probable, and, as `elsewhere`, the most probable one that is more than two lines from the
last change: nobody needs a hint at the line that they are on. A line is right if one of the next
changes touches it, and near if one touches a line at most two away.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click
from histories import cells, drawn_sessions, history_options, is_short
from rich.console import Console
from rich.progress import track

from editcast_model.bundle import bundled_path
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_server.prediction.policy import default_threshold
from editcast_training.evaluation.intervals import grouped, intervals
from editcast_training.evaluation.metrics import Judge
from editcast_training.evaluation.sessions import EditingSession, some_steps
from editcast_training.sources.registry import Origin

_PATH = click.Path(path_type=Path)
_NEAR = 2  # lines
_THRESHOLDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)


class Place(NamedTuple):
    """A line that a hint would name, and what came of it."""

    probability: float = 0.0
    is_right: bool = False
    is_near: bool = False


class Row(NamedTuple):
    """One save: whether nothing was shown, and the places that a hint would name."""

    session: int
    kind: str
    is_silent: bool
    most_probable: Place = Place()
    elsewhere: Place = Place()


@click.command()
@history_options
@click.option("--commits", default=40, show_default=True, help="Sessions of each repository.")
@click.option("--steps", default=1000, show_default=True, help="Saves at most of each file.")
@click.option("--bundle", type=_PATH, default=bundled_path(), help="[default: the bundled model]")
def main(origins: list[Origin], commits: int, steps: int, bundle: Path) -> None:
    """Replay sessions, and print a table in Markdown: one line a kind and threshold."""
    sessions = [one for each in origins for one in read_sessions(each, commits, steps)]
    forecaster = NeuralForecaster.load(bundle, "cpu")
    shown = track(sessions, "Replaying", console=Console(stderr=True))
    rows = [row for number, one in enumerate(shown) for row in replayed(forecaster, number, one)]
    print("| kind | saves | silent | line | probability | hints | right | near |")
    print("|---|---|---|---|---|---|---|---|")
    for kind, of_kind in grouped(rows, "kind").items():
        silent = sum(row.is_silent for row in of_kind)
        for which in ("most_probable", "elsewhere"):
            for least in _THRESHOLDS:
                found = intervals(of_kind, partial(measured, which=which, least=least))
                about = kind, len(of_kind), silent, which.replace("_", " "), least
                print(f"| {' | '.join(map(str, about))} | {cells(found.values())} |")


def read_sessions(origin: Origin, commits: int, steps: int) -> list[EditingSession]:
    """Read the sessions of a source whose files are short enough."""
    short = [one for one in drawn_sessions(origin, commits) if is_short(one)]
    return some_steps(short, steps, 0) if origin.kind == "saves" else short


def replayed(forecaster: NeuralForecaster, number: int, session: EditingSession) -> Iterator[Row]:
    """Yield a row for each save of a session."""
    threshold = default_threshold(forecaster.bundle.card)
    opened = forecaster.open(session.texts[0])
    for _, step in session.replay(partial(opened.update, saved=True), opened.add_other_save):
        best = opened.predict(1)
        if best and best[0].confidence >= threshold:
            yield Row(number, session.kind, False)
            continue
        touched = Judge(step).touched
        view = opened.situation(1).view
        lines = view.places.lines if view else {}
        last = opened.history.text.count("\n", 0, opened.history.last)
        far = {line: one for line, one in lines.items() if abs(line - last) > _NEAR}
        yield Row(number, session.kind, True, place(lines, touched), place(far, touched))


def place(lines: Mapping[int, float], touched: Iterable[int]) -> Place:
    """Judge the most probable of these lines by those that are touched next."""
    line = max(lines, key=lambda one: lines[one], default=None)
    if line is None:
        return Place()
    away = min((abs(line - one) for one in touched), default=_NEAR + 1)
    return Place(lines[line], away == 0, away <= _NEAR)


def measured(rows: Sequence[Row], which: str, least: float) -> dict[str, float]:
    """Measure hints per cent of the saves, and how many of them are right, and near."""
    places: list[Place] = [getattr(row, which) for row in rows]
    hints = [one for one in places if one.probability >= max(least, 1e-9)]
    count = max(1, len(hints))
    return {
        "hints": 100 * len(hints) / len(rows),
        "right": 100 * sum(one.is_right for one in hints) / count,
        "near": 100 * sum(one.is_near for one in hints) / count,
    }


if __name__ == "__main__":
    main()
