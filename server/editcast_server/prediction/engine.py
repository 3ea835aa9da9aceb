"""The one thread that forecasts: everything slow about a prediction happens here.

The event loop hands in jobs and gets the results called back; it never waits for this thread. A
job that nobody needs any longer ends early through its `cancelled`.
"""

import logging
import queue
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import count
from operator import itemgetter
from pathlib import Path
from urllib.parse import unquote

from pygls.uris import to_fs_path

from editcast_model.consequences.import_index import ImportIndex
from editcast_model.consequences.module_changes import ModuleHistory
from editcast_model.diff import Hunk, diff
from editcast_model.forecasting.cross_file import SAVES, OtherSave, other_save
from editcast_model.forecasting.interface import Forecaster, Prediction, PredictionOptions, Session
from editcast_model.history import EditHistory
from editcast_model.inference.memory_limit import memory_limit
from editcast_model.memory.project_memory import ProjectMemory
from editcast_server.prediction import model_loader
from editcast_server.prediction.model_loader import Choice, Model
from editcast_server.prediction.policy import Conditions
from editcast_server.prediction.project_imports import FolderReader
from editcast_server.settings import Settings

log = logging.getLogger(__name__)

_LAST_JOB = 10.0  # seconds
_MOST_MODULES = 40  # files of a project whose last texts are kept
_MOST_FAILURES = 2  # in a row, of a model that another can take the place of


class Project:
    """The last saves of the files of one open folder; belongs to the engine's thread.

    A file outside of the open folders is on its own: nobody knows whether what was done in another
    one means anything there.

    Attributes:
        has_saves: Whether one of its files was saved, so that other files may have to follow.
        imports: Where its files take names from; any thread's.
        memory: What its files say; any thread's.
        reader: Of the folder, for these; belongs to the event loop.
    """

    def __init__(self) -> None:
        self.has_saves = False
        self.imports = ImportIndex()
        self.memory = ProjectMemory()
        self.reader = FolderReader(self.imports, self.memory)
        self._numbers = count(1)
        self._saves: deque[tuple[int, OtherSave]] = deque(maxlen=SAVES)
        self._modules: OrderedDict[str, tuple[int, ModuleHistory]] = OrderedDict()

    def add(self, file: str, before: str, after: str, language: str) -> None:
        """Take in a save of a file."""
        number = next(self._numbers)
        self._saves.append((number, other_save(file, before, after)))
        _, module = self._modules.pop(file, (0, None))
        module = module or ModuleHistory(file, language)
        module.save(before, after)
        self.imports.update(file, language, after)
        self.memory.update(file, after)
        self._modules[file] = number, module
        while len(self._modules) > _MOST_MODULES:
            self._modules.popitem(last=False)

    def others(self, file: str, since: int) -> list[tuple[int, OtherSave]]:
        """Return the numbered saves of other files after the one of this number, ascending.

        Of a file whose saves are forgotten the module change is still among them.
        """
        changes = {
            name: module.change()
            for name, (number, module) in self._modules.items()
            if number > since and name != file
        }
        saves = [
            (number, save._replace(change=changes.pop(save.file, None)))
            for number, save in reversed(self._saves)
            if number > since and save.file != file
        ]
        saves += [
            (self._modules[name][0], OtherSave(name, "", "", change))
            for name, change in changes.items()
        ]
        return sorted(saves, key=itemgetter(0))

    def prepare(self) -> None:
        """Look at what was saved, before somebody waits for it."""
        for _, module in self._modules.values():
            module.change()
        self.imports.read()
        self.memory.read()
        self.memory.settle()


class Projects:
    """The projects of the folders that the editor has open; belongs to the event loop.

    Attributes:
        is_trusted: Whether the user trusts the folders, so that files in them may be read.
    """

    def __init__(self) -> None:
        self.is_trusted = False
        self._folders: tuple[str, ...] = ()
        self._of: dict[str, Project] = {}

    def set_folders(self, folders: Iterable[str]) -> None:
        """Follow the open folders (URIs); what was saved in others is forgotten."""
        self._folders = tuple(folders)
        for folder in set(self._of) - set(self._folders):
            self._of[folder].reader.forget()
        self._of = {one: of for one, of in self._of.items() if one in self._folders}

    def folder_of(self, uri: str) -> str | None:
        """Return the innermost folder that a document is in; None if it is in none."""
        path = unquote(uri)
        inside = (one for one in self._folders if path.startswith(f"{unquote(one).rstrip('/')}/"))
        return max(inside, key=len, default=None)

    def of(self, folder: str | None) -> Project:
        """Return the project of a folder; without one, a project of one file."""
        return Project() if folder is None else self._of.setdefault(folder, Project())

    def read(self, folder: str | None, settings: Settings) -> None:
        """Learn in the background what the files of a folder say, once, if it is trusted."""
        if folder is None or not self.is_trusted or not folder.startswith("file:"):
            return
        try:
            path = to_fs_path(folder)
        except ValueError:  # no URI at all
            return
        if path:
            name = unquote(folder).rstrip("/")
            self.of(folder).reader.read(Path(path), name, settings)

    def forget_files(self) -> None:
        """Forget what files import and say: others may be left alone from now on."""
        for project in self._of.values():
            project.reader.forget()


class Track:
    """Engine's part of an open document: its saved texts, and the session on them.

    The event loop only calls `save`; the rest belongs to the engine's thread.

    Args:
        text: As it was opened.
        language: Its LSP identifier.
        project: Where its saves are told to other documents, and theirs to this one.
        name: What it is called there.
    """

    def __init__(
        self, text: str, project: Project | None = None, name: str = "", language: str = ""
    ) -> None:
        self._history = EditHistory(text, language=language, path=unquote(name))
        self._saves: deque[str] = deque()
        self._unseen: deque[str] = deque()  # of these, what the session was not told of
        self._project = project or Project()
        imports, memory = self._project.imports, self._project.memory
        imports.update(self._history.path, language, text)
        memory.update(self._history.path, text)
        self._history.imports = imports.of(self._history.path, language)
        self._history.memory = memory
        self._name = self._history.path
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
            before = self._unseen[-1] if self._unseen else self._history.saved
            if text != before:
                self._unseen.append(text)
                self._project.add(self._name, before, text, self._history.language)

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
        done: Called on the engine's thread, once.
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
    """

    job: Job
    predictions: list[Prediction]
    best: float | None
    model: Model | None
    milliseconds: float

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
            job.done(Answer(job, predictions, best, model, milliseconds))
            if not job.cancelled:
                # When there is nothing better to do, and only until there is.
                self._put(2, lambda: job.track.prepare(lambda: not self._queue.empty()))
