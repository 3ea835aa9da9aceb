"""Three networks that write what an edited line becomes: of an encoder, of a decoder, and of both.

    B  batch     N  ids read     M  ids written     L  both, in one text     V  ids     D  hidden

The encoder-decoder reads on both sides, and writes with attention to what it read (T5, BART). The
decoder-only network reads and writes one text, from left to right (GPT). The encoder-only network
reads a text that ends in masks, and guesses all of them at once (BERT): it does not know what else
it has guessed. All three have as many layers together, and share their embeddings with the output.

Of the thesis: heads of the layers that read can be rewarded for disagreement or joined by routing
(`heads.py`, `routing.py`), and what is read can have the embedding of its parent (`parents.py`).
"""

import math
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

from editcast_papers.heads import Heads, disagreement
from editcast_papers.routing import Routing
from editcast_papers.slides.corpus import PAD, START, Batch, Corpus
from editcast_papers.slides.positions import Distances, Kind, Places

Shape = Literal["encoder-decoder", "decoder-only", "encoder-only"]
SHAPES: tuple[Shape, ...] = ("encoder-decoder", "decoder-only", "encoder-only")
Joined = Literal["linear", "disagreement", "simple routing", "EM routing"]
JOINED: tuple[Joined, ...] = ("linear", "disagreement", "simple routing", "EM routing")
HEADS, LAYERS, DROPOUT = 4, 4, 0.1
_NEVER = -1e9


class Guess(NamedTuple):
    """Scores of the ids that are to be written, and how much heads disagree: 0 if nobody asks."""

    scores: Tensor
    disagreement: Tensor


