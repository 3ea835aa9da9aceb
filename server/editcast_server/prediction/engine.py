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
from urllib.parse import unquote

from editcast_model.diff import Hunk, diff
from editcast_model.forecasting.interface import (
    Forecaster,
    Prediction,
    PredictionOptions,
    Session,
    never,
)
from editcast_model.history import EditHistory
from editcast_model.inference.memory_limit import memory_limit
from editcast_server.prediction import model_loader
from editcast_server.prediction.model_loader import Choice, Model
from editcast_server.prediction.other_files import OtherFile
from editcast_server.prediction.policy import Conditions
from editcast_server.prediction.projects import Project

log = logging.getLogger(__name__)

_LAST_JOB = 10.0  # seconds
_MOST_FAILURES = 2  # in a row, of a model that another can take the place of


class Track:
    """Engine's part of an open document: its saved texts, and the session on them.

    The event loop only calls `save`; the rest belongs to the engine's thread.

    Attributes:
        uri: The document's.
        text: Of the document, as far as it may be read; the event loop sets it.
        is_open: Whether the editor still has it open.

    Args:
        text: As it was opened.
        language: Its LSP identifier.
        project: Where its saves are told to other documents, and theirs to this one.
        uri: The document's.
    """

    def __init__(
        self, text: str, project: Project | None = None, uri: str = "", language: str = ""
    ) -> None:
        self.uri, self.text, self.is_open = uri, text, True
        self._history = EditHistory(text, language=language, path=unquote(uri))
        self._saves: deque[str] = deque()
        self._saved = text  # last, as the project was told
        self._unseen: deque[str] = deque()  # of these, what the session was not told of
        self._project = project or Project()
        imports, memory = self._project.imports, self._project.memory
        imports.update(self._history.path, language, text)
        memory.update(self._history.path, text)
        self._history.imports = imports.of(self._history.path, language)
        self._history.memory = memory
        self._name = self._history.path
        self._project.open_files[self._name] = self
        self._last_other = 0  # number of the last save of another file that the session was told of
        self._session: Session | None = None
        self._forecaster: Forecaster | None = None

    def save(self, text: str) -> None:
        """Take in a save of the document."""
        self._saves.append(text)
        self._project.has_saves = True

    def share_saves(self) -> None:
        """Tell the project what was saved."""
        while self._saves:
            text = self._saves.popleft()
            if text != self._saved:
                self._unseen.append(text)
                self._project.add(self._name, self._saved, text, self._history.language)
                self._saved = text

    def session(self, forecaster: Forecaster) -> Session:
        """Return the session of `forecaster` that has seen every save."""
        self.share_saves()
        if self._session is None or self._forecaster is not forecaster:
            self._session = forecaster.resume(self._history)
            self._forecaster, self._last_other = forecaster, 0
        while self._unseen:
            text = self._unseen.popleft()
            self._session.update(text, saved=True)
        for number, save in self._project.others(self._name, self._last_other):
            self._session.add_other_save(save)
            self._last_other = number
        return self._session

    def predict(
        self,
        forecaster: Forecaster,
        conditions: Conditions,
        most: int,
        cancelled: Callable[[], bool],
    ) -> list[Prediction]:
        """Predict what may be shown for the buffer as it is now."""
        session = self.session(forecaster)
        self._project.memory.read()
        text = conditions.context.text
        if text != self._history.text:
            session.update(text, saved=False)
        if self._history.saves:
            before = self._history.saves[-1].before
            context = replace(conditions.context, way_back=diff(text, before))
            conditions = replace(conditions, context=context)

        def fits(hunks: tuple[Hunk, ...]) -> bool:
            reason = conditions.reason_against(hunks)
            if reason is not None:
                log.debug("Held back, %s", reason)
            return reason is None

        context = conditions.context
        options = PredictionOptions(fits, context.typed, context.cursor, cancelled)
        return session.predict(most, options)

    def prepare(self, cancelled: Callable[[], bool]) -> None:
        """Get ready for the next prediction."""
        if self._session is not None:
            self._session.prepare(cancelled=cancelled)
        if not cancelled():
            self._project.prepare()

    def other_files(self, cancelled: Callable[[], bool]) -> tuple[OtherFile, ...]:
        """Return the other files of the project in which saves left something to do."""
        return self._project.other_files(self._name, cancelled)

    def drop_session(self) -> None:
        """Forget a session that may be in a bad state."""
        self._session = None


