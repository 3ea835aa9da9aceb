"""The weights that rank candidates."""

from typing import Any

import numpy as np

from editcast_model.diff import Hunk
from editcast_model.forecasting.cross_file import Heard, OtherSave
from editcast_model.forecasting.interface import Fits
from editcast_model.forecasting.ranker import FEATURES, HEARD_FEATURES, Candidate
from editcast_training.calibration.ranker import (
    Offered,
    balanced,
    collect,
    elsewhere,
    fit,
    fitted,
    ranked,
)
from editcast_training.evaluation.metrics import Score
from editcast_training.evaluation.sessions import EditingSession


class Recorder:
    """A forecaster whose sessions note what they are told, and have one candidate: the truth."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.ranking: Any = None

    def open(self, text: str) -> "Recorder":
        self.heard.append(text)
        return self

    def update(self, text: str, *, saved: bool) -> None:
        assert saved
        self.heard.append(text)

    def hear(self, save: OtherSave) -> None:
        self.heard.append(save.after)

    def candidates(self, count: int, *, fits: Fits) -> list[Candidate]:
        size = len(self.heard[-1])
        assert not fits((Hunk(size, size, " "),))
        return [Candidate(Hunk(size, size, "x\n"), 1, 1, -1.0, -0.5, 0.0, True)]


def test_candidates_are_collected_from_whole_sessions() -> None:
    texts = tuple("x\n" * count for count in range(1, 6))
    recorder = Recorder()
    session = EditingSession("p", "a.py", "python", "saves", texts, first=3)
    (step,) = collect(recorder, [session])  # type: ignore[arg-type]
    assert recorder.heard == list(texts[:4])  # the last is what is to be predicted
    assert (step.number, step.step) == (0, 3)
    (score,) = step.scores
    assert score.clean and score.located


def test_recorded_saves_weigh_what_commits_do() -> None:
    def steps(kind: str, count: int) -> list[Offered]:
        session = EditingSession("p", "a.py", "python", kind, ("", "x\n"))
        return [Offered(session, number, 1, 5.0, (), ()) for number in range(count)]

    commits, saves = steps("project-commits", 10), steps("project-saves", 3)
    assert balanced(commits + saves) == commits + saves * 3
    assert balanced(commits) == commits
    assert balanced(saves) == saves


def test_what_other_files_replaced_is_fitted_by_itself() -> None:
    draw = np.random.default_rng(0)
    session = EditingSession("p", "a.py", "python", "project-commits", ("", "x\n"), 0)
    good, bad = Score(1, True, True, True, 1.0), Score(1, False, False, False, -1.0)
    own = Candidate(Hunk(0, 0, "own"), 1, 1, -1.0, -0.5, 0.0, True)
    offered = []
    for number in range(200):
        often = bool(draw.random() < 0.5)
        heard = Heard(9 if often else 1, 1, 0, 1)
        one = Candidate(Hunk(0, 0, "there"), 1, 0, 0.0, 0.0, 0.5, False, heard=heard)
        scores = (bad, good if often else bad)
        offered.append(Offered(session, number, 0, 5.0, (own, one), scores))
    told = elsewhere(offered)
    assert all(len(step.candidates) == len(step.scores) == 1 for step in told)
    weights = fitted(told)
    assert len(weights.weights) == HEARD_FEATURES
    rows = ranked(told)
    assert all((row.confidence or 0) > 0.8 for row in rows if row.score and row.score.clean)
    assert all((row.confidence or 0) < 0.2 for row in rows if row.score and not row.score.clean)


def test_the_best_of_a_step_is_ranked_by_what_other_sessions_show() -> None:
    draw = np.random.default_rng(0)
    session = EditingSession("p", "a.py", "python", "saves", ("", "x\n"))
    good, bad = Score(1, True, True, True, 1.0), Score(1, False, False, False, -1.0)
    offered = []
    for number in range(200):
        # What is probable is right; where it says otherwise, nothing else is offered.
        sure, unsure = (
            Candidate(Hunk(0, 0, text), 1, 1, joint, joint / 2, 0.0, True)
            for text, joint in (("a", -0.2 - draw.random()), ("b", -4 - draw.random()))
        )
        offered.append(Offered(session, number, 1, 5.0, (unsure, sure), (bad, good)))
    offered.append(Offered(session, 200, 1, 5.0, (), ()))
    rows = ranked(offered)
    assert [row.session for row in rows] == list(range(201))
    assert all(row.score == good for row in rows[:-1])
    assert all(row.confidence and row.confidence > 0.9 for row in rows[:-1])
    assert rows[-1].score is rows[-1].confidence is None
    ranking = fitted(offered)
    for weights in (ranking.weights, ranking.places, ranking.wholes):
        assert len(weights) == FEATURES
    assert not ranking.knots


def test_fit_finds_what_made_them_clean() -> None:
    draw = np.random.default_rng(0)
    rows = draw.normal(size=(4_000, FEATURES))
    true = np.linspace(-2, 2, FEATURES)
    clean = draw.random(4_000) < 1 / (1 + np.exp(-rows @ true))
    assert np.abs(np.array(fit(rows, clean)) - true).max() < 0.3


def test_fit_is_finite_when_all_are_clean() -> None:
    rows = np.ones((10, FEATURES))
    weights = np.array(fit(rows, np.ones(10, np.bool_)))
    assert np.isfinite(weights).all()
    assert 1 / (1 + np.exp(-weights.sum())) > 0.6
