"""Repositories on the disk: found around a folder, and opened with care.

A repository may be anybody's: it can be damaged, and lead to other folders.
"""

import re
import zlib
from contextlib import suppress
from pathlib import Path

import pygit2

from editcast_model.errors import SourceError
from editcast_model.plain_files import open_plain
from editcast_store.secrets import is_secret

_PART = 1 << 16  # bytes
_WINDOW, _MAPPED = 1 << 25, 1 << 28  # bytes of a pack that are mapped at once, and of all packs
_CACHED = 1 << 26  # bytes of objects that libgit2 keeps
_MOST_BORROWED = 32  # folders of objects


def repository_around(folder: Path) -> Path | None:
    """Find the repository that a folder is in, whether it can be read or not."""
    found = pygit2.discover_repository(str(folder))
    if found is None:
        return None
    try:
        repository = pygit2.Repository(found)
    except pygit2.GitError:  # as `open_repository` will say
        return Path(found).parent if Path(found).name == ".git" else folder
    return Path(repository.workdir or repository.path)


def open_repository(path: Path) -> pygit2.Repository:
    """Open a repository that may be anybody's.

    Raises:
        SourceError: There is none, git does not trust it, it leads to secrets, or it is damaged.
    """
    # Else the packs are mapped whole, and count as memory of this process.
    pygit2.settings.mwindow_size, pygit2.settings.mwindow_mapped_limit = _WINDOW, _MAPPED
    pygit2.settings.cache_max_size(_CACHED)
    try:
        repository = pygit2.Repository(str(path))
    except pygit2.GitError as error:
        # libgit2 looks at owners as git does, and names the folder that it does not trust.
        distrusted = re.search(r"'(.+)' is not owned by", str(error))
        if distrusted is not None:
            raise SourceError(
                f"{path} belongs to another user, so git does not trust it; if you do, run: "
                f'git config --global --add safe.directory "{distrusted[1]}"'
            ) from error
        raise SourceError(
            f"{path} is not a git repository that can be read ({error}); "
            "name the top folder of a work tree or a bare repository."
        ) from error
    objects = _object_folders(Path(repository.path))
    for place in (path, repository.path, repository.workdir or path, *objects):
        # A `.git` that is a file or a link can lead anywhere, to a store of passwords for example.
        if is_secret(Path(place).absolute() / "any file"):
            raise SourceError(
                f"{path} is a repository in a folder of secrets ({place}); name another one."
            )
    for folder in objects:
        _check_loose_objects(path, folder)
    return repository


def _object_folders(git: Path) -> list[Path]:
    """List the folders of a repository's objects: its own, and those that it borrows from.

    A work tree that `git worktree add` made borrows from its repository.
    """
    waiting = [git / "objects"]
    with suppress(OSError, ValueError):
        waiting = [git / _text_of(git / "commondir").strip() / "objects"]
    found: list[Path] = []
    while waiting and len(found) < _MOST_BORROWED:
        folder = waiting.pop(0).resolve()
        if folder not in found:
            found.append(folder)
            with suppress(OSError, ValueError):
                lines = _text_of(folder / "info/alternates").splitlines()
                waiting += [folder / line for line in lines if not line.startswith("#")]
    return found


def _text_of(path: Path) -> str:
    with open_plain(path, follows_links=True) as file:
        return file.read(_PART).decode("utf-8", "surrogateescape")


def _check_loose_objects(path: Path, objects: Path) -> None:
    """Refuse a repository with an object that is cut off, as a crash leaves it.

    libgit2 (1.9) never ends reading one. Objects in packs are not affected.
    """
    for file in objects.glob("??/*"):
        try:
            unpacked = zlib.decompressobj()
            with open_plain(file, follows_links=True) as stream:
                while not unpacked.eof and (part := stream.read(_PART)):
                    while part and not unpacked.eof:
                        unpacked.decompress(part, _PART)
                        part = unpacked.unconsumed_tail
        except (OSError, zlib.error):
            continue  # libgit2 says so too, once it is read
        # libgit2 counts an empty file as an object that is not there.
        if not unpacked.eof and file.stat().st_size:
            raise SourceError(
                f"The repository {path} has a truncated object ({file}); repair it "
                "(git fsck says what is damaged), or name another clone."
            )
