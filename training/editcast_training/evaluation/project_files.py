"""The other files of a session's project, as they stood before it."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache

from editcast_model.errors import SourceError
from editcast_model.memory.project_memory import ProjectMemory
from editcast_training.evaluation.sessions import EditingSession
from editcast_training.sources.git import ParentTrees
from editcast_training.sources.registry import Origin

#: Yields the paths and texts of a session's project.
FilesOf = Callable[[EditingSession], Iterable[tuple[str, str]]]


def files_before(origins: Iterable[Origin]) -> FilesOf:
    """Return what reads the files of the repositories among some sources before a commit.

    Of recorded saves nobody knows the other files.
    """
    repositories = {one.name: one for one in origins if one.kind == "git"}

    @cache
    def trees(name: str) -> ParentTrees:
        return ParentTrees(repositories[name].path, repositories[name].languages)

    def files(session: EditingSession) -> Iterator[tuple[str, str]]:
        if session.project in repositories and session.times:
            try:
                yield from trees(session.project).files(session.times[0])
            except SourceError:  # it was read before, and is damaged since
                return

    return files


def no_files(session: EditingSession) -> Iterable[tuple[str, str]]:
    """Yield nothing: the session's file is all there is."""
    return ()


def memory_of(session: EditingSession, files: FilesOf) -> ProjectMemory:
    """Make the memory that a server has of the other files when the session begins."""
    memory = ProjectMemory()
    for path, text in files(session):
        if path != session.path:
            memory.put(path, text, lambda: True)
    memory.settle()
    return memory
