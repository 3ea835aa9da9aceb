"""The other files of a session's project, as the project memory comes to know them.

For a commit these are the files before it, and then those files of the commit itself whose paths
come before the session's. For recorded saves these are the last saves of the project's files before
the session, and the saves of other files during it.
"""

import weakref
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import cache
from operator import attrgetter, itemgetter
from typing import NamedTuple

from editcast_model.errors import SourceError
from editcast_model.memory.project_memory import ProjectMemory
from editcast_training.evaluation.sessions import EditingSession
from editcast_training.sources.file_history import FileHistory, Skipped
from editcast_training.sources.git import CommitTrees
from editcast_training.sources.registry import Origin, reachable, read_origin

#: The number of saves of a recorded file before the session that are remembered.
SAVES = 10


class KnownFile(NamedTuple):
    """The text of a file of the project, which may be that of the session.

    Attributes:
        saves: How many saves of the session come before it.
        is_saved: Whether it was saved by then, and not only read from the disk.
    """

    saves: int
    path: str
    text: str
    is_saved: bool


#: Yields the files of a session's project.
FilesOf = Callable[[EditingSession], Iterable[KnownFile]]


def no_files(session: EditingSession) -> Iterable[KnownFile]:
    """Yield nothing: the session's file is all there is."""
    return ()


def files_before(origins: Iterable[Origin]) -> FilesOf:
    """Return a function that reads the files of the projects of some sources."""
    given = list(origins)
    repositories = {one.name: one for one in given if one.kind == "git"}
    recorded = [one for one in given if one.kind != "git"]

    copies = ExitStack()  # of those in storage

    @cache
    def trees(name: str) -> CommitTrees:
        here = copies.enter_context(reachable(repositories[name]))
        return CommitTrees(here.path, here.languages)

    @cache
    def histories() -> dict[str, list[FileHistory]]:
        found: dict[str, list[FileHistory]] = defaultdict(list)
        for origin in recorded:
            for history in read_origin(origin, Skipped()):
                found[history.project].append(history)
        return found

    def files(session: EditingSession) -> Iterator[KnownFile]:
        if not session.times:
            return
        try:
            if session.kind.endswith("saves"):
                yield from _recorded(session, histories().get(session.project, []))
            elif session.project in repositories:
                yield from _committed(session, trees(session.project))
        except SourceError:  # it was read before, and is damaged since
            return

    weakref.finalize(files, copies.close)
    return files


class Project:
    """The project of a session while it is replayed, with the memory of its files."""

    def __init__(self, session: EditingSession, files: Iterable[KnownFile]) -> None:
        self.memory = ProjectMemory()
        self._waiting = deque(sorted(files, key=attrgetter("saves")))
        self.follow(session.first)

    def follow(self, saves: int) -> None:
        """Take in what was known after so many saves of the session."""
        while self._waiting and self._waiting[0].saves <= saves:
            _, path, text, is_saved = self._waiting.popleft()
            self.memory.put(path, text, None if is_saved else lambda: True)
        self.memory.settle()


def _committed(session: EditingSession, trees: CommitTrees) -> list[KnownFile]:
    """List the files before a commit, and those of its own that are changed before the session."""
    time = session.times[0]
    found = [KnownFile(0, *one, is_saved=False) for one in trees.files(time)]
    own = {session.path, *(one.path for one in found if one.text == session.texts[0])}
    found += [
        KnownFile(0, path, text, is_saved=True)
        for path, text in trees.changed(time)
        if path < session.path and path not in own and text != session.texts[-1]
    ]
    # It may have had another name then.
    return [one._replace(path=session.path) if one.path in own else one for one in found]


def _recorded(session: EditingSession, histories: Iterable[FileHistory]) -> list[KnownFile]:
    """List the last saves before the session began, and those of other files meanwhile."""
    begun = session.times[max(session.first - 1, 0)]
    found: list[tuple[int, KnownFile]] = []
    for history in histories:
        known = [(one.time, one.text) for one in history.snapshots if one.time is not None]
        past = [one for one in known if one[0] <= begun][-SAVES:]
        if history.path != session.path:
            past += [one for one in known if begun < one[0] < session.times[-1]]
        for time, text in past:
            saves = bisect_left(session.times, time)
            found.append((time, KnownFile(saves, history.path, text, is_saved=True)))
    return [one for _, one in sorted(found, key=itemgetter(0))]
