"""The prediction thread, which does everything slow about a prediction.

The event loop submits jobs and receives the results by callback; it never waits for the thread. A
job whose answer is no longer needed ends early through its `cancelled`.
"""

import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

from editcast_model.diff import Hunk, diff
from editcast_model.errors import EditcastError, PredictorError
from editcast_model.forecasting.filters import FEW_SAVES
from editcast_model.forecasting.interface import (
    Forecaster,
    Prediction,
    PredictionOptions,
    Session,
    never,
)
from editcast_model.history import DEPTH, EditHistory
from editcast_model.inference.memory_limit import memory_limit
from editcast_server.prediction import model_loader
from editcast_server.prediction.model_loader import Choice, Model
from editcast_server.prediction.other_files import OtherFile
from editcast_server.prediction.policy import Conditions
from editcast_server.prediction.projects import Project

log = logging.getLogger(__name__)
T = TypeVar("T")

_LAST_JOB = 10.0  # seconds
_ABSENCE = 60.0  # seconds before a shared predictor that did not answer is tried again
#: Predictions below this share of the threshold may be left out: then the status has no best guess.
_NEARLY_SHOWN = 0.5
_MOST_FAILURES = 2  # in a row, before another model replaces the one in use
# The ranks of tasks, the most urgent first; those that wait for an idle thread come last.
_STOP, _MODEL, _ASKED, _IDLE = -1, 0, 1, 2


class Track:
    """The engine's part of an open document: its saved texts, and the session on them.

    The event loop calls only `save`; everything else runs on the engine's thread.

    Attributes:
        uri: The document's URI.
        file: The URI without percent signs, by which the project knows the document.
        project: The project, in which documents learn of one another's saves.
        text: The document's text, as far as it may be read; set by the event loop.
        is_open: Whether the editor still has the document open.

    Args:
        text: The text when the document was opened.
        language: The LSP language identifier.
        project: The project; its own if there is none.
        uri: The document's URI.
    """

    def __init__(
        self, text: str, project: Project | None = None, uri: str = "", language: str = ""
    ) -> None:
        self.uri, self.text, self.is_open = uri, text, True
        self.file = unquote(uri)
        self._history = EditHistory(text, language=language, path=self.file)
        self._saves: deque[str] = deque(maxlen=DEPTH)  # more only come while nothing is predicted
        self._latest = self._saved = text  # the last save, and the last that the project knows
        self._unseen: deque[str] = deque(maxlen=DEPTH)  # that the session does not know yet
        self.project = project or Project()
        self.project.update(self.file, language, text)
        self._history.imports = self.project.imports.of(self.file, language)
        self._history.entries, self._history.memory = self.project.entries, self.project.memory
        self.project.open_files[self.file] = self
        self._last_other = 0  # number of the last save of another file that the session knows
        self._session: Session | None = None
        self._forecaster: Forecaster | None = None

    def save(self, text: str) -> None:
        """Queue a save of the document."""
        if text != self._latest:
            self._saves.append(text)
            self._latest = text
        self.project.has_saves = True

    def share_saves(self) -> None:
        """Pass the queued saves to the project."""
        while self._saves:
            text = self._saves.popleft()
            if text != self._saved:
                self._unseen.append(text)
                self.project.add(self.file, self._saved, text, self._history.language)
                self._saved = text

    def session(self, forecaster: Forecaster) -> Session:
        """Return a session of `forecaster` that knows every save."""
        self.share_saves()
        if self._session is None or self._forecaster is not forecaster:
            self._session = forecaster.resume(self._history)
            self._forecaster, self._last_other = forecaster, 0
        while self._unseen:
            self._session.update(self._unseen.popleft(), saved=True)
        for number, save in self.project.others(self.file, self._last_other):
            self._session.add_other_save(save)
            self._last_other = number
        return self._session

    def predict(self, forecaster: Forecaster, job: "Job") -> list[Prediction]:
        """Predict edits of the current buffer that may be shown."""
        session, conditions = self.session(forecaster), job.conditions
        if job.cancelled:  # the session may know a later save already
            return []
        self.project.memory.read()
        text = conditions.context.text
        if text != self._history.text:
            session.update(text, saved=False)
        before = self._history.befores(FEW_SAVES)
        context = replace(conditions.context, way_back=diff(text, before[-1]), earlier=before[0])
        conditions = replace(conditions, context=context)

        def fits(hunk: Hunk) -> bool:
            reason = conditions.reason_against(hunk)
            if reason is not None:
                log.debug("Held back, %s", reason)
            return reason is None

        context, least = conditions.context, conditions.thresholds.edit * _NEARLY_SHOWN
        options = PredictionOptions(
            fits, context.typed, context.cursor, least, lambda: job.cancelled
        )
        return session.predict(job.most, options)

    def prepare(self, cancelled: Callable[[], bool]) -> None:
        """Prepare the next prediction."""
        if self._session is not None:
            self._session.prepare(cancelled=cancelled)
        if not cancelled():
            self.project.prepare()

    def drop_session(self) -> None:
        """Discard the session, which may be in an invalid state."""
        self._session = None


