"""A background reader of an open folder's files, for its indexes and the project memory.

Only folders that the user trusts are read, and within limits. The contents stay in memory and are
forgotten with the folder.
"""

import logging
import os
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from editcast_model.consequences.other_files.entry_index import EntryIndex, is_table
from editcast_model.consequences.other_files.import_index import ImportIndex
from editcast_model.memory.project_memory import ProjectMemory
from editcast_model.plain_files import open_plain
from editcast_model.syntax.languages import language_of
from editcast_server.documents import globs
from editcast_server.settings import Settings
from editcast_store.secrets import is_secret

log = logging.getLogger(__name__)

#: Limits for one folder: source files, JSON files, documents, bytes of a file, directory entries,
#: depth, files beside another one.
MOST_FILES: Final = 5_000
MOST_TABLES: Final = 500
MOST_DOCUMENTS: Final = 100
MOST_BYTES: Final = 200_000
MOST_ENTRIES: Final = 50_000
MOST_DEPTH: Final = 12
MOST_BESIDE: Final = 100
_SECONDS: Final = 60.0
_PAUSE: Final = 0.002  # seconds after each file, or as long as it took: predictions come first

#: Folders of dependencies, builds and tools.
_FOREIGN: Final = frozenset(
    """node_modules bower_components jspm_packages vendor third_party site-packages __pycache__ dist
    build target out venv env virtualenv""".split()
)
#: JSON that package managers write, with no text that anybody would write into code.
_LOCKS: Final = frozenset("package-lock.json npm-shrinkwrap.json packages.lock.json".split())
#: Documents and settings, which are not read before a change may concern them.
_DOCUMENT: Final = re.compile(
    r"\.(?:md|rst|adoc|ya?ml|toml|ini|cfg|conf|properties|json|sql|example|sample)$|^Dockerfile"
)


def reads(settings: Settings) -> tuple[bool, tuple[str, ...], tuple[str, ...]]:
    """Return the settings that decide which files are read."""
    return settings.enabled, settings.languages, settings.exclude


class FolderReader:
    """The reader of one folder, which fills the indexes and the memory.

    JSON files are read for the index of texts that have names alone. Documents and settings are
    listed: the outermost ones in `documents`, by their names in the index.
    """

    def __init__(self, imports: ImportIndex, entries: EntryIndex, memory: ProjectMemory) -> None:
        self._imports, self._entries, self._memory = imports, entries, memory
        self._is_over: threading.Event | None = None  # ends the current reading
        self._reads: tuple[Path, str, Settings] | None = None
        self.documents: tuple[str, ...] = ()

    def read(self, folder: Path, name: str, settings: Settings) -> None:
        """Begin to read the files of a folder, unless that was begun before.

        Their names in the index begin with `name` and a slash.
        """
        self._reads = folder, name, settings
        if self._is_over is None:
            self._is_over = threading.Event()
            arguments = (folder, name, settings, self._is_over)
            threading.Thread(
                target=self._run, args=arguments, name="folder reader", daemon=True
            ).start()

    def path_of(self, file: str) -> Path | None:
        """Return the path of a file of the index, from any thread; None if it may not be read."""
        if self._reads is None:
            return None
        folder, name, settings = self._reads
        path = folder / file.removeprefix(f"{name}/")  # that may be an absolute path
        is_inside = file.startswith(f"{name}/") and path.is_relative_to(folder)
        if not is_inside or ".." in path.parts or "\0" in file:
            return None
        return path if _is_allowed(path, language_of("", path.name) or "", settings) else None

    def beside(self, file: str) -> list[str]:
        """Return the files in the folder of a file, from any thread; none of a large one."""
        path, place = self.path_of(file), file.rpartition("/")[0]
        if path is None:
            return []
        try:
            with os.scandir(path.parent) as found:
                inside = [one.name for one in islice(found, MOST_BESIDE + 1) if one.is_file()]
        except OSError:
            return []
        return [f"{place}/{name}" for name in inside] if len(inside) <= MOST_BESIDE else []

    def forget(self) -> None:
        """Stop reading, and clear the indexes and the memory."""
        if self._is_over is not None:
            self._is_over.set()
        self._is_over = self._reads = None
        self.documents = ()
        self._imports.forget()
        self._entries.forget()
        self._memory.forget()

    def _run(self, folder: Path, name: str, settings: Settings, is_over: threading.Event) -> None:
        started, counts = time.monotonic(), Counter[bool]()
        for path in _sources(folder):
            if is_over.is_set() or time.monotonic() > started + _SECONDS:
                break
            file = f"{name}/{path.relative_to(folder).as_posix()}"
            language, is_whole = language_of("", path.name), _is_table(file)
            known_as = language or (path.suffix[1:].replace("yml", "yaml") if is_whole else "")
            is_allowed = _is_allowed(path, known_as, settings)
            if is_allowed and _DOCUMENT.search(path.name) and not is_over.is_set():
                self.documents = (*self.documents, file)[:MOST_DOCUMENTS]
            is_full = counts[is_whole] >= (MOST_TABLES if is_whole else MOST_FILES)
            if is_full or not is_allowed or not (language or is_whole):
                continue
            counts[is_whole] += 1
            begun = time.monotonic()
            self._put(file, known_as, path, lambda: not is_over.is_set())
            time.sleep(max(_PAUSE, time.monotonic() - begun))
        seconds = time.monotonic() - started
        log.info("Read %d files of a folder, in %.1f s", counts.total(), seconds)

    def _put(self, file: str, language: str, path: Path, is_wanted: Callable[[], bool]) -> None:
        """Put a file into the indexes and the memory."""
        if _is_table(file):
            self._entries.put(file, language, whole_text_of(path), is_wanted)
            return
        text = text_of(path)
        self._imports.put(file, language, text, is_wanted)
        self._entries.put(file, language, text, is_wanted)
        self._memory.put(file, text, is_wanted)
        self._memory.settle()


