"""Continuations of what is typed at the cursor, from what the project says elsewhere.

The units before the cursor are looked for in the file, in files saved lately and in the rest of the
project. The places where most of them agree vote for the next unit, and those that voted for the
winner for the one after it, to the end of the line.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from editcast_model.diff import Hunk
from editcast_model.forecasting.candidates import CONTINUATION, Candidate, Situation
from editcast_model.forecasting.filters import closes_more
from editcast_model.forecasting.ranker import probability_of
from editcast_model.memory.project_memory import AHEAD, LONGEST, Places, ProjectMemory, own_places
from editcast_model.memory.units import LineUnits, begun

#: The shortest continuation, in characters.
LEAST: Final = 4
_CONTEXT = 8  # lines above the cursor that are read
_ABOVE = 12  # the same, for the parameters of a function
#: The weight of a place in the file itself, in recently saved files and in other files; and the
#: factor for each matching unit before it.
_OWN, _RECENT, _OTHER = 1.0, 0.7, 0.4
_GROWTH: Final = 2.0
#: The weight of an unseen continuation, as a share of the best place's weight in the file.
_UNSEEN: Final = 0.3
#: The lowest probability of a proposal, since improbable ones disturb typing.
_LEAST_SURE: Final = 0.5
#: The same for proposals that leave a string open, since only a part of it is known.
_SURE_IN_STRING: Final = 0.6
_OPEN: Final = 0.85
#: The share of fields that get the value of the parameter or variable of the same name, if the
#: lines above have one (1,873 of 2,138 in nineteen projects).
_SURE_OF_PARAMETER: Final = 0.85
_FIELD: Final = re.compile(r"\s*(?:self\.|this\.|(\$)this->)_?(\w+)\s*=\s*(\$?\w*)")
_WITHIN_WORD: Final = re.compile(r"\w\w")
_STRING: Final = re.compile(r"\"{3}|'{3}|`{3}|([\"`]|(?<!\w)')(?:\\.|(?!\1)[^\\])*(\1)?")
_NAMED: Final = re.compile(r"\s*[\"'`]?(\w+)[\"'`]?\??[:=]")
_MARKS: Final = " \t\r\n,;:\"'`"
_SEPARATOR: Final = re.compile(r"[,\n]")
_BRACKET: Final = re.compile(r"[()\[\]{}<>]")


@dataclass(frozen=True, slots=True)
class Continuation:
    """Text that may be typed at the cursor next.

    Attributes:
        text: Characters to insert.
        features: One number for each of `CONTINUATION_FEATURES`.
        least: The least probability with which it is proposed.
    """

    text: str
    features: tuple[float, ...]
    least: float = _LEAST_SURE

    def probability(self, weights: Sequence[float]) -> float:
        """Estimate how likely it is to be typed, by fitted weights; 0 without any."""
        return probability_of(weights, self.features) if weights else 0.0


class _Vote(NamedTuple):
    """A place where the units before the cursor stand, and what follows there."""

    ahead: list[int]
    length: int
    weight: float
    is_own: bool
    is_recent: bool


def _votes(own: Places, others: Places) -> Iterator[_Vote]:
    """Yield the votes of places in the file itself, and of those in other files."""
    for places, is_own in ((own, True), (others, False)):
        found = (places.ahead.tolist(), places.length.tolist(), places.is_recent.tolist())
        for ahead, length, is_recent in zip(*found, strict=True):
            scope = _OWN if is_own else _RECENT if is_recent else _OTHER
            yield _Vote(ahead, length, scope * _GROWTH**length, is_own, is_recent)


def _weight(votes: Iterable[_Vote]) -> float:
    return sum(one.weight for one in votes)


class Continuations:
    """The candidate source at the cursor."""

    name = CONTINUATION

    def __init__(self) -> None:
        self._continuer: Continuer | None = None

    def propose(self, situation: Situation) -> Iterator[Candidate]:
        """Propose the continuation that is likely to spare most."""
        cursor, history = situation.options.cursor, situation.history
        if cursor is None:
            return
        if self._continuer is None or self._continuer.memory is not history.memory:
            self._continuer = Continuer(history.memory, history.path)
        known = self._continuer.continuations(history.text, cursor)
        rated = ((one, one.probability(situation.continuation)) for one in known)
        sure = [(one.text, probable) for one, probable in rated if probable >= one.least]
        if value := value_of_field(history.text, cursor):
            sure.append((value, _SURE_OF_PARAMETER))
        if not sure:
            return
        best, probability = max(sure, key=lambda each: each[1] * _worth(each[0]))
        hunk = Hunk(cursor, cursor, best)
        if situation.accepts(hunk, self.name):
            yield situation.described(Candidate(hunk, self.name, prior=probability))


def value_of_field(text: str, cursor: int) -> str:
    """Return what is left to type of a parameter as the value of the field of its name.

    Empty where the line gives no value to a field, the lines above have no such parameter, or too
    little is left.
    """
    start = text.rfind("\n", 0, cursor) + 1
    field = _FIELD.fullmatch(text, start, cursor)
    if not field or text[cursor : cursor + 1].strip():
        return ""
    sigil, name, typed = field[1] or "", field[2], field[3]
    above = "".join(text[:start].splitlines(keepends=True)[-_ABOVE:])
    is_listed = re.search(rf"[(,\s]\$?{name}\s*[,:)=]", above)
    is_given = re.search(rf"(\.|->)_?{name}\s*=", above)
    value = f"{sigil}{name}"
    left = value[len(typed) :] if is_listed and not is_given and value.startswith(typed) else ""
    return left if len(left) >= LEAST else ""


def _leaves_in_string(line: str, written: str, rest: str) -> bool:
    """Tell whether a continuation ends within a string that it opens.

    As with a bracket, it may open one with its last character, where nothing stands behind it.
    """
    if _is_in_string(line + rest) or not _is_in_string(line + written + rest):
        return False
    return bool(rest) or _is_in_string(line + written[:-1])


def _is_in_string(line: str) -> bool:
    """Tell whether a string of a line is not closed on it."""
    return any(found[1] and not found[2] for found in _STRING.finditer(line))


def _says_again(line: str, above: str) -> bool:
    """Tell whether a line names what the last one above names, reads like it, or repeats an item.

    An *item* is what stands between commas, or alone on a line, without brackets.
    """
    last = above.rstrip().rpartition("\n")[2]
    named = _NAMED.match(last)
    if named and re.match(rf"\s*[\"'`]?{named[1]}\b", line):
        return True
    item = line.rstrip(_MARKS).rpartition(",")[2].strip(_MARKS)
    if not item or _BRACKET.search(line):
        return line.strip(_MARKS) == last.strip(_MARKS) != ""
    return item in {one.strip(_MARKS) for one in _SEPARATOR.split(above)}


def _worth(text: str) -> float:
    """Count the keys that a continuation spares; it is worth less with a bracket left open."""
    is_open = any(text.count(pair[0]) > text.count(pair[1]) for pair in ("()", "[]", "{}"))
    return (len(text) - 1) * (_OPEN if is_open else 1.0)


class Continuer:
    """Finder of continuations in the text of one file.

    Args:
        memory: Of its project; the file itself is read as it is now.
        file: What it is called there.

    Attributes:
        memory: Of its project.
    """

    def __init__(self, memory: ProjectMemory, file: str) -> None:
        self.memory, self._file = memory, file
        self._lines = LineUnits(memory.vocabulary)

    def continuations(self, text: str, cursor: int) -> Iterator[Continuation]:
        """Yield what may be typed at a cursor, each one longer than those before it."""
        start = text.rfind("\n", 0, cursor) + 1
        end = text.find("\n", cursor)
        end = len(text) if end < 0 else end
        above = start
        for _ in range(_CONTEXT):
            above = text.rfind("\n", 0, max(above - 1, 0)) + 1
        complete, partial = begun(text[above:cursor])
        if self._lines.vocabulary is not self.memory.vocabulary:
            self._lines = LineUnits(self.memory.vocabulary)
        around = self._lines.ids(text[:start], text[end + 1 :])
        before = self._lines.vocabulary.known_ids(complete)[-LONGEST:]
        own = own_places(around[0], around[1], before)
        others = self.memory.occurrences(before, self._file)
        votes = list(_votes(own, others))
        line, rest, lines = text[start:cursor], text[cursor:end], text[above:start]
        if not line.strip() and rest.strip():
            return  # the cursor is in front of code, and nothing is typed there yet
        says_again = _says_again(line, lines)
        # A bracket behind the cursor that nothing has opened closes one of the continuation.
        closed = int(closes_more(Hunk(cursor, cursor, rest.strip()[:1]), text[:cursor]))
        for one in self._agreed(votes, partial, line, rest, closed):
            if says_again < _says_again(line + one.text, lines):
                continue
            if closes_more(Hunk(cursor, cursor, one.text), text):
                continue
            is_half = _leaves_in_string(line, one.text, rest)
            yield replace(one, least=_SURE_IN_STRING) if is_half else one

    def _agreed(
        self, votes: list[_Vote], partial: str, line: str, rest: str, closed: int
    ) -> Iterator[Continuation]:
        text_of = self._lines.vocabulary.text
        unseen = _UNSEEN * _GROWTH ** max((one.length for one in votes), default=0)
        if partial:
            votes = [one for one in votes if text_of(one.ahead[0]).startswith(partial)]
        word, join = partial.strip(), rest.strip()[:1]
        if _WITHIN_WORD.fullmatch(word[-1:] + rest[:1]):
            return  # the end of the word stands behind the cursor
        begins_line = not line[: len(line) - len(word)].strip()
        written, log_share, least, depth, completes = "", 0.0, 1.0, 0, False
        for step in range(AHEAD - 1):
            if not votes:
                return
            following = defaultdict[int, list[_Vote]](list)
            for one in votes:
                following[one.ahead[step]].append(one)
            weights = {unit: _weight(agreed) for unit, agreed in following.items()}
            best = max(weights, key=weights.__getitem__)
            share, votes = weights[best] / (sum(weights.values()) + unseen), following[best]
            unit = text_of(best)
            if not unit or unit[-1] in "\r\n":
                return
            mark = unit.strip()
            if join and depth == closed and mark[:1] == join:
                return
            depth += (mark in ("(", "[", "{")) - (mark in (")", "]", "}"))
            log_share, least = log_share + math.log(share), min(least, share)
            if step == 0:
                written, completes = unit[len(partial) :], bool(word) and len(unit) > len(partial)
            else:
                written += unit
            if len(written.strip()) < LEAST:
                continue
            total = weights[best]
            ending = (one for one in votes if text_of(one.ahead[step + 1])[-1:] in ("", "\n", "\r"))
            yield Continuation(
                written,
                (
                    log_share,
                    least,
                    math.log1p(len(votes)),
                    max(one.length for one in votes) / LONGEST,
                    _weight(one for one in votes if one.is_own) / total,
                    _weight(one for one in votes if one.is_recent) / total,
                    math.log(len(written)),
                    (step + 1) / 8,
                    float(bool(word)),
                    float(completes),
                    float(begins_line),
                    _weight(ending) / total,
                ),
            )
