"""The one thread that forecasts: everything slow about a prediction happens here.

The event loop hands in jobs and gets the results called back; it never waits for this thread. A
job that nobody needs any longer ends early through its `cancelled`.
"""

import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from editcast_model.diff import Hunk, diff
from editcast_model.forecasting.interface import Forecaster, Prediction, Session
from editcast_model.inference.memory_limit import memory_limit
from editcast_server.prediction import model_loader
from editcast_server.prediction.model_loader import Choice, Model
from editcast_server.prediction.policy import Situation, reason_to_hold_back
from editcast_server.prediction.workspace import Project

log = logging.getLogger(__name__)

REPLAYED = 8  # saved texts kept to open a session anew when the model changes
_LAST_JOB = 10.0  # seconds
_MOST_FAILURES = 2  # in a row, of a model that another can take the place of


class Track:
    """What the engine knows of one open document: its saved texts, and the session on them.

    The event loop only calls `save`; the rest belongs to the engine's thread.

    Args:
        text: As it was opened.
        project: Where its saves are told to other documents, and theirs to this one.
        name: What it is called there.
    """

    def __init__(self, text: str, project: Project | None = None, name: str = "") -> None:
        self._texts: deque[str] = deque([text], maxlen=REPLAYED)
        self._saves: deque[str] = deque()
        self._untold: deque[str] = deque()  # of these, what the session was not told of
        self._project = project or Project()
        self._name = name
        self._heard = 0  # number of the last save of another file that the session was told of
        self._session: Session | None = None
        self._forecaster: Forecaster | None = None
        self._given = text

    def save(self, text: str) -> None:
        """The document was saved like this."""
        self._saves.append(text)
        self._project.is_stirred = True

    def take_saves(self) -> None:
        """Tell the project what was saved."""
        while self._saves:
            text = self._saves.popleft()
            before = self._untold[-1] if self._untold else self._texts[-1]
            if text != before:
                self._untold.append(text)
                self._project.add(self._name, before, text)

    def session(self, forecaster: Forecaster) -> Session:
        """The session of `forecaster` that has seen every save; a new one replays the last."""
        self.take_saves()
        if self._session is None or self._forecaster is not forecaster:
            self._session = forecaster.open(self._texts[0])
            self._forecaster, self._heard = forecaster, 0
            for text in list(self._texts)[1:]:
                self._session.update(text, saved=True)
            self._given = self._texts[-1]
        while self._untold:
            text = self._untold.popleft()
            self._texts.append(text)
            self._session.update(text, saved=True)
            self._given = text
        for number, save in self._project.others(self._name, self._heard):
            self._session.hear(save)
            self._heard = number
        return self._session

    def predict(
        self, forecaster: Forecaster, situation: Situation, most: int, cancelled: Callable[[], bool]
    ) -> list[Prediction]:
        """Predictions for the buffer as it is now, of what is not to be held back."""
        session = self.session(forecaster)
        text = situation.work.text
        if text != self._given:
            session.update(text, saved=False)
            self._given = text
        if len(self._texts) > 1:
            work = replace(situation.work, way_back=diff(text, self._texts[-2]))
            situation = replace(situation, work=work)

        def fits(hunks: tuple[Hunk, ...]) -> bool:
            reason = reason_to_hold_back(hunks, situation)
            if reason is not None:
                log.debug("Held back, %s", reason)
            return reason is None

        return session.predict(most, fits=fits, cancelled=cancelled)

    def prepare(self, cancelled: Callable[[], bool]) -> None:
        """Get ready for the next prediction."""
        if self._session is not None:
            self._session.prepare(cancelled=cancelled)

    def drop_session(self) -> None:
        """Forget a session that may be in a bad state."""
        self._session = None


