"""Repeated edits: earlier replacements of this file or of others, made again somewhere else.

A replacement is what stood there, what stands there now, and the lexical tokens around it. As
candidate sources the best places go to the network and the ranker. As forecasters without a model
they are what a network has to beat by far, and what the server runs on without a usable bundle.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np

from editcast_model.diff import Hunk, diff
from editcast_model.forecasting.candidates import UNSEEN, Candidate, Situation
from editcast_model.forecasting.filters import unmatched
from editcast_model.forecasting.interface import (
    NO_OPTIONS,
    Forecaster,
    OtherSave,
    Prediction,
    PredictionOptions,
    Session,
    never,
)
from editcast_model.forecasting.replacements import CONTEXT, KnownReplacements, Repeat
from editcast_model.history import EditHistory
from editcast_model.syntax.binding import is_of_language
from editcast_model.syntax.members import object_of, owner
from editcast_model.syntax.names import Names, Occurrence
from editcast_model.syntax.roles import Role

SPARE = 8  # more places than are asked for, of which some may not fit
NEAR = 2  # tokens on each side that must match for repeat-last
#: The lower bound of a line's probability when repeated edits are ordered.
_LEAST = 1e-4

# Nothing tells its suggestions apart; about this share of them is clean on replayed commits.
REPEAT_LAST_CONFIDENCE = 0.35

#: Literal values, which are not names.
_VALUE = re.compile(r"[Tt]rue|[Ff]alse|None|null|nil|undefined|\d\w*(\.\d\w*)?")


class RepeatedEdits:
    """The candidate source of this file's replacements."""

    name = "repeated"

    def propose(self, situation: Situation) -> Iterator[Candidate]:
        """Propose the next one in step, or the best two by their scores and their lines."""
        view, text = situation.view, situation.history.text
        if view is None:
            return

        def worth(repeat: Repeat) -> float:
            line = text.count("\n", 0, repeat.hunk.start)
            return repeat.score * max(view.places.lines.get(line, 0.0), _LEAST)

        @cache
        def fits(repeat: Repeat) -> bool:
            return _accepts(situation, repeat, self.name)

        likeliest = sorted(situation.repeats, key=worth, reverse=True)
        first = next(filter(fits, likeliest), None)
        if first is None:
            return
        in_step = situation.replacements.next_in_step(likeliest, fits)
        if in_step is not None and first is not in_step:
            # What speaks for the likeliest place speaks for this one: in a commit lines next to
            # each other are one change, so the network never saw one follow the other.
            scored = _candidate(situation, first, self.name, situation.config.scored_edits[0])
            made = in_step.times, in_step.ago
            yield situation.described(replace(scored, hunk=in_step.hunk), made)
        if in_step is not None:
            later = in_step.made, situation.replacements.own[-1]
            others = [one for one in likeliest if not any(map(one.made.is_like, later))]
            likeliest = [in_step, *others] if first is in_step else others

        fitting = filter(fits, likeliest)
        for repeat, most in zip(fitting, situation.config.scored_edits, strict=False):
            yield _candidate(situation, repeat, self.name, most)


class CrossFileEdits:
    """The candidate source of other files' replacements; works before the first change, too."""

    name = "cross-file"

    def propose(self, situation: Situation) -> Iterator[Candidate]:
        """Propose the best two that are no repeated edits of this file."""
        if situation.view is None and not situation.history.is_untouched:
            return
        replacements, most = situation.replacements, situation.config.cross_file_edits
        own = {repeat.hunk for repeat in situation.repeats}
        best = replacements.best(replacements.of_other_files, most + SPARE)
        fitting = (repeat for repeat in best if _accepts(situation, repeat, self.name))
        for repeat in islice(fitting, most):
            if repeat.hunk not in own:
                yield _candidate(situation, repeat, self.name, 1)


def _accepts(situation: Situation, repeat: Repeat, source: str) -> bool:
    """Tell whether a source may propose a repeated edit: it does more than switch another value.

    Of such edits 0 of 11 were clean on development commits, and 1 of 51 on recorded saves.
    """
    hunk = repeat.hunk
    old = situation.history.text[hunk.start : hunk.end]
    if all(
        _VALUE.fullmatch(old[part.start : part.end]) and _VALUE.fullmatch(part.text)
        for part in diff(old, hunk.text)
    ):
        return False
    is_another = (
        _is_of_another(situation, repeat)
        or _is_of_another_class(situation, repeat)
        or _is_made_otherwise(situation, repeat)
    )
    return not is_another and situation.accepts(hunk, source)


def _is_made_otherwise(situation: Situation, repeat: Repeat) -> bool:
    """Tell whether a repeated edit has what is no `new` object take other arguments than before.

    `new Date()` is the time now, which a clock knows; `new Date(text)` is another.
    """
    hunk, text = repeat.hunk, situation.history.text
    made = text[hunk.start : hunk.end + 1]
    if not (made.startswith("new ") and made.endswith("(")) or hunk.text.startswith("new "):
        return False
    tokens = situation.replacements.now
    at = CONTEXT + int(np.searchsorted(tokens.starts, hunk.end))
    return tuple(map(int, tokens.ids[at : at + 2])) != repeat.made.after[:2]


def _is_of_another(situation: Situation, repeat: Repeat) -> bool:
    """Tell whether a repeated edit replaces a type of the language behind another name than before.

    Of such edits 43 of 580 were right in commits of eight projects, behind the same name 80 of 154.
    """
    hunk, text = repeat.hunk, situation.history.text
    is_word = text[hunk.start : hunk.end].isidentifier()
    names = situation.consequences.names(text) if is_word else None
    if names is None or not is_of_language(names, hunk.start):
        return False
    tokens = situation.replacements.now
    at = int(np.searchsorted(tokens.starts, hunk.start))
    for number in repeat.made.before[:at]:
        at -= 1
        if tokens.ids[CONTEXT + at] != number:
            return True
        if text[tokens.starts[at] : tokens.starts[at + 1]].isidentifier():
            break
    return False


