"""Suggestions on replayed editing sessions, and teacher-forced accuracy on instances.

Whatever suggests is driven through three calls, so that the language server behind its client, a
forecaster in this process, and a baseline are measured by the same code.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from editcast_model.forecast import Forecaster, Prediction, Session
from editcast_training.metrics import Judge
from editcast_training.results import Row
from editcast_training.sessions import EditingSession


class Answer(NamedTuple):
    """What was suggested for a text, best first, and how long it took from the save on."""

    predictions: list[Prediction]
    milliseconds: float


class Suggester(Protocol):
    """What is evaluated: a file is opened, saved again and again, and a suggestion asked for.

    Attributes:
        name: The model or baseline that answers.
    """

    name: str

    def open(self, text: str, language: str) -> None:
        """A new file; the one before is done with."""

    def save(self, text: str) -> None:
        """The file was saved as `text`."""

    def suggest(self) -> Answer:
        """Suggestions for the text last saved, with no threshold on their confidence."""


class InProcess:
    """A forecaster as a suggester, without a server in between."""

    def __init__(self, forecaster: Forecaster) -> None:
        self.name = forecaster.name
        self._forecaster = forecaster
        self._session: Session | None = None
        self._saved = 0.0

    def open(self, text: str, language: str) -> None:
        """Open a session of the forecaster."""
        self._session = self._forecaster.open(text)

    def save(self, text: str) -> None:
        """Tell the session; the clock of the next answer starts here."""
        assert self._session is not None
        self._saved = time.perf_counter()
        self._session.update(text, saved=True)

    def suggest(self) -> Answer:
        """Ask the session for its best prediction."""
        assert self._session is not None
        predictions = self._session.predict()
        return Answer(predictions, 1e3 * (time.perf_counter() - self._saved))


def replay(suggester: Suggester, sessions: Iterable[EditingSession]) -> Iterator[Row]:
    """Replay the sessions and score the best suggestion of every step, as it is made."""
    for number, session in enumerate(sessions):
        suggester.open(session.texts[0], session.language)
        for index, step in enumerate(session.steps(), 1):
            suggester.save(step.text)
            predictions, milliseconds = suggester.suggest()
            best = predictions[0] if predictions else None
            yield Row(
                project=session.project,
                path=session.path,
                language=session.language,
                kind=session.kind,
                session=number,
                step=index,
                milliseconds=round(milliseconds, 3),
                confidence=best.confidence if best else None,
                log_probability=best.log_probability if best else None,
                score=Judge(step).score(best.hunks) if best else None,
            )


class TokenBatch(NamedTuple):
    """Teacher-forced answers to N edits of instances; each array is bool (N,).

    Attributes:
        position: Whether the likeliest position was the edit's.
        content: Whether the likeliest content, at the true position, was the edit's.
        jump: Whether the edit is the first one after a save.
        save: Whether the edit is a save mark, which has no position to find.
    """

    position: NDArray[np.bool_]
    content: NDArray[np.bool_]
    jump: NDArray[np.bool_]
    save: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TokenAccuracy:
    """Shares of edits whose position, content, or both were right; 0.0 for no edits."""

    edits: int
    position: float
    content: float
    both: float


def token_accuracy(batches: Iterable[TokenBatch]) -> Mapping[str, TokenAccuracy]:
    """Accuracy over all batches, by group of edits.

    The groups: "edits" (all but save marks, the papers' metric), "jumps" (the first edit after a
    save), "stays" (edits that are no jumps), "saves" (save marks).
    """
    sums = {group: np.zeros(4, np.int64) for group in ("edits", "jumps", "stays", "saves")}
    for batch in batches:
        right = np.stack(
            [
                np.ones_like(batch.position),
                batch.position,
                batch.content,
                batch.position & batch.content,
            ]
        )
        edits = ~batch.save
        sums["edits"] += right[:, edits].sum(axis=1)
        sums["jumps"] += right[:, edits & batch.jump].sum(axis=1)
        sums["stays"] += right[:, edits & ~batch.jump].sum(axis=1)
        sums["saves"] += right[:, batch.save].sum(axis=1)
    return {group: _accuracy(*total.tolist()) for group, total in sums.items()}


def _accuracy(edits: int, position: int, content: int, both: int) -> TokenAccuracy:
    count = max(edits, 1)
    return TokenAccuracy(edits, position / count, content / count, both / count)
