"""The networks of the paper: an LSTM over nodes, attention over its memory, a pointer into it.

    B  streams          T  nodes of a segment, and hidden states of the memory
    D  hidden           C  classes: the values of the vocabulary, or the types

The memory M of a node are the T hidden states before its own. Attention to it (the paper's A, alpha
and c) is computed for all nodes of a segment at once: of the 2T states of two segments, node t sees
t to t + T - 1. p is the hidden state of the parent of the node to predict, which the bits of the
types tell; one that is not in the memory is zero.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from editcast_papers.pointer_mixture.attention import window_scores
from editcast_papers.pointer_mixture.streams import WINDOW, Batch


@dataclass(frozen=True)
class Kind:
    """One of the paper's networks.

    Attributes:
        attention: Whether it attends to the memory and to the parent.
        pointer: Whether it can copy a value of the memory.
        random: Whether chance decides which.
    """

    attention: bool
    pointer: bool = False
    random: bool = False


@dataclass(frozen=True)
class Sizes:
    """The sizes of a network.

    Attributes:
        types: Types, the unknown one among them.
        values: Values of the vocabulary; the id after the last stands for every other.
        classes: What is predicted: as many as there are of types or of values.
        hidden: D.
    """

    types: int
    values: int
    classes: int
    hidden: int


class Carry(NamedTuple):
    """State that a stream carries from a segment to the next.

    Attributes:
        memory: The hidden states of the last segment, (B, T, D).
        cell: The LSTM's cell after it, (B, D).
    """

    memory: Tensor
    cell: Tensor


class Guess(NamedTuple):
    """What a network predicts.

    Attributes:
        features: What `Completer.out` makes scores of the classes of, (B, T, D).
        switch: The log odds of a value of the vocabulary, (B, T); None without a pointer.
        places: The weight of each place of the memory, (B, T, T); None without a pointer.
    """

    features: Tensor
    switch: Tensor | None = None
    places: Tensor | None = None


class Completer(nn.Module):
    """A network of one kind."""

    def __init__(self, kind: Kind, sizes: Sizes) -> None:
        super().__init__()
        self.kind, self.sizes = kind, sizes
        hidden = sizes.hidden
        narrow = max(hidden // 5, 1)
        self.types = nn.Embedding(sizes.types, narrow)
        self.values = nn.Embedding(sizes.values + 1, hidden - narrow)
        self.lstm = nn.LSTM(hidden, hidden, batch_first=True)
        biases = dict(self.lstm.named_parameters())["bias_ih_l0"].detach()
        biases[hidden : 2 * hidden] = 1.0  # at first it forgets little, as the authors' networks
        self.first = nn.Parameter(torch.zeros(2, hidden))
        self.out = nn.Linear(hidden, sizes.classes)
        if kind.attention:
            self.keys = nn.Linear(hidden, hidden, bias=False)
            self.ask = nn.Linear(hidden, hidden, bias=False)
            self.score = nn.Parameter(torch.empty(hidden).uniform_(-0.1, 0.1))
            self.join = nn.Linear(3 * hidden, hidden, bias=False)
        if kind.pointer:
            self.switch = nn.Linear(2 * hidden, 1)

    def forward(self, batch: Batch, carry: Carry) -> tuple[Guess, Carry]:
        """Predict the next nodes, and return what is carried on."""
        begins = batch.first[:, None]
        known = batch.values.clamp(max=self.sizes.values)
        types = batch.types.clamp(max=self.sizes.types - 1)
        nodes = torch.cat([self.types(types), self.values(known)], -1)
        memory = carry.memory.masked_fill(begins[..., None], 0.0)
        start = torch.where(begins, self.first[0], memory[:, -1])
        cell = torch.where(begins, self.first[1], carry.cell)
        states, (_, cell) = self.lstm(nodes, (start[None], cell[None]))
        onward = Carry(states.detach(), cell[0].detach())
        if not self.kind.attention:
            return Guess(states), onward
        both = torch.cat([memory, states], 1)  # (B, 2T, D)
        weights = self._attend(both, states)
        context = banded(weights) @ both[:, :-1]
        joined = torch.tanh(self.join(torch.cat([states, context, _parents(both, batch.up)], -1)))
        if not self.kind.pointer:
            return Guess(joined), onward
        switch = self.switch(torch.cat([states, context], -1))[..., 0]
        if self.kind.random:
            weights = torch.randn_like(weights).softmax(-1)
        return Guess(joined, switch, weights), onward

    def _attend(self, both: Tensor, states: Tensor) -> Tensor:
        """Return the weights of attention, (B, T, T)."""
        scores = window_scores(self.keys(both[:, :-1]), self.ask(states), self.score)
        return scores.softmax(-1)

    def nothing(self, streams: int) -> Carry:
        """Return what is carried before anything was read."""
        empty = self.out.weight.new_zeros(streams, WINDOW, self.sizes.hidden)
        return Carry(empty, empty[:, 0])


def banded(weights: Tensor) -> Tensor:
    """Move each row one place further than the one above it: (B, T, T) -> (B, T, 2T - 1)."""
    streams, rows, width = weights.shape
    wide = F.pad(weights, (0, rows)).flatten(1)
    total = rows + width - 1
    return wide[:, : rows * total].view(streams, rows, total)


def windows(before: Tensor, values: Tensor) -> Tensor:
    """Return the values that each node's memory is of, (B, T, T); -1 for none."""
    return torch.cat([before, values[:, :-1]], 1).unfold(1, WINDOW, 1)


def _parents(both: Tensor, up: Tensor) -> Tensor:
    """Return the hidden states of parents, (B, T, D)."""
    own = torch.arange(WINDOW, 2 * WINDOW, device=up.device)
    places = (own - up).clamp(min=0)[..., None].expand(-1, -1, both.shape[-1])
    return both.gather(1, places).masked_fill((up > WINDOW)[..., None], 0.0)
