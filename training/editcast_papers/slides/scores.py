"""Scores of a trained network: edits that are exactly right, and bits of a character.

An edit is right if each of its ids is the likeliest one behind those before it. That is so if and
only if greedy decoding writes it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.nn.functional import cross_entropy

from editcast_papers.exact import right_words
from editcast_papers.slides.corpus import PAD, Line, in_batches
from editcast_papers.slides.network import Writer

_AT_ONCE = 64


@dataclass(frozen=True)
class Score:
    """Predictions of a network for edits.

    Attributes:
        exact: Percent of them that are exactly right.
        bits: Of a character of what is to be written, on average.
        right: A figure an edit, in their order: 1 if it is right, else 0.
    """

    exact: float
    bits: float
    right: str


@torch.no_grad()
def score(network: Writer, lines: Sequence[Line]) -> Score:
    """Score a network on edits."""
    network.eval()
    device = network.embedding.weight.device
    right, lost = [False] * len(lines), 0.0
    for places, batch in in_batches(lines, _AT_ONCE):
        scores = network(batch.to(device)).scores.float().cpu()
        real = batch.written != PAD
        lost += float(cross_entropy(scores, batch.written[real], reduction="sum"))
        wrong = torch.zeros_like(real)
        wrong[real] = scores.argmax(-1) != batch.written[real]
        for place, one in zip(places, wrong.any(1).tolist(), strict=True):
            right[place] = not one
    characters = sum(line.characters for line in lines)
    exact = 100 * sum(right) / max(len(right), 1)
    return Score(round(exact, 4), round(lost / math.log(2) / characters, 5), right_words(right))
