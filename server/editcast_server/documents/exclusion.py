"""The answer to whether the setting `exclude` names a document.

Globs are matched in another thread: the longest list within the bounds takes some 20 ms, once for a
document. Until then the document counts as excluded, and its saves wait.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

from editcast_server.documents.globs import matches_any

Globs = tuple[str, ...]


class Exclusion:
    """Match of globs with a document's file; belongs to the event loop.

    Attributes:
        known: Set once it is known whether they do.
        is_excluded: Whether they do, or that is not known yet.
        saved: Texts that were saved before it was known.

    Args:
        path: The file; None, of a document that is none, is never excluded.
    """

    def __init__(self, path: Path | None) -> None:
        self.known = asyncio.Event()
        self.is_excluded = True
        self.saved: list[str] = []
        self._path = path
        self._globs: Globs = ()
        self._task: asyncio.Task[None] | None = None

    def follow(self, globs: Globs, done: Callable[[list[str]], None]) -> None:
        """Match other globs; `done` is then called with the texts that were saved meanwhile.

        That is at once where there is nothing to match.
        """
        self.known.clear()
        self._globs, self.is_excluded = globs, True
        if globs and self._path:
            self._task = asyncio.create_task(self._match(self._path, globs, done))
        else:
            self._set(False, done)

    def finish(self, done: Callable[[list[str]], None]) -> None:
        """Match here and now if saved texts wait, since the document is closed."""
        if self.saved and self._path:
            self._set(matches_any(self._path, self._globs), done)
        self.known.set()

    async def _match(self, path: Path, globs: Globs, done: Callable[[list[str]], None]) -> None:
        is_excluded = await asyncio.to_thread(matches_any, path, globs)
        if globs == self._globs and not self.known.is_set():
            self._set(is_excluded, done)

    def _set(self, is_excluded: bool, done: Callable[[list[str]], None]) -> None:
        self.is_excluded = is_excluded
        self.known.set()
        saved, self.saved = self.saved, []
        done(saved)
