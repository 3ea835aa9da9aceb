"""The text-level interface: a forecaster opens a text, hears of its saves, and predicts.

The network and the baselines answer through the same three types, so that the server, the demo
and the evaluation never ask which of them they talk to. All offsets are Unicode code points.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from editcast_model.consequences.module_changes import ModuleChange
from editcast_model.diff import Hunk, apply_hunks
from editcast_model.history import EditHistory
from editcast_model.tokenizer import lines

#: Saves of other files that are remembered: what is done in one file is often due in the next.
SAVES = 30
_AROUND = 4  # lines kept on each side of what changed


@dataclass(frozen=True, slots=True)
class Prediction:
    """One forecast edit: what would change, and how sure the forecaster is.

    Attributes:
        hunks: Replacements, ascending and disjoint, into the text the session was last given.
        log_probability: Joint natural log probability of its token edits; 0.0 without a model.
        confidence: Calibrated estimate, 0 to 1, that applying it is clean (brings the text
            closer to what comes next by exactly the size of the change).
        edits: How many token edits it was decoded from.
        everywhere: Where the same is left to do at several places, all of it: its own hunks and
            those of the other places, ascending and disjoint; else empty.
        source: Name of the candidate source that proposed it; empty of a baseline.
    """

    hunks: tuple[Hunk, ...]
    log_probability: float
    confidence: float
    edits: int
    everywhere: tuple[Hunk, ...] = ()
    source: str = ""

    def apply(self, text: str) -> str:
        """Apply the prediction to `text`."""
        return apply_hunks(text, self.hunks)


def never() -> bool:
    """Answer that nothing was cancelled."""
    return False


#: Whether a change is worth showing, as far as whoever asks can tell.
Fits = Callable[[tuple[Hunk, ...]], bool]


def anything(hunks: tuple[Hunk, ...]) -> bool:
    """Accept every change."""
    return True


@dataclass(frozen=True, slots=True)
class PredictionOptions:
    """Conditions of a prediction.

    Attributes:
        fits: Whether a change is worth showing; another is looked for in its place if not.
        typed: Where the word stands that is being typed, code points: it may be half of the one
            that is meant, and nothing that depends on it is predicted elsewhere.
        cursor: Where something was typed last, behind it; None if nothing was, or if the last
            change was no insertion.
        cancelled: Whether the answer is needed no longer.
    """

    fits: Fits = anything
    typed: range | None = None
    cursor: int | None = None
    cancelled: Callable[[], bool] = never


NO_OPTIONS = PredictionOptions()


class OtherSave(NamedTuple):
    """The changed part of another file at one of its saves.

    Attributes:
        file: Names the file; equal for the saves of one.
        before: The changed lines before the save, with some around them.
        after: The same after it.
        change: What the files that use it have to follow since then, and still have to; None for
            nothing, and where nobody looked.
        number: Of the file's saves; one of an equal number takes the place of the one before. None
            where each stands for itself.
    """

    file: str
    before: str
    after: str
    change: ModuleChange | None = None
    number: int | None = None


def other_save(file: str, before: str, after: str, number: int | None = None) -> OtherSave:
    """Return what is worth keeping of a save, given the file's whole texts."""
    old, new = lines(before), lines(after)
    most = min(len(old), len(new))
    head = next((i for i in range(most) if old[i] != new[i]), most)
    most -= head
    tail = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    first, behind = max(0, head - _AROUND), max(0, tail - _AROUND)
    return OtherSave(
        file,
        "".join(old[first : len(old) - behind]),
        "".join(new[first : len(new) - behind]),
        number=number,
    )


class Session(Protocol):
    """One open file, from the moment it was opened. Never raises on odd text."""

    def update(self, text: str, *, saved: bool) -> None:
        """Take in the text as it is now, and whether it was just saved."""

    def add_other_save(self, save: OtherSave) -> None:
        """Take in a save of another file of the project."""

    def predict(self, count: int = 1, options: PredictionOptions = NO_OPTIONS) -> list[Prediction]:
        """Predict at most `count` edits of the text last given, best first; none if cancelled.

        Args:
            count: How many are wanted.
            options: What they have to keep to.
        """

    def prepare(self, *, cancelled: Callable[[], bool] = never) -> None:
        """Do what the next prediction would have to do first, while nobody waits for it."""


class Forecaster(Protocol):
    """Opener of sessions: a network's bundle, or a baseline.

    Attributes:
        name: What the user is told answers: the bundle's name, or the baseline's.
    """

    name: str

    def open(self, text: str) -> Session:
        """Begin a session on the text of a file as it was opened or last saved."""

    def resume(self, history: EditHistory) -> Session:
        """Begin a session on a file's history, which the session goes on with.

        Made of the same history, a session knows what the one before knew, but for other files.
        """
