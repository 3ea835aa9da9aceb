"""A file while somebody types in it: what a forecaster is told, and what it offers.

As the server keeps an open document: filters are given the same, an offer stays while what is typed
agrees with it, and where something else is typed nothing is offered until the next save. A
continuation is typed past: the next one may come at once.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from editcast_model.diff import Hunk, diff, shortest_hunk
from editcast_model.forecasting.candidates import CONTINUATION
from editcast_model.forecasting.filters import (
    FEW_SAVES,
    EditContext,
    cursor_after,
    line_at,
)
from editcast_model.forecasting.import_lines import is_import
from editcast_model.forecasting.interface import Prediction, PredictionOptions, Session
from editcast_model.forecasting.line_spans import Span, contradicted, is_beside, moved
from editcast_model.history import EditHistory
from editcast_model.tokenizer import lex

_TEXTS: Final = 64  # by whose return an undo is recognised, as in the server


#: Begins the session of a forecaster on a file's history.
Resume = Callable[[EditHistory], Session]


@dataclass(slots=True, eq=False)
class Offer:
    """Something that was shown, once, however often it was predicted.

    Attributes:
        hunk: What is left of it, in offsets of the text as it is now; empty once it is gone.
        is_typing: Whether it was first shown while somebody typed, rather than at a save.
    """

    hunk: Hunk
    is_typing: bool
    source: str

    def follow(self, change: Hunk, before: str, after: str) -> bool:
        """Follow a change of the text; returns whether the change made a part of it."""
        result = self.hunk.apply(before)
        left = shortest_hunk(after, result)
        if left.size + change.size == shortest_hunk(before, result).size:
            self.hunk = left
            return True
        if self.hunk.start > change.end:
            self.hunk = self.hunk.shifted(change.growth)
        elif change.start <= self.hunk.end:
            self.hunk = Hunk(change.start, change.start, "")
        return False


#: The best predictions of one session, cached for all thresholds, by the events before them.
Answers = dict[tuple[int, tuple[Span, ...]], Prediction | None]


def opened(insertion: Hunk, text: str) -> Hunk:
    """Return an insertion into a text as somebody types it who opens a line for whole lines.

    It begins with a line end behind the line above, then, and not with the end of its first line
    in front of the line below.
    """
    start = insertion.start
    if not insertion.text.endswith("\n") or text[max(0, start - 2) : start] in ("", "\r\n"):
        return insertion
    if text[start - 1] != "\n" or insertion.text.endswith("\r\n"):
        return insertion
    return Hunk(start - 1, start - 1, "\n" + insertion.text[:-1])


def typed(hunk: Hunk, text: str) -> list[Hunk]:
    """Return the changes by which somebody makes a hunk of a text: a deletion, and typed tokens.

    Each is a change of the text after those before.
    """
    actions = [Hunk(hunk.start, hunk.end, "")] if hunk.start < hunk.end else []
    insertion = opened(Hunk(hunk.start, hunk.start, hunk.text), text)
    place = insertion.start
    for token in lex(insertion.text):
        actions.append(Hunk(place, place, token))
        place += len(token)
    return actions


class TypedDocument:
    """One open file, and the session of a forecaster on it.

    Args:
        resume: Begins the session that is asked.
        history: Of the file as it is opened.
        threshold: The least confidence of what is offered.
        answers: What it answered before, while the same session was typed; it is added to.

    Attributes:
        shown: The offer that is in view.
        offered: All that was offered so far and is not gone, first ones first.
    """

    def __init__(
        self, resume: Resume, history: EditHistory, threshold: float, answers: Answers
    ) -> None:
        self.text = text = history.text
        self.shown: Offer | None = None
        self.offered: list[Offer] = []
        self._history, self._threshold = history, threshold
        self._resume, self._answers = resume, answers
        self._session: Session | None = None
        self._past = hash(text)  # of all the texts and saves until now
        self._texts = deque([hash(text)], maxlen=_TEXTS)
        self._cursor: int | None = None
        self._changed = "", ""  # the line of the last change, before and after it
        self._left_alone: tuple[Span, ...] = ()  # lines, where something else was typed

    def type(self, change: Hunk) -> None:
        """Type or delete something by hand."""
        shown = self.shown
        hunk = shown.hunk if shown else change
        agreeing = self._follow(change)
        self._remember()
        if shown and shown not in agreeing and shown.source != CONTINUATION:
            self._left_alone += contradicted(hunk, change, self.text)
        if shown not in agreeing or not shown.hunk.size:
            self.shown = None

    def take(self) -> None:
        """Take the offer that is in view."""
        if self.shown:
            self._follow(self.shown.hunk)
        self.shown = None
        self._remember()

    def save(self) -> None:
        """Save the text as it is now."""
        self._update_session(saved=True)
        self._history.memory.put(self._history.path, self.text)
        self._past = hash((self._past, "saved"))
        self._left_alone = ()
        self._cursor = None
        self.shown = None

    def ask(self, *, is_typing: bool) -> bool:
        """Have the best offer in view, if any is sure enough; returns whether it is a new one.

        What is left of one that was typed along stays.
        """
        if self.shown:
            return False
        if self.text != self._history.text:
            self._update_session(saved=False)
        key = self._past, self._left_alone
        if key not in self._answers:
            self._answers[key] = self._predict()
        best = self._answers[key]
        if best is None or best.confidence < self._threshold:
            return False
        result = best.hunk.apply(self.text)
        known = (one for one in self.offered if one.hunk.apply(self.text) == result)
        self.shown = next(known, None)
        if self.shown:
            return False
        self.shown = Offer(best.hunk, is_typing, best.source)
        self.offered.append(self.shown)
        return True

    def _predict(self) -> Prediction | None:
        self._session = self._session or self._resume(self._history)
        before, language = self._history.befores(FEW_SAVES), self._history.language
        context = EditContext(
            self.text,
            language,
            way_back=diff(self.text, before[-1]),
            earlier=before[0],
            texts=frozenset(self._texts),
            on_imports=any(is_import(line, language) for line in self._changed),
            cursor=self._cursor,
        )

        def fits(hunk: Hunk) -> bool:
            return not is_beside(self._left_alone, hunk, self.text) and context.accepts(hunk)

        return next(
            iter(self._session.predict(1, PredictionOptions(fits, cursor=self._cursor))), None
        )

    def _update_session(self, *, saved: bool) -> None:
        listener = self._session or self._history
        listener.update(self.text, saved=saved)

    def _remember(self) -> None:
        self._texts.append(hash(self.text))
        self._past = hash((self._past, self.text))

    def _follow(self, change: Hunk) -> list[Offer]:
        """Change the text; returns the offers that the change made a part of."""
        before, self.text = self.text, change.apply(self.text)
        self._cursor = cursor_after(change)
        self._changed = line_at(before, change.start), line_at(self.text, change.start)
        self._left_alone = tuple(moved(span, change) for span in self._left_alone)
        agreeing = [one for one in self.offered if one.follow(change, before, self.text)]
        self.offered = [one for one in self.offered if one.hunk.size]
        return agreeing