@dataclass(slots=True)
class Job:
    """A prediction to make.

    Attributes:
        track: The document's track.
        conditions: The text and the conditions of the prediction, except for what the last save
            replaced, which the engine adds.
        most: The number of suggestions wanted.
        done: Called on the engine's thread with the answer, and again if only other files need
            edits.
        cancelled: Set when the answer is no longer needed.
        is_for_requests: Whether only requests need the answer, which can be cancelled.
    """

    track: Track
    conditions: Conditions
    most: int
    done: Callable[["Answer"], None]
    asked: float = field(default_factory=time.perf_counter)
    cancelled: bool = False
    is_for_requests: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a job.

    Attributes:
        job: The job.
        predictions: The predictions to show, best first.
        best: The confidence of the best prediction, shown or not; None without one, or for a
            baseline, whose score is not a probability.
        model: The model; None if none was loaded yet.
        milliseconds: The time from the request to the answer.
        other_files: The files that need edits, if this one needs none.
    """

    job: Job
    predictions: list[Prediction]
    best: float | None
    model: Model | None
    milliseconds: float
    other_files: tuple[OtherFile, ...] = ()

    @property
    def model_name(self) -> str:
        """Return the model's name; empty if none was loaded yet."""
        return self.model.forecaster.name if self.model else ""