class Attention(nn.Module):
    """Attention of several heads; `distances` of words within a text, none between two texts."""

    def __init__(self, hidden: int, distances: Kind | None, joined: Joined) -> None:
        super().__init__()
        self.query = nn.Linear(hidden, hidden)
        self.asked = nn.Linear(hidden, 2 * hidden)
        self.out: nn.Module = nn.Linear(hidden, hidden)
        if joined in ("simple routing", "EM routing"):
            self.out = Routing(hidden, HEADS, "em" if joined == "EM routing" else "simple")
        self.distances = None if distances is None else Distances(distances, hidden, HEADS)

    def forward(
        self, x: Tensor, asked: Tensor, hide: Tensor, away: Tensor | None
    ) -> tuple[Tensor, Heads]:
        """Attend: words (B, M, D) that ask others (B, N, D) -> (B, M, D), and the heads.

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
        outputs = weights.to(value.dtype) @ value
        return self.out(outputs.transpose(1, 2).flatten(2)), Heads(value, weights, outputs)


class Layer(nn.Module):
    """Self-attention, attention to another text if it `reads` one, and a wide part."""

    def __init__(
        self, hidden: int, positions: Kind, *, reads: bool, joined: Joined = "linear"
    ) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(3 if reads else 2))
        self.own = Attention(hidden, positions, joined)
        self.other = Attention(hidden, None, "linear") if reads else None
        self.wide = nn.Sequential(
            nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden)
        )
        self.dropout = nn.Dropout(DROPOUT)

    def forward(
        self, x: Tensor, hide: Tensor, away: Tensor, other: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Heads]:
        """Read (B, M, D) -> the same, and the heads of attention within the text.

        `other` is a text and what hides its padding.
        """
        normed = self.norms[0](x)
        found, heads = self.own(normed, normed, hide, away)
        x = x + self.dropout(found)
        if self.other is not None and other is not None:
            x = x + self.dropout(self.other(self.norms[2](x), *other, None)[0])
        return x + self.dropout(self.wide(self.norms[1](x))), heads


class Writer(nn.Module):
    """A network of one shape.

    Args:
        shape: Of its layers.
        positions: How it tells where words are.
        corpus: What it reads: the number of ids, and the longest text that is written.
        hidden: D.
        joined: How heads are joined in the layers that read, or what they are rewarded for.
        parents: Whether what is read has the embeddings of its parents.
    """

    def __init__(
        self,
        shape: Shape,
        positions: Kind,
        corpus: Corpus,
        hidden: int,
        joined: Joined = "linear",
        *,
        parents: bool = False,
    ) -> None:
        super().__init__()
        self.shape, self.mask, self.longest = shape, corpus.mask, corpus.longest
        self.embedding = nn.Embedding(corpus.ids, hidden)
        nn.init.normal_(self.embedding.weight, std=hidden**-0.5)
        self.places = Places(positions, hidden)
        both = shape == "encoder-decoder"
        count = LAYERS // 2 if both else LAYERS
        self.layers = nn.ModuleList(
            Layer(hidden, positions, reads=False, joined=joined) for _ in range(count)
        )
        self.writing = nn.ModuleList(
            Layer(hidden, positions, reads=True) for _ in range(LAYERS - count)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(2 if both else 1))
        self.dropout = nn.Dropout(DROPOUT)
        self.parent = nn.Linear(hidden, hidden, bias=False) if parents else None
        self.disagree = joined == "disagreement"

    def forward(self, batch: Batch) -> Guess:
        """Score each id that is to be written, given those before it (Q, V), Q in number."""
        start = torch.full_like(batch.written[:, :1], START)
        so_far = torch.cat([start, batch.written[:, :-1]], 1)
        if self.shape == "encoder-decoder":
            memory, hide, heads = self._read(batch.read, batch.parents, one_way=False)
            out = self._written(so_far, memory, hide)
        elif self.shape == "decoder-only":
            out, _, heads = self._read_on(batch, so_far, one_way=True)
        else:
            # As many masks always: their number must not tell how much is to be written.
            masks = batch.read.new_full((len(batch.read), self.longest), self.mask)
            out, _, heads = self._read_on(batch, masks, one_way=False)
        out = out[:, : batch.written.shape[1]]
        return Guess(out[batch.written != PAD] @ self.embedding.weight.T, heads)

    def _read_on(
        self, batch: Batch, more: Tensor, *, one_way: bool
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Read what is read and more, as one text; returns the states of what is more."""
        ids = torch.cat([batch.read, more], 1)
        parents = torch.cat([batch.parents, torch.full_like(more, PAD)], 1)
        states, hide, heads = self._read(ids, parents, one_way=one_way)
        return states[:, batch.read.shape[1] :], hide, heads

    def _embed(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Embed a text (B, L); also how far each word is from each. Padding has no place."""
        places = ((ids != PAD).cumsum(1) - 1).clamp(min=0)
        x = self.embedding(ids) * math.sqrt(self.embedding.embedding_dim) + self.places(places)
        return self.dropout(x), places[:, None] - places[:, :, None]

    def _read(
        self, ids: Tensor, parents: Tensor, *, one_way: bool
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Read a text (B, L), from left to right or with what is on both sides.

        Returns:
            The states (B, L, D), what hides padding (B, 1, L), and how much heads disagree.
        """
        x, away = self._embed(ids)
        if self.parent is not None:
            there = (parents != PAD)[..., None]
            x = x + self.parent(self.embedding(parents) * there) * math.sqrt(x.shape[-1])
        padding = ids == PAD
        hide = padding[:, None] * _NEVER
        seen = hide + _later(ids) if one_way else hide
        found = []
        for layer in self.layers:
            x, heads = layer(x, seen, away)
            if self.disagree:
                found.append(disagreement(heads, "outputs", padding))
        total = torch.stack(found).mean() if found else torch.zeros((), device=ids.device)
        return self.norms[0](x), hide, total

    def _written(self, ids: Tensor, memory: Tensor, hide: Tensor) -> Tensor:
        """Read what is written (B, M), with attention to what was read."""
        x, away = self._embed(ids)
        later = _later(ids)[None]
        for layer in self.writing:
            x, _ = layer(x, later, away, (memory, hide))
        normed: Tensor = self.norms[1](x)
        return normed


def _later(ids: Tensor) -> Tensor:
    """Return what hides later words (L, L)."""
    count = ids.shape[1]
    return torch.full((count, count), _NEVER, device=ids.device).triu(1)
