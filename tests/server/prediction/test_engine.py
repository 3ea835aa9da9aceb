"""The forecasting thread: cancelled work, work that fails, sessions that see every save."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from editcast_model.diff import Hunk
from editcast_model.errors import PredictorError
from editcast_model.forecasting.filters import EditContext
from editcast_model.forecasting.interface import NO_OPTIONS, Prediction, PredictionOptions, never
from editcast_model.history import EditHistory
from editcast_server.prediction import model_loader
from editcast_server.prediction.engine import Answer, Conditions, Engine, Job, Thresholds
from editcast_server.prediction.model_loader import Choice
from editcast_server.prediction.projects import Track


class Scripted:
    """A forecaster whose sessions do what a test says, and remember what they were told."""

    name = "scripted"

    def __init__(self, predict: Callable[..., list[Prediction]]) -> None:
        self.script = predict
        self.sessions: list[Scripted._Session] = []
        self.prepared = 0
        self.interrupted = 0

    def resume(self, history: EditHistory) -> "Scripted._Session":
        self.sessions.append(self._Session(self, history))
        return self.sessions[-1]

    class _Session:
        def __init__(self, owner: "Scripted", history: EditHistory) -> None:
            self.owner, self.history = owner, history
            self.updates: list[tuple[str, bool]] = [(text, True) for text in history.snapshots]

        def update(self, text: str, *, saved: bool) -> None:
            self.updates.append((text, saved))
            self.history.update(text, saved=saved)

        def predict(
            self, count: int = 1, options: PredictionOptions = NO_OPTIONS
        ) -> list[Prediction]:
            found = self.owner.script(self.updates[-1][0], count, options.cancelled)
            return [one for one in found if options.fits(one.hunk)][:count]

        def prepare(self, *, cancelled: Callable[[], bool] = never) -> None:
            self.owner.prepared += 1
            self.owner.interrupted += cancelled()


def insert(word: str, confidence: float = 0.9) -> Prediction:
    return Prediction(Hunk(0, 0, word), 0.0, confidence, 1)


class Bench:
    """An engine, and the answers it gave."""

    def __init__(self) -> None:
        self.loaded = threading.Event()
        self.failures: list[str] = []
        self.before: list[int] = []  # for each answer, the failures told before it
        self.engine = Engine(lambda model: self.loaded.set(), self.failures.append)
        self.engine.choose(Choice("/nowhere"))
        self.loaded.wait(60)

    def use(self, forecaster: Any) -> None:
        object.__setattr__(self.engine._model, "forecaster", forecaster)

    def hold(self) -> threading.Event:
        """Keep the thread busy until the event is set."""
        held = threading.Event()

        def wait() -> None:
            held.wait(60)

        self.engine._put(0, wait)
        return held

    def finish(self) -> None:
        """Wait until every task is done, also those for an idle thread."""
        self.engine._put(3, None)  # the last task
        self.engine._thread.join(60)

    def ask(self, track: Track, text: str, most: int = 1) -> tuple[Job, Callable[[], Answer]]:
        answers: list[Answer] = []
        done = threading.Event()

        def take(answer: Answer) -> None:
            self.before.append(len(self.failures))
            answers.append(answer)
            done.set()

        def wait() -> Answer:
            assert done.wait(60)
            return answers[0]

        job = Job(track, Conditions(EditContext(text, "text"), Thresholds(0.5, 0.5)), most, take)
        self.engine.predict(job)
        return job, wait


@pytest.fixture
def bench() -> Iterator[Bench]:
    it = Bench()
    yield it
    it.engine.stop()


def test_what_is_cancelled_ends_and_the_next_is_answered(bench: Bench) -> None:
    begun = threading.Event()

    def script(text: str, count: int, cancelled: Callable[[], bool]) -> list[Prediction]:
        if text == "old":
            begun.set()
            while not cancelled():
                pass
            return []
        return [insert("word")]

    bench.use(Scripted(script))
    track = Track("first")
    old, old_answer = bench.ask(track, "old")
    assert begun.wait(60)
    queued, queued_answer = bench.ask(track, "queued")
    queued.cancelled = True
    _, answer = bench.ask(track, "new")
    old.cancelled = True
    assert old_answer().predictions == []
    assert queued_answer().predictions == []
    assert answer().predictions == [insert("word")]
    assert answer().model_name == "scripted"


def test_an_error_is_told_and_the_session_begins_anew(bench: Bench) -> None:
    def script(text: str, count: int, cancelled: Callable[[], bool]) -> list[Prediction]:
        if text == "bad":
            raise ZeroDivisionError("by zero")
        return [insert("word")]

    forecaster = Scripted(script)
    bench.use(forecaster)
    track = Track("first")
    track.save("second")
    assert bench.ask(track, "bad")[1]().predictions == []
    assert bench.ask(track, "good")[1]().predictions == [insert("word")]
    assert bench.failures == ["ZeroDivisionError"]
    assert bench.before == [1, 1]  # a client that has the answer knows of the failure
    assert [session.updates for session in forecaster.sessions] == [
        [("first", True), ("second", True), ("bad", False)],
        [("first", True), ("second", True), ("good", False)],
    ]


def test_the_thread_survives_if_nothing_can_take_the_place_of_the_predictor(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object) -> None:
        raise PredictorError("It does not answer.")

    def fail_too(*given: object) -> None:
        raise OSError("The disk is gone.")

    monkeypatch.setattr(model_loader, "load_instead", fail_too)
    bench.use(Scripted(lambda text, count, cancelled: [insert("word")]))
    bench.engine._put(1, fail)
    _, answer = bench.ask(Track("a"), "b")
    assert answer().predictions == [insert("word")]
    assert bench.failures == ["OSError"]


def test_every_save_is_seen_in_order_and_by_a_new_model_too(bench: Bench) -> None:
    forecaster = Scripted(lambda *_: [])
    bench.use(forecaster)
    texts = ["line\n" * number for number in range(1, 21)]
    track = Track(texts[0])
    for text in texts[1:]:
        track.save(text)
        track.save(text)
    bench.ask(track, "typed")[1]()
    bench.ask(track, "typed")[1]()
    (session,) = forecaster.sessions
    saves = [(text, True) for text in texts]
    assert session.updates == [*saves, ("typed", False)]
    other = Scripted(lambda *_: [])
    bench.use(other)
    bench.ask(track, texts[-1])[1]()
    assert other.sessions[0].updates == [*saves, (texts[-1], False)]


def test_a_text_older_than_a_save_is_not_taken_for_a_change_of_it(bench: Bench) -> None:
    begun, saved = threading.Event(), threading.Event()

    class Slow(Scripted):
        def resume(self, history: EditHistory) -> "Scripted._Session":
            begun.set()
            assert saved.wait(60)
            return super().resume(history)

    forecaster = Slow(lambda *_: [])
    bench.use(forecaster)
    track = Track("first")
    old, old_answer = bench.ask(track, "typed")
    assert begun.wait(60)
    old.cancelled = True  # by the change that came before the save
    track.save("typed on")
    saved.set()
    old_answer()
    bench.ask(track, "typed on, elsewhere")[1]()
    (session,) = forecaster.sessions
    after = [("typed on", True), ("typed on, elsewhere", False)]
    assert session.updates == [("first", True), *after]


def test_what_is_held_back_is_passed_over(bench: Bench) -> None:
    found = [insert(" "), insert("word"), insert("other", 0.1)]
    bench.use(Scripted(lambda *_: found))
    assert bench.ask(Track("x"), "x")[1]().predictions == [insert("word")]
    assert bench.ask(Track("x"), "x", 2)[1]().predictions == [insert("word")]  # too unsure


def test_what_undoes_the_changes_since_the_file_was_opened_is_passed_over(bench: Bench) -> None:
    bench.use(Scripted(lambda *_: [insert("word "), insert("other ")]))
    assert bench.ask(Track("word x"), "x")[1]().predictions == [insert("other ")]


def test_sessions_are_prepared_when_there_is_time(bench: Bench) -> None:
    forecaster = Scripted(lambda *_: [])
    bench.use(forecaster)
    track = Track("x")
    for count in range(1, 4):
        bench.ask(track, "x" * count)[1]()
    bench.engine.stop()
    assert 1 <= forecaster.prepared <= 3


def test_what_is_cancelled_prepares_the_next_prediction_too(bench: Bench) -> None:
    forecaster = Scripted(lambda *_: [])
    bench.use(forecaster)
    track = Track("x")
    bench.ask(track, "x")[1]()
    while forecaster.prepared == 0:
        time.sleep(0.01)
    held = bench.hold()
    job, answer = bench.ask(track, "xx")
    job.cancelled = True
    held.set()
    answer()
    bench.finish()
    assert forecaster.prepared == 2


def test_documents_that_are_saved_together_are_all_prepared(bench: Bench) -> None:
    forecaster = Scripted(lambda *_: [])
    bench.use(forecaster)
    held = bench.hold()
    answers = [bench.ask(Track(text), text)[1] for text in ("a", "b", "c")]
    held.set()
    for answer in answers:
        answer()
    bench.finish()
    assert (forecaster.prepared, forecaster.interrupted) == (3, 0)


def test_a_document_that_was_closed_meanwhile_is_not_read(bench: Bench) -> None:
    forecaster = Scripted(lambda *_: [])
    bench.use(forecaster)
    held = bench.hold()
    tracks = [Track("closed"), Track("open")]
    for track in tracks:
        bench.engine.open(track)
    tracks[0].is_open = False
    held.set()
    bench.finish()
    assert [one.updates for one in forecaster.sessions] == [[("open", True)]]


def test_saves_that_nothing_reads_are_not_kept_for_ever(bench: Bench) -> None:
    forecaster = Scripted(lambda *_: [])
    bench.use(forecaster)
    track = Track("0")
    for number in range(1, 200):
        track.save(str(number))
    bench.ask(track, "199")[1]()
    (session,) = forecaster.sessions
    assert session.updates[0] == ("0", True)
    assert session.updates[1:] == [(str(number), True) for number in range(170, 200)]


def test_what_the_last_save_did_is_not_undone(bench: Bench) -> None:
    bench.use(Scripted(lambda *_: [Prediction(Hunk(0, 3, "old"), 0.0, 0.9, 1), insert("word")]))
    track = Track("old text")
    track.save("new text")
    assert bench.ask(track, "new text")[1]().predictions == [insert("word")]