@dataclass(slots=True)
class Job:
    """One prediction to make.

    Attributes:
        track: The document's.
        conditions: The text to predict for, and what the predictions are judged by, but for
            what the last save replaced, which the engine knows.
        most: How many suggestions are wanted.
        done: Called on the engine's thread, once, and again if nothing is left here and something
            in other files.
        cancelled: Set by anyone once the answer is not needed.
        is_for_requests: Whether nobody needs it but requests, which can be cancelled.
    """

    track: Track
    conditions: Conditions
    most: int
    done: Callable[["Answer"], None]
    asked: float = field(default_factory=time.perf_counter)
    cancelled: bool = False
    is_for_requests: bool = False

    def is_cancelled(self) -> bool:
        """Tell whether the answer is needed no longer."""
        return self.cancelled


@dataclass(frozen=True, slots=True)
class Answer:
    """Outcome of a job.

    Attributes:
        job: The job.
        predictions: What is worth showing, best first.
        best: The confidence of the best guess, shown or not; None without one, and of a baseline,
            whose score is no probability.
        model: The model; None when there was none yet.
        milliseconds: From asking to having it.
        other_files: Those in which something is left to do, when nothing is here.
    """

    job: Job
    predictions: list[Prediction]
    best: float | None
    model: Model | None
    milliseconds: float
    other_files: tuple[OtherFile, ...] = ()

    @property
    def model_name(self) -> str:
        """Return the model's name; empty when there was none yet."""
        return self.model.forecaster.name if self.model else ""


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

    def check_for_newer(self) -> None:
        """Load the bundle if it was replaced, after the predictions that were asked for."""
        self._put(1, self._load_if_changed)

    def predict(self, job: Job) -> None:
        """Make a prediction as soon as the thread is free."""
        self._put(1, lambda: self._predict(job))

    def open(self, track: Track) -> None:
        """Open the session of a document when there is nothing better to do."""
        self._put(2, lambda: self._open(track))

    def look_elsewhere(self, track: Track, done: Callable[[tuple[OtherFile, ...]], None]) -> None:
        """Find what is left to do in other files; `done` is called on the engine's thread."""

        def look() -> None:
            found: tuple[OtherFile, ...] = ()
            try:
                found = self._other_files(track, never)
            finally:
                done(found)

        self._put(1, look)

    def stop(self) -> None:
        """End the thread after what it is doing; ONNX Runtime must not be at work at the end."""
        self._put(-1, None)
        self._thread.join(_LAST_JOB)

    def _put(self, rank: int, task: Callable[[], None] | None) -> None:
        self._queue.put((rank, next(self._order), task))

    def _run(self) -> None:
        while (task := self._queue.get()[2]) is not None:
            try:
                with memory_limit():
                    task()
            except Exception as error:
                log.exception("The engine failed")
                said = type(error).__name__  # its words may be the user's
                if not self._gives_up_model(said):
                    self._failed(said)

    def _gives_up_model(self, said: str) -> bool:
        """Tell whether the model has failed too often, so that the next usable one is loaded."""
        self._failures += 1
        model = self._model
        if model is None or model.path is None or self._failures < _MOST_FAILURES:
            return False
        self._unusable[model.path] = (
            f"The model {model.forecaster.name} failed {self._failures} times in a row ({said})."
        )
        self._put(0, self._load_usable)
        return True

    def _load(self, choice: Choice) -> None:
        self._choice = choice
        self._unusable.clear()
        self._load_usable()

    def _load_usable(self) -> None:
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
        model = self._model
        predictions: list[Prediction] = []
        best = None
        try:
            job.track.share_saves()  # other files learn of them, whoever needs this answer
            if model and not job.cancelled:
                found = job.track.predict(
                    model.forecaster, job.conditions, job.most, job.is_cancelled
                )
                if not job.cancelled:
                    predictions = job.conditions.shown(found)
                    best = found[0].confidence if found and model.card else None
                    self._failures = 0
        except Exception:
            job.track.drop_session()
            raise
        finally:
            milliseconds = (time.perf_counter() - job.asked) * 1000
            answer = Answer(job, predictions, best, model, milliseconds)
            job.done(answer)
            if not job.cancelled:
                # When there is nothing better to do, and only until there is.
                self._put(2, lambda: self._prepare(answer))

    def _other_files(self, track: Track, cancelled: Callable[[], bool]) -> tuple[OtherFile, ...]:
        """Find what is left to do in other files, unless a baseline would not suggest it there."""
        has_model = self._model is not None and self._model.card is not None
        return track.other_files(cancelled) if has_model else ()

    def _prepare(self, answer: Answer) -> None:
        """Get ready for the next prediction; look into other files if nothing is left in one."""
        job = answer.job

        def cancelled() -> bool:
            return not self._queue.empty()

        job.track.prepare(cancelled)
        if not answer.predictions and not cancelled():
            found = self._other_files(job.track, cancelled)
            if found:
                job.done(replace(answer, other_files=found))
