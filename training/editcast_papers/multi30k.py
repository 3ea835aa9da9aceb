"""Multi30k (Elliott et al. 2016): captions of pictures in English and their German translations.

The repository `multi30k/dataset` has them in lower case, with words and punctuation marks apart:
`data/task1/tok`. They are taken as they stand, so no tokenizer comes between two papers.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pygit2

from editcast_model.errors import ReproductionError

Language = Literal["de", "en"]
#: A sentence and its translation; words are between blanks.
Pair = tuple[str, str]
_PLACE = "data/task1/tok"
_PARTS = ("train", "val", "test_2016_flickr")
# Raised by libgit2 for an object that is not there.
_UNREADABLE = (OSError, KeyError, ValueError, pygit2.GitError)


@dataclass(frozen=True)
class Multi30k:
    """Parallel sentences.

    Attributes:
        train: 29,000 pairs to train on.
        dev: 1,014 to choose by.
        test: The 1,000 of 2016.
        identity: A digest of all that was read.
    """

    train: Sequence[Pair]
    dev: Sequence[Pair]
    test: Sequence[Pair]
    identity: str


def read_multi30k(folder: Path, source: Language, target: Language) -> Multi30k:
    """Read all pairs of two languages.

    Args:
        folder: A clone of `multi30k/dataset`, with or without a work tree.
        source: The language of the first sentence of a pair.
        target: The language of the second one.

    Raises:
        ReproductionError: A file is missing, is no text, or its translation has another length.
    """
    read = _reader(folder)
    digest = hashlib.sha256()
    parts: list[list[Pair]] = []
    for part in _PARTS:
        sides = []
        for language in (source, target):
            name = f"{part}.lc.norm.tok.{language}"
            try:
                found = read(name)
                sides.append(found.decode("utf-8").splitlines())
            except (*_UNREADABLE, AttributeError) as error:
                raise ReproductionError(
                    f"{folder} has no {_PLACE}/{name}; --data is a clone of multi30k/dataset."
                ) from error
            digest.update(found)
        if len(sides[0]) != len(sides[1]):
            raise ReproductionError(
                f"The files {_PLACE}/{part}.* of {folder} have not as many lines; get the "
                "repository multi30k/dataset again."
            )
        parts.append(list(zip(*sides, strict=True)))
    train, dev, test = parts
    return Multi30k(train, dev, test, digest.hexdigest()[:16])


def _reader(folder: Path) -> Callable[[str], bytes]:
    """Return a function that reads a file of the data, from the work tree or the last commit."""
    place = folder / _PLACE
    if place.is_dir():
        return lambda name: (place / name).read_bytes()

    def read(name: str) -> bytes:
        tree = pygit2.Repository(str(folder)).head.peel(pygit2.Tree)
        return tree[f"{_PLACE}/{name}"].read_raw()

    return read
