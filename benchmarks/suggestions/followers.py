"""Files that may have to follow what a commit changes in another file."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pygit2
from file_events import Changed, text_of
from pygit2.enums import DeltaStatus

from editcast_model.consequences.other_files.module_changes import ModuleChange, ModuleHistory
from editcast_model.syntax.languages import language_of
from editcast_model.syntax.names import has_rules

_ONE_OF = 8
_MOST_CHANGED = 30  # files of a commit; more were moved or reformatted
_MOST_FILES = 5_000  # of a project

#: Texts by their paths.
Texts = dict[str, str]


def followers(path: Path, suffix: str = "") -> Iterator[tuple[ModuleChange, list[Changed]]]:
    """Yield what others have to follow, with all texts of the project that have a word of it.

    A text that the commit leaves alone is the same before and after.

    Args:
        path: A bare repository, of which every eighth commit counts. Commits whose texts a partial
            clone lacks are left out.
        suffix: The end of the names of the changed files.
    """
    repository = pygit2.Repository(path)
    for commit in repository.walk(repository.head.target):
        if len(commit.parent_ids) == 1 and commit.commit_time % _ONE_OF == 0:
            with suppress(pygit2.GitError, KeyError):
                yield from _of_commit(repository, commit, suffix)


def _of_commit(
    repository: pygit2.Repository, commit: pygit2.Commit, suffix: str
) -> Iterator[tuple[ModuleChange, list[Changed]]]:
    tree = commit.parents[0].tree
    before, after = Texts(), Texts()
    deltas = list(tree.diff_to_tree(commit.tree).deltas)
    for delta in deltas:
        name = delta.old_file.path
        texts = text_of(repository, delta.old_file.id), text_of(repository, delta.new_file.id)
        if delta.status is DeltaStatus.MODIFIED and has_rules(language_of("", name)):
            if texts[0] is not None and texts[1] is not None:
                before[name], after[name] = texts
    if len(before) > _MOST_CHANGED:
        return
    changes = [_change(name, before[name], after[name]) for name in before if name.endswith(suffix)]
    left = {delta.old_file.path for delta in deltas} - before.keys()
    if any(changes):
        for name, blob in _files(tree):
            text = before.get(name) or (text_of(repository, blob) if name not in left else None)
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
