"""Repositories and corpora in storage that fsspec reaches: `s3://`, `gs://`, `file://`.

fsspec is imported once somebody names an address with `://`, and with it the user's own package for
that kind of storage, which knows the user's own keys.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, Final

from editcast_model.bundle import checksum_of
from editcast_model.errors import CorpusError, EditcastError, SourceError
from editcast_model.private_files import atomic_write, private_folder

_MARK: Final = "manifest.json"  # of a corpus; written last
#: The parts of a git directory that are copied: no settings, no links to other folders.
_KEPT: Final = ("HEAD", "packed-refs", "shallow", "refs", "objects")
_LEFT_OUT: Final = ("objects/info/alternates", "objects/info/http-alternates")
#: Where the git directory of a repository may be, below its own folder.
_PLACES: Final = ("", ".git", "repo", "repo/.git")


def is_url(named: str) -> bool:
    """Tell whether something is an address of storage, and no path."""
    return "://" in named


def git_directory(mirror: str, name: str) -> str | None:
    """Find the git directory of a repository OWNER/NAME in a mirror; None if there is none.

    Raises:
        SourceError: The storage cannot be read.
    """
    folder = name.replace("/", "+")
    with _reached(mirror, SourceError) as (system, path):
        for place in _PLACES:
            if system.exists(_join(f"{path}/{folder}", place, "HEAD")):
                return _join(mirror, folder, place)
    return None


@cache
def packed_size(url: str) -> int:
    """Measure what git keeps packed of a git directory, bytes.

    Raises:
        SourceError: The storage cannot be read.
    """
    with _reached(url, SourceError) as (system, path):
        found = system.find(_join(path, "objects/pack"), detail=True)
        return sum(int(one["size"] or 0) for name, one in found.items() if name.endswith(".pack"))


@contextmanager
def copied_repository(url: str) -> Iterator[Path]:
    """Yield a copy of a git directory in a private folder, which is removed with the block.

    Raises:
        SourceError: The storage cannot be read.
    """
    # Windows does not remove what git still has open.
    with TemporaryDirectory(prefix="editcast-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with _reached(url, SourceError) as (system, path):
            for file, relative in _files(system, path):
                if relative.parts[0] in _KEPT and relative.as_posix() not in _LEFT_OUT:
                    place = folder / relative
                    place.parent.mkdir(parents=True, exist_ok=True)
                    system.get_file(file, str(place))
            for needed in ("refs", "objects"):  # without them it is no repository
                (folder / needed).mkdir(exist_ok=True)
            if not (folder / "HEAD").exists():
                raise SourceError(f"There is no git repository at {url}; copy it there again.")
        yield folder


def upload(folder: Path, url: str) -> int:
    """Copy a finished corpus into storage, or go on with that; return how many files were sent.

    Each file is read back and compared. The manifest comes last: where it is, all the rest is.

    Raises:
        CorpusError: The storage cannot be written to, or does not keep what was written.
    """
    files = [path for path in folder.rglob("*") if path.suffix in (".parquet", ".json")]
    files.sort(key=lambda path: (path.name == _MARK, path))
    sent = 0
    with _reached(url, CorpusError) as (system, root):
        marked = _join(root, _MARK)
        if system.exists(marked) and _digest(system, marked) != checksum_of(folder / _MARK):
            system.rm_file(marked)  # the corpus there is another one, and no longer whole
        for path in files:
            place, wanted = _join(root, path.relative_to(folder).as_posix()), checksum_of(path)
            if not (system.exists(place) and _digest(system, place) == wanted):
                system.makedirs(place.rpartition("/")[0], exist_ok=True)
                system.put_file(str(path), place)
                sent += 1
                if _digest(system, place) != wanted:
                    raise CorpusError(
                        f"The storage {url} did not store {path.name} correctly; check its free "
                        "space, and run the same command again."
                    )
    return sent


def download(url: str, folder: Path, without: str | None = None) -> None:
    """Copy a corpus out of storage, or go on with that; the shards of one split may stay there.

    Raises:
        CorpusError: The storage cannot be read, or has no finished corpus there.
    """
    with _reached(url, CorpusError) as (system, root):
        if not system.exists(_join(root, _MARK)):
            raise CorpusError(
                f"There is no finished corpus in {url}; make one with: editcast corpus OUT "
                f"--upload {url}"
            )
        for file, relative in _files(system, root):
            place = folder / relative
            if without is not None and relative.parts[0] == without:
                continue
            is_here = place.exists() and place.stat().st_size == system.size(file)
            if not is_here or relative.suffix == ".json":  # small, and may differ in a number only
                private_folder(place.parent)
                with atomic_write(place) as partial:
                    system.get_file(file, str(partial))


@contextmanager
def opened_file(url: str, name: str) -> Iterator[Any]:
    """Open a file of a corpus in storage, by its path below it, to read parts of it.

    Raises:
        CorpusError: The storage cannot be read, or what the block reads of it is damaged.
    """
    with (
        _reached(url, CorpusError) as (system, root),
        system.open(_join(root, name), "rb") as file,
    ):
        yield file


def _files(system: Any, root: str) -> Iterator[tuple[str, PurePosixPath]]:
    """Yield all files below a path, each with its place below it; a name may hide a way out."""
    for file in sorted(system.find(root)):
        relative = PurePosixPath(str(file).removeprefix(root).lstrip("/"))
        parts = relative.parts
        if parts and not any(part == ".." or "\\" in part or ":" in part for part in parts):
            yield file, relative


def _join(*parts: str) -> str:
    return "/".join(part.rstrip("/") for part in parts if part)


def _digest(system: Any, path: str) -> str:
    with system.open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _reached(url: str, kind: type[EditcastError]) -> Iterator[tuple[Any, str]]:
    """Yield the file system of an address, and the path there; what is listed is never old.

    Raise `kind` where the storage cannot be reached, read or written to.
    """
    try:
        from fsspec.core import url_to_fs

        system, path = url_to_fs(url, use_listings_cache=False)
        yield system, str(path).rstrip("/")
    except EditcastError:
        raise
    except ImportError as error:
        raise kind(
            f"{url} needs one more library ({str(error)[:200]}); install it on every node."
        ) from error
    # Each kind of storage has errors of its own, and they have no class in common.
    except Exception as error:
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise kind(
            f"The storage {url} cannot be used ({said}); check the address, your permissions and "
            "its free space, and run the same command again."
        ) from error
