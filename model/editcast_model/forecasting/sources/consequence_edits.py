"""Edits that follow from the last ones by the meaning of names, as a candidate source."""

import logging
import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby, islice

from editcast_model.consequences.kinds import Consequence
from editcast_model.diff import Hunk, apply_hunks
from editcast_model.forecasting.candidates import CONSEQUENCE, Candidate, Situation
from editcast_model.history import EditHistory

log = logging.getLogger(__name__)

#: The power of the number of changes in the odds of a consequence, by
#: benchmarks/suggestions/consequences_on_commits.py.
_POWER = -0.8
#: After this many saves a rewrite from another file is no longer offered: 4 of 21 were clean on
#: commits then, 22 of 29 before.
_MOST_LEFT = 4


class ConsequenceEdits:
    """The candidate source of consequences: uses left of a renamed definition, and so on."""

    name = CONSEQUENCE

    def __init__(self) -> None:
        self._has_failed = False
        self._first: dict[str, int] = {}  # by cause, the save after which it was first found

    def propose(self, situation: Situation) -> Iterator[Candidate]:
        """Propose the first consequences that fit, in the order in which a person would go on.

        More of them than are wanted: another source that proposes one of them would have it come
        before its turn.
        """
        history = situation.history
        if not (history.language or history.path):
            return
        found = [one for one in self._consequences(situation) if not self._is_left(one, history)]
        found = joined_on_lines(found, history.text, history.last)
        fitting = (one for one in found if situation.accepts(one.hunk, self.name))
        for one in islice(fitting, situation.config.consequences):
            candidate = situation.described(
                Candidate(
                    one.hunk,
                    self.name,
                    strength=one.strength,
                    cause=one.cause,
                    everywhere=everywhere(one, found),
                )
            )
            prior = probability(one.strength, one.others)
            # What it follows from is as true far away: commits, replayed from top to bottom, would
            # teach that nothing is left above.
            yield replace(candidate, prior=prior, distance=0)

    def _is_left(self, one: Consequence, history: EditHistory) -> bool:
        """Tell whether a user has seen a rewrite of another file often enough."""
        if one.kind != "rewrite_elsewhere":
            return False
        number = history.saves[-1].number if history.saves else 0
        return number - self._first.setdefault(one.cause, number) >= _MOST_LEFT

    def _consequences(self, situation: Situation) -> list[Consequence]:
        """Return the consequences; none where finding them fails.

        They read code as people leave it, half done. The other sources go on without them.
        """
        history = situation.history
        try:
            return situation.consequences.propose(
                history.snapshots,
                history.text,
                active=situation.options.typed,
                cursor=history.last,
                imports=history.imports,
                entries=history.entries,
                elsewhere=situation.modules,
            )
        except Exception:
            if not self._has_failed:
                log.exception("Consequences are left out in a file; please report this")
            self._has_failed = True
            return []


def probability(strength: float, others: int | None) -> float:
    """Return how probable it is that a consequence is clean.

    Someone who has changed many other things may be rewriting the code, or may have left this place
    as it is on purpose. `others` is None for what follows from another file.
    """
    if others is None:
        return strength
    odds = strength / (1 - strength) * math.pow(1 + others, _POWER)
    return odds / (1 + odds)


def joined_on_lines(found: Sequence[Consequence], text: str, last: int) -> list[Consequence]:
    """Join neighbours of one cause and kind on one line: a line is read, and accepted, at once.

    Args:
        found: Consequences that do not overlap, in order.
        text: The text that they change.
        last: Where the last change ends: no joined edit covers what was just written.
    """
    turn = {one: index for index, one in enumerate(found)}
    by_place = sorted(found, key=lambda one: one.hunk.start)
    runs = [list(run) for _, run in groupby(by_place, partial(_line_of, text=text, last=last))]
    joined = {
        min(run, key=turn.__getitem__): _joined([one.hunk for one in run], text) for run in runs
    }
    return [replace(one, hunk=joined[one]) for one in sorted(joined, key=turn.__getitem__)]


def _line_of(one: Consequence, text: str, last: int) -> Hashable:
    """Return what all those to be joined with a consequence share."""
    hunk = one.hunk
    if not one.cause or "\n" in text[hunk.start : hunk.end] + hunk.text:
        return one
    return one.cause, one.kind, text.rfind("\n", 0, hunk.start), hunk.start < last


def _joined(hunks: Sequence[Hunk], text: str) -> Hunk:
    """Return one replacement for several ascending ones, with what stands between them."""
    start, end = hunks[0].start, hunks[-1].end
    return Hunk(start, end, apply_hunks(text[start:end], [one.shifted(-start) for one in hunks]))


def everywhere(one: Consequence, found: Sequence[Consequence]) -> tuple[Hunk, ...]:
    """Return the hunks of the same cause that are as sure as one, with its own, ascending.

    None where it is the only one.
    """
    places = [
        each.hunk for each in found if each.cause == one.cause and each.strength >= one.strength
    ]
    if not one.cause or len(places) < 2:
        return ()
    return tuple(sorted(places, key=lambda hunk: hunk.start))
