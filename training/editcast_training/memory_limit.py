"""A limit of the memory that a process takes while it reads a source.

Results are written to the disk as they come, and caches are bounded, so few sources come near the
limit. A thread watches the resident memory of this process. Near the limit `check` raises, and the
source is left out. At the limit itself, which a single call into a library may reach, the process
ends. Only on Linux is resident memory cheap to read: elsewhere nothing is limited.
"""

import ctypes
import gc
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from editcast_model.errors import SourceError

#: The most bytes of memory for a process that reads a source.
MOST: Final = 3 << 29
_NEAR: Final = 7 / 8
_INTERVAL: Final = 0.02  # seconds; a process that is given memory as fast as can be gets some 40 MB
_ENDED: Final = 137


class _State:
    near = False  # whether the process that is watched is near its limit


@contextmanager
def limited(most: int) -> Iterator[None]:
    """Watch the memory of this process in the block; the limit is in bytes.

    Raises:
        SourceError: `check` was called near the limit.
    """
    _give_back()
    _State.near = False
    ended = threading.Event()
    thread = threading.Thread(target=_watch, args=(most, ended), daemon=True)
    thread.start()
    try:
        yield
    except _NearError as error:
        raise SourceError(
            f"Reading it takes more than {_NEAR * most / (1 << 30):.2f} GiB of memory; give more "
            "with editcast corpus --memory, and run the same command again."
        ) from error
    finally:
        ended.set()
        thread.join()


def check() -> None:
    """Leave the block of `limited` where the memory is near its limit."""
    if _State.near:
        raise _NearError


def resident() -> int:
    """Measure what of this process is in memory, bytes; 0 where the system does not tell."""
    if sys.platform != "linux":
        return 0
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class _NearError(Exception):
    """The memory is near its limit."""


def _watch(most: int, ended: threading.Event) -> None:
    while not ended.wait(_INTERVAL):
        now = resident()
        _State.near = _State.near or now > _NEAR * most
        if now > most:
            os._exit(_ENDED)


def _give_back() -> None:
    """Return to the system what earlier sources have left."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)
