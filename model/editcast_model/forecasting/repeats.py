"""Repeats: replacements of the last saves, at the best places where they could be made again."""

from collections import Counter, deque
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np

from editcast_model.diff import Hunk, diff
from editcast_model.forecasting.interface import OtherSave, never
from editcast_model.forecasting.replacements import CONTEXT, Lexicon, Replacement, Tokens
from editcast_model.history import EditHistory, Save, less_taken_back

#: Replacements that are kept, of the file itself and of the others each.
REMEMBERED = 30
_LEAST_CONTEXT = 3  # matching tokens without which an insertion has no place
_MOST_TIMES = 4
_MOST_WORDS = 3
_BEST_SCORE = 2 * CONTEXT + 2 * _MOST_TIMES + 2 * _MOST_WORDS  # 26


class Repeat(NamedTuple):
    """A replacement at a place where it could be made again.

    Attributes:
        hunk: It, with what went with it.
        score: How well the place agrees, how often it was made, and how many words it replaces, as
            a share of the best possible, 0 to 1.
        times: How often it was made, less how often it was taken back; at least 1.
        ago: How many replacements were made after it.
        made: The replacement.
    """

    hunk: Hunk
    score: float
    times: int
    ago: int
    made: Replacement

    def holds(self, other: "Repeat") -> bool:
        """Tell whether another repeat is a part of this one, for which more of the text speaks.

        It is a part of the same change, or of a longer one that fits here, too.
        """
        is_inside = self.hunk.start <= other.hunk.start and other.hunk.end <= self.hunk.end
        if not is_inside:
            return False
        is_longer = len(self.made.old) > len(other.made.old) > 0
        return is_longer or any(other.made.is_like(one.replacement) for one in self.made.rest)


def _without_parts(found: Collection[Repeat]) -> list[Repeat]:
    """Put a repeat in the place, and on a par, with the first of those that are parts of it."""
    out: dict[Hunk, Repeat] = {}
    for one in found:
        wider = (other for other in found if other.holds(one))
        widest = max(wider, key=lambda each: each.hunk.end - each.hunk.start, default=one)
        out.setdefault(widest.hunk, widest._replace(score=one.score))
    return list(out.values())


class _Other(NamedTuple):
    """A replacement of another file: the file's name, the text that it replaced, and the save."""

    made: Replacement
    file: str
    old: str
    save: int | None


