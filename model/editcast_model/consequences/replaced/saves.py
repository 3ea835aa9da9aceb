"""The last saves of other files, from which it is read what is left to do in this one."""

from collections.abc import Iterable
from typing import Final, NamedTuple

_MOST: Final = 60


class Save(NamedTuple):
    """The changed lines of a save of another file, before and after, with its number there."""

    file: str
    number: int | None
    before: str
    after: str


def add_save(known: Iterable[Save], one: Save) -> list[Save]:
    """Return the last saves with a further one, in the place of an earlier one of the same number.

    One that undoes another removes it.
    """
    is_independent = one.number is None
    others = [each for each in known if is_independent or each[:2] != one[:2]]
    undone = one.file, one.after, one.before
    left = [each for each in others if (each.file, each.before, each.after) != undone]
    return (left if len(left) < len(others) else [*others, one])[-_MOST:]
