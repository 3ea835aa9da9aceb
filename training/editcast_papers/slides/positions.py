"""Kinds of positions: two that are added to embeddings, two that attention is told of.

B  batch     M  words that ask     N  words that are asked     H  heads     D  hidden
W  width of a head, D / H
"""

import math
from typing import Literal

import torch
from torch import Tensor, nn

Kind = Literal["sinusoidal", "learned", "relative", "linear"]
KINDS: tuple[Kind, ...] = ("sinusoidal", "learned", "relative", "linear")
_MOST = 1024  # places that have a vector of their own; those behind share the last one's
_FARTHEST = 16  # words whose distances are told apart


class Places(nn.Module):
    """Position embeddings: sinusoids (Vaswani et al. 2017), or learned vectors."""

    def __init__(self, kind: Kind, hidden: int) -> None:
        super().__init__()
        self.kind, self.hidden = kind, hidden
        self.learned = nn.Embedding(_MOST, hidden) if kind == "learned" else None

    def forward(self, places: Tensor) -> Tensor:
        """Return vectors of places (B, N) -> (B, N, D), or what spreads to them."""
        if self.learned is not None:
            learned: Tensor = self.learned(places.clamp(max=_MOST - 1))
            return learned
        if self.kind == "sinusoidal":
            return sinusoids(places, self.hidden)
        return torch.zeros((1, 1, 1), device=places.device)


def sinusoids(places: Tensor, hidden: int) -> Tensor:
    """Return sinusoids of places (B, N) -> (B, N, D); sines and cosines in turns."""
    rates = torch.exp(
        torch.arange(0, hidden, 2, device=places.device) * (-math.log(10_000.0) / hidden)
    )
    angles = places[..., None] * rates
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(-2)


class Distances(nn.Module):
    """Biases of the attention scores within a text.

    Relative positions are vectors that are added to keys, one for each distance up to 16 words
    (Shaw et al. 2018, their keys alone). The linear bias falls with the distance, by a slope of its
    own in each head (Press et al. 2022). They have words on the left only; a word on the right
    counts as twice as far, since a network that sees both sides could not tell them otherwise.
    """

    slopes: Tensor

    def __init__(self, kind: Kind, hidden: int, heads: int) -> None:
        super().__init__()
        self.kind = kind
        if kind == "relative":
            count = 2 * _FARTHEST + 1
            self.vectors = nn.Parameter(torch.randn(count, hidden // heads) * 0.02)
        slopes = 2.0 ** (-8.0 * torch.arange(1, heads + 1) / heads)
        self.register_buffer("slopes", slopes[:, None, None], persistent=False)

    def forward(self, query: Tensor, away: Tensor) -> Tensor | float:
        """Return what is added to scores.

        Args:
            query: Of the words that ask, scaled (B, H, M, W).
            away: How far on the right of it each word is (B, M, N).
        """
        if self.kind == "relative":
            near = away.clamp(-_FARTHEST, _FARTHEST) + _FARTHEST
            by_distance = query @ self.vectors.T.to(query.dtype)  # (B, H, M, distances)
            wide = near[:, None].expand(-1, query.shape[1], -1, -1)
            return by_distance.gather(3, wide)
        if self.kind == "linear":
            return -self.slopes * (away.abs() + away.clamp(min=0))[:, None]
        return 0.0
