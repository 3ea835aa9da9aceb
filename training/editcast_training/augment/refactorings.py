"""Refactorings of real files: one decision that is carried out in every place it concerns.

Half of the edits of a commit follow from its first one. Here such edits are made in any number: a
name is changed with its uses, a parameter with the calls, a way of writing throughout a file. The
result always parses. It depends on the text and the random generator alone.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random

from editcast_model.diff import Hunk, apply_hunks
from editcast_training.augment import refactor_calls, refactor_names, refactor_text
from editcast_training.augment.syntax_tree import MOST_PLACES, Source

#: Kinds tried before a file is given up, and texts longer than this are not tried.
_TRIES, _LONGEST = 8, 200_000

Kind = Callable[[Source, Random], Iterator[Hunk]]

#: Every kind, and how often it is tried.
KINDS: dict[str, tuple[Kind, float]] = {
    "rename in a function": (refactor_names.rename_local, 3.0),
    "rename in the file": (refactor_names.rename_global, 1.5),
    "rename an attribute": (refactor_names.rename_attribute, 1.5),
    "add a parameter": (refactor_calls.add_parameter, 1.5),
    "remove a parameter": (refactor_calls.remove_parameter, 1.0),
    "reorder parameters": (refactor_calls.reorder_parameters, 0.7),
    "swap arguments": (refactor_calls.swap_arguments, 0.5),
    "add an argument": (refactor_calls.add_argument, 1.0),
    "wrap": (refactor_calls.wrap, 1.5),
    "unwrap": (refactor_calls.unwrap, 1.0),
    "rename an import": (refactor_names.rename_import, 1.0),
    "import the module": (refactor_names.import_module, 0.7),
    "import names": (refactor_names.import_names, 0.5),
    "f-strings": (refactor_text.format_strings, 1.0),
    "quotes": (refactor_text.quotes, 0.5),
    "annotate": (refactor_text.annotate, 1.5),
    "parallel lines": (refactor_text.parallel_lines, 3.0),
}


def refactorings(text: str, rng: Random, most: int) -> Iterator[tuple[str, str]]:
    """Yield the kind of one refactoring after another, and the text after it; at most `most`."""
    if len(text) > _LONGEST or not (source := Source(text)).parses:
        return
    for _ in range(most):
        made = refactor(source, rng)
        if made is None:
            return
        kind, source = made
        yield kind, source.text


def refactor(source: Source, rng: Random) -> tuple[str, Source] | None:
    """Draw a refactoring that is possible here, and apply it; None if some tries find none."""
    for name in rng.choices(list(KINDS), [share for _, share in KINDS.values()], k=_TRIES):
        hunks = places(name, source, rng)
        if hunks:
            changed = Source(apply_hunks(source.text, hunks))
            if changed.parses and changed.text != source.text:
                return name, changed
    return None


def places(kind: str, source: Source, rng: Random) -> list[Hunk]:
    """Return the changes of a kind of refactoring; none where they overlap or are too many."""
    hunks = sorted(set(KINDS[kind][0](source, rng)), key=lambda hunk: (hunk.start, hunk.end))
    apart = all(one.end <= two.start for one, two in pairwise(hunks))
    return hunks if len(hunks) <= MOST_PLACES and apart else []