class KnownReplacements:
    """The last replacements in a file and in the others of its project.

    Args:
        history: The file's, which the replacements follow.
    """

    def __init__(self, history: EditHistory) -> None:
        self._history = history
        self._lexicon = Lexicon()
        self._texts: dict[str, Tokens] = {}  # the two read last
        self._saved: dict[Save, list[Replacement]] = {}
        self._others: deque[_Other] = deque(maxlen=REMEMBERED)

    @property
    def now(self) -> Tokens:
        """Return the text as it is now."""
        return self._read(self._history.text)

    def add_other_save(self, save: OtherSave) -> None:
        """Remember what a save of another file replaced, and forget what it took back.

        What was known of an earlier save of the same number is forgotten.
        """
        if save.number is not None:
            same = [one for one in self._others if (one.file, one.save) == (save.file, save.number)]
            for one in same:
                self._others.remove(one)
        hunks = diff(save.before, save.after)[-REMEMBERED:]
        made = self._lexicon.read(save.before).replacements(hunks)
        for hunk, replacement in zip(hunks, made, strict=True):
            old = save.before[hunk.start : hunk.end]
            undone = (
                other
                for other in self._others
                if (other.file, other.old, other.made.new) == (save.file, hunk.text, old)
            )
            taken_back = next(undone, None)
            if taken_back is None:
                self._others.append(_Other(replacement, save.file, old, save.number))
            else:
                self._others.remove(taken_back)

    @property
    def own(self) -> list[Replacement]:
        """Return the file's own replacements, oldest first, with those that are not saved yet."""
        history = self._history
        self._saved = {save: self._saved.get(save) or self._of_save(save) for save in history.saves}
        known = [made for of_save in self._saved.values() for made in of_save]
        if history.unsaved:
            hunks = history.unsaved[-REMEMBERED:]
            known += self._read(history.saved).replacements(hunks)
        return known[-REMEMBERED:]

    def next_in_step(self, repeats: Sequence[Repeat]) -> Repeat | None:
        """Find what followed on a replacement like the last one, as many lines below as then.

        Without it, the last one again on the next line, if no place agrees better.
        """
        if not (known := self.own):
            return None
        last, text = known[-1], self._history.text
        pairs = zip(reversed(known[:-1]), reversed(known[1:]), strict=True)
        before = [(then, then.line - one.line, 0.0) for one, then in pairs if one.is_like(last)][:1]
        best = max((one.score for one in repeats if one.made.is_like(last)), default=0.0)
        for made, away, least in (*before, (last, 1, best)):
            for one in repeats:
                is_there = text.count("\n", 0, one.hunk.start) == last.line + away > last.line
                if is_there and one.made.is_like(made) and one.score >= least:
                    return one
        return None

    @property
    def of_other_files(self) -> list[Replacement]:
        """Return the other files' replacements, oldest first."""
        return [other.made for other in self._others]

    def best(
        self, known: Sequence[Replacement], most: int, cancelled: Callable[[], bool] = never
    ) -> list[Repeat]:
        """Find the best places for replacements; at most `most`, best first."""
        tokens, end = self.now, self._history.last
        new = {one.new: self._lexicon.ids(one.new) for one in known}
        made = Counter((one.old, new[one.new]) for one in known)
        times = {what: less_taken_back(count, made[what[::-1]]) for what, count in made.items()}
        last = {(one.old, one.new): at for at, one in enumerate(known, 1)}
        # By whether others went with it: half of a change may not fit where all of it does.
        best: dict[tuple[Hunk, bool], tuple[tuple[int, int], Replacement, int]] = {}
        for replacement in dict.fromkeys(reversed(known)):
            if cancelled():
                return []
            places = tokens.places(replacement)
            score = tokens.agreement(replacement, places, CONTEXT)
            if not replacement.old:
                enough = score >= _LEAST_CONTEXT
                places, score = places[enough], score[enough]
                absent = tokens.is_absent(replacement, places)
                places, score = places[absent], score[absent]
            often = min(times[replacement.old, new[replacement.new]], _MOST_TIMES)
            score += 2 * often + 2 * min(replacement.words, _MOST_WORDS)
            ahead = tokens.starts[places] - end
            # Behind the last change is farther than anything ahead of it.
            away = np.where(ahead >= 0, ahead, len(tokens.text) - ahead)
            order = score * (2 * len(tokens.text) + 2) - away
            if places.size > most:
                top = np.argpartition(order, -most)[-most:]
                places, score, away = places[top], score[top], away[top]
            for place, points, distance in zip(places, score, away, strict=True):
                hunk = tokens.hunk(replacement, int(place))
                rank = int(points), -int(distance)
                key = hunk, bool(replacement.rest)
                if key not in best or best[key][0] < rank:
                    best[key] = rank, replacement, int(place)
        first = sorted(best.values(), key=lambda one: one[0], reverse=True)[: 2 * most]
        found: dict[Hunk, Repeat] = {}
        for rank, made_before, place in first:
            whole = tokens.whole(made_before, place)
            often = times[made_before.old, new[made_before.new]]
            ago = len(known) - last[made_before.old, made_before.new]
            found.setdefault(whole, Repeat(whole, rank[0] / _BEST_SCORE, often, ago, made_before))
        return _without_parts(found.values())[:most]

    def _of_save(self, save: Save) -> list[Replacement]:
        return self._read(save.before).replacements(save.hunks[-REMEMBERED:])

    def _read(self, text: str) -> Tokens:
        if text not in self._texts:
            self._texts = dict([*self._texts.items()][-1:]) | {text: self._lexicon.read(text)}
        return self._texts[text]
