"""The last saves of other files, from which it is read what is left to do in this one."""

from collections.abc import Iterator
from typing import Final, NamedTuple

_MOST: Final = 60


class Save(NamedTuple):
    """The changed lines of a save of another file, before and after, with its number there."""

    file: str
    number: int | None
    before: str
    after: str


class OtherSaves:
    """The last saves of other files, the oldest first."""

    def __init__(self) -> None:
        self._saves: list[Save] = []

    def __iter__(self) -> Iterator[Save]:
        return iter(self._saves)

    def __reversed__(self) -> Iterator[Save]:
        return reversed(self._saves)

    def add(self, file: str, number: int | None, before: str, after: str) -> None:
        """Take in a save, in the place of an earlier one of the same number.

        One that undoes another removes it.
        """
        known = [
            one for one in self._saves if number is None or (one.file, one.number) != (file, number)
        ]
        left = [one for one in known if (one.file, one.before, one.after) != (file, after, before)]
        is_undone = len(left) < len(known)
        self._saves = (left if is_undone else [*left, Save(file, number, before, after)])[-_MOST:]
