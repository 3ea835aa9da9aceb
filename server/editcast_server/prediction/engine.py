"""The prediction thread, which does everything slow about a prediction.

The event loop submits jobs and receives the results by callback; it never waits for the thread. A
job whose answer is no longer needed ends early through its `cancelled`.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple, TypeVar

from editcast_model.diff import Hunk
from editcast_model.errors import EditcastError, PredictorError
from editcast_model.forecasting.candidates import CONTINUATION
from editcast_model.forecasting.filters import EditContext, reason_against
from editcast_model.forecasting.interface import Forecaster, Prediction, never
from editcast_model.forecasting.line_spans import Span, is_beside
from editcast_model.inference.memory_limit import memory_limit
from editcast_server.documents.suggestion import Rejection
from editcast_server.prediction import model_loader
from editcast_server.prediction.model_loader import Choice, Model
from editcast_server.prediction.other_files import OtherFile
from editcast_server.prediction.projects import Track

log = logging.getLogger(__name__)
T = TypeVar("T")

_LAST_JOB = 10.0  # seconds
_ABSENCE = 60.0  # seconds before a shared predictor that did not answer is tried again
_MOST_FAILURES = 2  # in a row, before another model replaces the one in use
# The ranks of tasks, the most urgent first; those that wait for an idle thread come last.
_STOP, _MODEL, _ASKED, _IDLE = -1, 0, 1, 2


class Thresholds(NamedTuple):
    """The minimum confidences, 0 to 1, of edits anywhere and of continuations at the cursor."""

    edit: float
    continuation: float

    def of(self, prediction: Prediction) -> float:
        """Return the minimum confidence of a prediction."""
        return self.continuation if prediction.source == CONTINUATION else self.edit


@dataclass(frozen=True, slots=True)
class Conditions:
    """The text of a prediction with its last change, and the conditions for showing predictions."""

    context: EditContext
    thresholds: Thresholds
    rejections: tuple[Rejection, ...] = ()
    fresh: tuple[Span, ...] = ()  # lines on which nothing is suggested

    def reason_against(self, hunk: Hunk) -> str | None:
        """Return the reason, for the log, why a change is not shown; None if it may be."""
        return self._was_refused(hunk) or reason_against(hunk, self.context)

    def shown(self, predictions: Sequence[Prediction]) -> list[Prediction]:
        """Return the predictions that reach the threshold, without rejected places."""
        sure = (one for one in predictions if one.confidence >= self.thresholds.of(one))
        return [replace(one, everywhere=self._left(one)) for one in sure]

    def _was_refused(self, hunk: Hunk) -> str | None:
        text = self.context.text
        if any(rejection.is_about(hunk, text) for rejection in self.rejections):
            return "was rejected"
        return "beside a rejected" if is_beside(self.fresh, hunk, text) else None

    def _left(self, prediction: Prediction) -> tuple[Hunk, ...]:
        """Return the places of a prediction, without those that the user rejected."""
        own, places = prediction.hunk, prediction.everywhere
        left = tuple(one for one in places if one == own or not self._was_refused(one))
        return left if len(left) > 1 else ()


@dataclass(slots=True)
class Job:
    """A prediction to make.

    Attributes:
        done: Called on the engine's thread with the answer, and again if only other files need
            edits.
    """

    track: Track
    conditions: Conditions  # except for what the last save replaced, which the track adds
    most: int  # suggestions that are wanted
    done: Callable[["Answer"], None]
    asked: float = field(default_factory=time.perf_counter)
    cancelled: bool = False  # set when the answer is no longer needed
    is_for_requests: bool = False  # whether only requests need the answer, which can be cancelled


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a job.

    Attributes:
        best: The confidence of the best prediction, shown or not; None without one, or for a
            baseline, whose score is not a probability.
    """

    job: Job
    predictions: list[Prediction]  # to show, best first
    best: float | None
    model: Model | None  # None if none was loaded yet
    milliseconds: float  # from the request to the answer
    other_files: tuple[OtherFile, ...] = ()  # those that need edits, if this one needs none

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
