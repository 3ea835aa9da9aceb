"""Random choices of refactorings: one of several, a name that is not there yet, a value."""

import keyword
import re
from collections.abc import Sequence
from random import Random
from typing import TypeVar

from editcast_training.augment.syntax_tree import Source, by_callee

#: A refactoring of more places is nothing that one does by hand.
MOST_PLACES = 16
CONSTANTS = ("None", "True", "False", "0", "1", "()", '""')
_WRAPPERS = ("str", "int", "list", "tuple", "sorted", "bool", "repr", "len", "set", "iter")
WORD_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

T = TypeVar("T")


def pick(rng: Random, choices: Sequence[T]) -> list[T]:
    """Draw one of them as a list, or none."""
    return [rng.choice(choices)] if choices else []


def repeated(groups: dict[str, list[T]]) -> list[tuple[str, list[T]]]:
    """Return the groups of two and more, as many as one would change by hand."""
    return [(key, group) for key, group in groups.items() if 2 <= len(group) <= MOST_PLACES]


def fresh_name(source: Source, rng: Random, old: str) -> str:
    """Draw another name in the style of an old one, of words that the file knows."""
    words = sorted({part.lower() for word in source.words for part in WORD_PART.findall(word)})
    for _ in range(20):
        parts = [part.lower() for part in WORD_PART.findall(old)] or ["value"]
        word = rng.choice(words or ["value"])
        place = rng.randrange(len(parts))
        match rng.choice(("replace", "before", "behind", "drop")):
            case "replace":
                parts[place] = word
            case "before":
                parts.insert(place, word)
            case "behind":
                parts.append(word)
            case _ if len(parts) > 1:
                del parts[place]
        lead = old[: len(old) - len(old.lstrip("_"))]
        if old.isupper():
            name = "_".join(parts).upper()
        elif "_" not in old.strip("_") and re.search("[A-Z]", old):
            name = "".join(part.capitalize() for part in parts)
            name = name if old.lstrip("_")[:1].isupper() else name[:1].lower() + name[1:]
        else:
            name = "_".join(parts)
        name = lead + name
        if name.isidentifier() and not keyword.iskeyword(name) and name not in source.words:
            return name
    return old


def wrapper_name(source: Source, rng: Random) -> str:
    """Draw the name of a call that values could be wrapped into: a builtin, or the file's."""
    known = [name for name, _ in repeated(by_callee(source)) if name.isidentifier()]
    return rng.choice([*_WRAPPERS, *known])
