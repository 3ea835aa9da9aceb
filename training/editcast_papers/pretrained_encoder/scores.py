"""Scores of what a network writes: lines that are exactly right, and BLEU."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from editcast_papers.bleu import bleu, bleu_counts
from editcast_papers.django import Example
from editcast_papers.exact import right_words
from editcast_papers.pretrained_encoder.corpus import LONGEST, Corpus, Line, in_batches
from editcast_papers.pretrained_encoder.network import Writer
from editcast_papers.pretrained_encoder.search import search
from editcast_papers.subwords import END, PAD

BEAM = 5
_AT_ONCE = 128
# Code has at most so many words, and so many for each word of its description.
_LEAST, _TIMES = 16, 3


@dataclass(frozen=True)
class Score:
    """What a search found in lines.

    Attributes:
        exact: Percent of the lines that are exactly right.
        bleu: Over words, in percent.
        right: A figure a line, in their order: 1 if it is right, else 0.
    """

    exact: float
    bleu: float
    right: str


def written(
    network: Writer, lines: Sequence[Line], words: Sequence[str], beam: int
) -> list[tuple[str, ...]]:
    """Write code for each line; what has no end is written as far as it goes."""
    network.eval()
    device = network.bias.device
    found: list[tuple[str, ...]] = [()] * len(lines)
    for places, batch in in_batches(lines, max(_AT_ONCE // beam, 1)):
        longest = min(LONGEST, _LEAST + _TIMES * batch.words.shape[1])
        text, _ = search(network, batch.to(device), beam, longest)
        for place, row in zip(places, text[:, 0].tolist(), strict=True):
            found[place] = tuple(words[one] for one in row if one not in (PAD, END))
    return found


def score(
    network: Writer, corpus: Corpus, lines: Sequence[Line], examples: Sequence[Example], beam: int
) -> Score:
    """Score the search on lines."""
    found = written(network, lines, corpus.words, beam)
    right = [example.is_right(text) for example, text in zip(examples, found, strict=True)]
    counts = bleu_counts(
        [" ".join(text) for text in found], [" ".join(example.code) for example in examples]
    )
    return Score(
        round(100 * sum(right) / max(len(right), 1), 4),
        round(bleu(counts), 4),
        right_words(right),
    )


def probability(network: Writer, lines: Sequence[Line]) -> float:
    """Return the geometric mean of the probability of a word, in percent."""
    network.eval()
    total, words = 0.0, 0
    with torch.no_grad():
        for _, batch in in_batches(lines, _AT_ONCE):
            total += float(network(batch.to(network.bias.device)).sum())
            words += int((batch.code != PAD).sum())
    return 100 * math.exp(total / max(words, 1))
