"""Transformer-InDIGO: predicts a word, then the place where it is inserted.

    B  batch or rays     S  words of the source     M  words of the target, both ends first
    P  words before these M     H  heads     D  hidden     V  words that can be written

The decoder reads words in the order in which they are written. Its self-attention knows of two
words which one is on the left (relations, see `positions`), so what it computed of a word stays
true when others are inserted, and is kept. The last word's state predicts the next word; this word
and the state then point to one of two keys of each word there is, for its left and its right side.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from editcast_papers.indigo.networks.positions import DONE, PAD, UNKNOWN

HEADS = 4
DROPOUT = 0.1
_FARTHEST = 8  # words of the source that are told apart by their distance
_NEVER = -1e9


#: Keys and values (B, H, M, D / H).
KeysAndValues = tuple[Tensor, Tensor]


class Pairs(nn.Module):
    """Keys and values of words."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.both = nn.Linear(hidden, 2 * hidden)

    def forward(self, x: Tensor) -> KeysAndValues:
        """Compute those of words (B, M, D)."""
        keys, values = self.both(x).chunk(2, -1)
        return _split(keys), _split(values)


class Attention(nn.Module):
    """Attention with several heads; `relations` kinds of pairs of words add a vector to a key."""

    def __init__(self, hidden: int, relations: int = 0) -> None:
        super().__init__()
        self.query = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, hidden)
        if relations:
            self.relation = nn.Parameter(torch.randn(HEADS, relations, hidden // HEADS) * 0.02)

    def forward(
        self, x: Tensor, pairs: KeysAndValues, hide: Tensor, related: Tensor | None = None
    ) -> Tensor:
        """Attend from words (B, M, D) to keys and values (B, H, P + M, D / H).

        Args:
            x: The words.
            pairs: Keys and values.
            hide: What is added to the scores.
            related: The kind of each pair of words, from 0 (B, M, P + M); or none.
        """
        query, (keys, values) = _split(self.query(x)), pairs
        scores = query @ keys.transpose(2, 3)
        if related is not None:
            of_kinds = query @ self.relation.transpose(1, 2)  # (B, H, M, kinds)
            scores = scores + of_kinds.gather(3, related[:, None].expand_as(scores))
        weights = torch.softmax(scores / math.sqrt(query.shape[-1]) + hide, -1)
        attended: Tensor = self.out((weights @ values).transpose(1, 2).flatten(2))
        return attended


def _split(x: Tensor) -> Tensor:
    """Split into heads: (B, M, D) -> (B, H, M, D / H)."""
    return x.unflatten(-1, (HEADS, -1)).transpose(1, 2)


def _wide(hidden: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.ReLU(), nn.Linear(4 * hidden, hidden))


class EncoderLayer(nn.Module):
    """Self-attention and a wide layer, each normed before and added after."""

    def __init__(self, hidden: int, relations: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(2))
        self.pairs = Pairs(hidden)
        self.attention = Attention(hidden, relations)
        self.wide = _wide(hidden)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x: Tensor, hide: Tensor, related: Tensor | None) -> Tensor:
        """Read (B, S, D) -> (B, S, D)."""
        normed = self.norms[0](x)
        x = x + self.dropout(self.attention(normed, self.pairs(normed), hide, related))
        return x + self.dropout(self.wide(self.norms[1](x)))


class DecoderLayer(nn.Module):
    """Self-attention with relations, attention to the source, and a wide layer."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(3))
        self.pairs = Pairs(hidden)
        self.attention = Attention(hidden, relations=3)
        self.source = Attention(hidden)
        self.wide = _wide(hidden)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(
        self,
        x: Tensor,
        related: Tensor,
        source: tuple[KeysAndValues, Tensor],
        before: KeysAndValues | None,
    ) -> tuple[Tensor, KeysAndValues]:
        """Read words.

        Args:
            x: (B, M, D).
            related: The kind of each pair of words (B, M, P + M).
            source: Keys and values of the source, and what is added to scores of padding.
            before: Keys and values of the P words before.

        Returns:
            (B, M, D), and the keys and values of all P + M words.
        """
        count, total = related.shape[1:]
        later = torch.full((count, total), _NEVER, device=x.device).triu(total - count + 1)
        normed = self.norms[0](x)
        keys, values = self.pairs(normed)
        if before is not None:
            keys, values = torch.cat([before[0], keys], 2), torch.cat([before[1], values], 2)
        x = x + self.dropout(self.attention(normed, (keys, values), later, related))
        x = x + self.dropout(self.source(self.norms[1](x), *source))
        return x + self.dropout(self.wide(self.norms[2](x))), (keys, values)


@dataclass(frozen=True)
class Memory:
    """The source, as the decoder's layers attend to it.

    Attributes:
        pairs: Keys and values (B, H, S, D / H) for each layer.
        hide: What is added to scores of padding (B, 1, 1, S).
    """

    pairs: Sequence[KeysAndValues]
    hide: Tensor

    def repeated(self, times: int) -> "Memory":
        """Return the memory of rays: each row so many times, one after another."""
        pairs = [
            (keys.repeat_interleave(times, 0), values.repeat_interleave(times, 0))
            for keys, values in self.pairs
        ]
        return Memory(pairs, self.hide.repeat_interleave(times, 0))


@dataclass(frozen=True)
class Cache:
    """The part of the decoder's work that stays true.

    Attributes:
        pairs: Keys and values of the words so far (B, H, P, D / H), for each layer.
        states: What the last layer put out for them (B, P, D).
    """

    pairs: Sequence[KeysAndValues]
    states: Tensor

    def of_rows(self, rows: Tensor) -> "Cache":
        """Return the rows of a number each."""
        pairs = [(keys[rows], values[rows]) for keys, values in self.pairs]
        return Cache(pairs, self.states[rows])


class Indigo(nn.Module):
    """The network.

    Args:
        words: The ids that there are, of both sides.
        known: V; these ids come first.
        hidden: D.
        layers: Of the encoder, and of the decoder.
        ordered: Whether the source is a text; otherwise it is a bag of words.
    """

    def __init__(self, words: int, known: int, hidden: int, layers: int, *, ordered: bool) -> None:
        super().__init__()
        self.known, self.ordered, self.scale = known, ordered, math.sqrt(hidden)
        kinds = 2 * _FARTHEST + 1 if ordered else 0
        self.embedding = nn.Embedding(words, hidden)
        nn.init.normal_(self.embedding.weight, std=1 / self.scale)
        self.encoder = nn.ModuleList(EncoderLayer(hidden, kinds) for _ in range(layers))
        self.sources = nn.ModuleList(Pairs(hidden) for _ in range(layers))
        self.decoder = nn.ModuleList(DecoderLayer(hidden) for _ in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(2))
        self.to_word = nn.Linear(hidden, hidden, bias=False)
        self.to_place = nn.Linear(hidden, hidden, bias=False)
        self.sides = nn.Linear(hidden, 2 * hidden, bias=False)
        self.dropout = nn.Dropout(DROPOUT)

    def embed(self, words: Tensor) -> Tensor:
        """Embed ids (B, M) -> (B, M, D)."""
        embedded: Tensor = self.dropout(self.embedding(words) * self.scale)
        return embedded

    def encode(self, source: Tensor) -> Memory:
        """Read the source: ids (B, S)."""
        hide = (source == PAD)[:, None, None, :] * _NEVER
        related = None
        if self.ordered:
            at = torch.arange(source.shape[1], device=source.device)
            away = (at[None] - at[:, None]).clamp(-_FARTHEST, _FARTHEST) + _FARTHEST
            related = away.expand(len(source), -1, -1)
        x = self.embed(source)
        for layer in self.encoder:
            x = layer(x, hide, related)
        x = self.norms[0](x)
        return Memory([pairs(x) for pairs in self.sources], hide)

    def decode(
        self, words: Tensor, relations: Tensor, memory: Memory, cache: Cache | None = None
    ) -> Cache:
        """Read words in the order in which they are written.

        Args:
            words: Ids (B, M).
            relations: Their rows of R (B, M, P + M).
            memory: The source.
            cache: Of the P words before.

        Returns:
            The cache of all P + M words.
        """
        x = self.embed(words)
        kept = []
        for at, layer in enumerate(self.decoder):
            before = None if cache is None else cache.pairs[at]
            x, pairs = layer(x, relations + 1, (memory.pairs[at], memory.hide), before)
            kept.append(pairs)
        x = self.norms[1](x)
        return Cache(kept, x if cache is None else torch.cat([cache.states, x], 1))

    def words(self, states: Tensor) -> Tensor:
        """Score the next word: states (..., D) -> logits (..., V)."""
        asked: Tensor = self.to_word(states)
        return asked @ self.embedding.weight[: self.known].T

    def places(self, states: Tensor, words: Tensor, written: Tensor, known: Tensor) -> Tensor:
        """Score the places where words can be inserted.

        Args:
            states: Of the last word before each (B, M, D).
            words: The ids to insert (B, M).
            written: The states of the words that are there (B, P, D).
            known: Whether a word is there, bool, broadcast to (B, M, P).

        Returns:
            Log probabilities (B, M, 2, P): on the left of each word, and on its right.
        """
        query = self.to_place(states) + self.embedding(words)
        keys = self.sides(written).unflatten(-1, (2, -1)).flatten(1, 2)  # (B, P * 2, D)
        scores = (query @ keys.transpose(1, 2)).unflatten(-1, (-1, 2)).transpose(2, 3)
        outside = torch.zeros((2, written.shape[1]), device=scores.device)
        outside[0, 0] = outside[1, 1] = _NEVER  # left of the start, right of the end
        scores = (scores + outside).masked_fill(~known.unsqueeze(-2), _NEVER)
        return torch.log_softmax(scores.flatten(2), -1).view_as(scores)

    def never(self) -> Tensor:
        """Return what is added to scores of ids that are no words, `DONE` aside (V,)."""
        never = torch.zeros(self.known, device=self.embedding.weight.device)
        never[[at for at in range(DONE) if at != UNKNOWN]] = _NEVER
        return never
