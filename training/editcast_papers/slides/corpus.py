"""Edits as ids: the product's byte-level BPE, of any size, and marks between the parts of an edit.

Every text can be written, so no word is unknown. Of one edit, a small vocabulary makes more ids
than a large one; the edits are the same.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from editcast_model.tokenizer import SPECIAL_TOKENS, Tokenizer, lex
from editcast_papers.slides.edits import Edit, Edits
from editcast_papers.slides.parents import NOBODY, parents

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
        parents: Of each id that is read, the first id of the parent of its token; `PAD` for none.
    """

    read: Sequence[int]
    written: Sequence[int]
    characters: int
    parents: Sequence[int]


@dataclass(frozen=True)
class Corpus:
    """The parts, and what ids mean.

    Attributes:
        train: To train on; so are `dev` to choose by, and `test`.
        ids: How many ids there are, marks among them.
        longest: Most ids that are to be written, with the end mark.
        files: Lines left out of files, to train on first.
    """

    train: Sequence[Line]
    dev: Sequence[Line]
    test: Sequence[Line]
    ids: int
    longest: int
    files: Sequence[Line] = ()

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
        read, above = _read(tokenizer, parts)
        return Line(read, [*tokenizer.ids(after), first + _PARTS], len(after) + 1, above)

    parts = (edits.train, edits.dev, edits.test, edits.files)
    train, dev, test, files = ([line(one) for one in part] for part in parts)
    longest = max(len(one.written) for part in (train, dev, test, files) for one in part)
    return Corpus(train, dev, test, first + MARKS, longest, files)


def _read(tokenizer: Tokenizer, parts: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the ids of the parts that are read, and those of their parents.

    What stands above the edit, its lines and what stands below are one text.
    """
    read: list[int] = []
    above: list[int] = []
    mark = len(tokenizer)
    for text in (parts[:1], parts[1:2], parts[2:]):
        tokens = [lex(part) for part in text]
        every = [token for part in tokens for token in part]
        ids = [tokenizer.ids(token) for token in every]
        first = [PAD if at == NOBODY else ids[at][0] for at in parents(every)]
        number = 0
        for part in tokens:
            read.append(mark)
            above.append(PAD)
            mark += 1
            for _ in part:
                read += ids[number]
                above += [first[number]] * len(ids[number])
                number += 1
    return read, above


class Batch(NamedTuple):
    """Lines, padded: `read` (B, N), `written` (B, M), and the `parents` of what is read (B, N)."""

    read: Tensor
    written: Tensor
    parents: Tensor

    def to(self, device: torch.device) -> "Batch":
        """Move it to a device."""
        return Batch(*(one.to(device) for one in self))


def collate(lines: Iterable[Line]) -> Batch:
    """Pad lines to one batch."""
    sides = zip(*((one.read, one.written, one.parents) for one in lines), strict=True)
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
