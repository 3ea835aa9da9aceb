"""Files of a project that have to follow what was changed in another one, and where.

Only what may import the changed file is read: as the editor has it, or from the disk as long as it
stands there. A file that is read is remembered until its text or the changes are others.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from editcast_model.consequences.consequences import Consequences
from editcast_model.consequences.import_index import ImportIndex
from editcast_model.consequences.module_changes import ModuleChange
from editcast_model.diff import Hunk
from editcast_model.forecasting.candidates import STRONG

_MOST_READ: Final = 200  # files that may import what was changed
_MOST_REMEMBERED: Final = 500


@dataclass(frozen=True, slots=True)
class OtherFile:
    """A file with something left to do.

    Attributes:
        uri: The file.
        text: Its text.
        hunks: What is left, in the order in which a person would go on.
    """

    uri: str
    text: str
    hunks: tuple[Hunk, ...]

    @property
    def line(self) -> int:
        """Return where to begin, counted from 0."""
        return self.text.count("\n", 0, self.hunks[0].start)


@dataclass(frozen=True, slots=True)
class Source:
    """A file that may have to follow.

    Attributes:
        uri: As editors know it.
        mark: Another one when its text is another.
        read: Returns its text.
    """

    uri: str
    mark: Any
    read: Callable[[], str]


class OtherFiles:
    """Finder of what is left to do in a project's files; belongs to the engine's thread.

    Args:
        imports: Where its files take names from.
        source: Finds a file by its path in the index; None for one that may not be read.
    """

    def __init__(self, imports: ImportIndex, source: Callable[[str], Source | None]) -> None:
        self._imports, self._source = imports, source
        self._known: OrderedDict[str, tuple[Any, Sequence[ModuleChange], OtherFile | None]] = (
            OrderedDict()
        )

    def find(
        self, file: str, changes: Sequence[ModuleChange], cancelled: Callable[[], bool]
    ) -> tuple[OtherFile, ...]:
        """Find the files beside one that have to follow changes, in the order of their paths.

        Args:
            file: Path of the file that is left out.
            changes: Of any files of the project.
            cancelled: Whether nobody waits any longer; what was read by then is remembered.
        """
        importers = {
            one: None
            for change in changes
            for one in self._imports.importers(change.file, change.language)
        }
        found: list[OtherFile] = []
        for one in sorted(importers.keys() - {file})[:_MOST_READ]:
            if cancelled():
                break
            left = self._left(one, changes)
            if left:
                found.append(left)
        return tuple(found)

    def _left(self, file: str, changes: Sequence[ModuleChange]) -> OtherFile | None:
        source = self._source(file)
        if source is None:
            return None
        mark, before, left = self._known.pop(file, (None, (), None))
        if mark != source.mark or before != changes:
            left = _read(file, source, changes)
        self._known[file] = source.mark, changes, left
        while len(self._known) > _MOST_REMEMBERED:
            self._known.popitem(last=False)
        return left


def _read(file: str, source: Source, changes: Sequence[ModuleChange]) -> OtherFile | None:
    """Return what is left to do in a file; None where nothing that is sure enough is."""
    text = source.read()
    found = Consequences("", file).propose((), text, elsewhere=changes)
    sure = tuple(one.hunk for one in found if one.strength >= STRONG)
    return OtherFile(source.uri, text, sure) if sure else None
