"""Where Editcast writes: one folder that belongs to the user, or `EDITCAST_HOME`."""

import os
from pathlib import Path

from platformdirs import user_data_path


def home() -> Path:
    """The folder that holds everything Editcast writes; made on first use, for its owner only."""
    chosen = os.environ.get("EDITCAST_HOME")
    folder = Path(chosen).expanduser() if chosen else user_data_path("editcast", appauthor=False)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def store_path() -> Path:
    """The store of save snapshots."""
    return home() / "history.sqlite3"


def models_dir() -> Path:
    """The folder of bundles trained on this machine; `current` in it is the one in use."""
    folder = home() / "models"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def reports_dir() -> Path:
    """The folder of the pages that `editcast report` writes."""
    folder = home() / "reports"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def logs_dir() -> Path:
    """The folder of the server's log files."""
    folder = home() / "logs"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder
