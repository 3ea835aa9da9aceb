"""A git repository's commits as file histories.

The walk goes from HEAD back along first parents, so a merged branch is one change, made when it
was merged. It compares trees only; per file it notes (blob, time), and texts are read when a
file's history is yielded, so memory hardly grows with the repository.
"""

from array import array
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pygit2
from pygit2.enums import DeltaStatus, DiffFind, FileMode

from editcast_model.errors import SourceError
from editcast_store.paths import unicode_path
from editcast_training import memory_limit
from editcast_training.sources.file_history import (
    MOST_TIME,
    FileHistory,
    Skipped,
    Snapshot,
    decode,
    is_generated,
    language_of,
    pieces,
    reason_to_skip,
)
from editcast_training.sources.repositories import open_repository

PYTHON = frozenset({"python"})

# What libgit2 raises for an object that is not there, or is there and cannot be read.
_UNREADABLE = (KeyError, ValueError, OSError, pygit2.GitError)


@dataclass(slots=True)
class _Track:
    """The versions of one file, newest first, found while walking back."""

    path: str  # its newest name
    older: pygit2.Oid | None = None  # the version that the oldest known change replaced
    _ids: bytearray = field(default_factory=bytearray)  # 28 bytes a version, as objects 200
    _times: "array[int]" = field(default_factory=lambda: array("q"))  # milliseconds

    def add(self, blob: pygit2.Oid, time: int) -> None:
        # A commit dated after its child (a wrong clock) must not break the time order.
        newer = self._times[-1] if self._times else time
        self._ids += blob.raw
        self._times.append(min(time, newer))

    @property
    def newest(self) -> pygit2.Oid:
        return pygit2.Oid(bytes(self._ids[: len(self._ids) // len(self._times)]))

    def oldest_first(self) -> Iterator[tuple[pygit2.Oid, int]]:
        size = len(self._ids) // len(self._times)
        for number in reversed(range(len(self._times))):
            yield (
                pygit2.Oid(bytes(self._ids[size * number : size * (number + 1)])),
                self._times[number],
            )


def read_git(
    path: Path,
    *,
    project: str,
    skipped: Skipped,
    languages: Collection[str] | None = PYTHON,
) -> Iterator[FileHistory]:
    """Yield the history of every file that the default branch has ever changed.

    Args:
        path: a work tree's top folder, or a bare or `.git` directory; shallow ones do as well.
        project: the name that the histories carry.
        skipped: counts what was left out, by reason.
        languages: language identifiers to read; None means all that the table knows.

    Raises:
        SourceError: there is no repository, it is not to be opened, or it has no commit.
    """
    repository = open_repository(path)
    for track in _tracks(repository, path, skipped, _Filter(languages, skipped)):
        newest = _text(repository, track.newest, Skipped())
        if newest is not None and is_generated(newest):
            skipped["file: generated"] += 1
            continue
        name = unicode_path(track.path)
        for snapshots in pieces(_texts(repository, track, skipped), skipped):
            yield FileHistory(project, name, _language(name), "commits", snapshots)


def read_files(
    path: Path, *, skipped: Skipped, languages: Collection[str] | None = PYTHON
) -> Iterator[tuple[str, str, str]]:
    """Yield the path, language and text of every file on the default branch now; see `read_git`."""
    repository = open_repository(path)
    wanted = _Filter(languages, skipped)
    try:
        for name, text in _files(repository, _head(repository, path), wanted, skipped):
            if is_generated(text):
                skipped["file: generated"] += 1
            else:
                yield name, _language(name), text
    except _UNREADABLE as error:
        raise SourceError(
            f"The newest commit of the repository {path} cannot be read ({error}); repair it "
            "(git fsck says what is damaged), or name another clone."
        ) from error


def newest_commit(path: Path) -> str:
    """Return the id of the commit whose files `read_files` yields."""
    return str(_head(open_repository(path), path).id)


class CommitTrees:
    """The files of one repository as they stood before and after its commits; see `read_git`."""

    def __init__(self, path: Path, languages: Collection[str] | None = PYTHON) -> None:
        self._repository = open_repository(path)
        self._wanted = _Filter(languages, Skipped())
        self._commits: dict[int, pygit2.Oid] = {}  # by their times, in seconds
        commit: pygit2.Commit | None = _head(self._repository, path)
        while commit is not None and commit.parent_ids:
            self._commits.setdefault(commit.commit_time, commit.id)
            commit = _commit(self._repository, commit.parent_ids[0])

    def files(self, time: int) -> Iterator[tuple[str, str]]:
        """Yield the paths and texts before the commit of a time (milliseconds)."""
        _, parent = self._at(time)
        if parent is not None:
            yield from _files(self._repository, parent, self._wanted, Skipped())

    def changed(self, time: int) -> Iterator[tuple[str, str]]:
        """Yield the paths that the commit of a time changed, and their texts after it.

        The text of a file that is gone is empty.
        """
        commit, parent = self._at(time)
        if commit is None or parent is None:
            return
        for delta in parent.tree.diff_to_tree(commit.tree).deltas:
            new = delta.new_file
            is_gone = delta.status == DeltaStatus.DELETED
            if self._wanted[new.path] and (is_gone or _is_file(new.mode)):
                text = "" if is_gone else _text(self._repository, new.id, Skipped())
                if text is not None:
                    yield unicode_path(new.path), text

    def _at(self, time: int) -> tuple[pygit2.Commit | None, pygit2.Commit | None]:
        """Return the commit of a time, and its first parent."""
        found = self._commits.get(time // 1000)
        commit = None if found is None else _commit(self._repository, found)
        return commit, None if commit is None else _commit(self._repository, commit.parent_ids[0])


def _language(name: str) -> str:
    language = language_of(name)
    assert language is not None  # the filter let it pass
    return language


class _Filter(dict[str, bool]):
    """Says for each path whether its history is wanted; decides once, and counts it when not."""

    def __init__(self, languages: Collection[str] | None, skipped: Skipped) -> None:
        self._languages = languages
        self._skipped = skipped

    def __missing__(self, path: str) -> bool:
        language = language_of(path)
        is_wanted = language is not None and (
            self._languages is None or language in self._languages
        )
        reason = reason_to_skip(path) if is_wanted else "file: another language"
        if reason is not None:
            self._skipped[reason] += 1
        self[path] = reason is None
        return self[path]


def _tracks(
    repository: pygit2.Repository, path: Path, skipped: Skipped, wanted: _Filter
) -> Iterator[_Track]:
    """Yield every wanted file with its versions, once the walk is past its first one."""
    open_tracks: dict[str, _Track] = {}  # by the name at the commit that the walk is at
    commit = _head(repository, path)
    while True:
        memory_limit.check()
        time = max(-MOST_TIME, min(commit.commit_time * 1000, MOST_TIME))
        parent = None
        try:
            if commit.parent_ids:
                parent = _commit(repository, commit.parent_ids[0])
                if parent is None:
                    skipped["commit: parent not in the repository"] += 1
            elif repository.is_shallow:  # libgit2 hides the parents that were not cloned
                skipped["commit: the clone is shallow and ends here"] += 1
            diff = _diff(parent, commit, wanted, skipped)
        except _UNREADABLE:
            skipped["commit: unreadable, the walk ends there"] += 1
            break
        yield from _step(open_tracks, diff, time, wanted)
        if parent is None:
            break
        commit = parent
    for track in open_tracks.values():  # the walk broke off: what was there before it did
        if track.older is not None:
            track.add(track.older, time)
        yield track


def _head(repository: pygit2.Repository, path: Path) -> pygit2.Commit:
    try:
        return repository.head.peel(pygit2.Commit)
    except _UNREADABLE as error:
        raise SourceError(
            f"The repository {path} has no commit on its HEAD ({error}); commit something first, "
            "or set HEAD to a branch that has commits."
        ) from error


def _commit(repository: pygit2.Repository, oid: pygit2.Oid) -> pygit2.Commit | None:
    found = repository.get(oid)
    return found if isinstance(found, pygit2.Commit) else None


def _diff(
    parent: pygit2.Commit | None, commit: pygit2.Commit, wanted: _Filter, skipped: Skipped
) -> pygit2.Diff:
    """Return the changes that a commit made to its first parent, renames found."""
    if parent is None:
        return commit.tree.diff_to_tree(swap=True)
    diff = parent.tree.diff_to_tree(commit.tree)
    statuses = {
        delta.status
        for delta in diff.deltas
        if delta.status in (DeltaStatus.ADDED, DeltaStatus.DELETED) and wanted[delta.new_file.path]
    }
    if len(statuses) == 2:  # finding renames reads texts, so only where there can be one
        try:
            diff.find_similar(DiffFind.FIND_RENAMES)
        except _UNREADABLE:  # one text is missing; a plain rename shows without reading any
            skipped["commit: only exact renames found"] += 1
            diff = parent.tree.diff_to_tree(commit.tree)
            diff.find_similar(DiffFind.FIND_RENAMES | DiffFind.FIND_EXACT_MATCH_ONLY)
    return diff


def _files(
    repository: pygit2.Repository, commit: pygit2.Commit, wanted: _Filter, skipped: Skipped
) -> Iterator[tuple[str, str]]:
    """Yield the paths and texts of the wanted files of a commit, empty ones left out."""
    for delta in _diff(None, commit, wanted, skipped).deltas:
        name = delta.new_file.path
        if _is_file(delta.new_file.mode) and wanted[name]:
            text = _text(repository, delta.new_file.id, skipped)
            if text:
                yield unicode_path(name), text


def _step(
    open_tracks: dict[str, _Track], diff: pygit2.Diff, time: int, wanted: _Filter
) -> Iterator[_Track]:
    """Take one commit's changes into the tracks; yield the files that it added."""
    for delta in diff.deltas:
        old, new, status = delta.old_file, delta.new_file, delta.status
        if status == DeltaStatus.DELETED or not _is_file(new.mode) or not wanted[new.path]:
            continue
        track = open_tracks.pop(new.path, None) or _Track(new.path)
        track.add(new.id, time)
        if status == DeltaStatus.ADDED or not _is_file(old.mode) or not wanted[old.path]:
            yield track
            continue
        track.older = old.id
        open_tracks[old.path] = track


def _is_file(mode: FileMode) -> bool:
    """Tell whether an entry is neither a symbolic link nor a submodule."""
    return mode in (FileMode.BLOB, FileMode.BLOB_EXECUTABLE)


def _texts(repository: pygit2.Repository, track: _Track, skipped: Skipped) -> Iterator[Snapshot]:
    """Read a file's versions, oldest first."""
    last: pygit2.Oid | None = None
    for blob, time in track.oldest_first():
        memory_limit.check()
        if blob == last:  # a change of mode, or of name only
            continue
        last = blob
        text = _text(repository, blob, skipped)
        if text is not None:
            yield Snapshot(text, time)


def _text(repository: pygit2.Repository, blob: pygit2.Oid, skipped: Skipped) -> str | None:
    try:
        found = repository[blob]
    except _UNREADABLE:
        skipped["snapshot: unreadable object"] += 1
        return None
    return decode(found.data, skipped) if isinstance(found, pygit2.Blob) else None
