"""The server's log: files in the logs folder, never what the editor reads."""

import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path

from editcast_model import paths

KEPT = 10
_MOST_BYTES = 1_000_000


def start_logging() -> Path | None:
    """Log to a file of this process; the last `KEPT` ones stay. None when none can be written.

    Only Editcast's own messages below warnings are kept: pygls logs whole messages, and with them
    the user's texts.
    """
    try:
        folder = paths.logs_dir()
        path = folder / f"server-{os.getpid()}.log"
        handler: logging.Handler = RotatingFileHandler(
            path, maxBytes=_MOST_BYTES, backupCount=1, encoding="utf-8", errors="backslashreplace"
        )
        path.chmod(0o600)
        _remove_old(folder, path)
    except OSError:
        path = None
        handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("editcast_server").setLevel(logging.INFO)
    logging.getLogger("editcast_model").setLevel(logging.INFO)
    return path


def _remove_old(folder: Path, own: Path) -> None:
    found = [(path.stat().st_mtime, path) for path in folder.glob("server-*.log*")]
    for _, path in sorted(found, reverse=True)[KEPT:]:
        if path != own:
            path.unlink(missing_ok=True)
