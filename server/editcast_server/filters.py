"""What is held back: predictions that a user would not want to see, whatever their confidence."""

from collections import deque
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial

from editcast_model.diff import Hunk, apply_hunks, diff
from editcast_model.forecast import Prediction
from editcast_server import syntax
from editcast_server.buffer import shortest_hunk
from editcast_server.imports import touches_only_imports
from editcast_server.kept import CONTEXT
from editcast_server.suggestions import Suggestion

REMEMBERED = 20

#: First and last offset of some whole lines, without the last line end.
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Rejection:
    """A suggestion that the user did not want, recognisable after later edits.

    Attributes:
        replaced: What it would have replaced, hunk by hunk.
        new: What it would have put there.
        before: The text before it, at most `CONTEXT` code points.
        after: The text behind it, at most `CONTEXT` code points.
        start: Where it stands now, in code points; None once an edit has gone over the place.
    """

    replaced: tuple[str, ...]
    new: tuple[str, ...]
    before: str
    after: str
    start: int | None

    def moved(self, change: Hunk) -> "Rejection":
        """It after a change of the text."""
        if self.start is None or change.start > self.start:
            return self
        if change.end > self.start:
            return replace(self, start=None)
        grown = len(change.text) - (change.end - change.start)
        return replace(self, start=self.start + grown)

    def is_about(self, hunks: tuple[Hunk, ...], text: str) -> bool:
        """Whether the hunks would do the same thing at the same place."""
        if self.new != tuple(hunk.text for hunk in hunks):
            return False
        if self.replaced != tuple(text[hunk.start : hunk.end] for hunk in hunks):
            return False
        start, end = hunks[0].start, hunks[-1].end
        if self.start is not None:
            return self.start == start
        before, after = text[max(0, start - CONTEXT) : start], text[end : end + CONTEXT]
        return before == self.before or after == self.after


class Rejections:
    """The last suggestions that the user rejected in one document.

    Attributes:
        fresh: The lines of those rejected since the last change: nothing else is to be suggested
            there right away.
        disagreed: The lines where the user typed something else than what was suggested, since
            the last save: they are the user's own.
    """

    def __init__(self) -> None:
        self._last: deque[Rejection] = deque(maxlen=REMEMBERED)
        self.fresh: tuple[Span, ...] = ()
        self.disagreed: tuple[Span, ...] = ()

    def __len__(self) -> int:
        return len(self._last)

    def add(self, suggestion: Suggestion, text: str | None) -> None:
        """Remember one.

        Args:
            suggestion: The suggestion.
            text: The text as it is now, if the suggestion's offsets are into it.
        """
        if text is not None:
            self.fresh += _lines(suggestion.hunks, text)
        self._last.append(
            Rejection(
                suggestion.replaced,
                tuple(hunk.text for hunk in suggestion.hunks),
                suggestion.before,
                suggestion.after,
                None if text is None else suggestion.hunks[0].start,
            )
        )

    def move(self, change: Hunk) -> None:
        """Follow a change of the text."""
        self.fresh = ()
        self.disagreed = tuple(_moved(span, change) for span in self.disagreed)
        for index, rejection in enumerate(self._last):
            self._last[index] = rejection.moved(change)

    def disagree(self, hunks: Sequence[Hunk], change: Hunk, text: str) -> None:
        """Remember where the user typed something else than a suggestion.

        Args:
            hunks: The suggestion, in offsets of the text before the change.
            change: What was typed.
            text: The text after it.
        """
        grown = len(change.text) - (change.end - change.start)
        ((first, last),) = _lines([Hunk(change.start, change.end + grown, "")], text)
        if any(hunk.start <= last - grown and first <= hunk.end for hunk in hunks):
            self.disagreed = (*self.disagreed, (first, last))[-REMEMBERED:]

    def saved(self) -> None:
        """The user is done with the lines that were typed."""
        self.disagreed = ()

    def now(self) -> tuple[Rejection, ...]:
        """The rejections as they stand, for another thread."""
        return tuple(self._last)


