"""The open documents for the engine, and their projects: saves, imports and memory that they share.

A file outside of the open folders is a project of its own, since it may be unrelated to the others.
"""

import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote
from weakref import WeakValueDictionary

from pygls.uris import to_fs_path

from editcast_model.consequences.consequences import FileEvent
from editcast_model.consequences.lists.folder_files import FolderFile, folder_file
from editcast_model.consequences.other_files.entry_index import EntryIndex
from editcast_model.consequences.other_files.import_index import ImportIndex
from editcast_model.consequences.other_files.module_changes import ModuleHistory
from editcast_model.consequences.replaced.paths import RenamedFile
from editcast_model.diff import Hunk, diff
from editcast_model.forecasting.filters import FEW_SAVES
from editcast_model.forecasting.interface import (
    SAVES,
    Forecaster,
    OtherSave,
    Prediction,
    PredictionOptions,
    Session,
    other_save,
)
from editcast_model.history import DEPTH, EditHistory, Save, next_save
from editcast_model.memory.project_memory import ProjectMemory
from editcast_server.prediction.folder_reader import FolderReader, whole_text_of
from editcast_server.prediction.other_files import OtherFile, OtherFiles, Source
from editcast_server.settings import Settings

if TYPE_CHECKING:
    from editcast_server.prediction.engine import Job

log = logging.getLogger(__name__)

#: Predictions below this share of the threshold may be left out: then the status has no best guess.
_NEARLY_SHOWN = 0.5
_MOST_MODULES = 40  # files of a project whose last texts are kept


class Project:
    """The state that the files of an open folder share; used on the engine's thread.

    The indexes and the memory are usable from any thread; the reader, which fills them from the
    folder, is used on the event loop.
    """

    def __init__(self) -> None:
        self.has_saves = False  # whether a file was saved, so that others may have to follow
        self.imports = ImportIndex()
        self.entries = EntryIndex()
        self.memory = ProjectMemory()
        self.reader = FolderReader(self.imports, self.entries, self.memory)
        self.open_files: WeakValueDictionary[str, Track] = WeakValueDictionary()  # by path
        self._other_files = OtherFiles(self.imports, self._source, self._beside, self.entries)
        self._numbers = count(1)
        self._saves: deque[tuple[int, OtherSave]] = deque(maxlen=SAVES)
        self._last: OrderedDict[str, Save] = OrderedDict()  # by file
        self._modules: OrderedDict[str, tuple[int, ModuleHistory]] = OrderedDict()
        self._new_files: OrderedDict[str, FolderFile] = OrderedDict()
        self._moved: deque[tuple[str, str | None]] = deque(maxlen=SAVES)  # not yet among the saves

    def add(self, file: str, before: str, after: str, language: str) -> None:
        """Add a save of a file."""
        number = next(self._numbers)
        last = self._last.pop(file, None)
        save = self._last[file] = next_save(last, before, after, tuple(diff(before, after)))
        if last and save.number == last.number:  # it takes the place of the last one
            kept = [
                one for one in self._saves if (one[1].file, one[1].number) != (file, save.number)
            ]
            self._saves = deque(kept, SAVES)
        if last is None and not before.strip():
            described = folder_file(file, self.reader.beside(file))
            if described is not None:
                self._new_files[file] = described
        shared = other_save(file, save.before, save.after, save.number)
        self._saves.append((number, shared._replace(event=self._new_files.get(file))))
        _, module = self._modules.pop(file, (0, None))
        module = module or ModuleHistory(file, language)
        module.save(before, after)
        self.update(file, language, after)
        self._modules[file] = number, module
        for known in (self._modules, self._last, self._new_files):
            while len(known) > _MOST_MODULES:
                known.popitem(last=False)

    def update(self, file: str, language: str, text: str) -> None:
        """Put the text of a file into the indexes and the memory, once these are read."""
        self.imports.update(file, language, text)
        self.entries.update(file, language, text)
        self.memory.update(file, text)

    def move(self, old: str, new: str | None) -> None:
        """Record that a file was renamed, or deleted (None); called on the event loop."""
        self._moved.append((old, new))
        self.has_saves = True

    def _take_moved(self) -> None:
        while self._moved:
            old, new = self._moved.popleft()
            self._last.pop(old, None)  # if it is created again, it is new
            was_new = self._new_files.pop(old, None)
            described = folder_file(new or old, self.reader.beside(new or old), is_gone=not new)
            event: FileEvent | None = RenamedFile(old, new) if new else described
            if new and was_new and described:
                self._new_files[new] = described
            if event is not None:
                save = OtherSave(new or old, "", "", event=event)
                self._saves.append((next(self._numbers), save))

    def others(self, file: str, since: int) -> list[tuple[int, OtherSave]]:
        """Return the saves of other files after a number, with their numbers, ascending.

        They include the module changes of files whose saves are forgotten.
        """
        self._take_moved()
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

    def other_files(self, file: str, cancelled: Callable[[], bool]) -> tuple[OtherFile, ...]:
        """Return the other files that need edits because of saves in any file."""
        self._take_moved()
        changes = [module.change() for _, module in self._modules.values()]
        saves = [one for _, one in self._saves]
        return self._other_files.find(file, [one for one in changes if one], saves, cancelled)

    def _beside(self, file: str) -> list[str]:
        every = [one() for one in self.open_files.valuerefs()]  # others may be opened meanwhile
        opened = [one.file for one in every if one and one.is_open]
        return [*opened, *self.reader.documents, *self.reader.beside(file)]

    def _source(self, file: str) -> Source | None:
        opened = self.open_files.get(file)
        if opened and opened.is_open:
            text = opened.text  # which may change meanwhile
            return Source(opened.uri, text, lambda: text)
        path = self.reader.path_of(file)
        try:
            stat = path.stat() if path else None
        except OSError:
            return None
        if path is None or stat is None:
            return None
        return Source(path.as_uri(), (stat.st_mtime_ns, stat.st_size), lambda: whole_text_of(path))

    def prepare(self) -> None:
        """Process the saves while no prediction is waiting."""
        for _, module in self._modules.values():
            module.change()
        self.imports.read()
        self.entries.read()
        self.memory.read()
        self.memory.settle()