def _is_of_another_class(situation: Situation, repeat: Repeat) -> bool:
    """Tell whether a repeated edit renames a member of something else than was renamed before.

    Where all objects with the new name are of known classes, this one is of none of these.
    """
    hunk, text = repeat.hunk, situation.history.text
    is_word = text[hunk.start : hunk.end].isidentifier() and hunk.text.isidentifier()
    names = situation.consequences.names(text) if is_word else None
    one = names.at(hunk.start) if names else None
    if names is None or one is None or one.role is not Role.MEMBER:
        return False
    alike = [each for each in names.of(hunk.text) if each.role is Role.MEMBER]
    known, objects = ({of(names, each) for each in alike} for of in (owner, _object))
    is_known = owner(names, one) in known or _object(names, one) in objects
    return bool(known) and None not in known and not is_known


def _object(names: Names, member: Occurrence) -> str:
    """Return the object that a member is taken from, as it is written."""
    return names.tree.of(object_of(member.path[-2].node))


def _is_part(old: str, new: str, *, is_here: bool) -> bool:
    """Tell whether a replacement begins or ends within brackets that are not its own.

    Then it is a part of a larger change: of such edits 9 of 170 were clean on development commits
    and recorded saves, 2 of the 15 that were shown. In the same file one may begin before a bracket
    and end within it.
    """
    if old.split() == new.split():
        return False
    (closed, opened), (closed_now, opened_now) = unmatched(old), unmatched(new)
    return bool(closed or closed_now) or opened != opened_now or bool(opened and not is_here)


def _candidate(situation: Situation, repeat: Repeat, source: str, most: int) -> Candidate:
    """Make a candidate of a repeated edit, whose first `most` token edits the network scores.

    Nothing speaks for a part of a larger change.
    """
    hunk, view = repeat.hunk, situation.view
    old = situation.history.text[hunk.start : hunk.end]
    is_part = _is_part(old, hunk.text, is_here=source == RepeatedEdits.name)
    strength = 0.0 if is_part else repeat.score
    scores = view.score(hunk, most) if view else (1, 0.0, UNSEEN)
    prior = math.exp(min(scores[1], 0.0)) if view else None
    candidate = Candidate(hunk, source, *scores, strength, prior=prior)
    return situation.described(candidate, (repeat.times, repeat.ago))


#: Finds edits, best first, each with its confidence; at most so many.
_Find = Callable[[KnownReplacements, int], Iterable[tuple[Hunk, float]]]


class _BaselineSession:
    """One open file, without a model."""

    def __init__(self, history: EditHistory, find: _Find) -> None:
        self._history, self._find = history, find
        self._replacements = KnownReplacements(history)

    def update(self, text: str, *, saved: bool) -> None:
        """Take in the text as it is now; what a save replaced is remembered."""
        self._history.update(text, saved=saved)

    def add_other_save(self, save: OtherSave) -> None:
        """Take in a save of another file."""
        self._replacements.add_other_save(save)

    def prepare(self, *, cancelled: Callable[[], bool] = never) -> None:
        """Do nothing: there is nothing to prepare."""

    def predict(self, count: int = 1, options: PredictionOptions = NO_OPTIONS) -> list[Prediction]:
        """Predict at most `count` of the edits that the baseline finds."""
        found = () if options.cancelled() else self._find(self._replacements, count + SPARE)
        fitting = (Prediction(hunk, 0.0, score, 1) for hunk, score in found if options.fits(hunk))
        return list(islice(fitting, max(count, 0)))


class RepeatLast:
    """The last replacement again, at the next place with the same two tokens on each side."""

    name = "repeat-last"

    def resume(self, history: EditHistory) -> Session:
        """Begin a session on a file's history, which the session goes on with."""

        def find(replacements: KnownReplacements, most: int) -> Iterator[tuple[Hunk, float]]:
            tokens = replacements.now
            for last in replacements.own[-1:]:
                places = tokens.places(last)
                agreement = tokens.agreement(last, places, NEAR)
                places = places[agreement == len(last.before[:NEAR]) + len(last.after[:NEAR])]
                places = places[tokens.starts[places] >= history.last]
                for place in places[tokens.is_absent(last, places)][:most].tolist():
                    yield tokens.hunk(last, place), REPEAT_LAST_CONFIDENCE

        return _BaselineSession(history, find)


class RepeatBest:
    """The best of the last replacements at the place that agrees best with its context.

    A score is the number of agreeing tokens around the place (at most 12), plus twice how often
    the replacement was made (at most 4), plus twice the words it replaced (at most 3); ties go to
    the nearest place ahead. Confidence is the score's share of the best possible one: it ranks,
    and is no probability.
    """

    name = "repeat-best"

    def resume(self, history: EditHistory) -> Session:
        """Begin a session on a file's history, which the session goes on with."""

        def find(replacements: KnownReplacements, most: int) -> Iterator[tuple[Hunk, float]]:
            known = [*replacements.of_other_files, *replacements.own]
            return ((one.hunk, one.score) for one in replacements.best(known, most))

        return _BaselineSession(history, find)


#: By name, the baselines that can be chosen instead of a bundle.
BASELINES: dict[str, Callable[[], Forecaster]] = {
    RepeatBest.name: RepeatBest,
    RepeatLast.name: RepeatLast,
}
