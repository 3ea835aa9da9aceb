"""Conversion of file errors to sentences, such as for a full disk."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
from safetensors import SafetensorError

from editcast_model.errors import EditcastError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def explained(kind: type[EditcastError]) -> Iterator[None]:
    """Raise `kind` for errors of files and of libraries that write them; also a decorator."""
    try:
        yield
    except (OSError, SafetensorError, pa.ArrowException) as error:
        raise kind(_sentence(error)) from error


def _sentence(error: Exception) -> str:
    name = getattr(error, "filename", None)
    if getattr(error, "errno", None) in _FULL or "No space left" in str(error):
        place = f" for {name}" if name else ""
        return f"The disk has no space left{place}; free some and run the same command again."
    why = getattr(error, "strerror", None) or error
    return (
        f"{name or 'A file'} cannot be read or written ({why}); check its folder and the disk, and "
        "run the same command again."
    )
