"""Byte streams for pygls (stdin, a TCP connection or a pipe), with validated headers.

As in HTTP, the case and spacing of headers do not matter. An invalid header ends the session, since
the beginning of the next message is unknown.
"""

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

from editcast_model.errors import ServerError

MOST_HEADER: Final = 1 << 14  # bytes
MOST_BODY: Final = 1 << 28  # bytes

_LENGTH: Final = b"content-length"


class Frames:
    """A stream of messages for pygls: one header line, an empty line, and the body.

    Args:
        stream: The bytes from the editor.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._is_within = False

    def readline(self) -> bytes:
        """Read the next line of a header in pygls's form; empty at the end of the stream.

        Raises:
            ServerError: The header is invalid, or the header or its message is too long.
        """
        if self._is_within:
            self._is_within = False
            return b"\r\n"
        while lines := self._header():
            if length := _length(lines):
                self._is_within = True
                return b"Content-Length: %d\r\n" % length
        return b""

    def read(self, count: int) -> bytes:
        """Read a body; empty if the stream ends within it."""
        body = self._stream.read(count)
        return body if len(body) == count else b""

    def _header(self) -> list[bytes]:
        """Read the lines of the next header; none at the end of the stream."""
        left = MOST_HEADER
        lines: list[bytes] = []
        while line := self._stream.readline(left + 1):
            left -= len(line)
            if left < 0:
                raise _no_sense(f"a header of more than {MOST_HEADER:,} bytes")
            if line.strip():
                lines.append(line.strip())
            elif lines:
                return lines
        return []


def _length(lines: list[bytes]) -> int:
    """Return the Content-Length of a header."""
    fields = [line.partition(b":") for line in lines]
    found = {value.strip() for name, _, value in fields if name.strip().lower() == _LENGTH}
    digits = found.pop() if len(found) == 1 else b""
    if not digits.isdigit():
        raise _no_sense("a header without a valid Content-Length")
    digits = digits.lstrip(b"0") or b"0"
    if len(digits) > len(str(MOST_BODY)) or int(digits) > MOST_BODY:
        raise _no_sense(f"a message of more than {MOST_BODY:,} bytes")
    return int(digits)


def _no_sense(what: str) -> ServerError:
    return ServerError(f"The editor sent {what}. Editcast has ended; start it again.")


@contextmanager
def one_connection(host: str, port: int) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Wait for one TCP client, and yield the streams from it and to it.

    Raises:
        ServerError: The address cannot be used.
    """
    try:
        with _listener(host, port) as listener:
            connection, _ = listener.accept()
    except (OSError, ValueError) as error:  # ValueError: no name at all, such as "a..b"
        reason = (error.strerror if isinstance(error, OSError) else None) or "the host is invalid"
        raise ServerError(
            f"Editcast cannot listen on {host}:{port}: {reason}. Choose another address."
        ) from error
    with connection, connection.makefile("rb") as incoming, connection.makefile("wb") as outgoing:
        yield incoming, outgoing


@contextmanager
def pipe_of_editor(name: str) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Connect to the pipe of an editor, a Unix socket, and yield the streams from it and to it.

    Raises:
        ServerError: No editor waits there, or this is Windows.
    """
    if sys.platform == "win32":
        raise ServerError("On Windows Editcast speaks with an editor on stdio; leave out --pipe.")
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(name)
        except (OSError, ValueError) as error:  # ValueError: a NUL, which names have not
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            raise ServerError(
                f"No editor listens at the pipe {name} ({reason}). Name a pipe that the editor "
                "created."
            ) from error
        with connection.makefile("rb") as incoming, connection.makefile("wb") as outgoing:
            yield incoming, outgoing


def _listener(host: str, port: int) -> socket.socket:
    flags = socket.AI_PASSIVE
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)[0]
    return socket.create_server((address[0], port), family=family)
