"""The server's log, written to files in the logs folder.

The log never contains the user's texts. Exceptions are logged without their messages, and so are
records of other packages: pygls logs whole LSP messages, which include texts.
"""

import logging
import os
import re
import traceback
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from editcast_store import paths

KEPT = 10
_MOST_BYTES = 1_000_000
_MOST_PLACES = 8
_OWN = ("editcast", "editcast_server", "editcast_model")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_PLAIN = re.compile(r"[A-Za-z_][\w.]{0,60}", re.ASCII)


def start_logging() -> Path | None:
    """Log to a file of this process, and keep the last `KEPT` files.

    Returns:
        The file; None if it cannot be written.
    """
    try:
        folder = paths.own_folder("logs")
        path = folder / f"server-{os.getpid()}.log"
        handler: logging.Handler = _LogFile(
            path, maxBytes=_MOST_BYTES, backupCount=1, encoding="utf-8", errors="backslashreplace"
        )
        _remove_old(folder, path)
    except OSError:
        path = None
        handler = logging.StreamHandler()
    handler.setFormatter(_Formatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("editcast_server").setLevel(logging.INFO)
    logging.getLogger("editcast_model").setLevel(logging.INFO)
    return path


def without_words(error: BaseException) -> str:
    """Describe an exception by its type and its traceback, the innermost place first."""
    places = [
        f"{Path(frame.f_code.co_filename).name}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    where = " < ".join(places[: -_MOST_PLACES - 1 : -1])
    return f"{type(error).__name__} at {where}" if where else type(error).__name__


class _Formatter(logging.Formatter):
    """A formatter of one line per record, without the messages of other packages."""

    def format(self, record: logging.LogRecord) -> str:
        if record.name.partition(".")[0] in _OWN:
            name, said = record.name, record.getMessage()
        else:
            name = record.name if _PLAIN.fullmatch(record.name) else "another package"
            said = f"{record.funcName}, line {record.lineno}"
        if record.exc_info and record.exc_info[1]:
            said += f" ({without_words(record.exc_info[1])})"
        said = _CONTROL.sub(lambda found: repr(found[0])[1:-1], said)
        return f"{self.formatTime(record)} {record.levelname} {name}: {said}"


class _LogFile(RotatingFileHandler):
    """A log file that only its owner can read."""

    def _open(self) -> TextIOWrapper:
        file = super()._open()
        Path(self.baseFilename).chmod(0o600)
        return file

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Do nothing: `logging` would print the record's arguments to stderr."""


def _remove_old(folder: Path, own: Path) -> None:
    found = []
    for path in folder.glob("server-*.log*"):
        with suppress(FileNotFoundError):  # another server may remove some too
            found.append((path.stat().st_mtime, path))
    for _, path in sorted(found, reverse=True)[KEPT:]:
        if path != own:
            path.unlink(missing_ok=True)
