"""Where Editcast writes: one folder that belongs to the user, or `EDITCAST_HOME`."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from platformdirs import user_data_path

from editcast_model.errors import HomeError


def chosen_home() -> Path:
    """The folder that holds everything Editcast writes; it may not be there, nor be of use."""
    chosen = os.environ.get("EDITCAST_HOME")
    if chosen:
        return Path(os.path.expanduser(chosen))
    return user_data_path("editcast", appauthor=False)


def home() -> Path:
    """The folder that holds everything Editcast writes; made on first use, for its owner only.

    Raises:
        HomeError: It cannot be made, or nothing can be written there.
    """
    folder = _usable(chosen_home())
    if not os.access(folder, os.W_OK | os.X_OK):  # a disk that is read-only among the reasons
        raise _home_error(folder, "nothing can be written there")
    return folder


def store_path() -> Path:
    """The store of save snapshots; neither it nor its folder need be there."""
    return chosen_home() / "history.sqlite3"


def models_dir() -> Path:
    """The folder of bundles trained on this machine; `current` in it is the one in use."""
    return _usable(home() / "models")


def reports_dir() -> Path:
    """The folder of the pages that `editcast report` writes."""
    return _usable(home() / "reports")


def logs_dir() -> Path:
    """The folder of the server's log files."""
    return _usable(home() / "logs")


def training_dir() -> Path:
    """The folder in which a personal training works."""
    return _usable(home() / "training")


def private_folder(folder: Path) -> None:
    """Make a folder for its owner only, and those above it that are missing.

    One that is there is closed to others as well, if it is Editcast's: what else lies in a folder
    that the user chose is not Editcast's to close.

    Raises:
        OSError: It cannot be made.
    """
    missing = [one for one in (folder, *folder.parents) if not os.path.isdir(one)]
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)
    if os.name == "posix" and not missing:
        status = folder.stat()
        is_open = status.st_mode & 0o077 and status.st_uid == os.geteuid()
        if is_open and (_is_ours(folder) or not any(folder.iterdir())):
            folder.chmod(0o700)


@contextmanager
def private_file(path: Path) -> Iterator[TextIO]:
    """Write a text file that only its owner can read, whole or not at all; it replaces another.

    Raises:
        OSError: It cannot be written.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():  # a terminal, a pipe: nothing to be replaced
        with path.open("w", encoding="utf-8") as file:
            yield file
        return
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # for its owner only
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            yield file
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


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
