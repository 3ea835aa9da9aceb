"""The folder that Editcast writes to: one that belongs to the user, or `EDITCAST_HOME`."""

import os
from pathlib import Path

from platformdirs import user_data_path

from editcast_model import private_files
from editcast_model.errors import HomeError


def chosen_home() -> Path:
    """Return the folder that Editcast writes to; it may be missing or unusable."""
    chosen = os.environ.get("EDITCAST_HOME")
    if chosen:
        return Path(os.path.expanduser(chosen))
    return user_data_path("editcast", appauthor=False)


def home() -> Path:
    """Return the folder that holds everything Editcast writes.

    Made on first use, for its owner only.

    Raises:
        HomeError: It cannot be made, or nothing can be written there.
    """
    folder = _usable(chosen_home())
    if not os.access(folder, os.W_OK | os.X_OK):  # a disk that is read-only among the reasons
        raise _home_error(folder, "nothing can be written there")
    return folder


def store_path() -> Path:
    """Return the store of save snapshots; neither it nor its folder need be there."""
    return chosen_home() / "history.sqlite3"


def models_dir() -> Path:
    """Return the folder of bundles trained on this machine; `current` in it is the one in use."""
    return _usable(home() / "models")


def reports_dir() -> Path:
    """Return the folder of the pages that `editcast report` writes."""
    return _usable(home() / "reports")


def logs_dir() -> Path:
    """Return the folder of the server's log files."""
    return _usable(home() / "logs")


def training_dir() -> Path:
    """Return the folder in which a personal training works."""
    return _usable(home() / "training")


def private_folder(folder: Path) -> None:
    """Make a folder for its owner only, and those above it that are missing.

    One that is there is closed to others as well, if it is Editcast's: what else lies in a folder
    that the user chose is not Editcast's to close.

    Raises:
        OSError: It cannot be made.
    """
    is_new = not folder.is_dir()
    private_files.private_folder(folder)
    if os.name == "posix" and not is_new:
        status = folder.stat()
        is_open = status.st_mode & 0o077 and status.st_uid == os.geteuid()
        if is_open and (_is_ours(folder) or not any(folder.iterdir())):
            folder.chmod(0o700)


def _is_ours(folder: Path) -> bool:
    home = chosen_home()
    return folder.parent == home or (folder == home and not os.environ.get("EDITCAST_HOME"))


def _usable(folder: Path) -> Path:
    try:
        private_folder(folder)
    except OSError as error:
        raise _home_error(folder, error.strerror or str(error)) from error
    return folder


def _home_error(folder: Path, why: str) -> HomeError:
    return HomeError(
        f"Editcast cannot use its folder {folder} ({why}); make it writable for you, or set "
        "EDITCAST_HOME to a folder that is."
    )
