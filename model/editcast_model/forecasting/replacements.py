"""Replacements in lexical tokens: what a save replaced, and where it could be made again."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from editcast_model.diff import Hunk, apply_hunks
from editcast_model.forecasting.filters import elements_at
from editcast_model.tokenizer import lex, lines

CONTEXT = 6  # lexical tokens remembered on each side of a replacement
_TOGETHER = 8  # replacements that one brings along
_BRACKETS = "()[]{}"
_MOST_LINES = 50_000  # that a session remembers the tokens of
#: A version number such as 2.4.1.
VERSION = re.compile(r"(?<![\d.])\d+(?:\.\d+){2,}")

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
    """A replacement behind another: so many lines (0 or 1) and so many tokens lie between."""

    lines: int
    gap: int
    replacement: Replacement


class Lexicon:
    """Numbers lexical tokens, and lexes a line only when it is new: lines never share a token."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._lines: dict[str, tuple[list[int], list[int]]] = {}

    def read(self, text: str) -> "Tokens":
        """Return the numbers of a text's tokens."""
        if len(self._lines) > _MOST_LINES:
            self._lines.clear()
        ids: list[int] = []
        sizes: list[int] = []
        for line in lines(text):
            known = self._lines.get(line)
            if known is None:
                known = self._lines[line] = self._number(lex(line))
            ids += known[0]
            sizes += known[1]
        return Tokens(text, ids, sizes)

    def ids(self, text: str) -> tuple[int, ...]:
        """Return the numbers of the tokens of a piece of text."""
        return tuple(self._number(lex(text))[0])

    def _number(self, tokens: list[str]) -> tuple[list[int], list[int]]:
        numbers = self._numbers
        ids = [numbers.setdefault(token, len(numbers)) for token in tokens]
        return ids, [len(token) for token in tokens]


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
        hunks = _of_whole_versions(self.text, hunks)
        out: list[Replacement] = []
        rest: tuple[Next, ...] = ()
        grown = [h.text.count("\n") - self.text.count("\n", h.start, h.end) for h in hunks]
        for index in reversed(range(len(hunks))):
            hunk, before = hunks[index], hunks[index - 1] if index else None
            line = self.text.count("\n", 0, hunk.start) + sum(grown[:index])
            made = replace(self._replacement(hunk), line=line)
            out.append(replace(made, rest=rest))
            lines = 2 if before is None else self.text.count("\n", before.end, hunk.start)
            if before is None or lines > 1:
                rest = ()
            else:
                between = np.searchsorted(self.starts, (before.end, hunk.start))
                rest = (Next(lines, int(np.diff(between)[0]), made), *rest)[:_TOGETHER]
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
        """Return the token indices where the replaced tokens stand, ascending.

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
        """Tell whether the new text does not stand at each place yet.

        Neither on either side, nor as an element of the brackets around the place.
        """
        new, text = replacement.new, self.text
        element = new.strip(" ,")
        is_element = element.isidentifier() and element != new
        return np.array(
            [
                not (text.startswith(new, start) or text.endswith(new, 0, start))
                and not (is_element and element in elements_at(text, start))
                for start in self.starts[places].tolist()
            ],
            np.bool_,
        )

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
            spot = self._spot(other, least, self._line_end(least), at + step.gap)
            if spot is None:
                return whole
            parts += [self.text[self.starts[at] : self.starts[spot]], other.new]
            at = spot + len(other.old)
        return Hunk(whole.start, int(self.starts[at]), "".join(parts))

    def _line_end(self, token: int) -> int:
        """Return the token that ends the line of a token, or how many tokens there are."""
        if token > self.count:
            return self.count
        end = self.text.find("\n", self.starts[token])
        return self.count if end < 0 else int(np.searchsorted(self.starts, end))

    def _spot(self, replacement: Replacement, least: int, most: int, usual: int) -> int | None:
        """Find where a replacement fits best on the rest of a line, from one token to another.

        An insertion at least where it was.
        """
        old = len(replacement.old)
        spots = self.places(replacement)
        spots = spots[(least <= spots) & (spots <= most)]
        if not old and not spots.size and least <= usual <= most:
            spots = np.array([usual])
        if not old and replacement.new.strip(_BRACKETS):  # one may well stand beside another
            spots = spots[self.is_absent(replacement, spots)]
        return (
            int(spots[self.agreement(replacement, spots, CONTEXT).argmax()]) if spots.size else None
        )


def _of_whole_versions(text: str, hunks: Iterable[Hunk]) -> list[Hunk]:
    """Widen hunks inside of version numbers to the whole numbers: a part may be of anything."""
    out: list[Hunk] = []
    for span, inside in groupby(hunks, lambda hunk: _version_around(text, hunk)):
        if span is None:
            out += inside
        else:
            parts = [hunk.shifted(-span[0]) for hunk in inside]
            out.append(Hunk(*span, apply_hunks(text[slice(*span)], parts)))
    return out


def _version_around(text: str, hunk: Hunk) -> tuple[int, int] | None:
    """Find the version number that a hunk is inside of."""
    line = text.rfind("\n", 0, hunk.start) + 1
    found = VERSION.finditer(text, line, text.find("\n", hunk.end) + 1 or len(text))
    spans = (one.span() for one in found)
    return next((one for one in spans if one[0] <= hunk.start and hunk.end <= one[1]), None)
