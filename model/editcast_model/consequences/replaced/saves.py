"""The last saves of other files, from which it is read what is left to do in this one."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from editcast_model.diff import diff

_MOST: Final = 60
_WORD: Final = re.compile(r"[A-Za-z_][\w-]*\w")


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


@lru_cache(maxsize=256)  # every open file asks for those of the same saves
def replaced_words(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """Return the words that a change replaced by one other word each."""
    hunks = ((before[one.start : one.end], one.text) for one in diff(before, after))
    return tuple(pair for pair in hunks if all(map(_WORD.fullmatch, pair)))
