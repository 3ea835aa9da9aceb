"""The base of the indexes of a project: texts are taken in at once, and read when there is time.

Nothing is read from the disk here, and nothing written there.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

Thing = TypeVar("Thing", bound=Hashable)


class ProjectIndex(ABC, Generic[Thing]):
    """An index of the things that the files of one project have; any thread may read and add.

    Attributes:
        most: How many things are kept of all files together.
    """

    most = 50_000

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._unread: dict[str, tuple[str, str]] = {}
        self._files: dict[str, tuple[Thing, ...]] = {}
        # By key, in the order of their coming, with how often files have them.
        self._known: dict[Hashable, dict[Thing, int]] = {}
        self._size = 0

    @abstractmethod
    def _things(self, file: str, language: str, text: str) -> tuple[Thing, ...]:
        """Return what is kept of a file."""

    @abstractmethod
    def _keys(self, thing: Thing) -> Iterable[Hashable]:
        """Return the keys that a thing is looked up by."""

    def update(self, file: str, language: str, text: str) -> None:
        """Take in the text of a file, which is read when there is time."""
        self._unread[file] = language, text

    def read(self) -> None:
        """Read the texts that were taken in."""
        while self._unread:
            file, (language, text) = self._unread.popitem()
            self.put(file, language, text)

    def put(
        self, file: str, language: str, text: str, is_wanted: Callable[[], bool] | None = None
    ) -> None:
        """Read the text of a file, in place of what was known of it.

        Args:
            file: Its path.
            language: The editor's language identifier.
            text: Its text.
            is_wanted: Given for what is only wanted as long as it says so, and as long as nothing
                else is known of the file: what the editor has is newer than what is on the disk.
        """
        found = self._things(file, language, text)
        with self._lock:
            if is_wanted and (file in self._files or not is_wanted()):
                return
            self._count(self._files.pop(file, ()), -1)
            if self._size + len(found) <= self.most:
                self._files[file] = found
                self._count(found, 1)

    def forget(self) -> None:
        """Forget all files."""
        self._unread.clear()
        with self._lock:
            self._files.clear()
            self._known.clear()
            self._size = 0

    def _count(self, things: tuple[Thing, ...], by: int) -> None:
        """Add things, or remove them."""
        self._size += by * len(things)
        for thing in things:
            for key in self._keys(thing):
                same = self._known.setdefault(key, {})
                same[thing] = same.get(thing, 0) + by
                if not same[thing]:
                    del same[thing]
                if not same:
                    del self._known[key]
