"""The other files of a session's project, as the project memory comes to know them.

Of a commit these are the files before it. Those that its last predecessors changed were saved
lately, and so were the files of the commit itself that come before the session's by their paths, as
the commit left them. Of recorded saves these are the project's other recorded files.
"""

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

from editcast_model.errors import SourceError
from editcast_model.memory.project_memory import ProjectMemory
from editcast_training.evaluation.sessions import EditingSession
from editcast_training.sources.file_history import FileHistory, Skipped
from editcast_training.sources.git import CommitTrees
from editcast_training.sources.registry import Origin, read_origin

#: Commits before, whose files count as saved lately.
_COMMITS = 5


class KnownFile(NamedTuple):
    """The text of a file of the project.

    Attributes:
        saves: How many saves of the session come before it.
        path: Its path.
        text: The text.
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
    """Return what reads the files of the projects of some sources."""
    given = list(origins)
    repositories = {one.name: one for one in given if one.kind == "git"}
    recorded = [one for one in given if one.kind != "git"]

    @cache
    def trees(name: str) -> CommitTrees:
        return CommitTrees(repositories[name].path, repositories[name].languages)

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

    return files


class Project:
    """The project of a session while it is replayed.

    Attributes:
        memory: What its other files say.
    """

    def __init__(self, session: EditingSession, files: Iterable[KnownFile]) -> None:
        self.memory = ProjectMemory()
        others = [one for one in files if one.path != session.path]
        self._waiting = deque(sorted(others, key=lambda one: one.saves))
        self.follow(session.first)

    def follow(self, saves: int) -> None:
        """Take in what was known after so many saves of the session."""
        while self._waiting and self._waiting[0].saves <= saves:
            _, path, text, is_saved = self._waiting.popleft()
            self.memory.put(path, text, None if is_saved else lambda: True)
        self.memory.settle()


def _committed(session: EditingSession, trees: CommitTrees) -> Iterator[KnownFile]:
    """Yield the files before a commit, and those of its own that come before the session's."""
    time = session.times[0]
    before = dict(trees.files(time))
    for path, text in before.items():
        yield KnownFile(0, path, text, is_saved=False)
    for path in reversed(trees.changed_before(time, _COMMITS)):
        if path in before:
            yield KnownFile(0, path, before[path], is_saved=True)
    for path, text in trees.changed(time):
        if path < session.path:
            yield KnownFile(0, path, text, is_saved=True)


def _recorded(session: EditingSession, histories: Iterable[FileHistory]) -> Iterator[KnownFile]:
    """Yield the texts that other recorded files had when the session began, and got meanwhile."""
    begun = session.times[max(session.first - 1, 0)]
    for history in histories:
        known = [one for one in history.snapshots if one.time is not None]
        past = [one for one in known if (one.time or 0) <= begun]
        meanwhile = [one for one in known if begun < (one.time or 0) < session.times[-1]]
        for one in past[-1:] + meanwhile:
            saves = bisect_left(session.times, one.time or 0)
            yield KnownFile(saves, history.path, one.text, is_saved=True)
