"""Edits as ids: the product's byte-level BPE, of any size, and marks between the parts of an edit.

Every text can be written, so no word is unknown. Of one edit, a small vocabulary makes more ids
than a large one; the edits are the same.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from editcast_model.tokenizer import SPECIAL_TOKENS, Tokenizer
from editcast_papers.slides.edits import Edit, Edits

PAD, START = SPECIAL_TOKENS.index("<pad>"), SPECIAL_TOKENS.index("<s>")
#: Ids behind those of the vocabulary: what each part that is read begins with, then two more.
_PARTS = 5
MARKS = _PARTS + 2


class Line(NamedTuple):
    """An edit as ids.

    Attributes:
        read: The parts that are read, each behind its mark (N).
        written: What is to be written, with an end mark (M).
        characters: How many characters that is, the end among them.
    """

    read: Sequence[int]
    written: Sequence[int]
    characters: int


@dataclass(frozen=True)
class Corpus:
    """The parts, and what ids mean.

    Attributes:
        train: To train on; so are `dev` to choose by, and `test`.
        ids: How many ids there are, marks among them.
        longest: Most ids that are to be written, with the end mark.
    """

    train: Sequence[Line]
    dev: Sequence[Line]
    test: Sequence[Line]
    ids: int
    longest: int

    @property
    def end(self) -> int:
        """The id behind the last one written."""
        return self.ids - 2

    @property
    def mask(self) -> int:
        """The id of what is to be guessed."""
        return self.ids - 1


def make_corpus(edits: Edits, size: int) -> Corpus:
    """Learn a vocabulary of at most `size` entries of the edits to train on; code all edits.

    Raises:
        CorpusError: The library that learns is not installed.
    """
    tokenizer = Tokenizer.train((text for one in edits.train for text in astuple(one)), size)
    first = len(tokenizer)

    def line(edit: Edit) -> Line:
        *parts, after = astuple(edit)
        read = [one for at, part in enumerate(parts) for one in (first + at, *tokenizer.ids(part))]
        return Line(read, [*tokenizer.ids(after), first + _PARTS], len(after) + 1)

    train, dev, test = (
        [line(one) for one in part] for part in (edits.train, edits.dev, edits.test)
    )
    longest = max(len(one.written) for part in (train, dev, test) for one in part)
    return Corpus(train, dev, test, first + MARKS, longest)


class Batch(NamedTuple):
    """Lines, padded: `read` (B, N), `written` (B, M)."""

    read: Tensor
    written: Tensor

    def to(self, device: torch.device) -> "Batch":
        """Move it to a device."""
        return Batch(self.read.to(device), self.written.to(device))


def collate(lines: Iterable[Line]) -> Batch:
    """Pad lines to one batch."""
    sides = zip(*((one.read, one.written) for one in lines), strict=True)
    return Batch(
        *(
            torch.nn.utils.rnn.pad_sequence(
                [torch.tensor(ids) for ids in side], batch_first=True, padding_value=PAD
            )
            for side in sides
        )
    )


def in_batches(lines: Sequence[Line], size: int) -> Iterator[tuple[list[int], Batch]]:
    """Yield all lines, the shortest first, with their places."""
    ranked = sorted(range(len(lines)), key=lambda at: len(lines[at].read))
    for start in range(0, len(ranked), size):
        places = ranked[start : start + size]
        yield places, collate(lines[at] for at in places)
