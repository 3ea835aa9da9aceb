"""A memory limit while the graphs of a bundle run.

A graph may request any amount of memory. ONNX Runtime reports a failed allocation as an error, but
Linux lets most allocations succeed, and kills this or another process when the memory is used.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

#: Bytes that may be allocated additionally, about ten times as many as a prediction needs.
HEADROOM = 2 << 30
#: Devices whose drivers map more address space than the machine has memory.
_CUDA = ("/dev/nvidiactl", "/dev/dxg")


@contextmanager
def memory_limit(headroom: int = HEADROOM, cuda: Sequence[str] = _CUDA) -> Iterator[None]:
    """Make allocations beyond the limit fail, on Linux without CUDA; do nothing elsewhere.

    The limit holds for the whole process during the block. Only one thread may use it at a time.
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
    """Return the data pages of the process; None if unknown."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[5])
    except (OSError, ValueError, LookupError):
        return None
