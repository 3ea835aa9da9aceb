"""Where the files of a project take names from, for files that lack an import.

Known are the files that are open or were saved, and, in folders that the user trusts, the
beginnings of those on the disk, which a thread reads in the background. All of it stays in memory
and is forgotten with the folder.
"""

import logging
import os
import stat
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from editcast_model.syntax.import_statements import MOST_CHARACTERS, Origin, origins
from editcast_model.syntax.languages import language_of
from editcast_model.syntax.modules import family_of
from editcast_model.syntax.names import has_rules
from editcast_server.documents import globs
from editcast_server.settings import Settings
from editcast_store.secrets import is_secret

log = logging.getLogger(__name__)

#: Bounds of what is read of one folder: files, entries looked at, folders within each other.
MOST_FILES: Final = 2_000
MOST_ENTRIES: Final = 50_000
MOST_DEPTH: Final = 12
_SECONDS: Final = 60.0
_PAUSE: Final = 0.002  # seconds after each file: predictions come first
_MOST_NAMES: Final = 50_000  # of all files together

#: Folders of what others wrote, or programs.
_FOREIGN: Final = frozenset(
    """node_modules bower_components jspm_packages vendor third_party site-packages __pycache__ dist
    build target out venv env virtualenv""".split()
)


def reads(settings: Settings) -> tuple[bool, tuple[str, ...], tuple[str, ...]]:
    """Return what settings say about which files are read."""
    return settings.enabled, settings.languages, settings.exclude


class ProjectImports:
    """Where the files of one project take names from; any thread may ask and tell."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: dict[str, tuple[Origin, ...]] = {}
        self._origins: dict[tuple[str, str], dict[Origin, int]] = {}
        self._same: dict[Origin, Origin] = {}  # most files take the same names of the same modules
        self._size = 0
        self._unread: dict[str, tuple[str, str]] = {}
        self._reading = threading.Event()  # set when what is being read is not wanted any more
        self._is_read = False

    def of(self, file: str, language: str) -> Mapping[str, str]:
        """The import statements for a file, by the name that they bind, as they are known then."""
        known = language_of(language, file)
        return _Statements(self, family_of(known), file) if known and has_rules(known) else {}

    def tell(self, file: str, language: str, text: str) -> None:
        """The text of a file is this; it is read when there is time."""
        self._unread[file] = language, text

    def read_texts(self) -> None:
        """Read the texts that were told."""
        while self._unread:
            file, (language, text) = self._unread.popitem()
            self._put(file, origins(text, language, file))

    def read_folder(self, folder: Path, name: str, settings: Settings) -> None:
        """Begin to read the files of a folder, if that was not begun before.

        Args:
            folder: The folder.
            name: How the names of its files begin, as `tell` has them, without the last slash.
            settings: They say what is left alone.
        """
        if not self._is_read:
            self._is_read = True
            self._reading = is_over = threading.Event()
            arguments = (folder, name, settings, is_over)
            threading.Thread(
                target=self._read_folder, args=arguments, name="imports", daemon=True
            ).start()

    def forget(self) -> None:
        """Know nothing any more, and end reading."""
        self._reading.set()
        self._unread.clear()
        with self._lock:
            self._files.clear()
            self._origins.clear()
            self._same.clear()
            self._size, self._is_read = 0, False

    def has(self, family: str, name: str) -> bool:
        """Tell whether any file of a family of languages takes a name from somewhere."""
        return (family, name) in self._origins

    def statement(self, family: str, name: str, importer: str) -> str | None:
        """The statement by which a file gets a name; None unless all get it from one place."""
        with self._lock:
            found = list(self._origins.get((family, name), ()))
        places = {replace(one, is_type=False) for one in found}
        if len(places) != 1:
            return None
        is_type = all(one.is_type for one in found)
        return replace(found[0], is_type=is_type).statement(importer)

    def _put(
        self, file: str, found: tuple[Origin, ...], is_over: threading.Event | None = None
    ) -> None:
        with self._lock:
            if is_over and (is_over.is_set() or file in self._files):
                return  # what the editor has is newer than what is on the disk
            for one in self._files.pop(file, ()):
                counts = self._origins[one.family, one.bound]
                counts[one] -= 1
                if not counts[one]:
                    del counts[one]
                if not counts:
                    del self._origins[one.family, one.bound]
                self._size -= 1
            if self._size + len(found) > _MOST_NAMES:
                return
            self._size += len(found)
            self._files[file] = found = tuple(self._same.setdefault(one, one) for one in found)
            for one in found:
                counts = self._origins.setdefault((one.family, one.bound), {})
                counts[one] = counts.get(one, 0) + 1

    def _read_folder(
        self, folder: Path, name: str, settings: Settings, is_over: threading.Event
    ) -> None:
        started, count = time.monotonic(), 0
        for path in _sources(folder):
            if is_over.is_set() or count >= MOST_FILES or time.monotonic() > started + _SECONDS:
                break
            language = language_of("", path.name) or ""
            if not _is_allowed(path, language, settings):
                continue
            count += 1
            file = f"{name}/{path.relative_to(folder).as_posix()}"
            self._put(file, origins(_beginning(path), language, file), is_over)
            time.sleep(_PAUSE)
        log.info("Read what %d files import, in %.1f s", count, time.monotonic() - started)


class _Statements(Mapping[str, str]):
    """The import statements for one file, by the name that they bind."""

    def __init__(self, known: ProjectImports, family: str, file: str) -> None:
        self._known, self._family, self._file = known, family, file

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._known.has(self._family, name)

    def __getitem__(self, name: str) -> str:
        statement = self._known.statement(self._family, name, self._file)
        if statement is None:
            raise KeyError(name)
        return statement

    def __iter__(self) -> Iterator[str]:
        return iter([name for family, name in list(self._known._origins) if family == self._family])

    def __len__(self) -> int:
        return len(self._known._origins)


def _is_allowed(path: Path, language: str, settings: Settings) -> bool:
    """Tell whether a file may be read: no secret, and nothing that the settings leave out."""
    wanted = settings.languages
    if not {"*", language} & set(wanted) or f"!{language}" in wanted or not settings.enabled:
        return False
    is_excluded = globs.matches_any.__wrapped__(path, settings.exclude)  # too many to remember
    return not is_excluded and not is_secret(path)


def _sources(folder: Path) -> Iterator[Path]:
    """Find the files in languages with rules, the outermost first; no link is followed."""
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
                is_file, is_folder = (
                    one.is_file(follow_symlinks=False),
                    one.is_dir(follow_symlinks=False),
                )
            except OSError:
                continue
            if is_file and has_rules(language_of("", one.name)):
                yield Path(one.path)
            is_foreign = one.name in _FOREIGN or one.name.startswith(".")
            if is_folder and depth < MOST_DEPTH and not is_foreign:
                left.append((Path(one.path), depth + 1))


def _beginning(path: Path) -> str:
    """The whole lines that a plain file begins with; empty for what cannot be read."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with open(os.open(path, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return ""
            text = file.read(MOST_CHARACTERS).decode("utf-8", "ignore")
    except OSError:
        return ""
    return "" if "\0" in text else text[: text.rfind("\n") + 1]
