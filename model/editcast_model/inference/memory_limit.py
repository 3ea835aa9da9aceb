"""A limit of memory for as long as the graphs of a bundle are at work.

A graph may ask for any amount. ONNX Runtime turns an allocation that fails into an error, but
Linux lets most of them succeed, and ends the process, or another one, when the memory is used.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

#: Bytes that may be added to what the process has: some ten times what a prediction takes.
HEADROOM = 2 << 30
#: Devices whose driver maps more memory than there is.
_CUDA = ("/dev/nvidiactl", "/dev/dxg")


@contextmanager
def memory_limit(headroom: int = HEADROOM, cuda: Sequence[str] = _CUDA) -> Iterator[None]:
    """Let allocations fail that go beyond the limit; on Linux without CUDA, elsewhere it is none.

    It holds for the whole process, and only while it is entered, by one thread at a time.
    """
    pages = _pages()
    if sys.platform != "linux" or pages is None or any(map(os.path.exists, cuda)):
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    limit = pages * resource.getpagesize() + headroom
    bounds = [one for one in (*before, limit) if one != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(bounds), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _pages() -> int | None:
    """Return the pages of data that the process has; None where the system does not say it."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[5])
    except (OSError, ValueError, LookupError):
        return None
