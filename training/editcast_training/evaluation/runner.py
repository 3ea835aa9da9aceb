"""Suggestions on replayed editing sessions, scored.

Whatever suggests is driven through three calls, so that the language server behind its client, a
forecaster in this process, and a baseline are measured by the same code.
"""

import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from editcast_model.forecasting.cross_file import OtherSave
from editcast_model.forecasting.filters import Work
from editcast_model.forecasting.interface import Forecaster, Prediction, Session
from editcast_model.history import EditHistory
from editcast_training.evaluation.metrics import Judge
from editcast_training.evaluation.results import Row
from editcast_training.evaluation.sessions import EditingSession


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
        """A new file in a new project; the one before is done with."""

    def hear(self, other: OtherSave) -> None:
        """Another file of the project was saved; the clock of the next answer starts here."""

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
        self._saves: list[str] = []
        self._language = ""
        self._saved = 0.0

    def open(self, text: str, language: str) -> None:
        """Open a session of the forecaster."""
        self._saved = time.perf_counter()
        self._session = self._forecaster.resume(EditHistory(text, language=language))
        self._saves, self._language = [text], language

    def hear(self, other: OtherSave) -> None:
        """Tell the session."""
        assert self._session is not None
        self._saved = time.perf_counter()
        self._session.hear(other)

    def save(self, text: str) -> None:
        """Tell the session; the clock of the next answer starts here."""
        assert self._session is not None
        self._saved = time.perf_counter()
        self._session.update(text, saved=True)
        self._saves.append(text)

    def suggest(self) -> Answer:
        """Ask the session for its best prediction."""
        assert self._session is not None
        work = Work.of(self._saves, self._language)
        predictions = self._session.predict(fits=work.admits)
        return Answer(predictions, 1e3 * (time.perf_counter() - self._saved))


def replay(suggester: Suggester, sessions: Iterable[EditingSession]) -> Iterator[Row]:
    """Replay the sessions and score the best suggestion of every step, as it is made."""
    for number, session in enumerate(sessions):
        suggester.open(session.texts[0], session.language)
        for index, step in session.replay(suggester.save, suggester.hear):
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