@dataclass(slots=True)
class Job:
    """One prediction to make.

    Attributes:
        track: The document's.
        situation: The text to predict for, and what the predictions are judged by, but for
            what the last save replaced, which the engine knows.
        most: How many suggestions are wanted.
        done: Called on the engine's thread, once.
        cancelled: Set by anyone once the answer is not needed.
        is_for_requests: Whether nobody needs it but requests, which can be cancelled.
    """

    track: Track
    situation: Situation
    most: int
    done: Callable[["Answer"], None]
    asked: float = field(default_factory=time.perf_counter)
    cancelled: bool = False
    is_for_requests: bool = False

    def is_cancelled(self) -> bool:
        """Whether the answer is needed no longer."""
        return self.cancelled


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a job.

    Attributes:
        job: The job.
        predictions: What is worth showing, best first.
        model: Name of the model; empty when there was none yet.
        milliseconds: From asking to having it.
    """

    job: Job
    predictions: list[Prediction]
    model: str
    milliseconds: float


class Engine:
    """The forecasting thread, its queue, and the model in use.

    Args:
        loaded: Called on the engine's thread whenever another model was taken up.
        failed: Called on the engine's thread with the type of an unexpected error.
    """

    def __init__(self, loaded: Callable[[Model], None], failed: Callable[[str], None]) -> None:
        self._loaded = loaded
        self._failed = failed
        self._model: Model | None = None
        self._choice = Choice()
        self._mark: tuple[str, int, int] | None = None
        self._failures = 0  # in a row
        self._unusable: dict[Path, str] = {}  # bundles that failed too often, and why
        self._order = count()
        self._queue: queue.PriorityQueue[tuple[int, int, Callable[[], None] | None]] = (
            queue.PriorityQueue()
        )
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    def choose(self, choice: Choice) -> None:
        """Use this bundle from now on; it is loaded even when it is in use already."""
        self._put(0, lambda: self._load(choice))

    def look_for_newer(self) -> None:
        """Take up the bundle if another one is in its place by now."""
        self._put(1, self._load_if_changed)

    def predict(self, job: Job) -> None:
        """Make a prediction as soon as the thread is free."""
        self._put(1, lambda: self._predict(job))

    def open(self, track: Track) -> None:
        """Open the session of a document when there is nothing better to do."""
        self._put(2, lambda: self._open(track))

    def stop(self) -> None:
        """End the thread after what it is doing; ONNX Runtime must not be at work at the end."""
        self._put(-1, None)
        self._thread.join(_LAST_JOB)

    def _put(self, rank: int, work: Callable[[], None] | None) -> None:
        self._queue.put((rank, next(self._order), work))

    def _run(self) -> None:
        while (work := self._queue.get()[2]) is not None:
            try:
                with memory_limit():
                    work()
            except Exception as error:
                log.exception("The engine failed")
                said = type(error).__name__  # its words may be the user's
                if not self._gives_up_model(said):
                    self._failed(said)

    def _gives_up_model(self, said: str) -> bool:
        """Whether the model has failed too often, so that the next usable one is loaded."""
        self._failures += 1
        model = self._model
        if model is None or model.path is None or self._failures < _MOST_FAILURES:
            return False
        self._unusable[model.path] = (
            f"The model {model.forecaster.name} failed {self._failures} times in a row ({said})."
        )
        self._put(0, self._take_up)
        return True

    def _load(self, choice: Choice) -> None:
        self._choice = choice
        self._unusable.clear()
        self._take_up()

    def _take_up(self) -> None:
        self._failures = 0
        self._mark = model_loader.mark(self._choice)
        self._model = model_loader.load(self._choice, self._unusable)
        self._loaded(self._model)

    def _load_if_changed(self) -> None:
        if model_loader.mark(self._choice) != self._mark:
            self._load(self._choice)

    def _open(self, track: Track) -> None:
        if self._model:
            track.session(self._model.forecaster)

    def _predict(self, job: Job) -> None:
        model, predictions = self._model, []
        try:
            job.track.take_saves()  # whoever needs this answer or not, other files are told of them
            if model and not job.cancelled:
                predictions = _choose(job, model.forecaster)
                if not job.cancelled:
                    self._failures = 0
        except Exception:
            job.track.drop_session()
            raise
        finally:
            milliseconds = (time.perf_counter() - job.asked) * 1000
            name = model.forecaster.name if model else ""
            job.done(Answer(job, predictions, name, milliseconds))
            if not job.cancelled:
                # When there is nothing better to do, and only until there is.
                self._put(2, lambda: job.track.prepare(lambda: not self._queue.empty()))


def _choose(job: Job, forecaster: Forecaster) -> list[Prediction]:
    """The predictions worth showing."""
    predictions = job.track.predict(forecaster, job.situation, job.most, job.is_cancelled)
    if job.cancelled:
        return []
    return [one for one in predictions if one.confidence >= job.situation.threshold]
