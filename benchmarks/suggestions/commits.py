"""Replays of commits from file to file: one change of a commit, and the files that may follow it.

Every function reads a bare repository. Commits whose texts a partial clone lacks are left out.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TypeVar

import pygit2
from pygit2.enums import DeltaStatus, DiffFind, FileMode

from editcast_model.consequences.consequences import FileEvent
from editcast_model.consequences.lists.folder_files import folder_file
from editcast_model.consequences.other_files.module_changes import ModuleChange, ModuleHistory
from editcast_model.consequences.replaced.paths import RenamedFile
from editcast_model.syntax.languages import language_of
from editcast_model.syntax.names import has_rules

#: The path of a text, and the text before and after a commit.
Changed = tuple[str, str, str]
Found = TypeVar("Found")
_LONGEST = 100_000  # characters of a text
_COMMITS = 2000  # with files that come or go: of a repository, the newest
_MOST_MOVED = 20  # files of a commit; more were moved or written by a program
_EVENTS = (DeltaStatus.ADDED, DeltaStatus.RENAMED, DeltaStatus.DELETED)
_ONE_OF = 8
_MOST_CHANGED = 30  # files of a commit; more were moved or reformatted
_MOST_FILES = 5_000  # of a project


def file_events(path: Path) -> Iterator[tuple[str, FileEvent, list[Changed]]]:
    """Yield the path of each file, what happened to it, and the texts that changed with it."""
    repository = pygit2.Repository(path)
    commits = islice(repository.walk(repository.head.target), _COMMITS)
    return _of_each(commits, partial(_events_of, repository))


def followers(path: Path, suffix: str = "") -> Iterator[tuple[ModuleChange, list[Changed]]]:
    """Yield what others have to follow, with all texts of the project that have a word of it.

    Every eighth commit counts. A text that the commit leaves alone is the same before and after.

    Args:
        path: A repository.
        suffix: The end of the names of the changed files.
    """
    repository = pygit2.Repository(path)
    walked = repository.walk(repository.head.target)
    commits = (commit for commit in walked if commit.commit_time % _ONE_OF == 0)
    return _of_each(commits, partial(_followers_of, repository, suffix))


def _of_each(
    commits: Iterable[pygit2.Commit], found: Callable[[pygit2.Commit], Iterator[Found]]
) -> Iterator[Found]:
    """Yield what is found in each commit with one parent."""
    for commit in commits:
        if len(commit.parent_ids) == 1:
            with suppress(pygit2.GitError, KeyError):
                yield from found(commit)


def _events_of(
    repository: pygit2.Repository, commit: pygit2.Commit
) -> Iterator[tuple[str, FileEvent, list[Changed]]]:
    diff = commit.parents[0].tree.diff_to_tree(commit.tree)
    diff.find_similar(DiffFind.FIND_RENAMES)
    deltas = list(diff.deltas)
    if len(deltas) > _MOST_MOVED or not any(one.status in _EVENTS for one in deltas):
        return
    changed = _modified(repository, deltas)
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


def _followers_of(
    repository: pygit2.Repository, suffix: str, commit: pygit2.Commit
) -> Iterator[tuple[ModuleChange, list[Changed]]]:
    tree = commit.parents[0].tree
    deltas = list(tree.diff_to_tree(commit.tree).deltas)
    changed = [one for one in _modified(repository, deltas) if has_rules(language_of("", one[0]))]
    if len(changed) > _MOST_CHANGED:
        return
    before = {name: text for name, text, _ in changed}
    after = {name: text for name, _, text in changed}
    changes = [_change(*one) for one in changed if one[0].endswith(suffix)]
    left = {delta.old_file.path for delta in deltas} - before.keys()
    if any(changes):
        for name, blob in _files(tree):
            text = before.get(name) or (_text_of(repository, blob) if name not in left else None)
            if text is not None:
                before[name] = text
    for change in filter(None, changes):
        words = re.compile("|".join(map(re.escape, change.words)))
        yield (
            change,
            [
                (name, text, after.get(name, text))
                for name, text in before.items()
                if name != change.file and words.search(text)
            ],
        )


def _modified(repository: pygit2.Repository, deltas: Iterable[pygit2.DiffDelta]) -> list[Changed]:
    return [
        (one.new_file.path, before, after)
        for one in deltas
        if one.status is DeltaStatus.MODIFIED
        and (before := _text_of(repository, one.old_file.id)) is not None
        and (after := _text_of(repository, one.new_file.id)) is not None
    ]


def _change(name: str, before: str, after: str) -> ModuleChange | None:
    module = ModuleHistory(name, "")
    module.save(before, after)
    return module.change()


def _files(tree: pygit2.Tree) -> Iterator[tuple[str, pygit2.Oid]]:
    """Yield the path and the content of each file of a project in a language with rules."""
    found, folders = 0, [("", tree)]
    while folders and found < _MOST_FILES:
        inside, folder = folders.pop()
        for one in folder:
            name = f"{inside}{one.name}"
            if isinstance(one, pygit2.Tree):
                folders.append((f"{name}/", one))
            elif isinstance(one, pygit2.Blob) and has_rules(language_of("", name)):
                found += 1
                yield name, one.id


def _text_of(repository: pygit2.Repository, content: pygit2.Oid) -> str | None:
    """Return the text of a file; None for what is long, or no text."""
    found = repository.get(content)
    if not isinstance(found, pygit2.Blob) or found.size > _LONGEST:
        return None
    try:
        return found.data.decode()
    except UnicodeDecodeError:
        return None
