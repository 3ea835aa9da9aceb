"""Collected candidates, and the ranker that is fitted to them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from editcast_model.bundle import Bundle, bundled_path
from editcast_model.diff import Hunk
from editcast_model.errors import SourceError
from editcast_model.forecasting.candidates import Candidate
from editcast_model.forecasting.interface import OtherSave, PredictionOptions
from editcast_model.forecasting.ranker import FEATURES, Ranker
from editcast_model.history import EditHistory
from editcast_training.calibration.collected import Collected, collect, collect_to_file, read
from editcast_training.calibration.ranker import best, calibration, fit, fit_across, recalibrate
from editcast_training.evaluation.metrics import Score
from editcast_training.evaluation.results import Row, hardware, versions
from editcast_training.evaluation.sessions import EditingSession

GOOD, BAD = Score(1, True, True, True, 1.0), Score(1, False, False, False, -1.0)


class Recorder:
    """A forecaster whose sessions note what they are told, and have one candidate: the truth."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def resume(self, history: EditHistory) -> "Recorder":
        self.texts.append(history.text)
        return self

    def update(self, text: str, *, saved: bool) -> None:
        assert saved
        self.texts.append(text)

    def add_other_save(self, save: OtherSave) -> None:
        self.texts.append(save.after)

    def candidates(self, count: int, options: PredictionOptions) -> list[Candidate]:
        size = len(self.texts[-1])
        assert not options.fits(Hunk(size, size, " "))
        return [Candidate(Hunk(size, size, "x\n"), "decoded", 1, 1, -1.0, -0.5)]


def session(first: int = 3) -> EditingSession:
    texts = tuple("x\n" * count for count in range(1, 6))
    return EditingSession("p", "a.py", "python", "saves", texts, first=first)


def test_candidates_are_collected_from_whole_sessions() -> None:
    recorder = Recorder()
    (step,) = collect(recorder, [session()])  # type: ignore[arg-type]
    assert recorder.texts == list(session().texts[:4])  # the last is what is to be predicted
    assert (step.row.session, step.row.step) == (0, 3)
    (score,) = step.scores
    assert score.clean and score.located


def test_what_was_collected_is_not_collected_again(tmp_path: Path) -> None:
    path, recorder = tmp_path / "candidates.jsonl", Recorder()
    first = collect_to_file(recorder, [session()], path)  # type: ignore[arg-type]
    before = len(recorder.texts)
    both = collect_to_file(recorder, [session(), session(1)], path)  # type: ignore[arg-type]
    assert recorder.texts[before:] == list(session().texts[:4])
    assert [(step.row.session, step.row.step) for step in both] == [(0, 3), (1, 1), (1, 2), (1, 3)]
    assert both[:1] == first and read(path) == both
    other = [replace(session(), path="b.py"), session(1)]
    for given in (other, [session()]):
        with pytest.raises(SourceError, match="other histories"):
            collect_to_file(recorder, given, path)  # type: ignore[arg-type]
    # Killed in the middle of a line.
    path.write_bytes(path.read_bytes()[:-20])
    again = collect_to_file(recorder, [session(), session(1)], path)  # type: ignore[arg-type]
    alike = [replace(step, row=replace(step.row, milliseconds=0)) for step in (*both, *again)]
    assert alike[:4] == alike[4:] and read(path) == again
    assert path.stat().st_mode & 0o077 == 0
    path.write_text("[{}]")
    with pytest.raises(SourceError, match="contains no candidates"):
        read(path)


def steps(count: int = 200) -> list[Collected]:
    """Return what is probable is right; a cross-file edit is where it was made often."""
    draw = np.random.default_rng(0)
    out = []
    for number in range(count):
        often = bool(draw.random() < 0.5)
        pairs = [
            (decoded("a", -0.2 - draw.random()), GOOD),
            (decoded("b", -4 - draw.random()), BAD),
            (Candidate(Hunk(0, 0, "c"), "cross-file", times=9 * often), GOOD if often else BAD),
        ]
        order = draw.permutation(3)
        candidates = tuple(pairs[index][0] for index in order)
        scores = tuple(pairs[index][1] for index in order)
        row = Row(f"project {number % 3}", "a.py", "python", "saves", number, 1, 5.0)
        out.append(Collected(row, candidates, scores))
    return [*out, Collected(Row.of(session(), count, 1, 5.0), (), ())]


