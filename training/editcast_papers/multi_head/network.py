"""A Transformer that translates (Vaswani et al. 2017), with the paper's choices of attention.

    B  batch      N  subwords of a source      M  subwords of a target, or new ones
    D  width      H  heads                     V  vocabulary of both languages
    R  rows of a search, a source has several

Layers are normalised behind each part, as in the paper's baseline. Both languages and the softmax
share their embeddings.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

from editcast_papers.heads import Heads, Regularised, disagreement
from editcast_papers.multi_head.attention import Asked, Attention, Joining
from editcast_papers.routing import Rule
from editcast_papers.subwords import PAD, START

Place = Literal["encoder", "encoder-decoder", "decoder"]
_LONGEST = 512
_NEVER = -1e9
_WIDER = 4  # the inner width of a layer's feed-forward part, over its width


@dataclass(frozen=True)
class Model:
    """One of the papers' models.

    Attributes:
        regularised: What the heads of the encoder are to disagree on.
        rule: Of the routing, where there is any.
        routed: The attentions that route.
        layers: From 0, the layers in which they do; all if None.
    """

    regularised: Sequence[Regularised] = ()
    rule: Rule = "em"
    routed: Sequence[Place] = ()
    layers: Sequence[int] | None = None

    def joining(self, place: Place, layer: int) -> Joining:
        """Return how the heads are joined at a place."""
        here = place in self.routed and (self.layers is None or layer in self.layers)
        return self.rule if here else "linear"


@dataclass(frozen=True)
class Sizes:
    """Sizes of a network: V, D, layers of encoder and of decoder, H, and dropout."""

    vocabulary: int
    width: int
    layers: int
    heads: int
    dropout: float


class Memory(NamedTuple):
    """An encoded source.

    Attributes:
        words: (B, N, D).
        padding: Whether there is no word, bool (B, N).
        heads: Of each layer's self-attention.
    """

    words: Tensor
    padding: Tensor
    heads: Sequence[Heads]


class State(NamedTuple):
    """Keys and values that the decoder keeps of a layer: of the target so far, and of the source.

    All (R, H, N or M, D / H).
    """

    target: Asked
    source: Asked


class _Part(nn.Module):
    """End of each part of a layer: dropout, the sum, the norm."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.dropout = nn.Dropout(sizes.dropout)
        self.norm = nn.LayerNorm(sizes.width)

    def forward(self, x: Tensor, more: Tensor) -> Tensor:
        return self.norm(x + self.dropout(more))


def _forward_part(sizes: Sizes) -> nn.Module:
    inner = _WIDER * sizes.width
    return nn.Sequential(
        nn.Linear(sizes.width, inner),
        nn.ReLU(),
        nn.Dropout(sizes.dropout),
        nn.Linear(inner, sizes.width),
    )


class EncoderLayer(nn.Module):
    """Self-attention and a feed-forward part."""

    def __init__(self, sizes: Sizes, joining: Joining) -> None:
        super().__init__()
        self.attention = Attention(sizes.width, sizes.heads, joining, sizes.dropout)
        self.onward = _forward_part(sizes)
        self.parts = nn.ModuleList(_Part(sizes) for _ in range(2))

    def forward(self, x: Tensor, hide: Tensor) -> tuple[Tensor, Heads]:
        """Read (B, N, D)."""
        seen, heads = self.attention(x, self.attention.ask(x), hide)
        x = self.parts[0](x, seen)
        return self.parts[1](x, self.onward(x)), heads


class DecoderLayer(nn.Module):
    """Self-attention, attention to the source, and a feed-forward part."""

    def __init__(self, sizes: Sizes, own: Joining, other: Joining) -> None:
        super().__init__()
        self.own = Attention(sizes.width, sizes.heads, own, sizes.dropout)
        self.other = Attention(sizes.width, sizes.heads, other, sizes.dropout)
        self.onward = _forward_part(sizes)
        self.parts = nn.ModuleList(_Part(sizes) for _ in range(3))

    def forward(
        self, x: Tensor, state: State, later: Tensor, padding: Tensor
    ) -> tuple[Tensor, State]:
        """Read new words (R, M, D) behind those of the state.

        Args:
            x: The new words.
            state: Of this layer.
            later: Added to the scores of words so far and new ones, (M, .).
            padding: Added to the scores of the source, (R, 1, 1, N).
        """
        new = self.own.ask(x)
        so_far = Asked(
            torch.cat([state.target.keys, new.keys], 2),
            torch.cat([state.target.values, new.values], 2),
        )
        x = self.parts[0](x, self.own(x, so_far, later)[0])
        x = self.parts[1](x, self.other(x, state.source, padding)[0])
        return self.parts[2](x, self.onward(x)), State(so_far, state.source)