@dataclass(frozen=True, slots=True)
class Situation:
    """What a prediction is judged by.

    Attributes:
        text: The text it was made for.
        saved_before: What the last save replaced; None before the second.
        language: The document's language identifier.
        threshold: The least confidence to show.
        rejections: What the user did not want here.
        fresh: Lines where nothing is to be suggested in this very text.
        texts: Hashes of texts that the document had.
        on_imports: Whether the user's own last change was on an import line.
    """

    text: str
    saved_before: str | None
    language: str
    threshold: float
    rejections: tuple[Rejection, ...] = ()
    fresh: tuple[Span, ...] = ()
    texts: Set[int] = frozenset()
    on_imports: bool = False


def reason_to_hold_back(prediction: Prediction, situation: Situation) -> str | None:
    """Why a prediction is not shown, in a few words for the log; None when it is."""
    if prediction.confidence < situation.threshold:
        return "not sure enough"
    if not prediction.hunks:
        return "changes nothing"
    checks: tuple[tuple[Callable[[], bool], str], ...] = (
        (partial(_changes_nothing, prediction, situation), "changes nothing"),
        (partial(_is_white_space, prediction, situation), "changes only white space"),
        (partial(_is_rejected, prediction, situation), "was rejected"),
        (
            partial(is_beside, situation.fresh, prediction.hunks, situation.text),
            "beside a rejected",
        ),
        (partial(_is_about_imports, prediction, situation), "changes only imports"),
        (partial(_undoes, prediction, situation), "undoes the last save"),
        (partial(_brings_back, prediction, situation), "undoes an edit"),
        (
            partial(syntax.breaks, situation.text, prediction.hunks, situation.language),
            "breaks what can be parsed",
        ),
    )
    return next((reason for check, reason in checks if check()), None)


def _changes_nothing(prediction: Prediction, situation: Situation) -> bool:
    return all(situation.text[hunk.start : hunk.end] == hunk.text for hunk in prediction.hunks)


def _is_white_space(prediction: Prediction, situation: Situation) -> bool:
    return all(
        situation.text[hunk.start : hunk.end].split() == hunk.text.split()
        for hunk in prediction.hunks
    )


def _is_rejected(prediction: Prediction, situation: Situation) -> bool:
    return any(
        rejection.is_about(prediction.hunks, situation.text) for rejection in situation.rejections
    )


def _undoes(prediction: Prediction, situation: Situation) -> bool:
    """Whether all it does is to put back what the last save replaced."""
    if situation.saved_before is None:
        return False
    text = situation.text
    if apply_hunks(text, prediction.hunks) == situation.saved_before:
        return True
    way_back = {_core(hunk, text) for hunk in diff(text, situation.saved_before)}
    return all(_core(hunk, text) in way_back for hunk in prediction.hunks)


def _brings_back(prediction: Prediction, situation: Situation) -> bool:
    """Whether it would make the text one that the document had already."""
    return hash(apply_hunks(situation.text, prediction.hunks)) in situation.texts


def _is_about_imports(prediction: Prediction, situation: Situation) -> bool:
    return not situation.on_imports and touches_only_imports(
        situation.text, prediction.hunks, situation.language
    )


def _moved(span: Span, change: Hunk) -> Span:
    first, last = span
    grown = len(change.text) - (change.end - change.start)
    if change.start > last:
        return span
    if change.end < first:
        return first + grown, last + grown
    return min(first, change.start), max(last, change.end) + grown


def is_beside(spans: Sequence[Span], hunks: Sequence[Hunk], text: str) -> bool:
    """Whether hunks of `text` touch one of some lines."""
    return bool(spans) and any(
        first <= end and start <= last
        for start, end in _lines(hunks, text)
        for first, last in spans
    )


def _lines(hunks: Sequence[Hunk], text: str) -> tuple[Span, ...]:
    """The whole lines that each hunk touches."""
    ends = ((hunk.start, text.find("\n", hunk.end)) for hunk in hunks)
    return tuple(
        (text.rfind("\n", 0, start) + 1, len(text) if end < 0 else end) for start, end in ends
    )


def _core(hunk: Hunk, text: str) -> Hunk:
    return shortest_hunk(text[hunk.start : hunk.end], hunk.text, hunk.start)
