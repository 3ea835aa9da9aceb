"""The index of the texts that a project's files give names to, for code that writes them out.

Nothing is read from the disk here, and nothing written there.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from editcast_model.consequences.other_files.project_index import ProjectIndex
from editcast_model.consequences.other_files.tables import Keys, entries_of, may_have_table

_MOST_ENTRIES: Final = 50_000  # of all files together


class Place(NamedTuple):
    """The place of a text in a table: its file and its keys, the outermost first."""

    file: str
    keys: Keys


class EntryIndex(ProjectIndex):
    """The entries of one project's tables by their texts; any thread may read and add."""

    def __init__(self) -> None:
        super().__init__()
        self._files: dict[str, tuple[tuple[str, Place], ...]] = {}
        self._entries: dict[str, dict[Place, None]] = {}  # by text, in the order of their coming
        self._size = 0

    def of(self, text: str) -> list[Place]:
        """Return the entries that have a text."""
        with self._lock:
            return list(self._entries.get(text, ()))

    def put(
        self, file: str, language: str, text: str, is_wanted: Callable[[], bool] | None = None
    ) -> None:
        """Read the tables of a file; see `ProjectIndex`."""
        texts = entries_of(text, language, file) if may_have_table(text, file) else ()
        found = tuple(dict.fromkeys((one, Place(file, keys)) for one, keys in texts))
        with self._lock:
            if is_wanted and (file in self._files or not is_wanted()):
                return
            self._remove(file)
            if self._size + len(found) > _MOST_ENTRIES:
                return
            self._size += len(found)
            self._files[file] = found
            for one, entry in found:
                self._entries.setdefault(one, {})[entry] = None

    def forget(self) -> None:
        """Forget all files."""
        self._unread.clear()
        with self._lock:
            self._files.clear()
            self._entries.clear()
            self._size = 0

    def _remove(self, file: str) -> None:
        """Remove what is known of a file."""
        for one, entry in (gone := self._files.pop(file, ())):
            self._entries[one].pop(entry, None)
            if not self._entries[one]:
                del self._entries[one]
        self._size -= len(gone)
