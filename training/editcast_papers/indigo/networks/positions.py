"""Relative positions of words that are inserted one after another.

    B  batch     N  words of a text     M  words written so far, with both ends: N + 2 in the end

Words are numbered in the order in which they are written; word 0 is the start of the text and word
1 its end. Row i of the matrix R of relations says for every word j whether it is right of word i
(-1), the same word (0), or left of word i (1). A word that is written later changes no entry, so R
grows by a row and a column and the rest stays. The paper prints R transposed.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

PAD, UNKNOWN, START, END, DONE = range(5)
SPECIAL = ("", "<unknown>", "<s>", "</s>", "<eod>")
LEFT, RIGHT = -1, 1


def relations_of(places: Tensor) -> Tensor:
    """Compare absolute places (B, M), in the order of writing -> R (B, M, M)."""
    return torch.sign(places[:, :, None] - places[:, None, :])


def places_of(relations: Tensor) -> Tensor:
    """Count the words on the left: R (B, M, M) -> absolute places (B, M)."""
    return relations.clamp(min=0).sum(-1)


def first_relations(rows: int, device: torch.device | None = None) -> Tensor:
    """Return R of the start and the end alone (B, 2, 2)."""
    return relations_of(torch.tensor([[0, 1]], device=device)).expand(rows, -1, -1)


def extended(relations: Tensor, neighbour: Tensor, side: Tensor) -> Tensor:
    """Insert a word beside another one.

    Args:
        relations: R (B, M, M).
        neighbour: The number of the word beside it (B,).
        side: `LEFT` or `RIGHT` of that word (B,).

    Returns:
        R (B, M + 1, M + 1).
    """
    at = neighbour[:, None, None].expand(-1, 1, relations.shape[2])
    row = relations.gather(1, at)[:, 0].scatter(1, neighbour[:, None], side[:, None])  # (B, M)
    above = torch.cat([relations, -row[:, :, None]], 2)
    below = torch.cat([row, torch.zeros_like(row[:, :1])], 1)
    return torch.cat([above, below[:, None]], 1)


@dataclass(frozen=True)
class Written:
    """Texts in an order of writing.

    Attributes:
        words: Ids, the start and the end first (B, N + 2).
        relations: R (B, N + 2, N + 2).
        following: The id that is predicted after each word but the start (B, N + 1): `DONE` after
            the last word of a text, then `PAD`.
        left: The number of the word that is the left neighbour of word n + 2 when that is written
            (B, N).
        right: The number of its right neighbour (B, N).
    """

    words: Tensor
    relations: Tensor
    following: Tensor
    left: Tensor
    right: Tensor


def write(text: Tensor, order: Tensor) -> Written:
    """Write texts in an order.

    Args:
        text: Ids, padded (B, N).
        order: The place of the word that is written first, second, ... (B, N), a permutation;
            places of padding come last.
    """
    lengths = (text != PAD).sum(1, keepdim=True)
    start = torch.full_like(lengths, START)
    words = torch.cat([start, start - START + END, text.gather(1, order)], 1)
    real = order < lengths
    after = torch.where(real, order + 1, order + 2)  # the end has its place before the padding
    places = torch.cat([torch.zeros_like(lengths), lengths + 1, after], 1)
    following = torch.nn.functional.pad(words[:, 2:], (0, 1)).scatter(1, lengths, DONE)
    written = places[:, None, :-1]  # (B, 1, N + 1)
    new = places[:, 2:, None]  # (B, N, 1)
    known = _earlier(text)
    left = torch.where(known & (written < new), written, -1).argmax(-1)
    right = torch.where(known & (written > new), written, places.shape[1] + 2).argmin(-1)
    return Written(words, relations_of(places), following, left, right)


def _earlier(text: Tensor) -> Tensor:
    """Tell which words are there when word n + 2 is written: bool (N, N + 1)."""
    count = text.shape[1]
    return torch.ones((count, count + 1), dtype=torch.bool, device=text.device).tril(1)


def read(words: Tensor, relations: Tensor) -> Tensor:
    """Put words (B, M) at their places: the text from its start on (B, M)."""
    return torch.zeros_like(words).scatter(1, places_of(relations), words)
