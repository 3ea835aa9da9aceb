"""The base of the indexes of a project: texts are taken in at once, and read when there is time."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable


class ProjectIndex(ABC):
    """An index of the texts of one project's files."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._unread: dict[str, tuple[str, str]] = {}

    def update(self, file: str, language: str, text: str) -> None:
        """Take in the text of a file, which is read when there is time."""
        self._unread[file] = language, text

    def read(self) -> None:
        """Read the texts that were taken in."""
        while self._unread:
            file, (language, text) = self._unread.popitem()
            self.put(file, language, text)

    @abstractmethod
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
