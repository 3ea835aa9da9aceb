"""The text that the encoder is pre-trained on: files of projects, and the descriptions.

Files are read as they stand, with their comments and docstrings, of the projects that a list names
for training; the descriptions are those of Django's lines to train on. All of it is cut into
segments, at the ends of lines where that is possible.
"""

import hashlib
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from editcast_model.errors import ReproductionError
from editcast_papers.django import words_of
from editcast_papers.pretrained_encoder.corpus import Corpus, padded, pieces_of
from editcast_papers.subwords import Subwords
from editcast_training.sources.file_history import Skipped
from editcast_training.sources.git import read_files
from editcast_training.sources.registry import listed_repositories

_LONG = 64  # subwords of a segment
_MOST = 24_000_000  # characters of all projects together; each has the same share
_HELD_OUT, _MOST_HELD_OUT = 50, 2_000  # one segment of so many, and so many at most


@dataclass(frozen=True)
class Text:
    """Segments, padded.

    Attributes:
        train: Subwords (segments, 64), 16 bits each; so are those held `out`.
        out: To see how well masked subwords are guessed.
        repositories: The projects read.
        identity: A digest of all segments.
    """

    train: Tensor
    out: Tensor
    repositories: Sequence[str]
    identity: str


def read_text(listing: Path, mirror: Path, corpus: Corpus) -> Text:
    """Read the projects of a list that are for training, as far as the mirror has them.

    Raises:
        ReproductionError: It has none of them.
        CorpusError: The list cannot be read.
        SourceError: A repository cannot be read.
    """
    origins = [one for one in listed_repositories(listing, mirror)[0] if one.split == "train"]
    if not origins:
        raise ReproductionError(
            f"None of the projects of {listing} is in {mirror}; clone one there as OWNER+NAME."
        )
    draw, segments = random.Random(0), [list(line.pieces[:_LONG]) for line in corpus.train]
    splitter = _Splitter(corpus.subwords)
    for origin in sorted(origins, key=lambda one: one.name):
        files = sorted(text for _, _, text in read_files(origin.path, skipped=Skipped()))
        draw.shuffle(files)
        for text in _as_far_as(files, _MOST // len(origins)):
            segments += splitter.segments(text)
    draw.shuffle(segments)
    table = padded(segments).to(torch.int16)
    held_out = torch.arange(len(table)) % _HELD_OUT == 0
    return Text(
        table[~held_out],
        table[held_out][:_MOST_HELD_OUT],
        sorted(one.name for one in origins),
        hashlib.sha256(table.numpy().tobytes()).hexdigest()[:16],
    )


def _as_far_as(texts: Iterable[str], most: int) -> Iterator[str]:
    """Yield texts until they have so many characters."""
    for text in texts:
        yield text
        most -= len(text)
        if most <= 0:
            return


class _Splitter:
    """Splits texts into subwords, each word once."""

    def __init__(self, subwords: Subwords) -> None:
        self._subwords = subwords
        self._known: dict[str, list[int]] = {}

    def segments(self, text: str) -> Iterator[list[int]]:
        """Yield the segments of a text."""
        lines = [words_of(line) for line in text.splitlines()]
        new = sorted({word for line in lines for word in line} - self._known.keys())
        self._known.update(zip(new, pieces_of(self._subwords, new), strict=True))
        segment: list[int] = []
        for line in lines:
            pieces = [piece for word in line for piece in self._known[word]]
            if segment and len(segment) + len(pieces) > _LONG:
                yield segment
                segment = []
            segment += pieces
            while len(segment) > _LONG:
                yield segment[:_LONG]
                segment = segment[_LONG:]
        if segment:
            yield segment
