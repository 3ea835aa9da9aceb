"""The policy that decides which predictions are shown, and when.

The policy consists of the threshold on confidence (from the card, the user's eagerness and the
user's last decisions), the user's rejections, the filters, and the typing pause.
"""

from collections import deque
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from editcast_model.card import Calibration, Card
from editcast_model.diff import Hunk
from editcast_model.forecasting.candidates import CONTINUATION
from editcast_model.forecasting.filters import EditContext, reason_against
from editcast_model.forecasting.interface import Prediction
from editcast_model.forecasting.line_spans import (
    Span,
    contradicted,
    is_beside,
    moved,
    whole_lines,
)
from editcast_server.documents.suggestion import Place, Suggestion
from editcast_server.settings import Eagerness, Settings

REMEMBERED: Final = 20  # rejections per document

#: The threshold of an uncalibrated model, and the highest default threshold. Suggestions of this
#: confidence are right often enough, even if there were too few development data to show it.
UNCALIBRATED, HIGHEST = 0.5, 0.85
# Thresholds of low and high eagerness if the card has none
_LOW, _HIGH = 0.8, 0.3
# The user's decisions: how many count, how many decisions in line with the confidences are assumed
# before the first one, and how far decisions move a threshold
# (benchmarks/suggestions/decisions.py).
_DECISIONS, _IMAGINED, _LEAST_RATIO, _MOST_RATIO = 30, 5.0, 0.4, 1.2
#: Decisions never raise a threshold above this: without suggestions there are no new decisions.
_STILL_SHOWN: Final = 0.95
_LONGEST_PAUSE_MS: Final = 3000.0
# Changes of this many characters or lines within this many seconds are not typing
_BULK_CHARACTERS, _BULK_LINES, _BULK_SECONDS = 200, 8, 1.5
_TEXTS: Final = 64  # earlier texts of a document by which an undo is recognised


def default_threshold(card: Card | None) -> float:
    """Return the default threshold; a baseline has no card."""
    threshold = card.calibration.threshold if card else None
    return UNCALIBRATED if threshold is None else min(HIGHEST, threshold)


def threshold_of(card: Card | None, eagerness: Eagerness) -> float:
    """Return the threshold at a level of eagerness."""
    wanted, known = default_threshold(card), card.calibration if card else Calibration()
    match eagerness:
        case "low":
            return max(wanted, _LOW if known.low is None else min(HIGHEST, known.low))
        case "high":
            return min(wanted, _HIGH if known.high is None else known.high)
        case _:
            return wanted


def measured_precision(card: Card) -> float | None:
    """Return the share of clean suggestions at the default threshold on development data.

    None if it was not measured, because the default differs from the threshold in the card.
    """
    known = card.calibration
    return known.precision if known.threshold == default_threshold(card) else None


class Thresholds(NamedTuple):
    """The minimum confidences of what is shown, 0 to 1.

    Attributes:
        edit: That of an edit anywhere.
        continuation: That of a continuation of the line at the cursor.
    """

    edit: float
    continuation: float

    def of(self, prediction: Prediction) -> float:
        """Return the minimum confidence of a prediction."""
        return self.continuation if prediction.source == CONTINUATION else self.edit


