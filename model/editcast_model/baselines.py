"""Forecasters without a model: they make an earlier replacement again, somewhere else.

A session turns every save (and what was typed since the last one) into replacements: what stood
there, what stands there now, and the lexical tokens around it. `RepeatLast` looks for the next
place that reads like the last one; `RepeatBest` scores all places for the last thirty. A network
has to beat both by far, and the server runs on `RepeatBest` when it has no usable bundle.
"""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from editcast_model.diff import Hunk, diff
from editcast_model.forecast import Fits, Forecaster, Prediction, Session, anything, never
from editcast_model.tokens import lex, lines

CONTEXT = 6  # lexical tokens remembered on each side of a replacement
REMEMBERED = 30  # replacements kept
TOGETHER = 8  # replacements that one brings along
SPARE = 8  # more places than are asked for, of which some may not fit
NEAR = 2  # tokens on each side that must match for repeat-last
BRACKETS = "()[]{}"
LEAST_CONTEXT = 3  # matching tokens without which an insertion has no place
MOST_TIMES = 4
MOST_WORDS = 3
BEST_SCORE = 2 * CONTEXT + 2 * MOST_TIMES + 2 * MOST_WORDS  # 26

MOST_LINES = 50_000  # that a session remembers the tokens of
# Nothing tells its suggestions apart; about this share of them is clean on replayed commits.
REPEAT_LAST_CONFIDENCE = 0.35

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Replacement:
    """Something that was replaced once; tokens are numbers of the session's lexicon.

    Attributes:
        old: The lexical tokens that stood there; empty for an insertion.
        new: The text that stands there now; empty for a deletion.
        before: The tokens to its left before the change, nearest first.
        after: The tokens to its right before the change, nearest first.
        words: How many of the replaced tokens are words or numbers.
        rest: What the same save replaced behind it, on its line and on the lines right below,
            nearest first.
    """

    old: tuple[int, ...]
    new: str
    before: tuple[int, ...]
    after: tuple[int, ...]
    words: int
    rest: tuple["Next", ...] = ()


@dataclass(frozen=True, slots=True)
class Next:
    """A replacement behind another: so many lines (0 or 1) and so many tokens lie between."""

    lines: int
    gap: int
    replacement: Replacement


class _Lexicon:
    """Numbers lexical tokens, and lexes a line only when it is new: lines never share a token."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._lines: dict[str, tuple[list[int], list[int]]] = {}

    def read(self, text: str) -> "_Tokens":
        """The numbers of a text's tokens."""
        if len(self._lines) > MOST_LINES:
            self._lines.clear()
        ids: list[int] = []
        sizes: list[int] = []
        for line in lines(text):
            known = self._lines.get(line)
            if known is None:
                known = self._lines[line] = self._number(lex(line))
            ids += known[0]
            sizes += known[1]
        return _Tokens(text, ids, sizes)

    def _number(self, tokens: list[str]) -> tuple[list[int], list[int]]:
        numbers = self._numbers
        ids = [numbers.setdefault(token, len(numbers)) for token in tokens]
        return ids, [len(token) for token in tokens]


