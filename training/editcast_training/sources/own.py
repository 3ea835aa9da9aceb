"""The user's own history: the store, Local History, and repositories of the workspace."""

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

import pygit2

from editcast_store.paths import store_path
from editcast_training.sources.local_history import local_history_folders
from editcast_training.sources.registry import Origin


def own_history(workspaces: Sequence[Path]) -> list[Origin]:
    """Return what there is of it on this machine."""
    origins: list[Origin] = []
    if store_path().exists():
        origins.append(Origin("store", "store", store_path()))
    for number, place in enumerate(local_history_folders(), 1):
        origins.append(Origin(f"local-history-{number}", "local-history", place))
    taken = {origin.name for origin in origins}
    for path in dict.fromkeys(filter(None, map(_repository, workspaces))):
        name = next(one for one in _names(path.name) if one not in taken)
        taken.add(name)
        origins.append(Origin(name, "git", path))
    return origins


def _names(name: str) -> Iterator[str]:
    """A name, and others where it is taken."""
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def _repository(folder: Path) -> Path | None:
    found = pygit2.discover_repository(str(folder))
    if found is None:
        return None
    repository = pygit2.Repository(found)
    return Path(repository.workdir or repository.path)
