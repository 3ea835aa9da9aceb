"""Suggestions on replayed editing sessions, scored.

Whatever suggests is driven through the same calls: the language server behind its client, or a
forecaster in this process.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Protocol

from editcast_model.forecasting.interface import OtherSave, Prediction
from editcast_training.evaluation.metrics import score_over_time
from editcast_training.evaluation.results import Row
from editcast_training.evaluation.sessions import EditingSession


class Suggester(Protocol):
    """Subject of an evaluation: a file is opened and saved, and a suggestion asked for.

    Attributes:
        name: The model or baseline that answers.
    """

    name: str

    def open(self, text: str, language: str) -> None:
        """Begin a session on a new file in a new project."""

    def add_other_save(self, other: OtherSave) -> None:
        """Take in a save of another file of the project; the next answer is timed from here."""

    def save(self, text: str) -> None:
        """Take in a save of the file."""

    def suggest(self) -> tuple[Prediction | None, float]:
        """Return the best suggestion, however unsure, and the milliseconds from the save to it."""


def replay(suggester: Suggester, sessions: Iterable[EditingSession]) -> Iterator[Row]:
    """Replay the sessions and score the best suggestion of every step, as it is made."""
    for number, session in enumerate(sessions):
        suggester.open(session.texts[0], session.language)
        for index, step in session.replay(suggester.save, suggester.add_other_save):
            best, milliseconds = suggester.suggest()
            row = Row.of(session, number, index, milliseconds)
            if best:
                row = replace(
                    row,
                    confidence=best.confidence,
                    log_probability=best.log_probability,
                    score=score_over_time(best.hunks, step),
                )
            yield row