class _Tokens:
    """A text's lexical tokens as numbers, with a margin so that every context can be looked up."""

    def __init__(self, text: str, ids: list[int], sizes: list[int]) -> None:
        self.text = text
        self.count = len(ids)
        self.starts = np.zeros(self.count + 1, np.int64)
        np.cumsum(sizes, out=self.starts[1:])
        self.ids = np.full(self.count + 2 * CONTEXT, -1, np.int64)
        self.ids[CONTEXT : CONTEXT + self.count] = ids

    def replacements(self, hunks: Sequence[Hunk]) -> list[Replacement]:
        """Hunks that are about to be applied to the text; they lie on token boundaries."""
        out: list[Replacement] = []
        rest: tuple[Next, ...] = ()
        for hunk, before in zip(reversed(hunks), (*hunks[-2::-1], None), strict=True):
            made = self._replacement(hunk)
            out.append(replace(made, rest=rest))
            lines = 2 if before is None else self.text.count("\n", before.end, hunk.start)
            if before is None or lines > 1:
                rest = ()
            else:
                between = np.searchsorted(self.starts, (before.end, hunk.start))
                rest = (Next(lines, int(np.diff(between)[0]), made), *rest)[:TOGETHER]
        return out[::-1]

    def _replacement(self, hunk: Hunk) -> Replacement:
        first, last = np.searchsorted(self.starts, (hunk.start, hunk.end)).tolist()
        ids = self.ids[CONTEXT : CONTEXT + self.count]
        replaced = lex(self.text[hunk.start : hunk.end])
        return Replacement(
            old=tuple(ids[first:last].tolist()),
            new=hunk.text,
            before=tuple(ids[max(0, first - CONTEXT) : first][::-1].tolist()),
            after=tuple(ids[last : last + CONTEXT].tolist()),
            words=sum(token[0].isalnum() or token[0] == "_" for token in replaced),
        )

    def places(self, replacement: Replacement) -> Places:
        """Token indices where the replaced tokens stand, ascending.

        For an insertion: where the neighbour on at least one side is the remembered one.
        """
        old = replacement.old
        if not old:
            near = np.zeros(self.count + 1, np.bool_)
            if replacement.before:
                near |= self.ids[CONTEXT - 1 : CONTEXT + self.count] == replacement.before[0]
            if replacement.after:
                near |= self.ids[CONTEXT : CONTEXT + self.count + 1] == replacement.after[0]
            return np.flatnonzero(near)
        last = self.count - len(old) + 1
        if last <= 0:
            return np.empty(0, np.int64)
        places = np.flatnonzero(self.ids[CONTEXT : CONTEXT + last] == old[0])
        for ahead, number in enumerate(old[1:], 1):
            if not places.size:
                break
            places = places[self.ids[places + (CONTEXT + ahead)] == number]
        return places

    def agreement(self, replacement: Replacement, places: Places, reach: int) -> Places:
        """How many tokens next to each place agree, unbroken, at most `reach` on each side."""
        agreeing = np.zeros(places.size, np.int64)
        right = places + (CONTEXT + len(replacement.old))
        sides = ((replacement.before, places + (CONTEXT - 1), -1), (replacement.after, right, 1))
        for context, nearest, direction in sides:
            unbroken = np.ones(places.size, np.bool_)
            for distance, number in enumerate(context[:reach]):
                unbroken &= self.ids[nearest + direction * distance] == number
                agreeing += unbroken
        return agreeing

    def is_absent(self, replacement: Replacement, places: Places) -> NDArray[np.bool_]:
        """Whether the new text does not stand at each place yet, on either side."""
        new = replacement.new
        return np.array(
            [
                not (self.text.startswith(new, start) or self.text.endswith(new, 0, start))
                for start in self.starts[places].tolist()
            ],
            np.bool_,
        )

    def hunk(self, replacement: Replacement, place: int) -> Hunk:
        """The replacement made at the token index `place`."""
        start, end = self.starts[place], self.starts[place + len(replacement.old)]
        return Hunk(int(start), int(end), replacement.new)

    def whole(self, replacement: Replacement, place: int) -> Hunk:
        """The replacement made at `place`, and what went with it on the line and below.

        Only whole lines: where the rest of its line has no place there, it stands for itself.
        """
        whole = self.hunk(replacement, place)
        at, parts = place + len(replacement.old), [whole.text]
        line = self._line_end(at)
        for step in replacement.rest:
            other = step.replacement
            if step.lines:
                whole = Hunk(whole.start, int(self.starts[at]), "".join(parts))
                least, line = line + 1, self._line_end(line + 1)
            else:
                least = at
            spot = self._spot(other, least, line, at + step.gap)
            if spot is None:
                return whole
            parts += [self.text[self.starts[at] : self.starts[spot]], other.new]
            at = spot + len(other.old)
        return Hunk(whole.start, int(self.starts[at]), "".join(parts))

    def _line_end(self, token: int) -> int:
        """The token that ends the line of a token, or how many tokens there are."""
        if token > self.count:
            return self.count
        end = self.text.find("\n", self.starts[token])
        return self.count if end < 0 else int(np.searchsorted(self.starts, end))

    def _spot(self, replacement: Replacement, least: int, most: int, usual: int) -> int | None:
        """Where a replacement fits best between two tokens; an insertion at least where it was."""
        old = len(replacement.old)
        spots = self.places(replacement)
        spots = spots[(least <= spots) & (spots + old <= most)]
        if not old and not spots.size and least <= usual <= most:
            spots = np.array([usual])
        if not old and replacement.new.strip(BRACKETS):  # one may well stand beside another
            spots = spots[self.is_absent(replacement, spots)]
        return (
            int(spots[self.agreement(replacement, spots, CONTEXT).argmax()]) if spots.size else None
        )


