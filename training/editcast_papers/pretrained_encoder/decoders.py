"""Decoders: an LSTM with attention, and a Transformer.

    B  batch, or rays      N  words read      M  words written      D  hidden

Both read what is written so far. To go on by one word, each has a state: rows of tensors, one row a
ray, so that a search can reorder them.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from editcast_papers.pretrained_encoder.encoder import DROPOUT, Block, positions

LAYERS = 2
_NEVER = -1e9

#: What a decoder remembers, a row of each tensor a ray.
State = tuple[Tensor, ...]


class Memory(NamedTuple):
    """Encoded words of the descriptions.

    Attributes:
        states: (B, N, D).
        padding: Whether there is no word, bool (B, N).
        words: Ids (B, N).
    """

    states: Tensor
    padding: Tensor
    words: Tensor

    def rows(self, index: Tensor) -> "Memory":
        """Choose rows, by their numbers."""
        return Memory(*(one.index_select(0, index) for one in self))


class LSTMDecoder(nn.Module):
    """One layer of twice the width; what it puts out attends to the words (Luong et al. 2015)."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.first = nn.Linear(hidden, 4 * hidden)
        self.lstm = nn.LSTM(hidden, 2 * hidden, batch_first=True)
        self.ask = nn.Linear(2 * hidden, hidden, bias=False)
        self.join = nn.Linear(3 * hidden, hidden)
        self.dropout = nn.Dropout(DROPOUT)

    def begin(self, memory: Memory) -> State:
        """Return the state before the first word, made of the mean of the words read."""
        real = (~memory.padding)[..., None].to(memory.states.dtype)
        mean = (memory.states * real).sum(1) / real.sum(1).clamp(min=1)
        return torch.tanh(self.first(mean)).chunk(2, -1)

    def forward(self, x: Tensor, memory: Memory, state: State) -> tuple[Tensor, State]:
        """Read more words (B, M, D) -> (B, M, D)."""
        out, after = self.lstm(x, tuple(one[None].contiguous() for one in state))
        scores = self.ask(out) @ memory.states.transpose(1, 2)
        scores = scores.masked_fill(memory.padding[:, None], _NEVER)
        seen = torch.softmax(scores, -1) @ memory.states
        joined = torch.tanh(self.join(torch.cat([self.dropout(out), seen], -1)))
        return self.dropout(joined), tuple(one[0] for one in after)


class TransformerDecoder(nn.Module):
    """Two layers. Its state is all that it has read, which it reads anew for each word."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Block(hidden, reads=True) for _ in range(LAYERS))
        self.norm = nn.LayerNorm(hidden)
        self.dropout = nn.Dropout(DROPOUT)

    def begin(self, memory: Memory) -> State:
        """Return the state before the first word."""
        return (memory.states.new_zeros(len(memory.states), 0, memory.states.shape[-1]),)

    def forward(self, x: Tensor, memory: Memory, state: State) -> tuple[Tensor, State]:
        """Read more words (B, M, D) -> (B, M, D)."""
        new = x.shape[1]
        read = torch.cat([state[0], x], 1)
        size, hidden = read.shape[1:]
        out = self.dropout(read * math.sqrt(hidden) + positions(size, hidden, x.device))
        mask = ~memory.padding[:, None, None]
        for layer in self.layers:
            out = layer(out, mask, memory.states)
        return self.norm(out[:, -new:]), (read,)
