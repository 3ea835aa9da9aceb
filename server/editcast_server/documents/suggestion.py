"""Suggestions: predicted edits of a text, and what becomes of them while the user types.

`AppliedEdits` recognizes a suggestion in the text, however it got there, and follows it.
`Rejections` recognizes what the user did not want when it is predicted again.
"""

import re
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final, Literal, NamedTuple

from editcast_model.diff import Hunk, line_around, shortest_hunk
from editcast_model.forecasting.filters import word_at
from editcast_model.forecasting.interface import Prediction
from editcast_model.forecasting.line_spans import Span, contradicted, moved

CONTEXT: Final = 32  # code points on each side by which a place is recognized
_CHANGES: Final = 4  # changes after an accept, of which one may be its edit
REMEMBERED: Final = 20  # rejections per document
_FOUND: Final = 8  # applied suggestions whose accept may still be reported
_FIRST = re.compile(r"\w+|\W")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class AppliedEdit:
    """The text that results from applying some hunks, in any number of steps.

    Attributes:
        length: The length of the whole text, in code points.
        new: The places of the new texts, and these.
        old: The texts that they replaced.
        before: At most `CONTEXT` code points before the first of them.
        after: As many after the last.
    """

    length: int
    new: tuple[Hunk, ...]
    old: tuple[str, ...]
    before: str
    after: str

    @classmethod
    def of(cls, hunks: Sequence[Hunk], text: str) -> "AppliedEdit":
        """Return the result of applying hunks, ascending and disjoint, to `text`."""
        new, grown = [], 0
        for hunk in hunks:
            start = hunk.start + grown
            new.append(Hunk(start, start + len(hunk.text), hunk.text))
            grown += hunk.growth
        first, last = hunks[0].start, hunks[-1].end
        return cls(
            len(text) + grown,
            tuple(new),
            tuple(text[hunk.start : hunk.end] for hunk in hunks),
            text[max(0, first - CONTEXT) : first],
            text[last : last + CONTEXT],
        )

    def is_in(self, text: str) -> bool:
        """Tell whether `text` is the result, judging by its length and the changed places."""
        return (
            len(text) == self.length
            and all(text.startswith(one.text, one.start) for one in self.new)
            and text.endswith(self.before, 0, self.new[0].start)
            and text.startswith(self.after, self.new[-1].end)
        )


