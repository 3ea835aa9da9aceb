"""Paths: the folder that Editcast writes to, and names of files as text."""

import os
from itertools import count
from pathlib import Path
from typing import Literal

from platformdirs import user_data_path

from editcast_model.errors import HomeError
from editcast_model.private_files import private_folder


def chosen_home() -> Path:
    """Return the folder that Editcast writes to, which may be missing or unusable."""
    chosen = os.environ.get("EDITCAST_HOME")
    if chosen:
        return Path(os.path.expanduser(chosen))
    return user_data_path("editcast", appauthor=False)


def home() -> Path:
    """Return the folder for everything that Editcast writes.

    It is created on first use, for its owner only.

    Raises:
        HomeError: The folder cannot be created or written to.
    """
    folder = _usable(chosen_home())
    if not os.access(folder, os.W_OK | os.X_OK):  # for example on a read-only disk
        raise _home_error(folder, "nothing can be written there")
    return folder


def store_path() -> Path:
    """Return the path of the store; neither it nor its folder may exist yet."""
    return chosen_home() / "history.sqlite3"


def own_folder(name: Literal["models", "reports", "logs", "training"]) -> Path:
    """Return one of the folders in `home`, created if missing."""
    return _usable(home() / name)


def closed_folder(folder: Path) -> None:
    """Create a folder for its owner only, with its missing parents.

    An existing folder is closed to others if it is Editcast's own, but not if the user chose it,
    since it may contain other files.

    Raises:
        OSError: The folder cannot be created.
    """
    is_new = not folder.is_dir()
    private_folder(folder)
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
        closed_folder(folder)
    except OSError as error:
        raise _home_error(folder, error.strerror or str(error)) from error
    return folder


def _home_error(folder: Path, why: str) -> HomeError:
    return HomeError(
        f"Editcast cannot use its folder {folder} ({why}); make it writable for you, or set "
        "EDITCAST_HOME to a folder that is."
    )


def unicode_path(path: str | os.PathLike[str]) -> str:
    """Return a path as text that UTF-8 can hold, with the bytes of other names escaped."""
    return os.fspath(path).encode("utf-8", "backslashreplace").decode()


def unused(path: Path) -> Path:
    """Return a path that does not exist: this one, or one with a number from 2 after its stem."""
    if not path.exists():
        return path
    numbered = (path.with_stem(f"{path.stem}-{number}") for number in count(2))
    return next(one for one in numbered if not one.exists())
