"""`editcast evaluate --typing`: sessions typed token by token, with what is offered meanwhile."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from rich.console import Console
from rich.markup import escape
from rich.progress import track

from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.forecasting.sources.repeated_edits import BASELINES
from editcast_server.prediction.policy import threshold_of
from editcast_server.settings import Device, Eagerness
from editcast_training.evaluation.intervals import Interval
from editcast_training.evaluation.project_sessions import FilesOf
from editcast_training.evaluation.results import hardware
from editcast_training.evaluation.sessions import EditingSession
from editcast_training.evaluation.typing_replay import (
    MEASURES,
    WHEN,
    TypingEvaluation,
    added,
    replay_typing,
)

HEADINGS = ["", "actions", *MEASURES]
LEGEND = (
    "Per cent, with 95 % bootstrap intervals over sessions; offers: for a hundred actions; taken: "
    "of the offers; spared: of the characters to type, less one for each offer taken"
)


def evaluate_typing(
    model: str,
    device: Device,
    sessions: Sequence[EditingSession],
    files: FilesOf,
    source: str,
    console: Console,
) -> TypingEvaluation:
    """Type the sessions that stand alone, once for each level of eagerness.

    Raises:
        BundleError: The bundle cannot be used.
    """
    card = None
    forecaster = BASELINES[model]() if model in BASELINES else None
    if forecaster is None:
        forecaster = NeuralForecaster.load(Path(model).expanduser(), device)
        card = forecaster.bundle.card
    thresholds = {level: threshold_of(card, level) for level in get_args(Eagerness)}
    alone = [one for one in sessions if not one.is_in_project]
    typed = track(
        replay_typing(forecaster, alone, thresholds, files),
        description=escape(forecaster.name),
        total=len(alone),
        console=console,
    )
    return TypingEvaluation(
        forecaster.name,
        tuple(row for rows in typed for row in rows),
        thresholds,
        source=source,
        command=shlex.join(["editcast", *sys.argv[1:]]),
        hardware=hardware(device),
    )


def table_lines(one: TypingEvaluation, kind: str) -> Iterator[list[str]]:
    """Return the lines of the table of one kind of session, one a level and when."""
    for level, found in one.intervals[kind].items():
        rows = one.of(kind, level)
        for when, names in WHEN.items():
            actions = added(rows, names).actions
            cells = (_cell(found[f"{when}: {measure}"]) for measure in MEASURES)
            yield [f"{level}, {when}", str(actions), *cells]


def _cell(found: Interval) -> str:
    digits = int(0 < max(map(abs, found)) < 10)
    return "{:.{n}f} ({:.{n}f}, {:.{n}f})".format(*found, n=digits)
