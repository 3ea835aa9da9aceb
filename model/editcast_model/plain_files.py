"""Reading files of an untrusted folder: only regular ones, within the folder, of limited size.

Otherwise a pipe, a device or an endless file could block the reader, and a name that leads out of
the folder could expose other files.
"""

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from editcast_model.errors import BundleError

#: Maximum bytes of a file, and of a JSON file, which is read as a whole.
MOST_BYTES, MOST_JSON = 1 << 30, 1 << 24
_CHUNK = 1 << 20


def is_plain_name(name: str) -> bool:
    """Tell whether a name is that of a file within a folder, on every system."""
    parts = PurePosixPath(name).parts
    return (
        "/".join(parts) == name != ""
        and not {"..", "/"} & set(parts)
        and name.isprintable()
        and not set('\\:*?"<>|') & set(name)
    )


def digest_of(folder: Path, name: str, most: int = MOST_BYTES) -> str:
    """Return the hexadecimal SHA-256 of a file in a folder.

    Raises:
        BundleError: It is not a regular file of the folder, is too large, or cannot be read.
    """
    digest = hashlib.sha256()
    for chunk in _chunks(folder, name, most):
        digest.update(chunk)
    return digest.hexdigest()


def copy_file(folder: Path, name: str, to: Path, most: int = MOST_BYTES) -> int:
    """Copy a file of a folder to the folder `to`, and return its size in bytes.

    Raises:
        BundleError: It is not a regular file of the folder, is too large, or cannot be read.
        OSError: The copy cannot be written.
    """
    place = to / name
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("xb") as copy:
        return sum(map(copy.write, _chunks(folder, name, most)))


def read_json(folder: Path, name: str, most: int = MOST_JSON) -> Any:
    """Return the value of a JSON file in a folder.

    Raises:
        BundleError: It is not a regular file of the folder, is too large, or is not JSON.
    """
    try:
        with _opened(folder, name, most) as file:
            return json.loads(file.read(most).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise BundleError(
            f"The model in {folder} is damaged ({name}: {error}); copy or export it again."
        ) from error


class NotPlainError(OSError):
    """A folder, a pipe, a device or a link instead of a regular file."""


def open_plain(path: Path, *, follows_links: bool = False) -> BinaryIO:
    """Open a regular file for reading, without waiting for the writer of a pipe.

    Raises:
        NotPlainError: It is not a regular file; or it is a link, unless `follows_links`.
        OSError: It cannot be opened.
    """
    if not follows_links and path.is_symlink():
        raise NotPlainError(f"{path} is a link")
    names = ("O_NONBLOCK", "O_BINARY", *(() if follows_links else ("O_NOFOLLOW",)))
    flags = os.O_RDONLY | sum(getattr(os, name, 0) for name in names)  # no system has all of them
    handle = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)  # opening a file with it would fail for a folder, and leave it open
        raise NotPlainError(f"{path} is not a regular file")
    return os.fdopen(handle, "rb")


def _chunks(folder: Path, name: str, most: int) -> Iterator[bytes]:
    with _opened(folder, name, most) as file:
        while most > 0 and (chunk := file.read(min(_CHUNK, most))):
            most -= len(chunk)
            yield chunk


@contextmanager
def _opened(folder: Path, name: str, most: int) -> Iterator[BinaryIO]:
    path = folder / name
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise BundleError(
            f"The file {name} of the model in {folder} leads out of its folder; copy the file "
            "itself there."
        )
    try:
        with open_plain(path, follows_links=True) as file:
            if os.fstat(file.fileno()).st_size > most:
                raise BundleError(
                    f"The file {name} of the model in {folder} is larger than {most:,} bytes, as "
                    "none of a model is; copy or export the model again."
                )
            yield file
    except FileNotFoundError as error:
        raise BundleError(
            f"The model in {folder} is incomplete ({name} is missing); copy or export it again."
        ) from error
    except NotPlainError as error:
        raise BundleError(
            f"The file {name} of the model in {folder} is not a regular file; copy or export the "
            "model again."
        ) from error
    except OSError as error:
        raise BundleError(
            f"The model in {folder} cannot be read ({name}: {error.strerror or error}); check its "
            "permissions, or copy or export it again."
        ) from error
