"""Edits of a few lines, from the histories of repositories, written as pairs for `pairs` to read.

An edit is a group of changed lines that touch, at most three before and after, with two lines
around them. Its words are the lexical tokens without blanks; a line end is a word. Where the paper
has fixers, there are refactorings: what one does at its first place is shown, and is to be done at
its other places. Names and values that are drawn anew are those shown, so that it can be done.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

from editcast_model.diff import apply_hunks
from editcast_model.errors import ReproductionError
from editcast_model.private_files import private_folder, write_text
from editcast_model.tokenizer import lex, lines
from editcast_training.augment.refactorings import KINDS, places
from editcast_training.augment.syntax_tree import Source
from editcast_training.data.line_changes import LineChange, line_changes
from editcast_training.disk import explained
from editcast_training.sources.file_history import FileHistory, Skipped
from editcast_training.sources.git import read_files
from editcast_training.sources.registry import Origin, read_origin

#: Most edits of each split, and most transfers of each kind of refactoring.
MOST = {"train": 200_000, "dev": 5_000, "test": 5_000}
MOST_TRANSFERS = 100
_AROUND, _LINES, _WORDS = 2, 3, 60
_TARGETS = 4  # places of a refactoring beside its first
_LONGEST = 100_000  # characters of a file that is refactored
_LINE_END = "⏎"

Edit = tuple[str, str]


def edits_of(history: FileHistory) -> Iterator[Edit]:
    """Yield the edits between the snapshots of a file, each its words before and after."""
    for older, newer in pairwise(history.snapshots):
        yield from _edits(older.text, line_changes(older.text, newer.text))


def _edits(before: str, changes: Sequence[LineChange]) -> Iterator[Edit]:
    split = lines(before)
    for change in changes:
        if max(len(change.before), len(change.after)) > _LINES:
            continue
        above = split[max(change.first - _AROUND, 0) : change.first]
        below = split[change.end : change.end + _AROUND]
        sides = [_words([*above, *side, *below]) for side in (change.before, change.after)]
        if sides[0] != sides[1] and all(0 < len(side) <= _WORDS for side in sides):
            yield " ".join(sides[0]), " ".join(sides[1])


def _words(part: Iterable[str]) -> list[str]:
    words = lex("".join(part))
    return [_LINE_END if word in ("\n", "\r\n") else word for word in words if _is_word(word)]


def _is_word(word: str) -> bool:
    return not word.isspace() or word in ("\n", "\r\n")


def transfers_of(text: str, draw: Random) -> Iterator[tuple[str, Edit, Edit]]:
    """Yield refactorings of a file: their kind, the edit at the first place, that at another."""
    source = Source(text)
    if not source.parses:
        return
    for kind in KINDS:
        hunks = places(kind, source, draw)
        if len(hunks) < 2:
            continue
        found = list(_edits(text, line_changes(text, apply_hunks(text, hunks))))
        yield from ((kind, found[0], other) for other in found[1 : 1 + _TARGETS])


@explained(ReproductionError)
def write_edits(origins: Sequence[Origin], folder: Path, seed: int) -> dict[str, int]:
    """Write the pairs of repositories into ``edits`` of a folder; return how many, by part.

    Of each repository at most an equal share of its split is taken, drawn by the seed. What is in
    test or dev is not in what comes before it in this sequence: test, dev, train.

    Raises:
        ReproductionError: A split has no repository, or the folder cannot be written to.
        SourceError: A repository cannot be read.
    """
    counts, taken = {}, set[Edit]()
    for split in ("test", "dev", "train"):
        own = [origin for origin in origins if origin.split == split and origin.kind == "git"]
        if not own:
            raise ReproductionError(f"There is no repository of the split {split}; name some.")
        found: list[Edit] = []
        for origin in own:
            histories = read_origin(origin, Skipped())
            some = sorted({one for history in histories for one in edits_of(history)} - taken)
            Random(f"{seed}/{origin.name}").shuffle(some)
            found += some[: MOST[split] // len(own)]
        taken.update(found)
        _write(folder / "edits" / split, found)
        counts[split] = len(found)
    moved = list(_transfers([one for one in origins if one.split == "test"], seed))
    _write(folder / "edits" / "shown", [shown for _, shown, _ in moved])
    _write(folder / "edits" / "transfer", [other for *_, other in moved])
    kinds = "".join(f"{kind}\n" for kind, *_ in moved)
    write_text(folder / "edits" / "transfer" / "kinds.txt", kinds)
    return {**counts, "transfer": len(moved)}


def _transfers(origins: Iterable[Origin], seed: int) -> Iterator[tuple[str, Edit, Edit]]:
    draw = Random(seed)
    files = [text for one in origins for *_, text in read_files(one.path, skipped=Skipped())]
    files = [text for text in files if len(text) <= _LONGEST]
    draw.shuffle(files)
    left = dict.fromkeys(KINDS, MOST_TRANSFERS)
    for text in files:
        for kind, shown, other in transfers_of(text, draw):
            if left[kind]:
                left[kind] -= 1
                yield kind, shown, other
        if not any(left.values()):
            return


def _write(folder: Path, found: Sequence[Edit]) -> None:
    private_folder(folder)
    for side, name in enumerate(("buggy.txt", "fixed.txt")):
        write_text(folder / name, "".join(f"{one[side]}\n" for one in found))