def decoded(text: str, joint: float) -> Candidate:
    return Candidate(Hunk(0, 0, text), "decoded", 1, joint, joint / 2)


def test_every_source_has_weights_of_its_own() -> None:
    ranker = fit(steps())
    sources = {"decoded", "cross-file"}
    assert ranker.weights.keys() == ranker.places.keys() == ranker.wholes.keys() == sources
    assert all(len(weights) == 1 + len(FEATURES) for weights in ranker.weights.values())
    often, once = (Candidate(Hunk(0, 0, "c"), "cross-file", times=times) for times in (9, 0))
    assert (ranker.score(often) or 0) > 0.9 and (ranker.score(once) or 1) < 0.1


def test_the_best_of_a_step_is_ranked_by_what_others_show() -> None:
    given = steps()
    rows = fit_across(given, lambda step: step.row.project)
    assert [row.session for row in rows] == list(range(201))
    assert all(row.score == GOOD for row in rows[:-1])
    assert all(row.confidence and row.confidence > 0.8 for row in rows[:-1])
    assert rows[-1].score is rows[-1].confidence is None
    assert best(given[0], Ranker()).score is None  # neither weights nor a prior


def test_the_precision_of_a_card_is_the_measured_one() -> None:
    rows, known = calibration(steps())
    shown = [row.score.clean for row in rows if row.score and (row.confidence or 0) > 0]
    assert known["precision"] == sum(shown) / len(shown) == 1.0
    assert known["suggestions"] == len(shown) == 200
    assert known["features"] == list(FEATURES)
    assert known["weights"].keys() == known["places"].keys() == fit(steps()).weights.keys()
    assert known["wholes"].keys() == known["places"].keys()
    rows, known = calibration(steps(10))  # too few to say
    assert known["threshold"] == 1.0 and known["precision"] is None


def test_where_all_are_clean_the_share_is_known() -> None:
    candidates = (decoded("a", -1.0),)
    rows = [Row.of(session(), number, 1, 5.0) for number in range(50)]
    given = [Collected(row, candidates, (GOOD,)) for row in rows]
    assert fit(given).score(candidates[0]) == pytest.approx(51 / 52, abs=1e-3)


def test_the_kinds_of_steps_count_the_same() -> None:
    """A kind counts as much as another: nine clean commits and a wrong save are half sure."""

    def of_kind(kind: str, number: int, score: Score) -> Collected:
        row = Row("p", "a.py", "python", kind, number, 1, 5.0)
        return Collected(row, (decoded("a", -1.0),), (score,))

    given = [of_kind("commits", number, GOOD) for number in range(180)]
    given += [of_kind("saves", number, BAD) for number in range(180, 200)]
    ((_, confidence),) = fit(given).ranked([decoded("a", -1.0)])
    assert confidence == pytest.approx(0.5, abs=0.02)


def test_a_bundle_keeps_what_is_fitted_elsewhere(tmp_path: Path) -> None:
    given = Bundle.open(bundled_path())
    card = recalibrate(given, steps(), tmp_path / "fitted").card
    assert card.written["hardware"] == hardware("cpu") and card.written["versions"] == versions()
    fitted = card.calibration
    assert fitted.weights.keys() == {"decoded", "cross-file"}
    assert fitted.continuation == given.card.calibration.continuation != ()


def test_thresholds_are_chosen_anew_alone(tmp_path: Path) -> None:
    given = Bundle.open(bundled_path())
    kept = recalibrate(given, steps(), tmp_path / "kept", keeps_ranker=True).card.calibration
    before = given.card.calibration
    for part in ("weights", "points", "places", "wholes"):
        assert getattr(kept, part) == getattr(before, part)
    assert kept.continuation == before.continuation
    assert kept.suggestions == 200 != before.suggestions
    sure = [one.confidence for one in (best(step, Ranker.of(given.card)) for step in steps())]
    assert kept.threshold in sure and kept.threshold != before.threshold
