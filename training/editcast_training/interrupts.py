"""Ctrl-C and SIGTERM as an exception that can be deferred to a suitable moment.

A training is stopped between two steps, when its state is consistent.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_STOPPING = b"\nStopping after this step; Ctrl-C again stops at once, without a checkpoint.\n"
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """A request to end this process, with the number of the signal."""

    def __init__(self, signal: int) -> None:
        super().__init__()
        self.signal = signal


class _State:
    depth = 0
    waiting: int | None = None


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise `Interrupted` in the block at either signal; ignored signals stay ignored.

    Outside the main thread, which alone can have handlers, this does nothing.
    """
    before = {}
    _State.depth, _State.waiting = 0, None
    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def held() -> Iterator[None]:
    """Defer `Interrupted` to the end of the block; a second signal is not deferred."""
    _State.depth += 1
    try:
        yield
    finally:
        _State.depth -= 1
    if _State.waiting is not None and not _State.depth:
        number, _State.waiting = _State.waiting, None
        raise Interrupted(number)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if _State.depth and _State.waiting is None:
        _State.waiting = number
        if sys.stderr and sys.stderr.isatty():  # a step may take half a minute
            os.write(sys.stderr.fileno(), _STOPPING)
    else:
        raise Interrupted(number)
