"""Three networks that write what an edited line becomes: of an encoder, of a decoder, and of both.

    B  batch     N  ids read     M  ids written     L  both, in one text     V  ids     D  hidden

The encoder-decoder reads on both sides, and writes with attention to what it read (T5, BART). The
decoder-only network reads and writes one text, from left to right (GPT). The encoder-only network
reads a text that ends in masks, and guesses all of them at once (BERT): it does not know what else
it has guessed. All three have as many layers together, and share their embeddings with the output.
"""

import math
from typing import Literal

import torch
from torch import Tensor, nn

from editcast_papers.slides.corpus import PAD, START, Batch, Corpus
from editcast_papers.slides.positions import Distances, Kind, Places

Shape = Literal["encoder-decoder", "decoder-only", "encoder-only"]
SHAPES: tuple[Shape, ...] = ("encoder-decoder", "decoder-only", "encoder-only")
HEADS, LAYERS, DROPOUT = 4, 4, 0.1
_NEVER = -1e9


class Attention(nn.Module):
    """Attention of several heads; `distances` of words within a text, none between two texts."""

    def __init__(self, hidden: int, distances: Kind | None) -> None:
        super().__init__()
        self.query = nn.Linear(hidden, hidden)
        self.asked = nn.Linear(hidden, 2 * hidden)
        self.out = nn.Linear(hidden, hidden)
        self.distances = None if distances is None else Distances(distances, hidden, HEADS)

    def forward(self, x: Tensor, asked: Tensor, hide: Tensor, away: Tensor | None) -> Tensor:
        """Attend: words (B, M, D) that ask others (B, N, D) -> (B, M, D).

        Args:
            x: The words that ask.
            asked: The words that are asked.
            hide: Added to scores: (B, M, N), or what spreads to it.
            away: How far on the right each is that is asked (B, M, N).
        """
        query, key, value = (
            one.unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for one in (self.query(x), *self.asked(asked).chunk(2, -1))
        )
        query = query * query.shape[-1] ** -0.5
        scores = query @ key.transpose(2, 3)
        if self.distances is not None and away is not None:
            scores = scores + self.distances(query, away)
        weights = (scores + hide[:, None]).softmax(-1)
        found: Tensor = self.out((weights.to(value.dtype) @ value).transpose(1, 2).flatten(2))
        return found


class Layer(nn.Module):
    """Self-attention, attention to another text if it `reads` one, and a wide part."""

    def __init__(self, hidden: int, positions: Kind, *, reads: bool) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(3 if reads else 2))
        self.own = Attention(hidden, positions)
        self.other = Attention(hidden, None) if reads else None
        self.wide = nn.Sequential(
            nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden)
        )
        self.dropout = nn.Dropout(DROPOUT)

    def forward(
        self, x: Tensor, hide: Tensor, away: Tensor, other: tuple[Tensor, Tensor] | None = None
    ) -> Tensor:
        """Read (B, M, D) -> the same; `other` is a text and what hides its padding."""
        normed = self.norms[0](x)
        x = x + self.dropout(self.own(normed, normed, hide, away))
        if self.other is not None and other is not None:
            x = x + self.dropout(self.other(self.norms[2](x), *other, None))
        return x + self.dropout(self.wide(self.norms[1](x)))


class Writer(nn.Module):
    """A network of one shape.

    Args:
        shape: Of its layers.
        positions: How it tells where words are.
        corpus: What it reads: the number of ids, and the longest text that is written.
        hidden: D.
    """

    def __init__(self, shape: Shape, positions: Kind, corpus: Corpus, hidden: int) -> None:
        super().__init__()
        self.shape, self.mask, self.longest = shape, corpus.mask, corpus.longest
        self.embedding = nn.Embedding(corpus.ids, hidden)
        nn.init.normal_(self.embedding.weight, std=hidden**-0.5)
        self.places = Places(positions, hidden)
        both = shape == "encoder-decoder"
        count = LAYERS // 2 if both else LAYERS
        self.layers = nn.ModuleList(Layer(hidden, positions, reads=False) for _ in range(count))
        self.writing = nn.ModuleList(
            Layer(hidden, positions, reads=True) for _ in range(LAYERS - count)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(2 if both else 1))
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, batch: Batch) -> Tensor:
        """Score each id that is to be written, given those before it (Q, V), Q in number."""
        start = torch.full_like(batch.written[:, :1], START)
        so_far = torch.cat([start, batch.written[:, :-1]], 1)
        if self.shape == "encoder-decoder":
            memory, hide = self._both_ways(batch.read)
            out = self._written(so_far, memory, hide)
        elif self.shape == "decoder-only":
            out = self._onward(torch.cat([batch.read, so_far], 1))[:, batch.read.shape[1] :]
        else:
            # As many masks always: their number must not tell how much is to be written.
            masks = batch.read.new_full((len(batch.read), self.longest), self.mask)
            out, _ = self._both_ways(torch.cat([batch.read, masks], 1))
            out = out[:, batch.read.shape[1] :][:, : batch.written.shape[1]]
        scores: Tensor = out[batch.written != PAD] @ self.embedding.weight.T
        return scores

    def _embed(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Embed a text (B, L); also how far each word is from each. Padding has no place."""
        places = ((ids != PAD).cumsum(1) - 1).clamp(min=0)
        x = self.embedding(ids) * math.sqrt(self.embedding.embedding_dim) + self.places(places)
        return self.dropout(x), places[:, None] - places[:, :, None]

    def _both_ways(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Read a text (B, L) whose words see each other; returns what hides its padding, too."""
        x, away = self._embed(ids)
        hide = (ids == PAD)[:, None] * _NEVER
        for layer in self.layers:
            x = layer(x, hide, away)
        return self.norms[0](x), hide

    def _onward(self, ids: Tensor) -> Tensor:
        """Read a text (B, L) whose words see those before them."""
        x, away = self._embed(ids)
        hide = (ids == PAD)[:, None] * _NEVER + _later(ids)
        for layer in self.layers:
            x = layer(x, hide, away)
        normed: Tensor = self.norms[0](x)
        return normed

    def _written(self, ids: Tensor, memory: Tensor, hide: Tensor) -> Tensor:
        """Read what is written (B, M), with attention to what was read."""
        x, away = self._embed(ids)
        later = _later(ids)[None]
        for layer in self.writing:
            x = layer(x, later, away, (memory, hide))
        normed: Tensor = self.norms[1](x)
        return normed


def _later(ids: Tensor) -> Tensor:
    """Return what hides later words (L, L)."""
    count = ids.shape[1]
    return torch.full((count, count), _NEVER, device=ids.device).triu(1)
