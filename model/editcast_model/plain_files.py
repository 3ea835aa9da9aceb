"""Files of a folder that may be anybody's: plain ones of the folder itself, of a bounded size.

A name that leads out of the folder, a pipe, a device or a file without end would otherwise be read
for ever, or shown to somebody who may not see it.
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

#: Bytes of the largest file, and of the largest that is read as a whole.
MOST_BYTES, MOST_JSON = 1 << 30, 1 << 24
_CHUNK = 1 << 20


def is_plain_name(name: str) -> bool:
    """Tell whether a name can be that of a file within a folder, on every system."""
    parts = PurePosixPath(name).parts
    return (
        "/".join(parts) == name != ""
        and not {"..", "/"} & set(parts)
        and name.isprintable()
        and not set('\\:*?"<>|') & set(name)
    )


def digest_of(folder: Path, name: str, most: int = MOST_BYTES) -> str:
    """Return the SHA-256 of a file of a folder, hexadecimal.

    Raises:
        BundleError: It is no plain file of the folder, is too large, or cannot be read.
    """
    digest = hashlib.sha256()
    with _opened(folder, name, most) as file:
        left = most
        while left > 0 and (chunk := file.read(min(_CHUNK, left))):
            digest.update(chunk)
            left -= len(chunk)
    return digest.hexdigest()


def read_json(folder: Path, name: str, most: int = MOST_JSON) -> Any:
    """Return the value in a JSON file of a folder.

    Raises:
        BundleError: It is no plain file of the folder, is too large, or no JSON.
    """
    try:
        with _opened(folder, name, most) as file:
            return json.loads(file.read(most).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise BundleError(
            f"The model in {folder} is damaged ({name}: {error}); copy or export it again."
        ) from error


@contextmanager
def _opened(folder: Path, name: str, most: int) -> Iterator[BinaryIO]:
    path = folder / name
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise BundleError(
            f"The file {name} of the model in {folder} leads out of its folder; copy the file "
            "itself there."
        )
    try:
        # A pipe that nobody writes to would be waited for.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, flags), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise BundleError(
                    f"The file {name} of the model in {folder} is no plain file; copy or export "
                    "the model again."
                )
            if found.st_size > most:
                raise BundleError(
                    f"The file {name} of the model in {folder} is larger than {most:,} bytes, as "
                    "none of a model is; copy or export the model again."
                )
            yield file
    except FileNotFoundError as error:
        raise BundleError(
            f"The model in {folder} is incomplete ({name} is missing); copy or export it again."
        ) from error
    except OSError as error:
        raise BundleError(
            f"The model in {folder} cannot be read ({name}: {error.strerror or error}); check its "
            "permissions, or copy or export it again."
        ) from error
