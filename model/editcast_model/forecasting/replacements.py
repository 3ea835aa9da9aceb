"""Replacements in lexical tokens: what saves replaced, and where it could be made again."""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from editcast_model.alignment import counterpart
from editcast_model.diff import Hunk, diff
from editcast_model.forecasting.filters import elements_around
from editcast_model.forecasting.interface import OtherSave
from editcast_model.history import EditHistory, Save, less_taken_back
from editcast_model.tokenizer import Lexicon, lex

#: Replacements that are kept, of the file itself and of the others each.
REMEMBERED = 30
LEAST_CONTEXT = 3  # matching tokens without which an insertion has no place
MOST_TIMES, MOST_WORDS = 4, 3
CONTEXT = 6  # lexical tokens remembered on each side of a replacement
TOGETHER = 8  # replacements that one brings along
BRACKETS = "()[]{}"
BEST_SCORE = 2 * CONTEXT + 2 * MOST_TIMES + 2 * MOST_WORDS  # 26
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
        line: Where it stood once its save was made.
    """

    old: tuple[int, ...]
    new: str
    before: tuple[int, ...]
    after: tuple[int, ...]
    words: int
    rest: tuple["Next", ...] = ()
    line: int = field(default=0, compare=False)

    def is_like(self, other: "Replacement") -> bool:
        """Tell whether both replace the same text by the same text."""
        return (self.old, self.new) == (other.old, other.new)


@dataclass(frozen=True, slots=True)
class Next:
    """A replacement behind another: the tokens between them, and how many lines that is, 0 or 1."""

    lines: int
    between: tuple[str, ...]
    replacement: Replacement

    def filled(self, between: Sequence[str]) -> str | None:
        """Return the new text where others lie between, with their words; None for unknown ones.

        Of `f"Hi {name}"` and `f"Bye {guest}"`, `format(name=name)` becomes `format(guest=guest)`.
        """
        then, made = self.between, lex(self.replacement.new)
        new = [counterpart(one, then, between) if one in then else one for one in made]
        return None if None in new else "".join(filter(None, new))


class Tokens:
    """A text's lexical tokens as numbers, with a margin so that every context can be looked up."""

    def __init__(self, text: str, ids: list[int], sizes: list[int]) -> None:
        self.text = text
        self.count = len(ids)
        self.starts = np.zeros(self.count + 1, np.int64)
        np.cumsum(sizes, out=self.starts[1:])
        self.ids = np.full(self.count + 2 * CONTEXT, -1, np.int64)
        self.ids[CONTEXT : CONTEXT + self.count] = ids

    def replacements(self, hunks: Sequence[Hunk]) -> list[Replacement]:
        """Make the replacements of hunks about to be applied, which lie on token boundaries."""
        out: list[Replacement] = []
        rest: tuple[Next, ...] = ()
        grown = [h.text.count("\n") - self.text.count("\n", h.start, h.end) for h in hunks]
        for index in reversed(range(len(hunks))):
            hunk, before = hunks[index], hunks[index - 1] if index else None
            line = self.text.count("\n", 0, hunk.start) + sum(grown[:index])
            made = self._replacement(hunk, line)
            out.append(replace(made, rest=rest))
            lines = 2 if before is None else self.text.count("\n", before.end, hunk.start)
            if before is None or lines > 1:
                rest = ()
            else:
                between = tuple(lex(self.text[before.end : hunk.start]))
                rest = (Next(lines, between, made), *rest)[:TOGETHER]
        return out[::-1]

    def _replacement(self, hunk: Hunk, line: int) -> Replacement:
        first, last = np.searchsorted(self.starts, (hunk.start, hunk.end)).tolist()
        ids = self.ids[CONTEXT : CONTEXT + self.count]
        replaced = lex(self.text[hunk.start : hunk.end])
        return Replacement(
            old=tuple(ids[first:last].tolist()),
            new=hunk.text,
            before=tuple(ids[max(0, first - CONTEXT) : first][::-1].tolist()),
            after=tuple(ids[last : last + CONTEXT].tolist()),
            words=sum(token[0].isalnum() or token[0] == "_" for token in replaced),
            line=line,
        )

    def places(self, replacement: Replacement) -> Places:
        """Return the token indices where the replaced tokens stand, or a neighbour does."""
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
        """Count the tokens next to each place that agree, unbroken, at most `reach` a side."""
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
        """Tell whether the new text stands neither beside a place, nor in the brackets around."""
        new, text = replacement.new, self.text
        element = new.strip(" ,")
        starts = self.starts[places].tolist()
        absent = [not text.startswith(new, at) and not text.endswith(new, 0, at) for at in starts]
        if element.isidentifier() and element != new:
            lists = elements_around(text, starts)
            absent = [one and element not in of for one, of in zip(absent, lists, strict=True)]
        return np.array(absent, np.bool_)

    def hunk(self, replacement: Replacement, place: int) -> Hunk:
        """Make the hunk of a replacement at the token index `place`."""
        start, end = self.starts[place], self.starts[place + len(replacement.old)]
        return Hunk(int(start), int(end), replacement.new)

    def whole(self, replacement: Replacement, place: int) -> Hunk:
        """Make the replacement at `place`, with those that were made together with it.

        Only whole lines: where the rest of its line has no place there, it stands for itself.
        """
        whole = self.hunk(replacement, place)
        at, parts = place + len(replacement.old), [whole.text]
        for step in replacement.rest:
            other, least = step.replacement, at
            if step.lines:
                whole = Hunk(whole.start, int(self.starts[at]), "".join(parts))
                least = self._line_end(at) + 1
            spot = self._spot(other, least, self._line_end(least), at + len(step.between))
            if spot is None:
                return whole
            between = self.text[self.starts[at] : self.starts[spot]]
            filled = step.filled(lex(between))
            if filled is None:
                return whole
            parts += [between, filled]
            at = spot + len(other.old)
        return Hunk(whole.start, int(self.starts[at]), "".join(parts))

    def _line_end(self, token: int) -> int:
        """Return the token that ends the line of a token, or how many tokens there are."""
        if token > self.count:
            return self.count
        end = self.text.find("\n", self.starts[token])
        return self.count if end < 0 else int(np.searchsorted(self.starts, end))

    def _is_fitting(self, made: Replacement, place: int) -> bool:
        """Tell whether the nearest token beside a place that is no space is the remembered one."""
        behind = place + len(made.old)
        for context, at, step in ((made.before, place - 1, -1), (made.after, behind, 1)):
            for number in context:
                if self.ids[CONTEXT + at] != number:
                    break
                if not self.text[self.starts[at]].isspace():
                    return True
                at += step
        return False

    def _spot(self, replacement: Replacement, least: int, most: int, usual: int) -> int | None:
        """Find the best token on the rest of a line; for an insertion at least where it was."""
        old = len(replacement.old)
        spots = self.places(replacement)
        spots = spots[(least <= spots) & (spots <= most)]
        if not replacement.words and (not old or any(map(str.isalnum, replacement.new))):
            spots = spots[np.array([self._is_fitting(replacement, one) for one in spots], np.bool_)]
        if not old and not spots.size and least <= usual <= most:
            behind = self.text[self.starts[usual] : self.starts[usual] + 1]
            if not (behind.isalnum() and replacement.new[-1:].isalnum()):  # else it is one word
                spots = np.array([usual])
        if not old and replacement.new.strip(BRACKETS):  # one may well stand beside another
            spots = spots[self.is_absent(replacement, spots)]
        agreement = self.agreement(replacement, spots, CONTEXT)
        return int(spots[agreement.argmax()]) if spots.size else None