class Track:
    """The engine's part of an open document: its saved texts, and the session on them.

    The event loop calls only `save`; everything else runs on the engine's thread.

    Attributes:
        file: The URI without percent signs, by which the project knows the document.
        project: The project, in which documents learn of one another's saves; its own if none is
            given.
        text: The document's text, as far as it may be read; set by the event loop.
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


class Projects:
    """The projects of the editor's open folders; used on the event loop.

    Attributes:
        is_trusted: Whether the user trusts the folders, so that their files may be read.
    """

    def __init__(self) -> None:
        self.is_trusted = False
        self._folders: tuple[str, ...] = ()
        self._of: dict[str, Project] = {}

    def set_folders(self, folders: Iterable[str]) -> None:
        """Set the open folders (URIs), and forget the projects of others."""
        self._folders = tuple(folders)
        for folder in set(self._of) - set(self._folders):
            self._of[folder].reader.forget()
        self._of = {one: of for one, of in self._of.items() if one in self._folders}

    def folder_of(self, uri: str) -> str | None:
        """Return the innermost open folder that contains a document; None if there is none."""
        path = unquote(uri)
        inside = (one for one in self._folders if path.startswith(f"{unquote(one).rstrip('/')}/"))
        return max(inside, key=len, default=None)

    def of(self, folder: str | None) -> Project:
        """Return the project of an open folder, or a new one for a single file."""
        if folder not in self._folders:
            return Project()
        if folder not in self._of:
            self._of[folder] = Project()
        return self._of[folder]

    def move(self, old: str, new: str | None) -> str | None:
        """Record that a file was renamed, or deleted (None); return its open folder, if any."""
        folder = self.folder_of(new or old)
        if folder is not None:
            self.of(folder).move(unquote(old), unquote(new) if new else None)
        return folder

    def read(self, folder: str | None, settings: Settings) -> None:
        """Read the files of an open folder in the background, once, if it is trusted."""
        is_open = folder in self._folders and self.is_trusted
        path = path_of(folder) if folder and is_open else None
        if folder and path:
            self.of(folder).reader.read(path, unquote(folder).rstrip("/"), settings)

    def forget_history(self) -> None:
        """Forget what files said and do not say any more."""
        for project in self._of.values():
            project.memory.forget_removed()

    def forget_files(self) -> None:
        """Forget the contents of files, since the settings may now exclude some of them."""
        for project in self._of.values():
            project.reader.forget()


def path_of(uri: str) -> Path | None:
    """Return the file that a URI names; None if it names something else."""
    if not uri.startswith("file:"):
        return None
    try:
        path = to_fs_path(uri)
    except ValueError:  # not a URI
        return None
    return Path(path) if path else None
