"""Pools of worker processes that end with their parent, even if it is killed.

A worker that outlived its parent could write the same files as the next run.
"""

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from typing import Final, TypeVar

Result = TypeVar("Result")
_SECONDS: Final = 0.5


@contextmanager
def worker_pool(
    count: int, begin: Callable[[], object] | None = None
) -> Iterator[ProcessPoolExecutor]:
    """Open a pool whose processes end with the block.

    `begin` is called first in each process; it must be picklable.
    """
    # spawn: a fork would copy the locks of the libraries' threads.
    context = multiprocessing.get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(count, context, initializer=_begin, initargs=(reader, begin))
    try:
        yield pool
    finally:
        writer.close()
        pool.shutdown(cancel_futures=True)
        reader.close()


def as_ended(futures: Iterable[Future[Result]]) -> Iterator[Future[Result]]:
    """Yield futures as they end, as `concurrent.futures.as_completed` does, and hear signals.

    Python does not wake the main thread for a signal that another thread took, as one does while a
    process is started. The main thread wakes by itself here, and handles it.
    """
    left = set(futures)
    while left:
        ended, left = wait(left, timeout=_SECONDS, return_when=FIRST_COMPLETED)
        yield from ended


def _begin(
    parent: multiprocessing.connection.Connection, begin: Callable[[], object] | None
) -> None:
    """Make this new process end when the other end of `parent` closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C

    def end_with_parent() -> None:
        multiprocessing.connection.wait([parent])
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
    if begin is not None:
        begin()
