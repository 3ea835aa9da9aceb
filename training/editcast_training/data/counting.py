"""Counts of one's own history, made with what the server brings: before torch is downloaded."""

import os
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from editcast_model.tokenizer import Tokenizer
from editcast_store.paths import store_path
from editcast_store.saves import Store, project_of
from editcast_training.data.instances import MAX_STATE, Cutter
from editcast_training.sources.file_history import FileHistory, OwnKind, Skipped, split_by_time
from editcast_training.sources.local_history import local_history_folders, read_local_history
from editcast_training.sources.saves import read_store

#: The number of commits after which counting stops, since they are enough.
_COMMITS = 1000
#: Git without the repository's own settings, so that it starts no program and fetches nothing.
_GIT = (
    "git",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false"),
)
_ENVIRONMENT = {"GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}


@dataclass(frozen=True, slots=True)
class SourceCount:
    """The size of one source of one's own history.

    Attributes:
        saves: Saves that changed something; 0 of a repository.
        files: How many files they are of; of a repository, how many its newest commits change.
        edits: Token edits in them, of those that can be learned from; 0 of a repository.
        instances: Instances to train on, the newest tenth left out; of a repository about as many
            as its newest commits change files, one for each time.
        commits: Of a repository, merges left out; None where git does not say.
    """

    kind: OwnKind
    name: str
    saves: int = 0
    files: int = 0
    edits: int = 0
    instances: int = 0
    commits: int | None = None


def count_own_history(workspaces: Sequence[Path], tokenizer: Tokenizer) -> Iterator[SourceCount]:
    """Count the sources that `registry.own_history` names.

    Raises:
        SourceError: A Local History folder cannot be read.
        StoreError: The store cannot be read.
    """
    skipped = Skipped()
    if store_path().exists():
        with Store.open(store_path()) as store:
            histories = read_store(store, skipped=skipped)
            yield _count("store", "Saves recorded by Editcast", histories, tokenizer)
    for folder in local_history_folders():
        histories = read_local_history(folder, skipped=skipped)
        name = f"Local History of {folder.parent.parent.name}"
        yield _count("local-history", name, histories, tokenizer)
    repositories = {Path(project_of(folder / "file")) for folder in workspaces}
    for repository in sorted(one for one in repositories if (one / ".git").exists()):
        name = f"Commits of {repository.name}"
        commits = _git(repository, "rev-list", "--count", "--no-merges", "HEAD")
        listing = ("log", f"-{_COMMITS}", "--no-merges", "--format=", "--name-only", "HEAD")
        changes = _git(repository, *listing)
        if commits is None or changes is None:
            yield SourceCount("git", name)
        else:
            changed = changes.splitlines()
            counts = {"files": len(set(changed)), "instances": len(changed)}
            yield SourceCount("git", name, **counts, commits=int(commits))


def _count(
    kind: OwnKind, name: str, histories: Iterable[FileHistory], tokenizer: Tokenizer
) -> SourceCount:
    cutter = Cutter(tokenizer, max_state=MAX_STATE, seed=0, skipped=Skipped())
    files, counts = set(), Counter[str]()
    for history in histories:
        files.add(history.path)
        counts["saves"] += len(history.snapshots) - 1
        for split, part in split_by_time(history, None):
            for instance in cutter.instances(part):
                counts["edits"] += len(instance.positions)
                counts["instances"] += split == "train"
    return SourceCount(kind, name, files=len(files), **counts)


def _git(repository: Path, *arguments: str) -> str | None:
    """Return what git prints; None where there is no git, or nothing to be said by it."""
    command = [*_GIT, "-C", str(repository), *arguments]
    try:
        ended = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=60,
            env=os.environ | _ENVIRONMENT,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ended.stdout if ended.returncode == 0 else None
