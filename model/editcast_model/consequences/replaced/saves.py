"""The last saves of other files, from which it is read what is left to do in this one."""

from collections import deque
from collections.abc import Callable, Iterator
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
        self._saves: deque[Save] = deque(maxlen=_MOST)

    def __iter__(self) -> Iterator[Save]:
        return iter(self._saves)

    def __reversed__(self) -> Iterator[Save]:
        return reversed(self._saves)

    def add(self, file: str, number: int | None, before: str, after: str) -> None:
        """Take in a save, in the place of an earlier one of the same number.

        One that undoes another removes it.
        """
        if number is not None:
            self._drop(lambda one: (one.file, one.number) == (file, number))
        if not self._drop(lambda one: (one.file, one.before, one.after) == (file, after, before)):
            self._saves.append(Save(file, number, before, after))

    def _drop(self, is_so: Callable[[Save], bool]) -> bool:
        """Remove the saves of which something is so; return whether there are any."""
        dropped = [one for one in self._saves if is_so(one)]
        for one in dropped:
            self._saves.remove(one)
        return bool(dropped)