class Place(NamedTuple):
    """The text at a hunk and, for at most `CONTEXT` code points, around it."""

    old: str
    before: str
    after: str
    line: int  # the first that changes, counted from 0

    @classmethod
    def of(cls, hunk: Hunk, text: str) -> "Place":
        """Return the place of a hunk in `text`."""
        start, end = hunk.start, hunk.end
        before, after = text[max(0, start - CONTEXT) : start], text[end : end + CONTEXT]
        return cls(text[start:end], before, after, text.count("\n", 0, start))


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion(Prediction):
    """A prediction to show; its hunks are offsets into the current text.

    Attributes:
        id: The identifier for the client.
        place: The place of its hunk.
        results: The possible documents after an accept: at all places, if there are several, and
            at this one. Typing a part of the suggestion does not change them.
        is_probable: Whether the confidence is a probability; a baseline's score only ranks.
    """

    id: str
    place: Place
    results: tuple[AppliedEdit, ...]
    is_probable: bool = True

    @classmethod
    def of(
        cls, prediction: Prediction, text: str, id: str, *, is_probable: bool = True
    ) -> "Suggestion":
        """Turn a prediction for `text` into a suggestion."""
        hunk, everywhere = prediction.hunk, prediction.everywhere
        return cls(
            **{field.name: getattr(prediction, field.name) for field in fields(Prediction)},
            id=id,
            place=Place.of(hunk, text),
            results=tuple(AppliedEdit.of(one, text) for one in (everywhere, (hunk,)) if one),
            is_probable=is_probable,
        )

    def applied_in(self, text: str) -> AppliedEdit | None:
        """Return the result that `text` is; None if it is none."""
        return next((one for one in self.results if one.is_in(text)), None)

    def is_for(self, text: str) -> bool:
        """Tell whether the suggestion still fits `text`, which may be a later text."""
        return self.place == Place.of(self.hunk, text)

    def may_be_there(self, text: str) -> bool:
        """Tell whether what stands behind an insertion in `text` begins as it does.

        Such as the `{` that is left of `(error) {`, where the line had one all along.
        """
        hunk = self.hunk
        first = _FIRST.match(hunk.text)
        return hunk.start == hunk.end and first is not None and text.startswith(first[0], hunk.end)

    def typed(self, change: Hunk, text: str) -> "Suggestion | None":
        """Return the rest of the suggestion after a change, to `text`, that types a part of it."""
        for one in (self.hunk, *self.everywhere):
            if not one.start <= change.start <= change.end <= one.end:
                continue
            left = shortest_hunk(text[one.start : one.end + change.growth], one.text, one.start)
            if one == self.hunk:
                whole = shortest_hunk(self.place.old, one.text)
                is_step = left.size > 0 and left.size + change.size == whole.size
            else:
                is_step = not left.size
            if is_step:
                return self._with_left(one, left, change.growth, text)
        return None

    def moved(self, change: Hunk, text: str) -> "Suggestion | None":
        """Return the suggestion after a change elsewhere, to `text`, or None.

        The suggestion ends when its place changes, when the word that is typed begins with a word
        that it inserts, and when a deletion leaves the beginning of such a word. When another one
        of its places changes, only its own is left.
        """
        own, everywhere = _beside((self.hunk,), change), _beside(self.everywhere, change)
        word = word_at(text, change.start + len(change.text))
        typed = text[word.start : word.stop]
        is_shorter = not change.text
        if not own or any(
            typed.startswith(one) or (is_shorter and one.startswith(typed))
            for one in _WORD.findall(self.hunk.text)
            if typed
        ):
            return None
        moved = replace(self, hunk=own[0], everywhere=everywhere)
        return Suggestion.of(moved, text, self.id, is_probable=self.is_probable)

    def _with_left(self, done: Hunk, left: Hunk, growth: int, text: str) -> "Suggestion":
        """Return the suggestion after `text` grew, with the hunk `done` replaced by its rest.

        The rest of another place than the suggestion's own is empty.
        """
        hunk, *places = (
            left if one == done else one.shifted(growth) if one.start >= done.end else one
            for one in (self.hunk, *self.everywhere)
            if one != done or left.size
        )
        everywhere = tuple(places) if len(places) > 1 else ()
        results = self.results if everywhere else self.results[-1:]
        if not left.size:
            results = (*results[:-1], AppliedEdit.of((hunk,), text))
        return replace(
            self, hunk=hunk, place=Place.of(hunk, text), everywhere=everywhere, results=results
        )


class TrackedEdit:
    """An applied suggestion in a document, whose places move with the text.

    An insertion or replacement is kept while its text is still at its place; a deletion is kept
    until the deleted text is put back.
    """

    def __init__(self, result: AppliedEdit) -> None:
        self._result = result
        self._spans = [(one.start, one.end) for one in result.new]
        self._is_put_back = False

    def move(self, change: Hunk) -> None:
        """Adjust the places to a change of the text."""
        grown = change.growth
        for index, (start, end) in enumerate(self._spans):
            touches = change.start <= end and start <= change.end
            if not self._result.new[index].text and touches:
                self._is_put_back |= self._result.old[index] in change.text
            if (change.start < end and start < change.end) or (touches and start == end):
                # The span includes what was touched, since an undo may bring the text back.
                start, end = min(start, change.start), max(end, change.end) + grown
            elif change.end <= start:
                start, end = start + grown, end + grown
            self._spans[index] = start, end

    def is_in(self, text: str) -> bool:
        """Tell whether all new texts are still in the current text."""
        return not self._is_put_back and all(
            one.text in text[start:end]
            for one, (start, end) in zip(self._result.new, self._spans, strict=True)
        )


