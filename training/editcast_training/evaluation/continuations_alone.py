"""A session whose only candidate source is continuations, to measure the project memory alone."""

from collections.abc import Callable, Sequence

from editcast_model.consequences.consequences import Consequences
from editcast_model.forecasting.candidates import Situation
from editcast_model.forecasting.interface import (
    NO_OPTIONS,
    OtherSave,
    Prediction,
    PredictionOptions,
    never,
)
from editcast_model.forecasting.replacements import KnownReplacements
from editcast_model.forecasting.sources.continuation import Continuations
from editcast_model.history import EditHistory


class ContinuationsAlone:
    """One file, continued where it is typed.

    The weights are of how sure continuations are; see `forecasting.sources.continuation`.
    """

    def __init__(self, history: EditHistory, weights: Sequence[float]) -> None:
        self.history, self._weights = history, weights
        self._source = Continuations()
        self._replacements = KnownReplacements(history)
        self._consequences = Consequences(history.language, history.path)

    def update(self, text: str, *, saved: bool) -> None:
        """Take in the text as it is now, and whether it was just saved."""
        self.history.update(text, saved=saved)

    def add_other_save(self, save: OtherSave) -> None:
        """Leave it alone: the project memory has the whole file."""

    def prepare(self, *, cancelled: Callable[[], bool] = never) -> None:
        """Do nothing: a look-up takes a millisecond."""

    def predict(self, count: int = 1, options: PredictionOptions = NO_OPTIONS) -> list[Prediction]:
        """Predict the continuation at the cursor, if there is one."""
        situation = Situation(
            self.history,
            self._replacements,
            (),
            self._consequences,
            None,
            count,
            options,
            continuation=self._weights,
        )
        found = self._source.propose(situation)
        return [
            Prediction(one.hunk, 0.0, one.prior or 0.0, one.edits, source=one.source)
            for one in found
        ]
