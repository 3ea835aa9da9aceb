"""Processes that work for this one, and end with it, however that ends.

A worker that outlived its killed parent would write the files that the next run writes.
"""

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager


@contextmanager
def worker_pool(
    count: int, begin: Callable[[], object] | None = None
) -> Iterator[ProcessPoolExecutor]:
    """Open a pool whose processes end with the block, whatever they were doing.

    Args:
        count: How many.
        begin: Called first in each; one that can be pickled.
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


def _begin(
    parent: multiprocessing.connection.Connection, begin: Callable[[], object] | None
) -> None:
    """End this new process when the other end of `parent` closes, as a killed process' does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer

    def wait() -> None:
        multiprocessing.connection.wait([parent])
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
    if begin is not None:
        begin()
