"""What is saved in one project: the engine tells the sessions of its other files.

A project is a folder that the editor has open. A file outside of these is on its own: nobody knows
whether what was done in another one means anything there.
"""

from collections import deque
from collections.abc import Iterable
from itertools import count
from urllib.parse import unquote

from editcast_model.forecasting.cross_file import SAVES, OtherSave, other_save


class Project:
    """The last saves of a project's files; belongs to the engine's thread.

    Attributes:
        is_stirred: Whether a file of it was saved, and something may be due in the others.
    """

    def __init__(self) -> None:
        self.is_stirred = False
        self._numbers = count(1)
        self._saves: deque[tuple[int, OtherSave]] = deque(maxlen=SAVES)

    def add(self, file: str, before: str, after: str) -> None:
        """A file was saved."""
        self._saves.append((next(self._numbers), other_save(file, before, after)))

    def others(self, file: str, since: int) -> list[tuple[int, OtherSave]]:
        """The saves of other files after the one of this number, each with its own, ascending."""
        return [
            (number, save) for number, save in self._saves if number > since and save.file != file
        ]


class Projects:
    """The projects of the folders that the editor has open; belongs to the event loop."""

    def __init__(self) -> None:
        self._folders: tuple[str, ...] = ()
        self._of: dict[str, Project] = {}

    def take_folders(self, folders: Iterable[str]) -> None:
        """The editor has these folders open (URIs); what was saved in others is forgotten."""
        self._folders = tuple(folders)
        self._of = {one: of for one, of in self._of.items() if one in self._folders}

    def folder_of(self, uri: str) -> str | None:
        """The innermost folder that a document is in; None if it is in none."""
        path = unquote(uri)
        inside = (one for one in self._folders if path.startswith(f"{unquote(one).rstrip('/')}/"))
        return max(inside, key=len, default=None)

    def of(self, folder: str | None) -> Project:
        """The project of a folder; one for itself without."""
        return Project() if folder is None else self._of.setdefault(folder, Project())
