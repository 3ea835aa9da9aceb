"""Suggesters replayed on sessions, and what is written of it."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from editcast_model.diff import Hunk
from editcast_model.errors import SourceError
from editcast_model.forecasting.filters import EditContext
from editcast_model.forecasting.interface import (
    Forecaster,
    OtherSave,
    Prediction,
    PredictionOptions,
    Session,
)
from editcast_model.forecasting.sources.repeated_edits import RepeatBest, RepeatLast
from editcast_model.history import EditHistory
from editcast_training.evaluation.results import (
    Evaluation,
    Row,
    hardware,
    outcomes,
    replay,
    shares,
    summarize,
)
from editcast_training.evaluation.sessions import EditingSession, commit_session, save_session
from editcast_training.fit.loss import TokenScores
from editcast_training.sources.file_history import FileHistory, Snapshot


class InProcess:
    """A forecaster as a suggester, without a server in between."""

    def __init__(self, forecaster: Forecaster) -> None:
        self.name = forecaster.name
        self._forecaster = forecaster
        self._session: Session | None = None
        self._saves: list[str] = []
        self._language = ""
        self._saved = 0.0

    def open(self, text: str, language: str) -> None:
        self._saved = time.perf_counter()
        self._session = self._forecaster.resume(EditHistory(text, language=language))
        self._saves, self._language = [text], language

    def add_other_save(self, other: OtherSave) -> None:
        assert self._session is not None
        self._saved = time.perf_counter()
        self._session.add_other_save(other)

    def save(self, text: str) -> None:
        assert self._session is not None
        self._saved = time.perf_counter()
        self._session.update(text, saved=True)
        self._saves.append(text)

    def suggest(self) -> tuple[Prediction | None, float]:
        assert self._session is not None
        context = EditContext.of(self._saves, self._language)
        predictions = self._session.predict(1, PredictionOptions(context.accepts))
        return next(iter(predictions), None), 1e3 * (time.perf_counter() - self._saved)


CALLS = "first = load(a)\nkept\nsecond = load(a)\nkept\nthird = load(a)\nkept\nlast = save(a)\n"
RENAMED = CALLS.replace("load(a)", "read(a)").replace("save(a)", "store(a, b)")
HISTORY = FileHistory(
    "p", "a.py", "python", "commits", (Snapshot(CALLS, None), Snapshot(RENAMED, None))
)


def renaming() -> EditingSession:
    """Four hunks, three steps; at the last of them there is nothing left to repeat."""
    return commit_session(HISTORY, 0)


def saving() -> EditingSession:
    texts = ("x = load(1)\ny = load(1)\n", "x = read(1)\ny = load(1)\n", "x = read(1)\n")
    snapshots = tuple(Snapshot(text, None) for text in texts)
    return save_session(FileHistory("q", "b.ts", "typescript", "saves", snapshots))


class Recorder:
    """A suggester that writes down what it is told and suggests deleting the first line."""

    name = "recorder"

    def __init__(self) -> None:
        self.events: list[tuple[str, ...]] = []

    def open(self, text: str, language: str) -> None:
        self.events.append(("open", text, language))

    def add_other_save(self, other: OtherSave) -> None:
        self.events.append(("other", other.file))

    def save(self, text: str) -> None:
        self.events.append(("save", text))

    def suggest(self) -> tuple[Prediction | None, float]:
        end = next(one[1] for one in reversed(self.events) if one[0] != "other").index("\n") + 1
        return Prediction(Hunk(0, end, ""), -1.5, 0.25, 3), 7.0


def test_a_session_is_opened_and_saved_step_by_step_but_not_to_its_end() -> None:
    recorder = Recorder()
    first, second = renaming(), saving()
    rows = list(replay(recorder, [first, second]))
    assert recorder.events == [
        ("open", first.texts[0], "python"),
        *[("save", text) for text in first.texts[1:-1]],
        ("open", second.texts[0], "typescript"),
        ("save", second.texts[1]),
    ]
    assert [(row.session, row.step, row.kind, row.project) for row in rows] == [
        (0, 1, "commits", "p"),
        (0, 2, "commits", "p"),
        (0, 3, "commits", "p"),
        (1, 1, "saves", "q"),
    ]
    assert {(row.confidence, row.log_probability, row.milliseconds) for row in rows} == {
        (0.25, -1.5, 7.0)
    }


def test_what_is_saved_in_other_files_is_told_when_it_happened() -> None:
    others = tuple((saves, OtherSave(f"{saves}.py", "x\n", "y\n")) for saves in (0, 0, 1, 2, 3))
    texts = ("1\n", "2\n", "3\n", "4\n")
    session = EditingSession("p", "a.py", "python", "project-commits", texts, 0, others=others)
    recorder = Recorder()
    rows = list(replay(recorder, [session]))
    assert [row.step for row in rows] == [0, 1, 2]
    assert recorder.events == [
        ("open", "1\n", "python"),
        ("other", "0.py"),
        ("other", "0.py"),
        ("save", "2\n"),
        ("other", "1.py"),
        ("save", "3\n"),
        ("other", "2.py"),
    ]


def test_in_process_it_hears_of_other_files() -> None:
    rename = OtherSave("b.py", "load(a)\n", "read(a)\n")
    texts = commit_session(HISTORY, 0).texts
    others = ((0, rename),)
    session = EditingSession("p", "a.py", "python", "project-commits", texts, 0, others=others)
    first, *_ = replay(InProcess(RepeatBest()), [session])
    assert first.score and first.score.clean
    first, *_ = replay(InProcess(RepeatBest()), [replace(session, others=())])
    assert first.score is None


def test_what_comes_before_the_first_scored_save_is_shown() -> None:
    recorder = Recorder()
    texts = tuple(f"v = {n}\n" for n in range(5))
    rows = list(replay(recorder, [EditingSession("p", "a.py", "python", "saves", texts, 3)]))
    assert [said[0] for said in recorder.events] == ["open", "save", "save", "save"]
    assert [row.step for row in rows] == [3]


@pytest.mark.parametrize(("saves", "later"), [(9, True), (10, False)])
def test_a_suggestion_is_made_later_within_ten_saves(saves: int, later: bool) -> None:
    texts = ["0\n", "0\nfirst\n", *(f"{n}\nfirst\n" for n in range(1, saves + 1)), "first\n"]
    session = EditingSession("p", "a.txt", "plaintext", "saves", tuple(texts))
    row, *rest = replay(Recorder(), [session])  # deletes the first line
    assert row.score and not row.score.clean and row.score.later == later
    assert rest[-1].score and rest[-1].score.clean and rest[-1].score.later
    assert shares([row], 0.2)["made later"] == later and shares([row], 0.3)["made later"] == 0


def test_a_forecaster_in_this_process_is_scored() -> None:
    rows = list(replay(InProcess(RepeatLast()), [renaming()]))
    scores = [row.score for row in rows]
    assert [score is not None and score.exact for score in scores] == [True, True, False]
    assert scores[2] is None
    summary = summarize(rows)
    assert (summary["sessions"], summary["steps"]) == (1, 3)
    assert (
        summary["shown"]
        == summary["clean"]
        == summary["exact"]
        == summary["located"]
        == pytest.approx(2 / 3)
    )
    assert summary["clean_of_shown"] == summary["gain"] == 1.0
    assert summary["coverage"] == {"0.7": pytest.approx(2 / 3)} | {
        "0.8": pytest.approx(2 / 3),
        "0.9": pytest.approx(2 / 3),
    }
    assert summary["calibration_error"] == pytest.approx(0.65)


def test_a_summary_without_suggestions_is_zeros() -> None:
    row = Row("p", "a", "python", "commits", 0, 1, 2.0, None, None, None)
    summary = summarize([row])
    assert summary["shown"] == summary["clean_of_shown"] == summary["gain"] == 0.0
    assert summary["milliseconds"] == {"p50": 2.0, "p95": 2.0, "p99": 2.0, "max": 2.0}


def test_steps_without_a_suggestion_calibrate_nothing() -> None:
    rows = list(replay(InProcess(RepeatLast()), [renaming()]))
    assert [one.clean for one in outcomes(rows)] == [True, True]
    assert [outcome.confidence for outcome in outcomes(rows)] == [0.35, 0.35]


def evaluation(name: str = "repeat-best") -> Evaluation:
    return Evaluation(
        name=name,
        rows=tuple(replay(InProcess(RepeatBest()), [renaming(), saving()])),
        source="two sessions",
        command="editcast evaluate",
        hardware=hardware("cpu"),
        tokens=TokenScores(edits=4, position=2, content=1, both=1).shares(),
    )


def test_a_result_is_written_and_read_again(tmp_path: Path) -> None:
    made = evaluation()
    made.write(tmp_path / "result.json")
    assert Evaluation.read(tmp_path / "result.json") == made
    assert list(made.kinds) == ["commits", "saves"]
    assert set(made.versions) >= {"python", "editcast", "numpy", "rapidfuzz"}
    assert made.hardware["device"] == "cpu" and int(made.hardware["cores"]) >= 1


def test_the_written_result_has_its_summary_by_kind_and_project(tmp_path: Path) -> None:
    made = evaluation()
    made.write(tmp_path / "result.json")
    document = json.loads((tmp_path / "result.json").read_text("utf-8"))
    assert document["summary"]["commits"]["total"]["steps"] == 3
    assert document["summary"]["saves"]["projects"]["q"]["steps"] == 1
    assert len(document["rows"]) == 4
    assert document["rows"][0][: len(document["columns"])][0] == "p"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": 1}', '{"format": 1, "rows": [[1, 2]]}', "\0"]
)
def test_what_is_no_result_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "result.json").write_text(text, "utf-8")
    with pytest.raises(SourceError, match="is not a result of editcast evaluate"):
        Evaluation.read(tmp_path / "result.json")


def test_a_missing_result_and_one_of_another_format_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="name the JSON file"):
        Evaluation.read(tmp_path / "none.json")
    (tmp_path / "newer.json").write_text('{"format": 99}', "utf-8")
    with pytest.raises(SourceError, match="format 99"):
        Evaluation.read(tmp_path / "newer.json")
