"""Forecasters without a model: they make an earlier replacement again, somewhere else.

A session turns every save (and what was typed since the last one) into replacements: what stood
there, what stands there now, and the lexical tokens around it. `RepeatLast` looks for the next
place that reads like the last one; `RepeatBest` scores all places for the last thirty, and for the
last thirty that it heard of from other files. A network has to beat both by far, and the server
runs on `RepeatBest` when it has no usable bundle.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from editcast_model.cancellation import never
from editcast_model.diff import Hunk, diff
from editcast_model.forecasting.cross_file import Heard, OtherSave
from editcast_model.forecasting.interface import Fits, Forecaster, Prediction, Session, anything
from editcast_model.forecasting.replacements import CONTEXT, Lexicon, Replacement

REMEMBERED = 30  # replacements kept
SPARE = 8  # more places than are asked for, of which some may not fit
NEAR = 2  # tokens on each side that must match for repeat-last
LEAST_CONTEXT = 3  # matching tokens without which an insertion has no place
MOST_TIMES = 4
MOST_WORDS = 3
BEST_SCORE = 2 * CONTEXT + 2 * MOST_TIMES + 2 * MOST_WORDS  # 26

# Nothing tells its suggestions apart; about this share of them is clean on replayed commits.
REPEAT_LAST_CONFIDENCE = 0.35


class _Heard(NamedTuple):
    """A replacement of another file: the file's name, and the text that it replaced."""

    made: Replacement
    file: str
    old: str

    @property
    def way(self) -> tuple[str, str, str]:
        """In which file it put what in the place of what."""
        return self.file, self.old, self.made.new

    @property
    def way_back(self) -> tuple[str, str, str]:
        """The `way` of what it takes back."""
        return self.file, self.made.new, self.old


class _Memory:
    """One open file: its text now, and what was replaced in it."""

    def __init__(self, text: str) -> None:
        self._lexicon = Lexicon()
        self._saved = self._now = self._lexicon.read(text)
        self._replacements: deque[Replacement] = deque(maxlen=REMEMBERED)
        self._heard: deque[_Heard] = deque(maxlen=REMEMBERED)
        self._end = 0

    def update(self, text: str, *, saved: bool) -> None:
        """The buffer now reads `text`; what a save replaced is remembered."""
        if text != self._now.text:
            self._now = self._lexicon.read(text)
        if saved:
            made, self._end = self._change()
            self._replacements.extend(made)
            self._saved = self._now

    def hear(self, save: OtherSave) -> None:
        """Another file was saved: remember what that replaced, and forget what it took back."""
        hunks = diff(save.before, save.after)[-REMEMBERED:]
        made = self._lexicon.read(save.before).replacements(hunks)
        for hunk, replacement in zip(hunks, made, strict=True):
            heard = _Heard(replacement, save.file, save.before[hunk.start : hunk.end])
            taken_back = next((one for one in self._heard if one.way == heard.way_back), None)
            if taken_back is None:
                self._heard.append(heard)
            else:
                self._heard.remove(taken_back)

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


class _Repeat(NamedTuple):
    """A replacement at a place where it could be made again.

    Attributes:
        hunk: It, with what went with it.
        points: How well the place agrees, and so on.
        made: The replacement.
        places: How many places there are for it.
    """

    hunk: Hunk
    points: int
    made: Replacement
    places: int


class RepeatBestSession(_Memory):
    """One open file; see `RepeatBest`."""

    def predict(
        self, count: int = 1, *, fits: Fits = anything, cancelled: Callable[[], bool] = never
    ) -> list[Prediction]:
        """The `count` places and replacements with the highest scores, best first."""
        known, end = self.recall()
        known = [*(heard.made for heard in self._heard), *known]
        return self._predictions(known, end, count, fits, cancelled)

    def own(self, count: int) -> list[Prediction]:
        """The same, of what was replaced in this file alone."""
        return self._predictions(*self.recall(), count, anything, never)

    def elsewhere(self, count: int, fits: Fits = anything) -> Iterator[tuple[Prediction, Heard]]:
        """The same, of what was replaced in other files alone, with what is known of each."""
        _, end = self.recall()
        heard = [one.made for one in self._heard]
        times = Counter((made.old, made.new) for made in heard)
        last = {(made.old, made.new): at for at, made in enumerate(heard)}
        files: dict[tuple[tuple[int, ...], str], set[str]] = defaultdict(set)
        for made, file, _ in self._heard:
            files[made.old, made.new].add(file)
        found = (one for one in self._best(heard, end, count + SPARE, never) if fits((one.hunk,)))
        for hunk, points, made, places in islice(found, count):
            what = made.old, made.new
            about = Heard(times[what], len(files[what]), len(heard) - 1 - last[what], places)
            yield _prediction(hunk, points / BEST_SCORE), about

    def _predictions(
        self,
        known: Sequence[Replacement],
        end: int,
        count: int,
        fits: Fits,
        cancelled: Callable[[], bool],
    ) -> list[Prediction]:
        if count < 1:
            return []
        best = self._best(known, end, count + SPARE, cancelled)
        whole = {one.hunk: one.points / BEST_SCORE for one in best}
        fitting = islice((hunk for hunk in whole if fits((hunk,))), count)
        return [_prediction(hunk, whole[hunk]) for hunk in fitting]

    def _best(
        self, known: Sequence[Replacement], end: int, most: int, cancelled: Callable[[], bool]
    ) -> list[_Repeat]:
        """At most `most` of these replacements at their best places, best first."""
        tokens = self._now
        times = Counter((replacement.old, replacement.new) for replacement in known)
        best: dict[Hunk, tuple[tuple[int, int], Replacement, int, int]] = {}
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
            count = places.size
            made = min(times[replacement.old, replacement.new], MOST_TIMES)
            score += 2 * made + 2 * min(replacement.words, MOST_WORDS)
            ahead = tokens.starts[places] - end
            # Behind the last change is farther than anything ahead of it.
            away = np.where(ahead >= 0, ahead, len(tokens.text) - ahead)
            order = score * (2 * len(tokens.text) + 2) - away
            if count > most:
                top = np.argpartition(order, -most)[-most:]
                places, score, away = places[top], score[top], away[top]
            for place, points, distance in zip(places, score, away, strict=True):
                hunk = tokens.hunk(replacement, int(place))
                rank = int(points), -int(distance)
                if hunk not in best or best[hunk][0] < rank:
                    best[hunk] = rank, replacement, int(place), count
        first = sorted(best.values(), key=lambda one: one[0], reverse=True)[:most]
        return [
            _Repeat(tokens.whole(made, place), rank[0], made, count)
            for rank, made, place, count in first
        ]


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

    def open(self, text: str) -> RepeatBestSession:
        """Begin a session on the text of a file as it was opened or last saved."""
        return RepeatBestSession(text)


#: By name, what can be chosen instead of a bundle.
BASELINES: dict[str, Callable[[], Forecaster]] = {
    RepeatBest.name: RepeatBest,
    RepeatLast.name: RepeatLast,
}
