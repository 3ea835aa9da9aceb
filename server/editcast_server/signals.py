"""Handling of SIGTERM and SIGHUP, which end the server at a log-out or a reboot."""

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final

PATIENCE: Final = 15.0  # seconds; the editor may have left the loop in the middle of a message


def stop_on_signals(stop: Callable[[], None]) -> None:
    """Make the running loop call `stop` before a signal ends the process.

    A thread waits for the signals. The loop calls `stop` between two callbacks, as it does at
    `shutdown`: within a callback `stop` could wait for a lock that the callback holds. Then the
    thread exits with 128 plus the signal's number, as shells do. An ordinary exit would wait for
    the thread that reads the editor's next message.

    A signal that is ignored (`nohup`) stays ignored. Windows has no such signals: it ends a process
    without notice.
    """
    if sys.platform == "win32":
        return
    numbers = [
        number
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) != signal.SIG_IGN
    ]
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer)
    for number in numbers:
        signal.signal(number, lambda number, frame: None)  # its number is in the pipe by now
    loop = asyncio.get_running_loop()
    threading.Thread(
        target=_wait, args=(reader, numbers, loop, stop), name="signals", daemon=True
    ).start()


def _wait(
    reader: int,
    numbers: list[signal.Signals],
    loop: asyncio.AbstractEventLoop,
    stop: Callable[[], None],
) -> None:
    while (number := os.read(reader, 1)[0]) not in numbers:
        pass
    stopped = threading.Event()

    def end() -> None:
        try:
            stop()
        finally:
            stopped.set()

    with contextlib.suppress(RuntimeError):  # the loop is closed: the end has come already
        loop.call_soon_threadsafe(end)
    stopped.wait(PATIENCE)
    os._exit(128 + number)