class Policy:
    """The thresholds and the typing pause of one editor; used on the event loop only.

    Attributes:
        card: The card of the model in use; None for a baseline.
        pause: The typing pause before a prediction, in seconds. It grows after a rejection and
            shrinks after an accept.
    """

    def __init__(self, settings: Settings) -> None:
        self.card: Card | None = None
        # Of edits and of continuations: whether a suggestion was accepted, and its confidence
        self._decisions = [deque[tuple[bool, float]](maxlen=_DECISIONS) for _ in range(2)]
        self._settings = settings
        self.pause = settings.debounce_ms / 1000

    def follow(self, settings: Settings) -> None:
        """Use other settings from now on."""
        if settings.debounce_ms != self._settings.debounce_ms:
            self.pause = settings.debounce_ms / 1000
        self._settings = settings

    @property
    def thresholds(self) -> Thresholds:
        """Return the thresholds.

        They equal the threshold of the settings if the user accepts as often as the confidences
        promise.
        """
        wanted = self._settings.confidence_threshold
        if wanted is None:
            wanted = threshold_of(self.card, self._settings.eagerness)
        highest = max(wanted, _STILL_SHOWN)
        return Thresholds(*(min(wanted / _ratio(one), highest) for one in self._decisions))

    def count_decision(
        self, is_accepted: bool, confidence: float, *, is_continuation: bool = False
    ) -> None:
        """Count a decision on a suggestion of this confidence."""
        self._decisions[is_continuation].append((is_accepted, confidence))

    def shorten_pause(self) -> None:
        """Predict sooner, since the user accepted a suggestion."""
        self.pause = max(self._settings.debounce_ms / 1500, self.pause * 0.8)

    def lengthen_pause(self) -> None:
        """Predict later, since the user rejected a suggestion."""
        longest = max(self._settings.debounce_ms, _LONGEST_PAUSE_MS) / 1000
        self.pause = min(longest, self.pause * 1.5)


def _ratio(decisions: Collection[tuple[bool, float]]) -> float:
    """Compute the ratio of accepted to promised suggestions, between 0.4 and 1.2."""
    accepted = sum(is_accepted for is_accepted, _ in decisions)
    promised = sum(confidence for _, confidence in decisions)
    ratio = (accepted + _IMAGINED) / (promised + _IMAGINED)
    return min(_MOST_RATIO, max(_LEAST_RATIO, ratio))


@dataclass(frozen=True, slots=True)
class Rejection:
    """A suggestion that the user rejected, recognizable after later edits.

    Attributes:
        suggestion: It, as it was when it was rejected.
        start: The current offset of its place, in code points; None once an edit has changed it.
    """

    suggestion: Suggestion
    start: int | None

    def moved(self, change: Hunk) -> "Rejection":
        """Return the rejection after a change of the text."""
        if self.start is None or change.start > self.start:
            return self
        if change.end > self.start:
            return replace(self, start=None)
        return replace(self, start=self.start + change.growth)

    def is_about(self, hunk: Hunk, text: str) -> bool:
        """Tell whether a hunk makes the same edit at the same place."""
        place, known = Place.of(hunk, text), self.suggestion.place
        if (place.old, hunk.text) != (known.old, self.suggestion.hunk.text):
            return False
        if self.start is not None:
            return self.start == hunk.start
        return place.before == known.before or place.after == known.after


class Rejections:
    """The last suggestions that the user rejected in one document.

    Attributes:
        fresh: The lines of suggestions rejected since the last change. Nothing else is suggested
            on them for now.
        typed_lines: The lines on which the user typed something other than the suggestion since
            the last save, unless their places were lost. Nothing is suggested on them either.
    """

    def __init__(self) -> None:
        self._last: deque[Rejection] = deque(maxlen=REMEMBERED)
        self.fresh: tuple[Span, ...] = ()
        self.typed_lines: tuple[Span, ...] = ()

    def add(self, suggestion: Suggestion, text: str | None) -> None:
        """Add a rejected suggestion.

        Args:
            suggestion: The suggestion.
            text: The current text, if the suggestion's offsets refer to it.
        """
        if text is not None:
            self.fresh += (whole_lines(suggestion.hunk, text),)
        self._last.append(Rejection(suggestion, None if text is None else suggestion.hunk.start))

    def move(self, change: Hunk) -> None:
        """Adjust all places to a change of the text."""
        self.fresh = ()
        self.typed_lines = tuple(moved(span, change) for span in self.typed_lines)
        for index, rejection in enumerate(self._last):
            self._last[index] = rejection.moved(change)

    def add_typed_lines(self, hunk: Hunk, change: Hunk, text: str) -> None:
        """Add the lines on which the user typed something other than a suggestion.

        Args:
            hunk: The suggestion, in offsets of the text before the change.
            change: The typed change.
            text: The text after the change.
        """
        lines = contradicted(hunk, change, text)
        self.typed_lines = (*self.typed_lines, *lines)[-REMEMBERED:]

    @property
    def lines(self) -> tuple[Span, ...]:
        """Return the lines on which nothing is suggested."""
        return (*self.fresh, *self.typed_lines)

    def now(self) -> tuple[Rejection, ...]:
        """Return a copy for another thread."""
        return tuple(self._last)