def _is_table(file: str) -> bool:
    """Tell whether all of a file may be a table, and people write it."""
    return is_table(file) and file.rpartition("/")[2] not in _LOCKS


def _is_allowed(path: Path, language: str, settings: Settings) -> bool:
    """Tell whether a file may be read: it is not a secret, and not excluded by settings."""
    if not settings.serves(language):
        return False
    return not globs.matches_any(path, settings.exclude) and not is_secret(path)


def _sources(folder: Path) -> Iterator[Path]:
    """Yield source files, tables and documents, the outermost first, without following links."""
    left, entries = deque([(folder, 0)]), 0
    while left:
        here, depth = left.popleft()
        try:
            with os.scandir(here) as found:
                inside = sorted(found, key=lambda one: one.name)
        except OSError:
            continue
        if any(one.name == "pyvenv.cfg" for one in inside):
            continue
        for one in inside:
            entries += 1
            if entries > MOST_ENTRIES:
                return
            try:
                is_file = one.is_file(follow_symlinks=False)
                is_folder = one.is_dir(follow_symlinks=False)
            except OSError:
                continue
            is_code = language_of("", one.name) is not None
            if is_file and (is_code or _is_table(one.name) or _DOCUMENT.search(one.name)):
                yield Path(one.path)
            is_foreign = one.name in _FOREIGN or one.name.startswith(".")
            if is_folder and depth < MOST_DEPTH and not is_foreign:
                left.append((Path(one.path), depth + 1))


def whole_text_of(path: Path) -> str:
    """Return the text of a regular UTF-8 file; empty if it is too long."""
    data = _beginning_of(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return ""
    return "" if "\0" in text or len(data) > MOST_BYTES else text


def text_of(path: Path) -> str:
    """Return the text of a regular file, only its first whole lines if it is long."""
    data = _beginning_of(path)
    text = data[:MOST_BYTES].decode("utf-8-sig", "ignore")
    if len(data) > MOST_BYTES:
        text = text[: text.rfind("\n") + 1]
    return "" if "\0" in text else text


def _beginning_of(path: Path) -> bytes:
    """Return the bytes of a regular file, one more than the limit of a longer one."""
    try:
        with open_plain(path) as file:
            return file.read(MOST_BYTES + 1)
    except OSError:
        return b""
