"""Fits the confidence of continuations, on the text that people typed next at the cursor.

Each change of a session is typed by lexical tokens, and every word also stopped at its middle. A
continuation is right if what was typed begins with it. Commits and recorded saves weigh the same.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from editcast_model.diff import diff
from editcast_model.forecasting.sources.continuation import Continuer
from editcast_training.calibration.logistic import kind_weights, logistic
from editcast_training.evaluation.known_files import FilesOf, Project
from editcast_training.evaluation.sessions import EditingSession
from editcast_training.evaluation.typed_document import typed

_LEAST_WORD = 3  # characters of a word that is stopped at its middle
_MOST_CHARACTERS = 100_000  # of a file


class Example(NamedTuple):
    """One continuation at a typed state, of a session of some kind; right if it was typed."""

    kind: str
    features: tuple[float, ...]
    is_right: bool


def examples(sessions: Iterable[EditingSession], files: FilesOf) -> Iterator[Example]:
    """Yield the continuations at the typed states of sessions."""
    for session in sessions:
        if len(session.texts[0]) > _MOST_CHARACTERS:
            continue
        project = Project(session, files(session))
        continuer = Continuer(project.memory, session.path)
        for saves, (before, after) in enumerate(pairwise(session.texts[session.first :])):
            project.follow(session.first + saves)
            project.memory.put(session.path, before)
            for text, cursor, rest in _typed(before, after):
                for one in continuer.continuations(text, cursor):
                    yield Example(session.kind, one.features, rest.startswith(one.text))


def fit(known: Iterable[Example]) -> tuple[float, ...]:
    """Fit an intercept and weights to examples; empty where there is nothing to tell apart."""
    found = list(known)
    right = [one.is_right for one in found]
    if len(set(right)) < 2:
        return ()
    counted = kind_weights(one.kind for one in found)
    return logistic([one.features for one in found], right, [counted[one.kind] for one in found])


def _typed(before: str, after: str) -> Iterator[tuple[str, int, str]]:
    """Yield texts on the way, each with the cursor and what is typed there next."""
    text, grown = before, 0
    for hunk in diff(before, after):
        actions = [action.shifted(grown) for action in typed(hunk, before)]
        rest = "".join(action.text for action in actions)
        for action in actions:
            token = action.text
            stops = [len(token)] if token else []
            if token.isidentifier() and len(token) >= _LEAST_WORD:
                stops = [len(token) // 2, len(token)]
            for stop in stops:
                if stop < len(rest):
                    now = replace(action, text=token[:stop]).apply(text)
                    yield now, action.start + stop, rest[stop:]
            text, rest = action.apply(text), rest[len(token) :]
        grown += hunk.growth
