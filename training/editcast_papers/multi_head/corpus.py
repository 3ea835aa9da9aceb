"""Multi30k as ids, and its batches.

    S  pairs      N  subwords of the longest source      M  of the longest target, with its end mark

Everything lies on the device that trains; a batch is a choice of rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from editcast_papers.multi30k import Pair, read_multi30k
from editcast_papers.subwords import END, PAD, Subwords, learn_subwords


@dataclass(frozen=True)
class Part:
    """Pairs for one purpose.

    Attributes:
        source: Ids, padded (S, N).
        target: Ids and end marks, padded (S, M).
        sizes: Subwords of each source and of each target with its end mark.
        references: The targets as they are written.
    """

    source: Tensor
    target: Tensor
    sizes: Sequence[tuple[int, int]]
    references: Sequence[str]

    def __len__(self) -> int:
        return len(self.references)

    def batch(self, rows: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Return sources and targets (B, .), no wider than they must be."""
        chosen = torch.tensor(rows, device=self.source.device)
        wide, wider = (max(self.sizes[row][side] for row in rows) for side in (0, 1))
        return self.source[chosen, :wide], self.target[chosen, :wider]

    def in_batches(self, size: int) -> Iterator[list[int]]:
        """Yield the rows of all pairs, those with short sources first."""
        ranked = sorted(range(len(self)), key=lambda row: self.sizes[row])
        for start in range(0, len(ranked), size):
            yield ranked[start : start + size]


@dataclass(frozen=True)
class Corpus:
    """Pairs to train on, to choose by, and to test on.

    Attributes:
        train: To train on; so are `dev` to choose by, and `test`.
        subwords: Of both languages, learned from what is trained on.
        identity: A digest of all that was read.
    """

    train: Part
    dev: Part
    test: Part
    subwords: Subwords
    identity: str


def read_corpus(folder: Path, vocabulary: int, device: torch.device) -> Corpus:
    """Read the pairs, German to English.

    Args:
        folder: A clone of `multi30k/dataset`.
        vocabulary: Most subwords.
        device: Where the ids are to lie.

    Raises:
        ReproductionError: The pairs cannot be read.
    """
    found = read_multi30k(folder, "de", "en")
    subwords = learn_subwords((text for pair in found.train for text in pair), vocabulary)

    def part(pairs: Sequence[Pair]) -> Part:
        sources, targets = (subwords.encode(side) for side in zip(*pairs, strict=True))
        ended = [[*ids, END] for ids in targets]
        return Part(
            _padded(sources).to(device),
            _padded(ended).to(device),
            [(len(one), len(other)) for one, other in zip(sources, ended, strict=True)],
            [target for _, target in pairs],
        )

    return Corpus(part(found.train), part(found.dev), part(found.test), subwords, found.identity)


def _padded(texts: Sequence[Sequence[int]]) -> Tensor:
    return torch.nn.utils.rnn.pad_sequence(
        [torch.tensor(text) for text in texts], batch_first=True, padding_value=PAD
    )