class _Memory:
    """One open file: its text now, and what was replaced in it."""

    def __init__(self, text: str) -> None:
        self._lexicon = _Lexicon()
        self._saved = self._now = self._lexicon.read(text)
        self._replacements: deque[Replacement] = deque(maxlen=REMEMBERED)
        self._end = 0

    def update(self, text: str, *, saved: bool) -> None:
        """The buffer now reads `text`; what a save replaced is remembered."""
        if text != self._now.text:
            self._now = self._lexicon.read(text)
        if saved:
            made, self._end = self._change()
            self._replacements.extend(made)
            self._saved = self._now

    def recall(self) -> tuple[list[Replacement], int]:
        """Replacements, oldest first, and the offset in the text where the last one ended.

        What was typed since the last save counts, and is forgotten when it is typed over.
        """
        typed, end = self._change()
        return [*self._replacements, *typed][-REMEMBERED:], end

    def prepare(self, *, cancelled: Callable[[], bool] = never) -> None:
        """There is nothing to prepare."""

    def _change(self) -> tuple[list[Replacement], int]:
        hunks = diff(self._saved.text, self._now.text)
        if not hunks:
            return [], self._end
        growth = len(self._now.text) - len(self._saved.text)
        made = self._saved.replacements(hunks[-REMEMBERED:])
        return made, hunks[-1].end + growth


def _prediction(hunk: Hunk, confidence: float) -> Prediction:
    return Prediction((hunk,), 0.0, confidence, 1)


class _RepeatLastSession(_Memory):
    def predict(
        self, count: int = 1, *, fits: Fits = anything, cancelled: Callable[[], bool] = never
    ) -> list[Prediction]:
        """The next places that read like the last one; at most `count`."""
        known, end = self.recall()
        if not known or cancelled():
            return []
        tokens, last = self._now, known[-1]
        places = tokens.places(last)
        agreement = tokens.agreement(last, places, NEAR)
        places = places[agreement == len(last.before[:NEAR]) + len(last.after[:NEAR])]
        places = places[tokens.starts[places] >= end]
        places = places[tokens.is_absent(last, places)]
        hunks = (tokens.hunk(last, place) for place in places[: count + SPARE].tolist())
        fitting = islice((hunk for hunk in hunks if fits((hunk,))), count)
        return [_prediction(hunk, REPEAT_LAST_CONFIDENCE) for hunk in fitting]


class _RepeatBestSession(_Memory):
    def predict(
        self, count: int = 1, *, fits: Fits = anything, cancelled: Callable[[], bool] = never
    ) -> list[Prediction]:
        """The `count` places and replacements with the highest scores, best first."""
        known, end = self.recall()
        if not known or count < 1:
            return []
        tokens, most = self._now, count + SPARE
        times = Counter((replacement.old, replacement.new) for replacement in known)
        best: dict[Hunk, tuple[tuple[int, int], Replacement, int]] = {}
        for replacement in dict.fromkeys(reversed(known)):
            if cancelled():
                return []
            places = tokens.places(replacement)
            score = tokens.agreement(replacement, places, CONTEXT)
            if not replacement.old:
                enough = score >= LEAST_CONTEXT
                places, score = places[enough], score[enough]
                absent = tokens.is_absent(replacement, places)
                places, score = places[absent], score[absent]
            made = min(times[replacement.old, replacement.new], MOST_TIMES)
            score += 2 * made + 2 * min(replacement.words, MOST_WORDS)
            ahead = tokens.starts[places] - end
            # Behind the last change is farther than anything ahead of it.
            away = np.where(ahead >= 0, ahead, len(tokens.text) - ahead)
            order = score * (2 * len(tokens.text) + 2) - away
            if order.size > most:
                top = np.argpartition(order, -most)[-most:]
                places, score, away = places[top], score[top], away[top]
            for place, points, distance in zip(places, score, away, strict=True):
                hunk = tokens.hunk(replacement, int(place))
                rank = int(points), -int(distance)
                if hunk not in best or best[hunk][0] < rank:
                    best[hunk] = rank, replacement, int(place)
        first = sorted(best.values(), key=lambda one: one[0], reverse=True)[:most]
        whole = {tokens.whole(made, place): rank[0] / BEST_SCORE for rank, made, place in first}
        fitting = islice((hunk for hunk in whole if fits((hunk,))), count)
        return [_prediction(hunk, whole[hunk]) for hunk in fitting]


class RepeatLast:
    """The last replacement again, at the next place with the same two tokens on each side."""

    name = "repeat-last"

    def open(self, text: str) -> Session:
        """Begin a session on the text of a file as it was opened or last saved."""
        return _RepeatLastSession(text)


class RepeatBest:
    """The best of the last thirty replacements at the place that agrees best with its context.

    A score is the number of agreeing tokens around the place (at most 12), plus twice how often
    the replacement was made (at most 4), plus twice the words it replaced (at most 3); ties go to
    the nearest place ahead. Confidence is the score's share of the best possible one: it ranks,
    and is no probability.
    """

    name = "repeat-best"

    def open(self, text: str) -> Session:
        """Begin a session on the text of a file as it was opened or last saved."""
        return _RepeatBestSession(text)


#: By name, what can be chosen instead of a bundle.
BASELINES: dict[str, Callable[[], Forecaster]] = {
    RepeatBest.name: RepeatBest,
    RepeatLast.name: RepeatLast,
}