@dataclass(frozen=True, slots=True)
class Conditions:
    """The text of a prediction, and the conditions for showing predictions.

    Attributes:
        context: The text and its last change.
        thresholds: The minimum confidences.
        rejections: The suggestions that the user rejected here.
        fresh: Lines of the text on which nothing is suggested.
    """

    context: EditContext
    thresholds: Thresholds
    rejections: tuple[Rejection, ...] = ()
    fresh: tuple[Span, ...] = ()

    def reason_against(self, hunk: Hunk) -> str | None:
        """Return the reason, for the log, why a change is not shown; None if it may be."""
        return self._was_refused(hunk) or reason_against(hunk, self.context)

    def shown(self, predictions: Sequence[Prediction]) -> list[Prediction]:
        """Return the predictions that reach the threshold, without rejected places."""
        sure = (one for one in predictions if one.confidence >= self.thresholds.of(one))
        return [replace(one, everywhere=self._left(one)) for one in sure]

    def _was_refused(self, hunk: Hunk) -> str | None:
        text = self.context.text
        if any(rejection.is_about(hunk, text) for rejection in self.rejections):
            return "was rejected"
        return "beside a rejected" if is_beside(self.fresh, hunk, text) else None

    def _left(self, prediction: Prediction) -> tuple[Hunk, ...]:
        """Return the places of a prediction, without those that the user rejected."""
        own, places = prediction.hunk, prediction.everywhere
        left = tuple(one for one in places if one == own or not self._was_refused(one))
        return left if len(left) > 1 else ()


class PastTexts:
    """The hashes of a document's last texts, which reveal an undo; LSP does not report it.

    A call computes one hash of the text, which takes 1 ms per megabyte.
    """

    def __init__(self) -> None:
        self._hashes: deque[int] = deque(maxlen=_TEXTS)

    def brings_back(self, text: str) -> bool:
        """Add the current text; tell whether the document had it before, but not just now."""
        now = hash(text)
        if now not in self._hashes:
            self._hashes.append(now)
            return False
        is_last = self._hashes[-1] == now
        self._hashes.remove(now)
        self._hashes.append(now)
        return not is_last

    @property
    def hashes(self) -> Set[int]:
        """Return a copy of the hashes for another thread."""
        return frozenset(self._hashes)

    def clear(self) -> None:
        """Forget all texts, since the next one may be unrelated."""
        self._hashes.clear()


class RecentChanges:
    """The sizes of a document's recent changes; times are in seconds of a monotonic clock.

    LSP does not report a paste, a formatter, a refactoring or a checkout; their size reveals them.
    """

    def __init__(self) -> None:
        self._last: deque[tuple[float, int, int]] = deque()

    def add(self, now: float, characters: int, lines: int) -> None:
        """Add a change that inserted and deleted this many characters and line ends."""
        while self._last and self._last[0][0] < now - _BULK_SECONDS:
            self._last.popleft()
        self._last.append((now, characters, lines))

    @property
    def is_bulk(self) -> bool:
        """Tell whether the last changes were too large for typing."""
        characters = sum(one[1] for one in self._last)
        lines = sum(one[2] for one in self._last)
        return characters >= _BULK_CHARACTERS or lines >= _BULK_LINES

    def clear(self) -> None:
        """Forget the changes, since the user wanted them."""
        self._last.clear()
