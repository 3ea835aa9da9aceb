"""Collected candidates: what every source proposed at the steps of sessions, and its scores."""

import json
import os
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
from editcast_model.private_files import append_text
from editcast_training.disk import explained
from editcast_training.evaluation.metrics import Judge, Score
from editcast_training.evaluation.results import Row
from editcast_training.evaluation.sessions import EditingSession

_BEGINNING = '[{"row": {'  # of a line


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


@explained(SourceError)
def collect_to_file(
    forecaster: NeuralForecaster, sessions: Sequence[EditingSession], path: Path
) -> list[Collected]:
    """Collect as `collect` does, and keep it in a file: what lies there is not collected again.

    Raises:
        SourceError: The file holds something else, such as candidates of other sessions, or cannot
            be written.
    """
    done = read(path) if path.exists() else []
    about = [(one.project, one.path, one.kind) for one in sessions]
    for row in (step.row for step in done):
        if row.session >= len(about) or (row.project, row.path, row.kind) != about[row.session]:
            raise SourceError(
                f"{path} contains the candidates of other histories or commits; name another file."
            )
    if path.exists() and (left := len(path.read_bytes().rpartition(b"\n")[2])):
        os.truncate(path, path.stat().st_size - left)
    known = {step.row.session for step in done}
    for number, session in enumerate(sessions):
        if number not in known:
            steps = list(_of_session(forecaster, session, number))
            append_text(path, json.dumps([asdict(step) for step in steps]) + "\n")
            done += steps
    return sorted(done, key=lambda step: (step.row.session, step.row.step))


def read(path: Path) -> list[Collected]:
    """Read the steps that `collect_to_file` has written, a session a line.

    What a killed process left of a line is passed over.

    Raises:
        SourceError: The file cannot be read, or holds something else.
    """
    try:
        *lines, rest = path.read_text("utf-8").split("\n")
        if not rest.startswith(_BEGINNING[: len(rest)]):
            raise ValueError("the last line is of something else")
        return [structure(step, Collected) for line in lines for step in json.loads(line)]
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
