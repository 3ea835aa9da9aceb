"""Fits the logistic models that put candidates of both sources on one scale."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import numpy.typing as npt

from editcast_model.card import HEARD_FEATURES
from editcast_model.forecasting.filters import Work
from editcast_model.forecasting.forecaster import NeuralForecaster, NeuralSession
from editcast_model.forecasting.ranker import FEATURES, Candidate, Ranking, features
from editcast_training.evaluation.metrics import Judge, Score
from editcast_training.evaluation.results import Row
from editcast_training.evaluation.sessions import EditingSession

_RIDGE = 1.0
#: Weights by which a session is ranked are fitted on the sessions outside its part.
_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Offered:
    """The candidates of one step, and what became of each.

    Attributes:
        session: The session.
        number: Its number.
        step: Number of the step within it, from 1; 0 when the file was just opened.
        milliseconds: From the save until they were there.
        candidates: The candidates.
        scores: Theirs.
    """

    session: EditingSession
    number: int
    step: int
    milliseconds: float
    candidates: tuple[Candidate, ...]
    scores: tuple[Score, ...]


def collect(forecaster: NeuralForecaster, sessions: Iterable[EditingSession]) -> list[Offered]:
    """The candidates of every step, of those that would be shown if they were sure."""
    # With weights, whatever they are, a session offers repeated replacements too.
    heard = Ranking((0.0,) * HEARD_FEATURES)
    forecaster.ranking = Ranking((0.0,) * FEATURES, elsewhere=heard)
    out: list[Offered] = []
    for number, replayed in enumerate(sessions):
        session = forecaster.open(replayed.texts[0])
        saved = time.perf_counter()

        def save(text: str, session: NeuralSession = session) -> None:
            nonlocal saved
            saved = time.perf_counter()
            session.update(text, saved=True)

        for index, step in replayed.replay(save, session.hear):
            work = Work.of(replayed.texts[: index + 1], replayed.language)
            candidates = tuple(session.candidates(1, fits=work.admits))
            milliseconds = 1e3 * (time.perf_counter() - saved)
            judge = Judge(step)
            scores = tuple(judge.score((one.hunk,)) for one in candidates)
            out.append(Offered(replayed, number, index, milliseconds, candidates, scores))
    return out


def decoding(offered: Iterable[Offered]) -> dict[str, int]:
    """How many edits the network decoded in how many decisions; by spans several edits are one.

    What is a repeated replacement too is left out.
    """
    every = chain.from_iterable(step.candidates for step in offered)
    made = [one for one in every if one.decisions]
    return {
        "edits": sum(one.edits for one in made),
        "decisions": sum(one.decisions for one in made),
    }


def elsewhere(offered: Iterable[Offered]) -> list[Offered]:
    """The same steps with those candidates alone that repeat what other files replaced."""
    out: list[Offered] = []
    for step in offered:
        pairs = zip(step.candidates, step.scores, strict=True)
        heard = [(one, score) for one, score in pairs if one.heard]
        candidates = tuple(one for one, _ in heard)
        out.append(replace(step, candidates=candidates, scores=tuple(score for _, score in heard)))
    return out


def balanced(offered: Sequence[Offered]) -> list[Offered]:
    """The same steps, those of recorded saves so often that they weigh about what commits do."""
    saves = [step for step in offered if step.session.kind.endswith("saves")]
    commits = [step for step in offered if not step.session.kind.endswith("saves")]
    times = max(1, round(len(commits) / len(saves))) if saves else 1
    return commits + saves * times


def fitted(offered: Sequence[Offered]) -> Ranking:
    """The weights that rank the candidates, which are all of one kind; without knots."""
    rows = [features(one) for step in offered for one in step.candidates]
    scores = list(chain.from_iterable(step.scores for step in offered))
    table = np.array(rows, np.float64).reshape(-1, len(rows[0]) if rows else FEATURES)
    clean, located, whole = (
        tuple(fit(table, right))
        for right in (
            [one.clean for one in scores],
            [one.located for one in scores],
            [one.exact for one in scores],
        )
    )
    return Ranking(clean, (), located, whole)


def ranked(offered: Sequence[Offered], ranking: Ranking | None = None) -> list[Row]:
    """The best suggestion of every step, by a ranking or by weights fitted on other sessions."""
    if ranking is not None:
        return [_row(step, ranking) for step in offered]
    rows: list[Row] = []
    for fold in range(_FOLDS):
        others = [step for step in offered if step.number % _FOLDS != fold]
        ranking = fitted(others or offered)
        rows += (_row(step, ranking) for step in offered if step.number % _FOLDS == fold)
    return sorted(rows, key=lambda row: (row.session, row.step))


def _row(step: Offered, ranking: Ranking) -> Row:
    session = step.session
    about = (session.project, session.path, session.language, session.kind)
    where = (*about, step.number, step.step, round(step.milliseconds, 3))
    if not step.candidates:
        return Row(*where, None, None, None)
    best, score = max(
        zip(step.candidates, step.scores, strict=True), key=lambda pair: ranking.worth(pair[0])
    )
    return Row(*where, ranking.confidence(best), best.log_probability, score)


def fit(
    rows: npt.NDArray[np.float64], right: Sequence[bool] | npt.NDArray[np.bool_]
) -> list[float]:
    """Ridge logistic regression by Newton's method; weights (FEATURES,)."""
    weights = np.zeros(rows.shape[1])
    wanted = np.asarray(right, np.float64)
    ridge = _RIDGE * np.eye(rows.shape[1])
    for _ in range(30):
        share = 1 / (1 + np.exp(-rows @ weights))
        gradient = rows.T @ (wanted - share) - ridge @ weights
        curvature = (rows * (share * (1 - share))[:, None]).T @ rows + ridge
        weights = weights + np.linalg.solve(curvature, gradient)
    return [float(round(weight, 6)) for weight in weights]
