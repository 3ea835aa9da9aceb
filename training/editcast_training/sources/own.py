"""The user's own history: the store, Local History, and repositories of the workspace."""

from collections.abc import Collection, Sequence
from itertools import chain, count
from pathlib import Path

import pygit2

from editcast_store.paths import store_path
from editcast_training.sources.file_history import OwnKind
from editcast_training.sources.local_history import local_history_folders
from editcast_training.sources.registry import Origin


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
    for path in dict.fromkeys(filter(None, map(_repository, workspaces))):
        names = (f"{path.name}-{number}" for number in count(2))
        name = next(one for one in chain([path.name], names) if one not in taken)
        taken.add(name)
        origins.append(Origin(name, "git", path))
    return [origin for origin in origins if origin.kind not in without]


def _repository(folder: Path) -> Path | None:
    found = pygit2.discover_repository(str(folder))
    if found is None:
        return None
    repository = pygit2.Repository(found)
    return Path(repository.workdir or repository.path)
