"""Files that commits add, rename or delete, with the texts that they change as well."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

import pygit2
from pygit2.enums import DeltaStatus, DiffFind, FileMode

from editcast_model.consequences.consequences import FileEvent
from editcast_model.consequences.lists.folder_files import folder_file
from editcast_model.consequences.replaced.paths import RenamedFile

#: The path of a text, and the text before and after a commit.
Changed = tuple[str, str, str]
_COMMITS = 2000  # of a repository, the newest
_MOST_FILES = 20  # of a commit; more were moved or written by a program
_LONGEST = 100_000
_EVENTS = (DeltaStatus.ADDED, DeltaStatus.RENAMED, DeltaStatus.DELETED)


def file_events(path: Path) -> Iterator[tuple[str, FileEvent, list[Changed]]]:
    """Yield the path of each file, what happened to it, and the texts that changed with it.

    Args:
        path: A bare repository. Commits whose texts a partial clone lacks are left out.
    """
    repository = pygit2.Repository(path)
    for number, commit in enumerate(repository.walk(repository.head.target)):
        if number >= _COMMITS:
            break
        if len(commit.parent_ids) == 1:
            with suppress(pygit2.GitError, KeyError):
                yield from _of_commit(repository, commit)


def _of_commit(
    repository: pygit2.Repository, commit: pygit2.Commit
) -> Iterator[tuple[str, FileEvent, list[Changed]]]:
    diff = commit.parents[0].tree.diff_to_tree(commit.tree)
    diff.find_similar(DiffFind.FIND_RENAMES)
    deltas = list(diff.deltas)
    if len(deltas) > _MOST_FILES or not any(one.status in _EVENTS for one in deltas):
        return
    changed = [
        (one.new_file.path, before, after)
        for one in deltas
        if one.status is DeltaStatus.MODIFIED
        and (before := text_of(repository, one.old_file.id)) is not None
        and (after := text_of(repository, one.new_file.id)) is not None
    ]
    for delta in deltas if changed else ():
        event = _event(commit, delta)
        if event is not None:
            yield delta.new_file.path, event, changed


def _event(commit: pygit2.Commit, delta: pygit2.DiffDelta) -> FileEvent | None:
    """Return what happened to the file of a delta; None if nothing can follow from it."""
    old, new = delta.old_file.path, delta.new_file.path
    if delta.status not in _EVENTS or delta.new_file.mode == FileMode.LINK:
        return None
    if delta.status is DeltaStatus.RENAMED:
        return RenamedFile(old, new)
    beside = list(_beside(commit.parents[0].tree, new))
    return folder_file(new, beside, is_gone=delta.status is DeltaStatus.DELETED)


def _beside(tree: pygit2.Tree, path: str) -> Iterator[str]:
    """Yield the names of the files in the folder of a path."""
    folder = PurePosixPath(path).parent.as_posix()
    try:
        found = tree if folder == "." else tree[folder]
    except KeyError:
        return  # the folder is new
    for one in found if isinstance(found, pygit2.Tree) else ():
        if isinstance(one, pygit2.Blob) and one.name is not None:
            yield one.name


def text_of(repository: pygit2.Repository, content: pygit2.Oid) -> str | None:
    """Return the text of a file; None for what is long, or no text."""
    found = repository.get(content)
    if not isinstance(found, pygit2.Blob) or found.size > _LONGEST:
        return None
    try:
        return found.data.decode()
    except UnicodeDecodeError:
        return None
