"""A named pipe of Windows as two streams that can be read and written at the same time.

An ordinary file on such a pipe allows one operation at a time, so the server could not send while
it waits for the editor. The overlapped operations of `_winapi`, which `multiprocessing.connection`
of the standard library uses, do not have this limit.
"""

import sys
from io import BufferedReader, BufferedWriter, RawIOBase
from typing import Any, BinaryIO

if sys.platform == "win32":
    import _winapi

    def connect(name: str) -> tuple[BinaryIO, BinaryIO]:
        """Connect to a pipe that an editor has created.

        Raises:
            OSError: There is no such pipe.
        """
        access = _winapi.GENERIC_READ | _winapi.GENERIC_WRITE
        flags = _winapi.OPEN_EXISTING, _winapi.FILE_FLAG_OVERLAPPED
        end = _End(_winapi.CreateFile(name, access, 0, _winapi.NULL, *flags, _winapi.NULL))
        return BufferedReader(end), BufferedWriter(end)

    class _End(RawIOBase):
        """An end of a pipe.

        Args:
            handle: Opened for overlapped operations; closed with this.
        """

        def __init__(self, handle: int) -> None:
            self._handle = handle

        def readable(self) -> bool:
            return True

        def writable(self) -> bool:
            return True

        def readinto(self, buffer: Any, /) -> int:
            room = memoryview(buffer)
            try:
                reading, _ = _winapi.ReadFile(self._handle, len(room), overlapped=True)
                count, _ = reading.GetOverlappedResult(True)
            except BrokenPipeError:  # the editor has ended
                return 0
            room[:count] = reading.getbuffer() or b""
            return count

        def write(self, data: Any, /) -> int:
            writing, _ = _winapi.WriteFile(self._handle, bytes(data), overlapped=True)
            count, _ = writing.GetOverlappedResult(True)
            return count

        def close(self) -> None:
            if not self.closed:
                super().close()
                _winapi.CloseHandle(self._handle)
