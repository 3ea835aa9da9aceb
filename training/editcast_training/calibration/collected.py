"""Collected candidates: what every source proposed at the steps of sessions, and its scores."""

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from cattrs import BaseValidationError, structure

from editcast_model.errors import SourceError
from editcast_model.forecasting.candidates import Candidate
from editcast_model.forecasting.filters import EditContext
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.forecasting.interface import PredictionOptions
from editcast_model.history import EditHistory
from editcast_training.evaluation.metrics import Judge, Score
from editcast_training.evaluation.results import Row
from editcast_training.evaluation.sessions import EditingSession


@dataclass(frozen=True, slots=True)
class Collected:
    """The candidates of one step, each with its score, and a row with none of them chosen."""

    row: Row
    candidates: tuple[Candidate, ...]
    scores: tuple[Score, ...]


def collect(
    forecaster: NeuralForecaster, sessions: Iterable[EditingSession]
) -> Iterator[Collected]:
    """Collect the candidates of every step, of those that no filter drops."""
    for number, session in enumerate(sessions):
        yield from _of_session(forecaster, session, number)


def collect_to_file(
    forecaster: NeuralForecaster, sessions: Sequence[EditingSession], path: Path
) -> list[Collected]:
    """Collect as `collect` does, and keep it in a file: what lies there is not collected again.

    Raises:
        SourceError: The file holds something else.
    """
    done = read(path) if path.exists() else []
    known = {step.row.session for step in done}
    with path.open("a", encoding="utf-8") as file:
        for number, session in enumerate(sessions):
            if number in known:
                continue
            steps = list(_of_session(forecaster, session, number))
            file.write(json.dumps([asdict(step) for step in steps]) + "\n")
            file.flush()
            done += steps
    return sorted(done, key=lambda step: (step.row.session, step.row.step))


def read(path: Path) -> list[Collected]:
    """Read the steps that `collect_to_file` has written, a session a line.

    Raises:
        SourceError: The file cannot be read, or holds something else.
    """
    try:
        with path.open(encoding="utf-8") as file:
            return [structure(step, Collected) for line in file for step in json.loads(line)]
    except (OSError, ValueError, TypeError, BaseValidationError) as error:
        raise SourceError(
            f"{path} contains no candidates of this version ({type(error).__name__}); "
            "name another file."
        ) from error


def _of_session(
    forecaster: NeuralForecaster, replayed: EditingSession, number: int
) -> Iterator[Collected]:
    history = EditHistory(replayed.texts[0], language=replayed.language, path=replayed.path)
    session = forecaster.resume(history)
    saved = time.perf_counter()

    def save(text: str) -> None:
        nonlocal saved
        saved = time.perf_counter()
        session.update(text, saved=True)

    for index, step in replayed.replay(save, session.add_other_save):
        context = EditContext.of(replayed.texts[: index + 1], replayed.language)
        candidates = tuple(session.candidates(1, PredictionOptions(context.accepts)))
        row = Row.of(replayed, number, index, 1e3 * (time.perf_counter() - saved))
        judge = Judge(step)
        yield Collected(row, candidates, tuple(judge.score(one.hunk) for one in candidates))
