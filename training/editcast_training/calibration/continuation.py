"""Fits how sure continuations are, on what people typed next at the cursor.

Each change of a session is typed by lexical tokens, and every word also stopped at its middle. A
continuation is right if what was typed begins with it. Commits and recorded saves weigh the same.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from editcast_model.diff import Hunk, apply_hunks, diff
from editcast_model.forecasting.sources.continuation import Continuer
from editcast_model.tokenizer import lex
from editcast_training.evaluation.known_files import FilesOf, Project
from editcast_training.evaluation.sessions import EditingSession
from editcast_training.evaluation.typed_document import opened

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
    if len({one.is_right for one in found}) < 2:
        return ()
    counts = Counter(one.kind for one in found)
    weights = np.array([len(found) / len(counts) / counts[one.kind] for one in found])
    model = LogisticRegression(C=1.0, max_iter=3000).fit(
        np.array([one.features for one in found]),
        np.array([one.is_right for one in found]),
        sample_weight=weights,
    )
    return tuple(round(float(one), 4) for one in (*model.intercept_, *model.coef_[0]))


def _typed(before: str, after: str) -> Iterator[tuple[str, int, str]]:
    """Yield texts on the way, each with the cursor and what is typed there next."""
    text, grown = before, 0
    for hunk in diff(before, after):
        start, end = hunk.start + grown, hunk.end + grown
        text = text[:start] + text[end:]
        typed = opened(Hunk(start, start, hunk.text), text)
        place = typed.start
        for token in lex(typed.text):
            stops = [len(token)]
            if token.isidentifier() and len(token) >= _LEAST_WORD:
                stops = [len(token) // 2, len(token)]
            for stop in stops:
                done = place - typed.start + stop
                if done < len(typed.text):
                    now = apply_hunks(text, [replace(typed, text=typed.text[:done])])
                    yield now, place + stop, typed.text[done:]
            place += len(token)
        text = apply_hunks(text, [typed])
        grown += hunk.growth
