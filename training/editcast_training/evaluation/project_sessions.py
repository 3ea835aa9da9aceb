"""Sessions within their projects: with the saves of other files meanwhile, and what these say.

Whoever changes a file has mostly just changed others. A commit is replayed a second time, after
the saves of the commit before, which is another piece of work, and of those files of its own commit
that come before it by their paths; then the first forecast is asked for when the file is opened.
Recorded saves are replayed a second time among those of the project's other files, as they came.
"""

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from editcast_model.errors import SourceError
from editcast_model.forecasting.interface import SAVES, OtherSave, other_save
from editcast_training.evaluation.sessions import EditingSession, draw_sessions
from editcast_training.sources.file_history import FileHistory, Skipped
from editcast_training.sources.registry import Origin, read_origin

#: The most other files that were saved before: of the same commit, and of the previous one.
_SAME, _BEFORE = 12, 6
_DAY = 24 * 3600 * 1000  # milliseconds before a file's first save that count


class Changes:
    """Changes of the commits and recorded saves of some projects, file by file."""

    def __init__(self) -> None:
        # By project and time.
        self._commits: dict[str, dict[int, list[OtherSave]]] = defaultdict(dict)
        self._saves: dict[str, dict[int, list[OtherSave]]] = defaultdict(dict)

    def watched(self, histories: Iterable[FileHistory]) -> Iterator[FileHistory]:
        """Yield the same histories, and remember their changes."""
        for history in histories:
            of = self._commits if history.kind == "commits" else self._saves
            for before, after in pairwise(history.snapshots):
                if after.time is not None:
                    save = other_save(history.path, before.text, after.text)
                    of[history.project].setdefault(after.time, []).append(save)
            yield history

    def at(self, project: str, time: int) -> list[OtherSave]:
        """Return the changes of the commit of a time, by the paths of the files."""
        return sorted(self._commits[project].get(time, ()), key=lambda save: save.file)

    def sessions(self, sessions: Sequence[EditingSession]) -> list[EditingSession]:
        """Return the sessions whose times are known, each with its project's saves."""
        commits = {project: sorted(of) for project, of in self._commits.items()}
        saves = {project: sorted(of) for project, of in self._saves.items()}
        out: list[EditingSession] = []
        for one in sessions:
            if not one.times:
                continue
            if one.kind == "commits":
                others = tuple((0, save) for save in self._before(one, commits[one.project]))
                out.append(replace(one, kind="project-commits", first=0, others=others))
            elif one.kind == "saves":
                between = tuple(self._between(one, saves[one.project]))
                out.append(replace(one, kind="project-saves", others=between))
        return out

    def _before(self, session: EditingSession, times: Sequence[int]) -> list[OtherSave]:
        """List the saves before a commit's session; `times` are those of the project's commits."""
        now = session.times[0]
        same = [save for save in self.at(session.project, now) if save.file < session.path]
        index = bisect_left(times, now)
        last = self.at(session.project, times[index - 1]) if index else []
        other = [save for save in last if save.file != session.path]
        return other[-_BEFORE:] + same[-_SAME:]

    def _between(
        self, session: EditingSession, times: Sequence[int]
    ) -> list[tuple[int, OtherSave]]:
        """List the saves of other files, each with how many of the session come before it."""
        # As many as an editor's server remembers, each time.
        others: dict[int, deque[OtherSave]] = defaultdict(lambda: deque(maxlen=SAVES))
        first = bisect_left(times, session.times[0] - _DAY)
        for time in times[first : bisect_left(times, session.times[-1])]:
            number = bisect_left(session.times, time)
            for save in self._saves[session.project][time]:
                if save.file != session.path:
                    others[number].append(save)
        return [(number, save) for number, saves in others.items() for save in saves]


def read_sessions(
    origin: Origin,
    skipped: Skipped,
    *,
    count: int,
    seed: int,
    part: Literal["train", "dev"] | None,
    in_projects: bool = True,
) -> list[EditingSession]:
    """Read the sessions of a source, alone and within their projects; see `draw_sessions`.

    Raises:
        SourceError: It cannot be read.
    """
    changes = Changes()
    histories = read_origin(origin, skipped)
    if in_projects:
        histories = changes.watched(histories)
    drawn = draw_sessions(histories, count=count, seed=seed, part=part)
    return drawn + (changes.sessions(drawn) if in_projects else [])


def readable_sessions(
    origins: Iterable[Origin],
    *,
    count: int,
    seed: int,
    part: Literal["train", "dev"],
    in_projects: bool,
) -> list[EditingSession]:
    """Read the sessions of sources as `read_sessions` does; of those with a split all parts.

    Sources that cannot be read are skipped, as in the corpus.
    """
    sessions: list[EditingSession] = []
    for origin in origins:
        with suppress(SourceError):
            sessions += read_sessions(
                origin,
                Skipped(),
                count=count,
                seed=seed,
                part=part if origin.split is None else None,
                in_projects=in_projects,
            )
    return sessions


def within_projects(sessions: Iterable[EditingSession]) -> list[EditingSession]:
    """Leave out the sessions that are there within their project, too."""
    given = list(sessions)
    inside = {(one.project, one.path, one.texts) for one in given if one.is_in_project}
    return [
        one
        for one in given
        if one.is_in_project or (one.project, one.path, one.texts) not in inside
    ]
