"""Tasks as pairs of ids: word order recovery, translation, and code from descriptions.

Both sides share one vocabulary, in which the words that can be written come first.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from editcast_papers.django import read_django
from editcast_papers.indigo.networks.positions import PAD, SPECIAL, UNKNOWN
from editcast_papers.indigo.orders import ORDERS, common_words
from editcast_papers.multi30k import Multi30k, read_multi30k
from editcast_papers.training import order_by_length

#: Words of a side at most; longer ones are not trained on.
LONGEST = 50
Words = Sequence[str]
#: Source, target, and whether words are the target.
Pair = tuple[Words, Words, Callable[[Words], bool]]


@dataclass(frozen=True)
class Task:
    """One of the tasks.

    Attributes:
        ordered: Whether the source is a text, not a bag of words.
        least: Times that a word occurs in what is trained on, to be known.
    """

    ordered: bool
    least: int


TASKS = {
    "word order": Task(ordered=False, least=3),
    "django": Task(ordered=True, least=1),
    "en-de": Task(ordered=True, least=3),
}


@dataclass(frozen=True)
class Example:
    """Source and target.

    Attributes:
        source: Ids (S,).
        text: Ids (N,).
        words: The target as it stands.
        order: Places of the words in the order of writing (N,).
        is_right: Tells whether words are the target.
    """

    source: Tensor
    text: Tensor
    words: Words
    order: Tensor
    is_right: Callable[[Words], bool]


@dataclass(frozen=True)
class Corpus:
    """The parts, and what their ids mean.

    Attributes:
        train: To train on; so are `dev` to choose by, and `test`.
        words: The word of each id.
        known: How many ids, from 0, can be written.
        identity: A digest of what was read.
        lengths: The words of each text to train on.
    """

    train: Sequence[Example]
    dev: Sequence[Example]
    test: Sequence[Example]
    words: Sequence[str]
    known: int
    identity: str
    lengths: Sequence[int]


def read_task(name: str, folder: Path, order: str) -> Corpus:
    """Read a task, with its targets in one of `ORDERS`.

    Raises:
        ReproductionError: The data are not in the folder.
    """
    task = TASKS[name]
    parts: list[list[Pair]]
    if name == "django":
        lines = read_django(folder)
        parts = [
            [(one.description, one.code, one.is_right) for one in part]
            for part in (lines.train, lines.dev, lines.test)
        ]
        identity = lines.identity
    else:
        sentences = read_multi30k(folder, "en", "de" if name == "en-de" else "en")
        parts, identity = _sentences(sentences, task.ordered), sentences.identity
    train = [pair for pair in parts[0] if 0 < len(pair[1]) <= LONGEST >= len(pair[0])]
    return _coded((train, *parts[1:]), task.least, order, identity)


def _sentences(found: Multi30k, ordered: bool) -> list[list[Pair]]:
    def pair(source: str, target: str) -> Pair:
        words = tuple(target.split())
        given = source.split()
        return given if ordered else sorted(given), words, lambda found: tuple(found) == words

    return [[pair(*one) for one in part] for part in (found.train, found.dev, found.test)]


def _coded(parts: Iterable[Sequence[Pair]], least: int, order: str, identity: str) -> Corpus:
    train, dev, test = parts
    written = _known((target for _, target, _ in train), least)
    read = _known((source for source, _, _ in train), least)
    words = [*SPECIAL, *written, *sorted(set(read) - set(written))]
    writable = len(SPECIAL) + len(written)
    ids = {word: number for number, word in enumerate(words)}
    ids_written = {word: ids[word] for word in words[:writable]}
    common = common_words(target for _, target, _ in train)
    rule = ORDERS["L2R" if order == "RND" else order]

    def example(pair: Pair) -> Example:
        source, target, is_right = pair
        known, text = (
            torch.tensor([of.get(word, UNKNOWN) for word in side])
            for side, of in ((source, ids), (target, ids_written))
        )
        return Example(known, text, target, torch.tensor(rule(target, common)), is_right)

    coded = [[example(pair) for pair in part] for part in (train, dev, test)]
    return Corpus(
        coded[0],
        coded[1],
        coded[2],
        words,
        writable,
        identity,
        [len(one.text) for one in coded[0]],
    )


def _known(texts: Iterable[Words], least: int) -> list[str]:
    counts = Counter(word for text in texts for word in text)
    return sorted(word for word, count in counts.items() if count >= least)


@dataclass(frozen=True)
class Batch:
    """Examples, padded.

    Attributes:
        source: Ids (B, S).
        text: Ids (B, N).
        order: Places in the order of writing, those of padding last (B, N).
    """

    source: Tensor
    text: Tensor
    order: Tensor


def collate(examples: Sequence[Example], device: torch.device) -> Batch:
    """Pad examples to one batch on a device."""
    source, text = (
        torch.nn.utils.rnn.pad_sequence(list(side), batch_first=True, padding_value=PAD)
        for side in ([one.source for one in examples], [one.text for one in examples])
    )
    order = torch.nn.utils.rnn.pad_sequence(
        [one.order for one in examples], batch_first=True, padding_value=-1
    )
    order = torch.where(order < 0, torch.arange(text.shape[1]), order)
    return Batch(source.to(device), text.to(device), order.to(device))


def batch_of(corpus: Corpus, seed: int, size: int, step: int, device: torch.device) -> Batch:
    """Draw the batch of a step: each epoch takes each example once, beside those of its length."""
    places = order_by_length(corpus.lengths, seed, size, step)
    return collate([corpus.train[at] for at in places], device)


def random_order(text: Tensor) -> Tensor:
    """Draw an order for each text (B, N), with places of padding last."""
    draw = torch.rand(text.shape, device=text.device)
    return torch.where(
        text == PAD, 2.0 + torch.arange(text.shape[1], device=text.device), draw
    ).argsort(1)
