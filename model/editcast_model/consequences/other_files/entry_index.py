"""The index of the texts that a project's files give names to, for code that writes them out."""

from typing import NamedTuple

from editcast_model.consequences.other_files.project_index import ProjectIndex
from editcast_model.consequences.other_files.tables import Keys, entries_of, may_have_table


class Place(NamedTuple):
    """The place of a text in a table: its file and its keys, the outermost first."""

    file: str
    keys: Keys


class EntryIndex(ProjectIndex[tuple[str, Place]]):
    """The entries of one project's tables by their texts."""

    def of(self, text: str) -> list[Place]:
        """Return the entries that have a text."""
        with self._lock:
            return [place for _, place in self._known.get(text, ())]

    def _things(self, file: str, language: str, text: str) -> tuple[tuple[str, Place], ...]:
        """Return the texts of the tables of a file, each with its place."""
        texts = entries_of(text, language, file) if may_have_table(text, file) else ()
        return tuple(dict.fromkeys((one, Place(file, keys)) for one, keys in texts))

    def _keys(self, thing: tuple[str, Place]) -> tuple[str]:
        """Return the text of an entry."""
        return (thing[0],)
