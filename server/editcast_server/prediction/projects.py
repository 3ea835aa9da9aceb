"""The projects of the open folders, whose files share saves, imports and the project memory.

A file outside of the open folders is a project of its own, since it may be unrelated to the others.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
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
from editcast_model.diff import diff
from editcast_model.forecasting.interface import SAVES, OtherSave, other_save
from editcast_model.history import Save, next_save
from editcast_model.memory.project_memory import ProjectMemory
from editcast_server.prediction.folder_reader import FolderReader, whole_text_of
from editcast_server.prediction.other_files import OtherFile, OtherFiles, Source
from editcast_server.settings import Settings

if TYPE_CHECKING:
    from editcast_server.prediction.engine import Track

_MOST_MODULES = 40  # files of a project whose last texts are kept


class Project:
    """The state that the files of an open folder share; used on the engine's thread.

    Attributes:
        has_saves: Whether a file was saved, so that other files may have to follow.
        imports: The index of imports; usable from any thread.
        entries: The index of texts that have names; usable from any thread.
        memory: The project memory; usable from any thread.
        reader: The reader that fills these from the folder; used on the event loop.
        open_files: The files that the editor has open, by path.
    """

    def __init__(self) -> None:
        self.has_saves = False
        self.imports = ImportIndex()
        self.entries = EntryIndex()
        self.memory = ProjectMemory()
        self.reader = FolderReader(self.imports, self.entries, self.memory)
        self.open_files: WeakValueDictionary[str, Track] = WeakValueDictionary()
        self._other_files = OtherFiles(self.imports, self._source, self._beside)
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
        return [*opened, *self.reader.beside(file)]

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
