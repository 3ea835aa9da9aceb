"""The text-level interface of forecasters, which open sessions on texts and predict edits.

The network and the baselines implement the same protocols, so the server, the demo and the
evaluation need not distinguish them. All offsets are in Unicode code points.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from editcast_model.alignment import common_ends
from editcast_model.consequences.consequences import FileEvent
from editcast_model.consequences.other_files.module_changes import ModuleChange
from editcast_model.diff import Hunk
from editcast_model.history import EditHistory
from editcast_model.tokenizer import lines

#: The number of saves of other files that are kept, since an edit is often due in several files.
SAVES = 30
_AROUND = 4  # lines of context kept on each side of a change


@dataclass(frozen=True, slots=True)
class Prediction:
    """A predicted edit and its confidence.

    Attributes:
        hunk: A replacement in the last text of the session.
        log_probability: Joint natural log probability of its token edits; 0.0 without a model.
        confidence: Calibrated probability, 0 to 1, that the edit is clean (brings the text closer
            to the next text by exactly the size of the edit).
        edits: The number of its token edits.
        everywhere: If the same edit is due at several places, the hunks of all of them, including
            its own, ascending and disjoint; else empty.
        source: The name of the candidate source; empty for a baseline.
    """

    hunk: Hunk
    log_probability: float
    confidence: float
    edits: int
    everywhere: tuple[Hunk, ...] = ()
    source: str = ""


def never() -> bool:
    """Return False: nothing was cancelled."""
    return False


@dataclass(frozen=True, slots=True)
class PredictionOptions:
    """Conditions of a prediction.

    Attributes:
        fits: Tells whether a change may be shown; if not, another is searched.
        typed: The range of the word being typed, in code points. The word may be incomplete, so
            nothing that depends on it is predicted elsewhere.
        cursor: The end of the last typed text; None if the last change was not an insertion.
        least_confidence: The confidence below which predictions are of no use. Some of them are
            left out where none reaches it, which saves time.
        cancelled: Tells whether the answer is no longer needed.
    """

    fits: Callable[[Hunk], bool] = lambda hunk: True
    typed: range | None = None
    cursor: int | None = None
    least_confidence: float = 0.0
    cancelled: Callable[[], bool] = never


NO_OPTIONS = PredictionOptions()


class OtherSave(NamedTuple):
    """The changed part of another file at a save.

    Attributes:
        file: The name of the file.
        before: The changed lines before the save, with context.
        after: The changed lines after the save, with context.
        change: The module change that other files still have to follow; None if there is none or
            it is unknown.
        number: The number of the save in its file, of which a later save with the same number
            replaces the earlier one; None if saves are independent.
        event: If the file is new or deleted, its name and those beside it; if it was renamed, its
            paths.
    """

    file: str
    before: str
    after: str
    change: ModuleChange | None = None
    number: int | None = None
    event: FileEvent | None = None


def other_save(file: str, before: str, after: str, number: int | None = None) -> OtherSave:
    """Return the changed part of a save, given the whole texts of the file."""
    old, new = lines(before), lines(after)
    head, tail = common_ends(old, new)
    first, behind = max(0, head - _AROUND), max(0, tail - _AROUND)
    return OtherSave(
        file,
        "".join(old[first : len(old) - behind]),
        "".join(new[first : len(new) - behind]),
        number=number,
    )


class Session(Protocol):
    """A session on an open file, which never raises on unusual text."""

    def update(self, text: str, *, saved: bool) -> None:
        """Set the current text, and whether it was just saved."""

    def add_other_save(self, save: OtherSave) -> None:
        """Add a save of another file of the project."""

    def predict(self, count: int = 1, options: PredictionOptions = NO_OPTIONS) -> list[Prediction]:
        """Predict at most `count` edits of the current text, best first; none if cancelled."""

    def prepare(self, *, cancelled: Callable[[], bool] = never) -> None:
        """Prepare the next prediction while none is waiting."""


class Forecaster(Protocol):
    """A network or a baseline, which opens sessions.

    Attributes:
        name: The name of the bundle or the baseline, for the user.
    """

    name: str

    def resume(self, history: EditHistory) -> Session:
        """Begin a session on a file's history, which the session goes on with.

        Made of the same history, a session knows what the one before knew, but for other files.
        """
