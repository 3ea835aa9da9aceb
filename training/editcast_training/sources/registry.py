"""Sources of a corpus, as the user names them, and the reader of each kind."""

import tomllib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path
from typing import Literal

from editcast_model.errors import CorpusError, SourceError
from editcast_store.paths import store_path
from editcast_store.saves import Store
from editcast_training.sources.file_history import (
    MADE_KINDS,
    FileHistory,
    MadeKind,
    OwnKind,
    Skipped,
)
from editcast_training.sources.generated import read_generated
from editcast_training.sources.git import PYTHON, read_git
from editcast_training.sources.local_history import local_history_folders, read_local_history
from editcast_training.sources.repositories import repository_around
from editcast_training.sources.saves import read_saves, read_store
from editcast_training.sources.storage import copied_repository, git_directory, packed_size

#: The splits of a list of repositories.
SPLITS = ("train", "dev", "test")


@dataclass(frozen=True, slots=True)
class Origin:
    """One source of histories.

    Attributes:
        name: Names its shards, and for a repository the project.
        kind: How it is read. Of a repository these are its commits (git), refactorings of its
            files, and pieces taken out of them and put back (restored).
        path: Of its file or folder.
        split: Where all of it goes; None splits each file by time.
        languages: What is read of a repository; None means every language known.
        url: Of a git directory in storage, which is copied while it is read; empty for none.
    """

    name: str
    kind: Literal["git", "saves", "local-history", "store"] | MadeKind
    path: Path
    split: str | None = None
    languages: frozenset[str] | None = None
    url: str = ""

    @property
    def size(self) -> int:
        """Return what git keeps packed of a repository, bytes."""
        return packed_size(self.url) if self.url else size_of(self.path)


@contextmanager
def reachable(origin: Origin) -> Iterator[Origin]:
    """Yield an origin with a path: of a copy, where it is in storage.

    Raises:
        SourceError: The storage cannot be read.
    """
    if not origin.url:
        yield origin
        return
    with copied_repository(origin.url) as path:
        try:
            yield replace(origin, path=path, url="")
        except SourceError as error:  # the user knows nothing of the copy
            raise SourceError(str(error).replace(str(path), origin.url)) from error


def trained_on(origins: Iterable[Origin]) -> list[Origin]:
    """Return the origins that are trained on, in whole or in their older part.

    What is made of the files of a repository comes from one that is listed anyway.
    """
    return [
        origin
        for origin in origins
        if origin.split in (None, "train") and origin.kind not in MADE_KINDS
    ]


def held_out(origins: Iterable[Origin]) -> list[Origin]:
    """Return the origins of which training holds back something: all, or their newest part."""
    return [origin for origin in origins if (origin.split or "dev").endswith("dev")]


def read_origin(origin: Origin, skipped: Skipped) -> Iterator[FileHistory]:
    """Yield the histories of a source and count what it skips.

    Raises:
        SourceError: It cannot be read.
    """
    with reachable(origin) as here:
        yield from _read(here, skipped)


def _read(origin: Origin, skipped: Skipped) -> Iterator[FileHistory]:
    match origin.kind:
        case "git":
            yield from read_git(
                origin.path, project=origin.name, skipped=skipped, languages=origin.languages
            )
        case "refactorings" | "restored" as kind:
            yield from read_generated(
                origin.path,
                kind,
                project=project_and_kind(origin.name)[0],
                skipped=skipped,
                languages=origin.languages,
            )
        case "saves":
            yield from read_saves(origin.path, skipped=skipped)
        case "local-history":
            yield from read_local_history(origin.path, skipped=skipped)
        case "store":
            with Store.open(origin.path) as store:
                yield from read_store(store, skipped=skipped)


def listed_repositories(listing: Path, mirror: Path | str) -> tuple[list[Origin], list[str]]:
    """Read a TOML file with the lists train, dev and test; return what is there and what not.

    Each stands in `mirror` as ``owner+name`` or ``owner+name/repo``, a work tree or a bare
    repository. The mirror may be the address of a folder in storage. The list `languages` says
    what is read of them; without it, that is Python. The smallest come first.

    Raises:
        CorpusError: The file cannot be read, or a repository is in two lists.
        SourceError: The storage cannot be read.
    """
    try:
        data = listing.read_bytes()
    except OSError as error:
        raise CorpusError(
            f"The list of repositories {listing} cannot be read ({error}); check the path."
        ) from error
    try:
        lists = tomllib.loads(data.decode())
        names = [(split, name) for split in SPLITS for name in _names(lists.get(split, []))]
        languages = frozenset(_names(lists.get("languages", [*PYTHON])))
    except (ValueError, TypeError) as error:
        raise CorpusError(
            f"{listing} is not a TOML file with the lists train, dev and test: {error}."
        ) from error
    if len({name for _, name in names}) < len(names):
        raise CorpusError(f"A repository of {listing} is in two places; keep one of them.")
    found: list[Origin] = []
    missing: list[str] = []
    for split, name in names:
        path, url = Path(), ""
        if isinstance(mirror, str):
            url = git_directory(mirror, name) or ""
        else:
            folder = mirror / name.replace("/", "+")
            path = folder / "repo" if (folder / "repo").is_dir() else folder
        if url or (isinstance(mirror, Path) and path.is_dir()):
            found.append(Origin(name, "git", path, split, languages, url))
        else:
            missing.append(name)
    return sorted(found, key=lambda origin: origin.size), missing


def size_of(folder: Path) -> int:
    """Measure what git keeps packed of a repository, bytes."""
    packs = [*folder.glob("objects/pack/*.pack"), *folder.glob(".git/objects/pack/*.pack")]
    return sum(path.lstat().st_size for path in packs)


def generated_from(repositories: Iterable[Origin]) -> list[Origin]:
    """List the sources made of the files of repositories that are trained on."""
    return [
        replace(origin, name=f"{origin.name}#{kind}", kind=kind)
        for origin in repositories
        if origin.kind == "git" and origin.split == "train"
        for kind in MADE_KINDS
    ]


def store_origin() -> Origin:
    """Name the store; it need not be there."""
    return Origin("store", "store", store_path())


def local_history_origins() -> list[Origin]:
    """Name the Local History folders of this machine."""
    folders = enumerate(local_history_folders(), 1)
    return [Origin(f"local-history-{number}", "local-history", path) for number, path in folders]


def own_history(workspaces: Sequence[Path], without: Collection[OwnKind] = ()) -> list[Origin]:
    """List the sources of it on this machine, but for the kinds that are to be left out."""
    origins = [store_origin()] if store_path().exists() else []
    origins += local_history_origins()
    taken = {origin.name for origin in origins}
    for path in dict.fromkeys(filter(None, map(repository_around, workspaces))):
        names = (f"{path.name}-{number}" for number in count(2))
        name = next(one for one in chain([path.name], names) if one not in taken)
        taken.add(name)
        origins.append(Origin(name, "git", path))
    return [origin for origin in origins if origin.kind not in without]


def project_and_kind(name: str) -> tuple[str, str]:
    """Split a source's name into a project, and `history` or what is made of its files."""
    project, _, kind = name.partition("#")
    return project, kind or "history"


def _names(value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise TypeError(f"{value!r} is not a list of names")
    return value
