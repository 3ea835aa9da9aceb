"""The encoder: a small Transformer over subwords, and the guesses that it is pre-trained by.

    B  batch      S  subwords      N  words      D  hidden      P  subwords of the vocabulary

Layers normalise what they read ("pre-norm"); positions are sinusoids, so that a text may be of any
length. One id above the vocabulary stands for a subword that is masked.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from editcast_papers.subwords import PAD

LAYERS, HEADS, DROPOUT = 3, 4, 0.2


def positions(count: int, hidden: int, device: torch.device) -> Tensor:
    """Return sinusoids of places (count, D)."""
    rates = torch.exp(torch.arange(0, hidden, 2, device=device) * (-math.log(10_000.0) / hidden))
    angles = torch.arange(count, device=device)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


class Attention(nn.Module):
    """Attention of several heads."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.ask = nn.Linear(hidden, hidden)
        self.tell = nn.Linear(hidden, 2 * hidden)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, x: Tensor, seen: Tensor, mask: Tensor | None, *, causal: bool) -> Tensor:
        """Let x (B, M, D) attend to what is seen (B, N, D), where `mask` (B, 1, 1, N) allows it."""
        query, key, value = (
            one.unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for one in (self.ask(x), *self.tell(seen).chunk(2, -1))
        )
        found = scaled_dot_product_attention(query, key, value, mask, is_causal=causal)
        return self.out(found.transpose(1, 2).flatten(2))


class Block(nn.Module):
    """A layer of an encoder or, where it reads a memory, of a decoder."""

    def __init__(self, hidden: int, *, reads: bool) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(3 if reads else 2))
        self.own = Attention(hidden)
        self.other = Attention(hidden) if reads else None
        self.change = nn.Sequential(
            nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden)
        )
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x: Tensor, mask: Tensor, memory: Tensor | None = None) -> Tensor:
        """Read (B, M, D) -> the same.

        Args:
            x: What the layer below made.
            mask: Where there is something to attend to, bool (B, 1, 1, N): in x or, with a memory,
                in that; x then attends to what is before only.
            memory: What a decoder reads (B, N, D).
        """
        y = self.norms[0](x)
        x = x + self.dropout(
            self.own(y, y, mask if memory is None else None, causal=memory is not None)
        )
        if self.other is not None and memory is not None:
            x = x + self.dropout(self.other(self.norms[2](x), memory, mask, causal=False))
        return x + self.dropout(self.change(self.norms[1](x)))


class Encoder(nn.Module):
    """Reads subwords. `pieces` is P."""

    def __init__(self, pieces: int, hidden: int) -> None:
        super().__init__()
        self.mask = pieces
        self.embedding = nn.Embedding(pieces + 1, hidden, padding_idx=PAD)
        nn.init.normal_(self.embedding.weight, std=hidden**-0.5)
        self.layers = nn.ModuleList(Block(hidden, reads=False) for _ in range(LAYERS))
        self.norm = nn.LayerNorm(hidden)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, pieces: Tensor) -> Tensor:
        """Read (B, S) -> (B, S, D); what is at padding means nothing."""
        hidden = self.embedding.embedding_dim
        x = self.embedding(pieces) * math.sqrt(hidden)
        x = self.dropout(x + positions(pieces.shape[1], hidden, pieces.device))
        mask = (pieces != PAD)[:, None, None]
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)

    def words(self, pieces: Tensor, owners: Tensor, words: int) -> Tensor:
        """Read (B, S); each word is the mean of its subwords (B, N, D)."""
        x = self(pieces)
        real = (pieces != PAD)[..., None].to(x.dtype)
        index = owners[..., None].expand_as(x)
        total = x.new_zeros(len(x), words, x.shape[-1]).scatter_add(1, index, x * real)
        count = x.new_zeros(len(x), words, 1).scatter_add(1, owners[..., None], real)
        return total / count.clamp(min=1)


class Guesser(nn.Module):
    """Guesses masked subwords from what the encoder makes of the others."""

    def __init__(self, pieces: int, hidden: int) -> None:
        super().__init__()
        self.encoder = Encoder(pieces, hidden)
        self.change = nn.Sequential(nn.Linear(hidden, hidden), nn.GELU(), nn.LayerNorm(hidden))
        self.bias = nn.Parameter(torch.zeros(pieces + 1))

    def forward(self, pieces: Tensor, places: Tensor) -> Tensor:
        """Score the subwords (Q, P + 1) at places (B, S), bool, Q in number."""
        x = self.change(self.encoder(pieces)[places])
        scores: Tensor = x @ self.encoder.embedding.weight.T + self.bias
        return scores
