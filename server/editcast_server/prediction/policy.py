"""The one policy for what is shown of what is predicted, and when.

A threshold on confidence (the card's, the user's eagerness, the user's last decisions), what a user
rejected, what nobody wants, and the typing pause before a prediction.
"""

from collections import OrderedDict, deque
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from editcast_model.card import Calibration, Card
from editcast_model.diff import Hunk
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

REMEMBERED: Final = 20  # rejections of a document

#: The threshold of a model that was not calibrated, and the highest of any: whoever is this sure is
#: right often enough, even if too few development data could show it.
UNCALIBRATED, HIGHEST = 0.5, 0.85
# Thresholds of low and high eagerness of a model that has none for them
_LOW, _HIGH = 0.8, 0.3
# The user's decisions: how many count; how many are imagined before the first one, which go as the
# confidence says; how far they move a threshold
_DECISIONS, _IMAGINED, _LEAST_RATIO, _MOST_RATIO = 30, 10.0, 0.6, 1.2
#: No decisions raise a threshold above this: who is shown nothing can decide nothing any more.
_STILL_SHOWN: Final = 0.95
_LONGEST_PAUSE_MS: Final = 3000.0
# After changes of so many characters or lines within so many seconds a pause is no typing pause
_BULK_CHARACTERS, _BULK_LINES, _BULK_SECONDS = 200, 8, 1.5
_TEXTS: Final = 64  # of a document by whose return an undo is recognised


def default_threshold(card: Card | None) -> float:
    """Return the least confidence that is shown by default; of a baseline there is no card."""
    threshold = card.calibration.threshold if card else None
    return UNCALIBRATED if threshold is None else min(HIGHEST, threshold)


def threshold_of(card: Card | None, eagerness: Eagerness) -> float:
    """Return the least confidence that is shown to a user who wants so much."""
    wanted, known = default_threshold(card), card.calibration if card else Calibration()
    match eagerness:
        case "low":
            return max(wanted, _LOW if known.low is None else min(HIGHEST, known.low))
        case "high":
            return min(wanted, _HIGH if known.high is None else known.high)
        case _:
            return wanted


def measured_precision(card: Card) -> float | None:
    """Return the share of development suggestions at the default threshold that were clean.

    None where it was not measured: a threshold that no data reached is replaced by another.
    """
    known = card.calibration
    return known.precision if known.threshold == default_threshold(card) else None


class Policy:
    """The readiness to show one editor's suggestions; belongs to the event loop.

    Attributes:
        card: Of the model in use; None for a baseline.
        pause: How long typing must pause before a prediction, in seconds: longer after a
            rejection, shorter after an accept.
    """

    def __init__(self, settings: Settings) -> None:
        self.card: Card | None = None
        self._decisions: deque[tuple[bool, float]] = deque(maxlen=_DECISIONS)
        self._settings = settings
        self.pause = settings.debounce_ms / 1000

    def follow(self, settings: Settings) -> None:
        """Use other settings from now on."""
        if settings.debounce_ms != self._settings.debounce_ms:
            self.pause = settings.debounce_ms / 1000
        self._settings = settings

    @property
    def threshold(self) -> float:
        """Return the least confidence to show, 0 to 1.

        It is what the settings want for those who accept as often as the confidence says.
        """
        wanted = self._settings.confidence_threshold
        if wanted is None:
            wanted = threshold_of(self.card, self._settings.eagerness)
        return min(wanted / self.ratio, max(wanted, _STILL_SHOWN))

    @property
    def ratio(self) -> float:
        """Compute how many were accepted for one that the confidences promised; 0.6 to 1.2."""
        accepted = sum(is_accepted for is_accepted, _ in self._decisions)
        promised = sum(confidence for _, confidence in self._decisions)
        ratio = (accepted + _IMAGINED) / (promised + _IMAGINED)
        return min(_MOST_RATIO, max(_LEAST_RATIO, ratio))

    def count_decision(self, is_accepted: bool, confidence: float) -> None:
        """Count a decision on a suggestion that had this confidence."""
        self._decisions.append((is_accepted, confidence))

    def shorten_pause(self) -> None:
        """Predict sooner, since the user took a suggestion."""
        self.pause = max(self._settings.debounce_ms / 1500, self.pause * 0.8)

    def lengthen_pause(self) -> None:
        """Predict later, since the user did not want a suggestion."""
        longest = max(self._settings.debounce_ms, _LONGEST_PAUSE_MS) / 1000
        self.pause = min(longest, self.pause * 1.5)


@dataclass(frozen=True, slots=True)
class Rejection:
    """A suggestion that the user did not want, recognisable after later edits.

    Attributes:
        place: Where it stood.
        new: What it would have put there.
        start: Where it stands now, in code points; None once an edit has gone over the place.
    """

    place: Place
    new: tuple[str, ...]
    start: int | None

    def moved(self, change: Hunk) -> "Rejection":
        """Return the rejection as it is after a change of the text."""
        if self.start is None or change.start > self.start:
            return self
        if change.end > self.start:
            return replace(self, start=None)
        return replace(self, start=self.start + change.growth)

    def is_about(self, hunks: tuple[Hunk, ...], text: str) -> bool:
        """Tell whether the hunks would do the same thing at the same place."""
        place, known = Place.of(hunks, text), self.place
        if (self.new, known.replaced) != (tuple(hunk.text for hunk in hunks), place.replaced):
            return False
        if self.start is not None:
            return self.start == hunks[0].start
        return place.before == known.before or place.after == known.after


