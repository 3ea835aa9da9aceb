"""The bug-fix pairs of Tufano et al. (2019): methods of Java before and after a fix, as ids.

Names in them are abstracted (``VAR_1``), so that some four hundred words suffice. The pairs are
read from a folder as their authors laid it out: ``bug-fixes/small/eval/buggy.txt`` and so on, one
method a line. The authors' code reviews (``reviews/all``) are pairs of the same kind. What is for
training is not among the files that can be had: nine tenths of ``eval`` and the reviews stand in.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor

from editcast_model.errors import ReproductionError

Size = Literal["small", "medium"]
SIZES: tuple[Size, ...] = ("small", "medium")
PAD, UNKNOWN, START, END = range(4)
_SPECIAL = ("", "<unknown>", "<start>", "<end>")
_LEAST = 2  # times that a word of the vocabulary occurs in the bug fixes to train on
_POOL = 16  # batches among which pairs are sorted by length


@dataclass(frozen=True)
class Pair:
    """Ids of the words before and after a change; neither has an end mark."""

    before: Tensor
    after: Tensor


@dataclass(frozen=True)
class Corpus:
    """The parts, and what their ids mean.

    Attributes:
        train: To train on; so are `dev` to choose by, and `test`.
        words: The word of each id.
        known: How many ids, from 0, can be generated; those above can be copied only.
        identity: A digest of all that was read.
    """

    train: Sequence[Pair]
    dev: Sequence[Pair]
    test: Sequence[Pair]
    words: Sequence[str]
    known: int
    identity: str


Texts = list[tuple[tuple[str, ...], tuple[str, ...]]]


def read_corpus(folder: Path, size: Size) -> Corpus:
    """Read the pairs of a size.

    Raises:
        ReproductionError: A file is missing, or its two sides have not as many lines.
    """
    digest = hashlib.sha256()
    valid = _read(folder / "bug-fixes" / size / "eval", digest)
    test = _read(folder / "bug-fixes" / size / "test", digest)
    dev = valid[9::10]
    reviews = folder / "reviews" / "all" / size
    extra: Texts = []
    for part in sorted(reviews.iterdir()) if reviews.is_dir() else ():
        extra += _read(part, digest)
    held_out = {before for before, _ in dev + test}
    fixes = [pair for at, pair in enumerate(valid) if at % 10 != 9]
    train = [pair for pair in fixes + extra if pair[0] not in held_out]
    # Reviews have other words: what can be generated is what bug fixes need, as in the paper.
    counts = Counter(word for pair in fixes for side in pair for word in side)
    known = sorted(word for word, count in counts.items() if count >= _LEAST)
    every = {word for pair in train + dev + test for side in pair for word in side}
    words = [*_SPECIAL, *known, *sorted(every - set(known))]
    ids = {word: number for number, word in enumerate(words)}
    train_pairs, dev_pairs, test_pairs = (
        [_pair(one, ids) for one in part] for part in (train, dev, test)
    )
    identity = digest.hexdigest()[:16]
    vocabulary = len(_SPECIAL) + len(known)
    return Corpus(train_pairs, dev_pairs, test_pairs, words, vocabulary, identity)


def _read(folder: Path, digest: "hashlib._Hash") -> Texts:
    sides = []
    for name in ("buggy.txt", "fixed.txt"):
        try:
            found = (folder / name).read_bytes()
        except OSError as error:
            raise ReproductionError(
                f"There is no {folder / name}; --pairs is the folder `dataset` of "
                "micheletufano/NeuralCodeTranslator."
            ) from error
        digest.update(found)
        sides.append([tuple(line.split()) for line in found.decode("utf-8").splitlines()])
    if len(sides[0]) != len(sides[1]):
        raise ReproductionError(f"The two files of {folder} have not as many lines.")
    return list(zip(*sides, strict=True))


def _pair(texts: tuple[tuple[str, ...], tuple[str, ...]], ids: dict[str, int]) -> Pair:
    return Pair(*(torch.tensor([ids[word] for word in side]) for side in texts))


@dataclass(frozen=True)
class Batch:
    """Pairs, padded.

    Attributes:
        before: Ids (B, N).
        after: Ids and an end mark (B, M).
        matches: How many words are alike from a word of `after` and one of `before` on (B, M, N).
    """

    before: Tensor
    after: Tensor
    matches: Tensor


def collate(pairs: Iterable[Pair]) -> Batch:
    """Pad pairs to one batch."""
    pairs, end = list(pairs), torch.tensor([END])
    before = _padded([pair.before for pair in pairs])
    after = _padded([torch.cat([pair.after, end]) for pair in pairs])
    return Batch(before, after, matches(before, after))


def _padded(texts: list[Tensor]) -> Tensor:
    return torch.nn.utils.rnn.pad_sequence(texts, batch_first=True, padding_value=PAD)


def matches(before: Tensor, after: Tensor) -> Tensor:
    """Count the equal words from each pair of places on: ids (B, N), (B, M) -> (B, M, N)."""
    equal = (after[:, :, None] == before[:, None, :]) & (before != PAD)[:, None, :]
    found = torch.zeros(equal.shape, dtype=torch.int64)
    ahead = found.new_zeros(before.shape)
    for place in reversed(range(after.shape[1])):
        ahead = equal[:, place] * (1 + torch.nn.functional.pad(ahead[:, 1:], (0, 1)))
        found[:, place] = ahead
    return found


def batch_of(pairs: Sequence[Pair], seed: int, size: int, step: int) -> Batch:
    """Draw the batch of a step: each epoch takes each pair once, beside pairs of its length."""
    count = len(pairs)
    every = max(count // size, 1)
    epoch, place = divmod(step, every)
    draw = torch.Generator().manual_seed(seed * 10_007 + epoch)
    shuffled = torch.randperm(count, generator=draw)[: every * size]
    turn = int(torch.randperm(every, generator=draw)[place])
    pool, within = divmod(turn, _POOL)
    pooled = shuffled[pool * _POOL * size : (pool + 1) * _POOL * size].tolist()
    pooled.sort(key=lambda at: len(pairs[at].after))
    return collate(pairs[at] for at in pooled[within * size : (within + 1) * size])


def in_batches(pairs: Sequence[Pair], size: int) -> Iterable[tuple[list[int], Batch]]:
    """Yield all pairs, short ones first, with their places."""
    ranked = sorted(range(len(pairs)), key=lambda at: len(pairs[at].before))
    for start in range(0, len(ranked), size):
        places = ranked[start : start + size]
        yield places, collate(pairs[at] for at in places)
