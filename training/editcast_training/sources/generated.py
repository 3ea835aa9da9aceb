"""Histories made of a repository's files: refactorings of them, and pieces put back.

Nobody made these edits, but the code was written by people, and there are as many edits as one
wants. Refactorings teach the network to find similar places and to repeat a change there. Pieces
that are put back teach it what code looks like.
"""

from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from random import Random

from editcast_training.augment.infill import without_pieces
from editcast_training.augment.refactorings import refactorings
from editcast_training.sources.file_history import FileHistory, MadeKind, Skipped, Snapshot
from editcast_training.sources.git import PYTHON, read_files

#: By kind, the characters of a file for each instance, and the most instances of a file.
_AMOUNTS = {"refactorings": (400, 40), "restored": (1_000, 12)}
#: The most files of a repository, so that a large one neither takes hours nor outweighs the others.
_MOST_FILES = 400


def read_generated(
    path: Path,
    kind: MadeKind,
    *,
    project: str,
    skipped: Skipped,
    languages: Collection[str] | None = PYTHON,
) -> Iterator[FileHistory]:
    """Yield histories of the files that stand in a repository now, each step one change.

    Refactorings are of Python only. See also `read_git`.

    Raises:
        SourceError: The repository cannot be read.
    """
    for name, language, text in _drawn(path, project, skipped, languages):
        rng = Random(f"0\0{project}\0{name}")  # the project and the path decide what is drawn
        characters, most = _AMOUNTS[kind]
        most = min(most, 1 + len(text) // characters)
        if kind == "refactorings":
            made = list(refactorings(text, rng, most)) if language == "python" else []
            if made:
                snapshots = tuple(
                    Snapshot(each, None) for each in [text, *(new for _, new in made)]
                )
                yield FileHistory(project, name, language, kind, snapshots)
            else:
                skipped["file: no refactoring is possible"] += 1
            continue
        for _ in range(most):
            before = without_pieces(text, rng)
            if before != text:
                snapshots = (Snapshot(before, None), Snapshot(text, None))
                yield FileHistory(project, name, language, kind, snapshots)


def _drawn(
    path: Path, project: str, skipped: Skipped, languages: Collection[str] | None
) -> list[tuple[str, str, str]]:
    """Draw files of a repository, or return all of a few.

    The texts of all files may not fit into memory, so those that are drawn are read again.
    """
    every = read_files(path, skipped=skipped, languages=languages)
    files = list(islice(every, _MOST_FILES))
    left_out = sum(1 for _ in every)
    if not left_out:
        return files
    skipped[f"file: not among the {_MOST_FILES} drawn"] += left_out
    order = Random(f"0\0{project}").sample(range(len(files) + left_out), _MOST_FILES)
    files.clear()
    again = enumerate(read_files(path, skipped=Skipped(), languages=languages))
    chosen = set(order)
    drawn = {number: file for number, file in again if number in chosen}
    return [drawn[number] for number in order]