class Engine:
    """The prediction thread, its queue, and the model in use.

    Args:
        loaded: Called on the engine's thread when a model was loaded.
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
        self._ask_again_at = 0.0  # when a shared predictor that did not answer is tried again
        self._order = count()
        self._queue: queue.PriorityQueue[tuple[int, int, Callable[[], None] | None]] = (
            queue.PriorityQueue()
        )
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    def choose(self, choice: Choice) -> None:
        """Load this bundle and use it, even if it is in use already."""
        self._put(_MODEL, lambda: self._load(choice))

    def check_for_newer(self) -> None:
        """Load the bundle if it was replaced, after the predictions already queued."""
        self._put(_ASKED, self._load_if_changed)

    def predict(self, job: Job) -> None:
        """Queue a prediction."""
        self._put(_ASKED, lambda: self._predict(job))

    def open(self, track: Track) -> None:
        """Open the session of a document when the thread is idle."""
        self._put(_IDLE, lambda: self._open(track))

    def look_elsewhere(self, track: Track) -> Future[tuple[OtherFile, ...]]:
        """Find the edits that other files need; none if the search fails."""
        future: Future[tuple[OtherFile, ...]] = Future()

        def look() -> None:
            found: tuple[OtherFile, ...] = ()
            if not future.set_running_or_notify_cancel():
                return
            try:
                found = self._other_files(track, never)
            finally:
                future.set_result(found)

        self._put(_ASKED, look)
        return future

    def stop(self) -> None:
        """Stop the thread after its current task; ONNX Runtime must not run at exit."""
        self._put(_STOP, None)
        self._thread.join(_LAST_JOB)

    def _put(self, rank: int, task: Callable[[], None] | None) -> None:
        self._queue.put((rank, next(self._order), task))

    def _run(self) -> None:
        while (task := self._queue.get()[2]) is not None:
            try:
                with memory_limit():
                    task()
            except Exception as error:
                self._report(error)

    def _report(self, error: Exception) -> None:
        """Log the failure of a task; tell the user, or change the model."""
        if isinstance(error, PredictorError):
            self._put(_MODEL, partial(self._fall_back, error))
            return
        log.error("The engine failed", exc_info=error)
        said = type(error).__name__  # the message may quote the user's text
        self._failures += 1
        model = self._model
        if model is None or model.path is None or self._failures < _MOST_FAILURES:
            self._failed(said)
            return
        self._unusable[model.path] = (
            f"The model {model.forecaster.name} failed {self._failures} times in a row ({said})."
        )
        self._put(_MODEL, self._load_usable)

    def _load(self, choice: Choice) -> None:
        self._choice = choice
        self._unusable.clear()
        self._load_usable()

    def _load_usable(self) -> None:
        self._failures = 0
        self._mark = model_loader.mark(self._choice)
        if self._choice.predictor:
            try:
                self._take_up(model_loader.load_shared(self._choice))
            except EditcastError as error:
                self._fall_back(error)
            return
        self._take_up(model_loader.load(self._choice, self._unusable))

    def _take_up(self, model: Model) -> None:
        self._model = model
        self._loaded(model)

    def _fall_back(self, error: EditcastError) -> None:
        """Predict on this machine for a while: the shared predictor does not answer."""
        self._ask_again_at = time.monotonic() + _ABSENCE
        self._take_up(model_loader.load_instead(self._choice, error))

    def _return_to_predictor(self) -> None:
        """Use the shared predictor again if it answers by now."""
        is_here = self._model is not None and not self._model.address
        if self._choice.predictor and is_here and time.monotonic() >= self._ask_again_at:
            self._ask_again_at = time.monotonic() + _ABSENCE
            try:
                self._take_up(model_loader.load_shared(self._choice))
            except EditcastError as error:
                log.info("The shared predictor does not answer yet: %s", error)

    def _load_if_changed(self) -> None:
        if model_loader.mark(self._choice) != self._mark:
            self._load(self._choice)

    def _open(self, track: Track) -> None:
        if self._model and track.is_open:
            self._with_fallback(track.session)

    def _predict(self, job: Job) -> None:
        model = self._model
        predictions: list[Prediction] = []
        best = None
        try:
            job.track.share_saves()  # for other files, even if this job is cancelled
            if model and not job.cancelled:
                found = self._with_fallback(lambda one: job.track.predict(one, job))
                model = self._model
                if model and not job.cancelled:
                    predictions = job.conditions.shown(found)
                    best = found[0].confidence if found and model.card else None
                    self._failures = 0
        except Exception as error:
            job.track.drop_session()
            self._report(error)  # before the answer, for whoever waits for that
        milliseconds = (time.perf_counter() - job.asked) * 1000
        answer = Answer(job, predictions, best, model, milliseconds)
        job.done(answer)
        # Only until there is a more urgent task.
        self._put(_IDLE, lambda: self._prepare(answer))

    def _with_fallback(self, use: Callable[[Forecaster], T]) -> T:
        """Use the model, or if it is shared and does not answer, the one that takes its place."""
        assert self._model is not None
        try:
            return use(self._model.forecaster)
        except PredictorError as error:
            self._fall_back(error)
            return use(self._model.forecaster)

    def _other_files(self, track: Track, cancelled: Callable[[], bool]) -> tuple[OtherFile, ...]:
        """Find the edits that other files need; a baseline would not suggest them there."""
        has_model = self._model is not None and self._model.card is not None
        return track.project.other_files(track.file, cancelled) if has_model else ()

    def _prepare(self, answer: Answer) -> None:
        """Prepare the next prediction; look into other files if this one needs no edits.

        A save prepares the project even if its file was closed at once.
        """
        job = answer.job
        job.track.prepare(self._has_urgent)
        if not (answer.predictions or job.cancelled or self._has_urgent()):
            found = self._other_files(job.track, self._has_urgent)
            if found:
                job.done(replace(answer, other_files=found))
        if not self._has_urgent():
            self._return_to_predictor()

    def _has_urgent(self) -> bool:
        """Tell whether a task waits that is more urgent than those for an idle thread."""
        with self._queue.mutex:
            return any(rank < _IDLE for rank, *_ in self._queue.queue[:1])