class Repeat(NamedTuple):
    """A replacement at a place where it could be made again.

    Attributes:
        hunk: It, with what went with it.
        score: How well the place agrees, how often it was made, and how many words it replaces, as
            a share of the best possible, 0 to 1.
        times: How often it was made, less how often it was taken back; at least 1.
        ago: How many replacements were made after it; 0 if it is its turn again, because it last
            followed a replacement like the newest one.
        made: The replacement.
    """

    hunk: Hunk
    score: float
    times: int
    ago: int
    made: Replacement

    def holds(self, other: "Repeat") -> bool:
        """Tell whether another repeat is a part of this one, which makes more of the same save."""
        is_inside = self.hunk.start <= other.hunk.start and other.hunk.end <= self.hunk.end
        return is_inside and any(other.made.is_like(one.replacement) for one in self.made.rest)


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


def _followed(known: Sequence[Replacement]) -> Iterator[tuple[Replacement, Replacement]]:
    """Yield each earlier replacement like the newest one with its successor, newest first."""
    for one, then in zip(reversed(known[:-1]), reversed(known[1:]), strict=True):
        if one.is_like(known[-1]):
            yield one, then


class KnownReplacements:
    """The last replacements in a file and in the others of its project.

    Args:
        history: The file's, which the replacements follow.
    """

    def __init__(self, history: EditHistory) -> None:
        self._history = history
        self._lexicon = Lexicon()
        self._tokens = lru_cache(2)(partial(_tokens, self._lexicon))
        self._saved: dict[Save, list[Replacement]] = {}
        self._others: deque[_Other] = deque(maxlen=REMEMBERED)

    @property
    def now(self) -> Tokens:
        """Return the text as it is now."""
        return self._tokens(self._history.text)

    def add_other_save(self, save: OtherSave) -> None:
        """Remember what another file's save replaced, for its earlier form or what it took back."""
        same = None if save.number is None else (save.file, save.number)
        known = deque((one for one in self._others if (one.file, one.save) != same), REMEMBERED)
        hunks = diff(save.before, save.after)[-REMEMBERED:]
        made = _tokens(self._lexicon, save.before).replacements(hunks)
        for hunk, replacement in zip(hunks, made, strict=True):
            old = save.before[hunk.start : hunk.end]
            back = save.file, hunk.text, old
            undone = [one for one in known if (one.file, one.old, one.made.new) == back]
            if undone:
                known.remove(undone[0])
            else:
                known.append(_Other(replacement, save.file, old, save.number))
        self._others = known

    @property
    def own(self) -> list[Replacement]:
        """Return the file's own replacements, oldest first, with those that are not saved yet."""
        history = self._history
        self._saved = {save: self._saved.get(save) or self._of_save(save) for save in history.saves}
        known = [made for of_save in self._saved.values() for made in of_save]
        if history.unsaved:
            hunks = history.unsaved[-REMEMBERED:]
            known += self._tokens(history.saved).replacements(hunks)
        return known[-REMEMBERED:]

    def next_in_step(
        self, repeats: Sequence[Repeat], fits: Callable[[Repeat], bool]
    ) -> Repeat | None:
        """Find what followed on a replacement like the last one, as many lines below as then.

        Without it, the last one again on the next line, if no place agrees better.

        Args:
            repeats: To choose from.
            fits: Tells whether one may be proposed; called for few, since it may parse.
        """
        if not (known := self.own):
            return None
        last, text = known[-1], self._history.text
        before = [(then, then.line - one.line, 0.0) for one, then in _followed(known)][:1]
        again = sorted((one for one in repeats if one.made.is_like(last)), key=lambda x: -x.score)
        best = next((one.score for one in again if fits(one)), 0.0)
        for made, away, least in (*before, (last, 1, best)):
            for one in repeats:
                is_there = text.count("\n", 0, one.hunk.start) == last.line + away > last.line
                if is_there and one.made.is_like(made) and one.score >= least and fits(one):
                    return one
        return None

    @property
    def of_other_files(self) -> list[Replacement]:
        """Return the other files' replacements, oldest first."""
        return [other.made for other in self._others]

    def best(self, known: Sequence[Replacement], most: int) -> list[Repeat]:
        """Find the best places for replacements; at most `most`, best first."""
        tokens, end = self.now, self._history.last
        new = {one.new: self._lexicon.ids(one.new) for one in known}
        made = Counter((one.old, new[one.new]) for one in known)
        times = {what: less_taken_back(count, made[what[::-1]]) for what, count in made.items()}
        last = {(one.old, one.new): at for at, one in enumerate(known, 1)}
        for _, then in islice(_followed(known), 1):
            last[then.old, then.new] = len(known)
        # By whether others went with it: half of a change may not fit where all of it does.
        best: dict[tuple[Hunk, bool], tuple[tuple[int, int], Replacement, int]] = {}
        for replacement in dict.fromkeys(reversed(known)):
            places = tokens.places(replacement)
            score = tokens.agreement(replacement, places, CONTEXT)
            if not replacement.old:
                enough = score >= LEAST_CONTEXT
                places, score = places[enough], score[enough]
                absent = tokens.is_absent(replacement, places)
                places, score = places[absent], score[absent]
            often = min(times[replacement.old, new[replacement.new]], MOST_TIMES)
            score += 2 * often + 2 * min(replacement.words, MOST_WORDS)
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
            found.setdefault(whole, Repeat(whole, rank[0] / BEST_SCORE, often, ago, made_before))
        return _without_parts(found.values())[:most]

    def _of_save(self, save: Save) -> list[Replacement]:
        return self._tokens(save.before).replacements(save.hunks[-REMEMBERED:])


def _tokens(lexicon: Lexicon, text: str) -> Tokens:
    return Tokens(text, *lexicon.read(text))
