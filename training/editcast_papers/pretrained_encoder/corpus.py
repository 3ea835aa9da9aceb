"""Django's lines as ids: subwords for the encoder, words for the decoder and for copying.

The encoder reads subwords, so that it knows something of every word. The decoder writes words.
Those of the vocabulary can be generated; every word of the description can be copied.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from editcast_papers.django import Example, read_django
from editcast_papers.subwords import END, PAD, UNKNOWN, Subwords, learn_subwords

_SPECIAL = ("", "<unknown>", "<start>", "<end>")
_SUBWORDS = 4_000
_LEAST = 2  # times that a word of the vocabulary occurs in the code to train on
_MOST_WORDS = 150  # of a description
LONGEST = 100  # words of code, with the end; longer lines are not trained on, and never found


class Line(NamedTuple):
    """An example as ids.

    Attributes:
        pieces: Subwords of the description (S).
        owners: The number of the word that each is a part of (S).
        words: Words of the description (N).
        code: Words of the code, with an end mark (M).
    """

    pieces: Sequence[int]
    owners: Sequence[int]
    words: Sequence[int]
    code: Sequence[int]


class Batch(NamedTuple):
    """Lines, padded: `pieces` and `owners` (B, S), `words` (B, N), `code` (B, M)."""

    pieces: Tensor
    owners: Tensor
    words: Tensor
    code: Tensor

    def to(self, device: torch.device) -> "Batch":
        """Move it to a device."""
        return Batch(*(one.to(device, non_blocking=True) for one in self))


@dataclass(frozen=True)
class Corpus:
    """The parts of Django, and what ids mean.

    Attributes:
        train: To train on; lines that are too long are left out.
        dev: To choose by.
        test: To test on.
        examples: The examples of `dev` and of `test`, in their order.
        words: The word of each id.
        known: How many ids, from 0, can be generated; those above can be copied only.
        subwords: The encoder's vocabulary.
        identity: A digest of all lines.
    """

    train: Sequence[Line]
    dev: Sequence[Line]
    test: Sequence[Line]
    examples: tuple[Sequence[Example], Sequence[Example]]
    words: Sequence[str]
    known: int
    subwords: Subwords
    identity: str


@lru_cache(maxsize=1)
def read_corpus(folder: Path) -> Corpus:
    """Read a clone of Django, and learn both vocabularies of what is to be trained on.

    Raises:
        ReproductionError: It cannot be read.
    """
    django = read_django(folder)
    counts = Counter(word for one in django.train for word in one.code)
    known = sorted(word for word, count in counts.items() if count >= _LEAST)
    parts = (django.train, django.dev, django.test)
    every = {word for part in parts for one in part for word in (*one.code, *one.description)}
    words = [*_SPECIAL, *known, *sorted(every - set(known))]
    ids = {word: number for number, word in enumerate(words)}
    subwords = learn_subwords(
        (" ".join(text) for one in django.train for text in (one.description, one.code)), _SUBWORDS
    )
    pieces = dict(zip(words, pieces_of(subwords, words), strict=True))

    def coded(example: Example) -> Line:
        read = example.description[:_MOST_WORDS]
        split = [pieces[word] for word in read]
        return Line(
            [one for word in split for one in word],
            [owner for owner, word in enumerate(split) for _ in word],
            [ids[word] for word in read],
            [*(ids[word] for word in example.code), END],
        )

    train, dev, test = ([coded(one) for one in part] for part in parts)
    return Corpus(
        [line for line in train if len(line.code) <= LONGEST],
        dev,
        test,
        (django.dev, django.test),
        words,
        len(_SPECIAL) + len(known),
        subwords,
        django.identity,
    )


def pieces_of(subwords: Subwords, words: Sequence[str]) -> list[list[int]]:
    """Split words into subwords, one at least."""
    return [found or [UNKNOWN] for found in subwords.encode(words)]


def collate(lines: Iterable[Line]) -> Batch:
    """Pad lines to one batch."""
    return Batch(*(padded(side) for side in zip(*lines, strict=True)))


def padded(texts: Iterable[Sequence[int]]) -> Tensor:
    """Pad texts to one tensor (B, longest)."""
    rows = [torch.tensor(text) for text in texts]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)


def in_batches(lines: Sequence[Line], size: int) -> Iterator[tuple[list[int], Batch]]:
    """Yield all lines, those of short descriptions first, with their places."""
    ranked = sorted(range(len(lines)), key=lambda at: len(lines[at].pieces))
    for start in range(0, len(ranked), size):
        places = ranked[start : start + size]
        yield places, collate(lines[at] for at in places)