class Rejections:
    """The last suggestions that the user rejected in one document.

    Attributes:
        fresh: The lines of those rejected since the last change: nothing else is to be suggested
            there right away.
        typed_lines: The lines where the user typed something else than what was suggested, since
            the last save: they are the user's own.
    """

    def __init__(self) -> None:
        self._last: deque[Rejection] = deque(maxlen=REMEMBERED)
        self.fresh: tuple[Span, ...] = ()
        self.typed_lines: tuple[Span, ...] = ()

    def __len__(self) -> int:
        return len(self._last)

    def add(self, suggestion: Suggestion, text: str | None) -> None:
        """Remember one.

        Args:
            suggestion: The suggestion.
            text: The text as it is now, if the suggestion's offsets are into it.
        """
        if text is not None:
            self.fresh += whole_lines(suggestion.hunks, text)
        self._last.append(
            Rejection(
                suggestion.place,
                tuple(hunk.text for hunk in suggestion.hunks),
                None if text is None else suggestion.hunks[0].start,
            )
        )

    def move(self, change: Hunk) -> None:
        """Follow a change of the text."""
        self.fresh = ()
        self.typed_lines = tuple(moved(span, change) for span in self.typed_lines)
        for index, rejection in enumerate(self._last):
            self._last[index] = rejection.moved(change)

    def add_typed_lines(self, hunks: Sequence[Hunk], change: Hunk, text: str) -> None:
        """Remember where the user typed something else than a suggestion.

        Args:
            hunks: The suggestion, in offsets of the text before the change.
            change: What was typed.
            text: The text after it.
        """
        lines = contradicted(hunks, change, text)
        self.typed_lines = (*self.typed_lines, *lines)[-REMEMBERED:]

    def forget_typed_lines(self) -> None:
        """Forget the lines that were typed: the user has saved, or they cannot be followed."""
        self.typed_lines = ()

    def now(self) -> tuple[Rejection, ...]:
        """Return a copy of the rejections, for another thread."""
        return tuple(self._last)


@dataclass(frozen=True, slots=True)
class Conditions:
    """The text that a prediction is made for, and what it is judged by.

    Attributes:
        context: The text, and what was just done to it.
        threshold: The least confidence to show.
        rejections: What the user did not want here.
        fresh: Lines where nothing is to be suggested in this very text.
    """

    context: EditContext
    threshold: float
    rejections: tuple[Rejection, ...] = ()
    fresh: tuple[Span, ...] = ()

    def reason_against(self, hunks: tuple[Hunk, ...]) -> str | None:
        """Say in a few words for the log why a change is not to be shown; None when it may be."""
        return self._was_refused(hunks) or reason_against(hunks, self.context)

    def shown(self, predictions: Sequence[Prediction]) -> list[Prediction]:
        """Return those predictions that are sure enough; none goes where the user said no."""
        sure = (one for one in predictions if one.confidence >= self.threshold)
        return [replace(one, everywhere=self._left(one)) for one in sure]

    def _was_refused(self, hunks: tuple[Hunk, ...]) -> str | None:
        text = self.context.text
        if any(rejection.is_about(hunks, text) for rejection in self.rejections):
            return "was rejected"
        return "beside a rejected" if is_beside(self.fresh, hunks, text) else None

    def _left(self, prediction: Prediction) -> tuple[Hunk, ...]:
        """Return the places of a prediction without those that the user refused."""
        own = prediction.hunks
        left = [one for one in prediction.everywhere if one in own or not self._was_refused((one,))]
        return tuple(left) if len(left) > len(own) else ()


class PastTexts:
    """The last texts of a document, by their hashes; LSP does not tell of an undo, these do.

    A call costs one hash of the text: 1 ms a megabyte.
    """

    def __init__(self) -> None:
        self._hashes: OrderedDict[int, None] = OrderedDict()

    def brings_back(self, text: str) -> bool:
        """Tell whether this, the text now, is one that the document had before the last one."""
        now = hash(text)
        is_last = bool(self._hashes) and next(reversed(self._hashes)) == now
        is_known = now in self._hashes
        self._hashes[now] = None
        self._hashes.move_to_end(now)
        if len(self._hashes) > _TEXTS:
            self._hashes.popitem(last=False)
        return is_known and not is_last

    @property
    def hashes(self) -> Set[int]:
        """Return a copy of the texts' hashes, for another thread."""
        return frozenset(self._hashes)

    def clear(self) -> None:
        """Forget them all: nobody knows what came between them and the next."""
        self._hashes.clear()


class RecentChanges:
    """The recent changes of a document. Times are in seconds, of any steady clock.

    LSP does not tell of a paste, a formatter, a refactoring or a checkout; their size does.
    """

    def __init__(self) -> None:
        self._last: deque[tuple[float, int, int]] = deque()

    def add(self, now: float, characters: int, lines: int) -> None:
        """Add a change that inserted and deleted so many characters and line ends."""
        while self._last and self._last[0][0] < now - _BULK_SECONDS:
            self._last.popleft()
        self._last.append((now, characters, lines))

    @property
    def is_bulk(self) -> bool:
        """Tell whether the last change, with those shortly before it, was more than typing."""
        characters = sum(one[1] for one in self._last)
        lines = sum(one[2] for one in self._last)
        return characters >= _BULK_CHARACTERS or lines >= _BULK_LINES

    def clear(self) -> None:
        """Begin anew: what changed so far was wanted."""
        self._last.clear()
