"""Handling of SIGTERM and SIGHUP, which end the server at a log-out or a reboot."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, Final

PATIENCE: Final = 15  # seconds; the editor may have left the loop in the middle of a message


def stop_on_signals(stop: Callable[[], None]) -> None:
    """Make the running loop call `stop` before a signal ends the process.

    The loop calls `stop` between two callbacks, as it does at `shutdown`: within a callback `stop`
    could wait for a lock that the callback holds. Then the process exits with 128 plus the signal's
    number, as shells do; also if the loop does not come to that. An ordinary exit would wait for
    the thread that reads the editor's next message.

    A signal that is ignored (`nohup`) stays ignored. Windows has no such signals: it ends a process
    without notice.
    """
    if sys.platform == "win32":
        return
    loop = asyncio.get_running_loop()

    def end(number: int) -> None:
        try:
            stop()
        finally:
            os._exit(128 + number)

    def begin(number: int, *_: Any) -> None:
        signal.signal(signal.SIGALRM, lambda *_: os._exit(128 + number))
        signal.alarm(PATIENCE)
        with contextlib.suppress(RuntimeError):  # the loop is closed: the end has come already
            loop.call_soon_threadsafe(end, number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, begin)