class AppliedEdits:
    """The applied suggestions of one document, of which the accepted ones are followed.

    An editor may report an accept before or after it applies the suggestion.
    """

    def __init__(self) -> None:
        self._found: OrderedDict[str, TrackedEdit] = OrderedDict()
        self._awaited: dict[str, tuple[Suggestion, Callable[[TrackedEdit], None], int]] = {}
        self._followed: list[TrackedEdit] = []

    def move(self, change: Hunk) -> None:
        """Adjust all places to a change of the text."""
        for tracked in (*self._found.values(), *self._followed):
            tracked.move(change)

    def find(self, suggestions: Iterable[Suggestion], text: str) -> list[Suggestion]:
        """Look for accepted suggestions after a change; return the given ones that it applied."""
        for id, (awaited, found, left) in list(self._awaited.items()):
            if result := awaited.applied_in(text):
                del self._awaited[id]
                self._follow(TrackedEdit(result), found)
            elif left > 1:
                self._awaited[id] = awaited, found, left - 1
            else:
                del self._awaited[id]
        applied = []
        for one in suggestions:
            if result := one.applied_in(text):
                applied.append(one)
                self._found[one.id] = TrackedEdit(result)
                if len(self._found) > _FOUND:
                    self._found.popitem(last=False)
        return applied

    def accept(self, suggestion: Suggestion, found: Callable[[TrackedEdit], None]) -> bool:
        """Follow a suggestion that the user accepted; tell whether it was already in the text.

        `found` is called when it is there: now, or after one of the next changes.
        """
        tracked = self._found.pop(suggestion.id, None)
        if tracked is None:
            self._awaited[suggestion.id] = suggestion, found, _CHANGES
            return False
        self._follow(tracked, found)
        return True

    def judge(self, tracked: TrackedEdit, text: str) -> Literal["kept", "changed"] | None:
        """Stop following an accepted suggestion and return its outcome; None if unknown."""
        if tracked not in self._followed:
            return None
        self._followed.remove(tracked)
        return "kept" if tracked.is_in(text) else "changed"

    def clear(self) -> None:
        """Forget all suggestions, since the text is no longer known."""
        self._found.clear()
        self._awaited.clear()
        self._followed.clear()

    def _follow(self, tracked: TrackedEdit, found: Callable[[TrackedEdit], None]) -> None:
        self._followed.append(tracked)
        found(tracked)


def _beside(hunks: tuple[Hunk, ...], change: Hunk) -> tuple[Hunk, ...]:
    """Move hunks to the text after a change; return none if the change touches one of them."""
    if any(hunk.start <= change.end and change.start <= hunk.end for hunk in hunks):
        return ()
    return tuple(one.shifted(change.growth) if one.start > change.end else one for one in hunks)


@dataclass(frozen=True, slots=True)
class Rejection:
    """A suggestion that the user rejected, as it was then, recognizable after later edits."""

    suggestion: Suggestion
    start: int | None  # its current offset, in code points; None once an edit has changed its place

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
        """Add a rejected suggestion; `text` is known if the suggestion's offsets refer to it."""
        if text is not None:
            self.fresh += (line_around(text, suggestion.hunk.start, suggestion.hunk.end),)
        self._last.append(Rejection(suggestion, None if text is None else suggestion.hunk.start))

    def move(self, change: Hunk) -> None:
        """Adjust all places to a change of the text."""
        self.fresh = ()
        self.typed_lines = tuple(moved(span, change) for span in self.typed_lines)
        for index, rejection in enumerate(self._last):
            self._last[index] = rejection.moved(change)

    def add_typed_lines(self, hunk: Hunk, change: Hunk, text: str) -> None:
        """Add the lines of a suggestion on which a change, to `text`, typed something else."""
        lines = contradicted(hunk, change, text)
        self.typed_lines = (*self.typed_lines, *lines)[-REMEMBERED:]

    @property
    def lines(self) -> tuple[Span, ...]:
        """Return the lines on which nothing is suggested."""
        return (*self.fresh, *self.typed_lines)

    def now(self) -> tuple[Rejection, ...]:
        """Return a copy for another thread."""
        return tuple(self._last)