class Decoder(nn.ModuleList):
    """Layers, one on the other; a `ModuleList` that knows what it holds."""

    def __iter__(self) -> Iterator[DecoderLayer]:
        """Iterate over the layers."""
        return super().__iter__()  # type: ignore[return-value]


class Translator(nn.Module):
    """The network."""

    places: Tensor

    def __init__(self, sizes: Sizes, model: Model) -> None:
        super().__init__()
        self.sizes = sizes
        self.embedding = nn.Embedding(sizes.vocabulary, sizes.width)
        nn.init.normal_(self.embedding.weight, std=sizes.width**-0.5)
        layers = range(sizes.layers)
        self.encoder = nn.ModuleList(
            EncoderLayer(sizes, model.joining("encoder", layer)) for layer in layers
        )
        self.decoder = Decoder(
            DecoderLayer(
                sizes, model.joining("decoder", layer), model.joining("encoder-decoder", layer)
            )
            for layer in layers
        )
        self.dropout = nn.Dropout(sizes.dropout)
        self.register_buffer("places", _sinusoids(_LONGEST, sizes.width), persistent=False)

    def _embed(self, words: Tensor, first: int) -> Tensor:
        places = self.places[first : first + words.shape[1]]
        return self.dropout(self.embedding(words) * self.sizes.width**0.5 + places)

    def encode(self, source: Tensor) -> Memory:
        """Read sources (B, N)."""
        padding = source == PAD
        hide = _hide(padding)
        x, heads = self._embed(source, 0), []
        for layer in self.encoder:
            x, found = layer(x, hide)
            heads.append(found)
        return Memory(x, padding, heads)

    def begin(self, memory: Memory, rays: int) -> list[State]:
        """Return the decoder's states before the first word, `rays` rows a source."""
        words = memory.words.repeat_interleave(rays, 0)
        states = []
        for layer in self.decoder:
            nothing = layer.own.ask(words[:, :0])
            states.append(State(nothing, layer.other.ask(words)))
        return states

    def decode(
        self, words: Tensor, states: Sequence[State], padding: Tensor
    ) -> tuple[Tensor, list[State]]:
        """Read new words (R, M); the logits of the word behind each (R, M, V), and new states."""
        first, count = states[0].target.keys.shape[2], words.shape[1]
        later = torch.full((count, first + count), _NEVER, device=words.device).triu(first + 1)
        x, hide, after = self._embed(words, first), _hide(padding), []
        for layer, state in zip(self.decoder, states, strict=True):
            x, new = layer(x, state, later, hide)
            after.append(new)
        return x @ self.embedding.weight.T, after

    def forward(self, source: Tensor, target: Tensor) -> tuple[Tensor, Memory]:
        """Read sources (B, N) and targets (B, M); logits of each word of the targets (B, M, V)."""
        memory = self.encode(source)
        so_far = torch.cat([torch.full_like(target[:, :1], START), target[:, :-1]], 1)
        logits, _ = self.decode(so_far, self.begin(memory, 1), memory.padding)
        return logits, memory


def mean_disagreement(memory: Memory, kind: Regularised) -> Tensor:
    """Return the mean over the encoder's layers."""
    found = [disagreement(heads, kind, memory.padding) for heads in memory.heads]
    return torch.stack(found).mean()


def _hide(padding: Tensor) -> Tensor:
    return (padding * _NEVER)[:, None, None, :]


def _sinusoids(places: int, width: int) -> Tensor:
    rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    angle = torch.arange(places)[:, None] * rate
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
