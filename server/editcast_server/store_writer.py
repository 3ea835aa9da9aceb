"""The thread that writes saves and outcomes to the store, in the order in which they happened.

The event loop does not wait for it. The store is opened at the first write, so that the server can
start with a store that cannot be used.
"""

import asyncio
import logging
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from editcast_model.errors import StoreError
from editcast_store import forgetting_without_room, paths
from editcast_store.forgetting import Pattern, Period
from editcast_store.saves import MERGE_WINDOW_MS, Outcome, Store, What

log = logging.getLogger(__name__)

MOST_BYTES = 500_000_000
_LAST_OUTCOMES = 500


class StoreWriter:
    """The writer of one server process.

    Args:
        show: Called on the store's thread with a sentence for the user, but not twice in a row
            with the same one.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._last_problem = ""
        self._store: Store | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")

    def record(self, path: Path, text: str, language: str, *, before: str | None) -> None:
        """Record the text of a save, and the text before it, if it is known."""
        now = now_ms()
        if before is not None and before != text:
            # Early enough that the store does not merge both.
            self._later(lambda store: store.record(path, before, now - MERGE_WINDOW_MS, language))
        self._later(lambda store: store.record(path, text, now, language))

    def record_outcome(self, suggestion: str, what: What, **about: Any) -> None:
        """Record an outcome of a suggestion; see `Store.record_outcome`."""
        now = now_ms()
        self._later(lambda store: store.record_outcome(suggestion, what, time_ms=now, **about))

    def restore(self, count: Callable[[list[Outcome]], None]) -> None:
        """Call `count` on the store's thread with the last outcomes, if there is a store."""
        if os.path.exists(paths.store_path()):
            self._later(lambda store: count(store.outcomes(_LAST_OUTCOMES)))

    def prune(self, days: int) -> None:
        """Delete saves that are older, and the oldest ones of a store that is too large."""
        if os.path.exists(paths.store_path()):
            self._later(lambda store: store.prune(days, MOST_BYTES))

    async def written(self) -> None:
        """Wait until all earlier writes are on the disk."""
        await asyncio.wrap_future(self._thread.submit(lambda: None))

    async def forget(self, pattern: Pattern, period: Period) -> str:
        """Delete saves after all earlier writes; see `forgetting_without_room.forget`.

        The store is closed first, and opened again at the next write: on a full disk, deleting
        needs exclusive access to the store.
        """
        return await asyncio.wrap_future(self._thread.submit(self._forget, pattern, period))

    def close(self) -> None:
        """Finish all writes, and return when they are on the disk."""
        self._thread.shutdown(wait=True)
        self._close()

    def _close(self) -> None:
        if self._store:
            self._store.close()
        self._store = None

    def _forget(self, pattern: Pattern, period: Period) -> str:
        self._close()
        return forgetting_without_room.forget(paths.store_path(), pattern, period, self._show)

    def _later(self, work: Callable[[Store], object]) -> None:
        self._thread.submit(self._do, work)

    def _do(self, work: Callable[[Store], object]) -> None:
        try:
            if self._store and not self._store.is_in_place:
                self._close()
            if self._store is None:
                self._store = Store.open(paths.store_path())
            work(self._store)
        except StoreError as error:
            self._show_once(str(error))
        except Exception as error:
            log.exception("The store failed")
            self._show_once(f"A save could not be recorded ({type(error).__name__}).")
        else:
            self._last_problem = ""
            for notice in self._store.notices:
                self._show(notice)
            self._store.notices.clear()

    def _show_once(self, sentence: str) -> None:
        if sentence != self._last_problem:
            self._last_problem = sentence
            self._show(sentence)


def now_ms() -> int:
    """Return the milliseconds since the epoch."""
    return int(time.time() * 1000)
