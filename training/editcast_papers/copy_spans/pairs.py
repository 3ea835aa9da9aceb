"""Pairs of texts, before and after a change, as ids.

The bug-fix pairs of Tufano et al. (2019) are methods of Java with abstracted names (``VAR_1``), so
that some four hundred words suffice. They are read from a folder as their authors laid it out:
``bug-fixes/small/eval/buggy.txt`` and so on, one method a line. The authors' code reviews
(``reviews/all``) are pairs of the same kind. What is for training is not among the files that can
be had: nine tenths of ``eval`` and the reviews stand in. Edits, which `edits` writes, are read from
``edits`` of the same folder; with each an edit is shown, which says what is to be done.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from editcast_model.errors import ReproductionError
from editcast_papers.training import order_by_length

Size = Literal["small", "medium", "edits"]
PAD, UNKNOWN, START, END = range(4)
_SPECIAL = ("", "<unknown>", "<start>", "<end>")
#: Times that a word of the vocabulary occurs in the pairs to train on; and most words.
_LEAST, _MOST = 2, 2_000


class Shown(NamedTuple):
    """An edit, word by word.

    Attributes:
        words: Ids of what stays, of what goes and of what comes (C,), or of several (B, C).
        marks: 0, 1 and 2 for these, of the same shape.
    """

    words: Tensor
    marks: Tensor


@dataclass(frozen=True)
class Pair:
    """Ids of the words before and after a change, without end marks; and the edit shown, if any."""

    before: Tensor
    after: Tensor
    shown: Shown | None = None


@dataclass(frozen=True)
class Corpus:
    """The parts, and what their ids mean.

    Attributes:
        train: To train on; so are `dev` to choose by, and `test`.
        words: The word of each id.
        known: How many ids, from 0, can be generated; those above can be copied only.
        identity: A digest of all that was read.
        transfer: Pairs with which an edit of another place is shown.
        kinds: Of these edits.
    """

    train: Sequence[Pair]
    dev: Sequence[Pair]
    test: Sequence[Pair]
    words: Sequence[str]
    known: int
    identity: str
    transfer: Sequence[Pair] = ()
    kinds: Sequence[str] = ()


Texts = list[tuple[tuple[str, ...], tuple[str, ...]]]


def read_corpus(folder: Path, size: Size) -> Corpus:
    """Read the pairs of a size.

    Raises:
        ReproductionError: A file is missing, or its two sides have not as many lines.
    """
    digest = hashlib.sha256()
    kinds: list[str] = []
    transfer: Texts = []
    shown: Texts = []
    if size == "edits":
        names = ("train", "dev", "test", "transfer", "shown")
        train, dev, test, transfer, shown = (_read(folder / size / one, digest) for one in names)
        kinds = (folder / size / "transfer" / "kinds.txt").read_text("utf-8").splitlines()
        typical = train
    else:
        # Reviews have other words: what can be generated is what bug fixes need, as in the paper.
        typical, train, dev, test = _bug_fixes(folder, size, digest)
    counts = Counter(word for pair in typical for side in pair for word in side)
    known = sorted(word for word, count in counts.most_common(_MOST) if count >= _LEAST)
    parts = (train, dev, test, transfer, shown)
    every = {word for part in parts for pair in part for side in pair for word in side}
    words = [*_SPECIAL, *known, *sorted(every - set(known))]
    ids = {word: number for number, word in enumerate(words)}

    def coded(part: Texts) -> list[Pair]:
        pairs = [_pair(one, ids) for one in part]
        return [replace(one, shown=align(one)) for one in pairs] if size == "edits" else pairs

    return Corpus(
        coded(train),
        coded(dev),
        coded(test),
        words,
        len(_SPECIAL) + len(known),
        digest.hexdigest()[:16],
        [
            replace(pair, shown=other.shown)
            for pair, other in zip(coded(transfer), coded(shown), strict=True)
        ],
        kinds,
    )


def _bug_fixes(folder: Path, size: Size, digest: "hashlib._Hash") -> list[Texts]:
    """Return the bug fixes to train on, all that is to train on, dev and test."""
    valid = _read(folder / "bug-fixes" / size / "eval", digest)
    test = _read(folder / "bug-fixes" / size / "test", digest)
    dev = valid[9::10]
    reviews = folder / "reviews" / "all" / size
    fixes = [pair for at, pair in enumerate(valid) if at % 10 != 9]
    train = list(fixes)
    for part in sorted(reviews.iterdir()) if reviews.is_dir() else ():
        train += _read(part, digest)
    held_out = {before for before, _ in dev + test}
    return [fixes, [pair for pair in train if pair[0] not in held_out], dev, test]


def align(pair: Pair) -> Shown:
    """Show a pair as one edit: the words that stay before it, what goes, what comes, the rest."""
    before, after = pair.before.tolist(), pair.after.tolist()
    start, shorter = 0, min(len(before), len(after))
    while start < shorter and before[start] == after[start]:
        start += 1
    rest = 0
    while rest < shorter - start and before[-1 - rest] == after[-1 - rest]:
        rest += 1
    end = len(before) - rest
    gone, new = before[start:end], after[start : len(after) - rest]
    words = [*before[:start], *gone, *new, *before[end:]]
    marks = [0] * start + [1] * len(gone) + [2] * len(new) + [0] * rest
    return Shown(torch.tensor(words), torch.tensor(marks))


def _read(folder: Path, digest: "hashlib._Hash") -> Texts:
    sides = []
    for name in ("buggy.txt", "fixed.txt"):
        try:
            found = (folder / name).read_bytes()
        except OSError as error:
            raise ReproductionError(
                f"There is no {folder / name}; --pairs is the folder `dataset` of "
                "micheletufano/NeuralCodeTranslator, or what `reproduce edit-pairs` made."
            ) from error
        digest.update(found)
        sides.append([tuple(line.split()) for line in found.decode("utf-8").splitlines()])
    if len(sides[0]) != len(sides[1]):
        raise ReproductionError(f"The two files of {folder} have not as many lines.")
    return list(zip(*sides, strict=True))


def _pair(texts: tuple[tuple[str, ...], tuple[str, ...]], ids: dict[str, int]) -> Pair:
    before, after = (torch.tensor([ids[word] for word in side]) for side in texts)
    return Pair(before, after)


@dataclass(frozen=True)
class Batch:
    """Pairs, padded.

    Attributes:
        before: Ids (B, N).
        after: Ids and an end mark (B, M).
        matches: How many words are alike from a word of `after` and one of `before` on (B, M, N).
        shown: The edits shown, padded; None if there are none.
    """

    before: Tensor
    after: Tensor
    matches: Tensor
    shown: Shown | None = None


def collate(pairs: Iterable[Pair]) -> Batch:
    """Pad pairs to one batch."""
    pairs, end = list(pairs), torch.tensor([END])
    before = _padded([pair.before for pair in pairs])
    after = _padded([torch.cat([pair.after, end]) for pair in pairs])
    given = [pair.shown for pair in pairs if pair.shown is not None]
    shown = Shown(*(_padded(list(side)) for side in zip(*given, strict=True))) if given else None
    return Batch(before, after, matches(before, after), shown)


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
    lengths = [len(pair.after) for pair in pairs]
    return collate(pairs[at] for at in order_by_length(lengths, seed, size, step))


def in_batches(pairs: Sequence[Pair], size: int) -> Iterable[tuple[list[int], Batch]]:
    """Yield all pairs, short ones first, with their places."""
    ranked = sorted(range(len(pairs)), key=lambda at: len(pairs[at].before))
    for start in range(0, len(ranked), size):
        places = ranked[start : start + size]
        yield places, collate(pairs[at] for at in places)
