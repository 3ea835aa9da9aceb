"""Attention blocks: the paper's two, and the pre-norm residual block of IA+.

Dimensions:

    B  batch        S  memory (what is attended to)     T  queries
    D  width        H  heads                            K  D / H, width of a head
    W  block of a local attention
"""

import math
from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional

from editcast_model.networks.attention import attend, hidden_bias, split_heads
from editcast_papers.zhao2019.networks.config import Aggregate


def sinusoid(index: Tensor, width: int) -> Tensor:
    """Sinusoidal positions (Vaswani et al. 2017, 3.5): any shape of indices -> (..., D)."""
    steps = torch.arange(0, width, 2, device=index.device, dtype=torch.float32)
    frequency = torch.exp(steps * (-math.log(10_000.0) / width))
    angle = index.to(torch.float32).unsqueeze(-1) * frequency
    return torch.cat([torch.sin(angle), torch.cos(angle)], -1)


class Gate(nn.Module):
    """The paper's aggregation `g`: one GRU step, with Q as the state and R as the input."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.input = nn.Linear(width, 3 * width)
        self.state = nn.Linear(width, 3 * width)

    def forward(self, q: Tensor, r: Tensor) -> Tensor:
        """(..., D) twice -> (..., D)."""
        reset_i, update_i, new_i = self.input(r).chunk(3, -1)
        reset_s, update_s, new_s = self.state(q).chunk(3, -1)
        update = torch.sigmoid(update_i + update_s)
        new = torch.tanh(new_i + torch.sigmoid(reset_i + reset_s) * new_s)
        return (1 - update) * new + update * q


class Block(nn.Module):
    """Multi-head attention and its aggregation.

    `sum` and `gru` are the paper's module (section 4): sinusoidal positions are added to the
    queries, and what was read is added to them or gated into them. `residual` is the block of IA+:
    normalised inputs, a residual sum, a feed-forward layer, and learned biases for `offsets`
    relative positions instead of sinusoids. Where the offsets are `asked` for, the bias is a
    product with the query as well (Shaw et al. 2018): which neighbour is read depends on who reads.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        aggregate: Aggregate,
        *,
        feed_forward: int = 0,
        offsets: int = 0,
        asked: bool = False,
        cross: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.dropout = dropout
        self.width, self.heads, self.aggregate = width, heads, aggregate
        self.q = nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(width, 2 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        if aggregate == "gru":
            self.gate = Gate(width)
        if aggregate == "residual":
            self.norm = nn.LayerNorm(width)
            if cross:
                self.norm_memory = nn.LayerNorm(width)
            if feed_forward:
                self.norm_forward = nn.LayerNorm(width)
                self.up = nn.Linear(width, feed_forward)
                self.down = nn.Linear(feed_forward, width)
        self.feed_forward = feed_forward if aggregate == "residual" else 0
        self.cross = cross
        self.offsets = offsets if aggregate == "residual" else 0
        if self.offsets:
            self.relative = nn.Parameter(torch.zeros(heads, self.offsets))
        self.asked = asked and bool(self.offsets)
        if self.asked:
            self.relative_key = nn.Parameter(torch.randn(heads, width // heads, self.offsets) * 0.1)

    def query(self, x: Tensor, index: Tensor) -> Tensor:
        """Return what attends: `x` (..., T, D) with its positions, or normalised."""
        if self.aggregate == "residual":
            return self.norm(x)
        return x + sinusoid(index, self.width).to(x.dtype)

    def memory(self, y: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values (..., H, S, K) of a memory (..., S, D).

        In self-attention the memory is the query; across, it is another sequence.
        """
        k, v = self.joint_memory(y).chunk(2, -1)
        return split_heads(k, self.heads), split_heads(v, self.heads)

    def joint_memory(self, y: Tensor) -> Tensor:
        """Keys and values side by side, before they are split into heads: (..., S, 2D)."""
        if self.aggregate == "residual" and self.cross:
            y = self.norm_memory(y)
        joint: Tensor = self.kv(y)
        return joint

    def relative_bias(self, q: Tensor, offset: Tensor) -> Tensor:
        """Return the learned biases of relative positions.

        Args:
            q: Queries by heads, (..., H, T, K).
            offset: Of each memory from each query, within 0 .. offsets - 1: (T, S) for all alike,
                or (..., T, S).

        Returns:
            (H, T, S) or (..., H, T, S).
        """
        if not self.asked:
            bias = self.relative[:, offset]
            return bias.transpose(0, 1) if offset.dim() > 2 else bias
        asked = torch.matmul(q, self.relative_key) + self.relative[:, None, :]
        return torch.gather(
            asked, -1, offset.unsqueeze(-3).expand(*asked.shape[:-1], offset.shape[-1])
        )

    def read(self, x: Tensor, query: Tensor, read: Tensor) -> Tensor:
        """Aggregate: (..., T, D) three times -> (..., T, D)."""
        r = self.out(functional.dropout(read, self.dropout, self.training))
        if self.aggregate == "sum":
            return query + r
        if self.aggregate == "gru":
            return self.gate(query, r)
        x = x + r
        if self.feed_forward:
            x = x + self.down(functional.gelu(self.up(self.norm_forward(x))))
        return x

    def forward(
        self,
        x: Tensor,
        query: Tensor,
        k: Tensor,
        v: Tensor,
        bias: Tensor | None = None,
        offset: Tensor | None = None,
    ) -> Tensor:
        """Attend and aggregate: (..., T, D) -> (..., T, D).

        Args:
            x: (..., T, D).
            query: ``self.query(x, ...)``.
            k: Keys (..., H, S, K), as `memory` gives them.
            v: Values, likewise.
            bias: What hides a memory; broadcasts to (..., H, T, S).
            offset: As in `relative_bias`; of no consequence for a block without offsets.
        """
        q = split_heads(self.q(query), self.heads)
        if offset is not None and self.offsets:
            relative = self.relative_bias(q, offset)
            bias = relative if bias is None else bias + relative
        return self.read(x, query, attend(q, k, v, bias))


class Stack(nn.ModuleList):
    """Blocks, one on the other; a `ModuleList` that knows what it holds."""

    def __iter__(self) -> Iterator[Block]:
        return super().__iter__()  # type: ignore[return-value]

    def __getitem__(self, index: int) -> Block:  # type: ignore[override]
        block = super().__getitem__(index)
        assert isinstance(block, Block)
        return block


def local_attention(block: Block, x: Tensor, visible: Tensor, size: int) -> Tensor:
    """Self-attention in which each token sees its block of `size` and the two beside it.

    Time and memory are linear in the length. `block` has ``4 * size`` relative offsets.

    Args:
        block: A residual block.
        x: (B, S, D).
        visible: Which tokens exist, bool (B, S).
        size: W.
    """
    length = x.shape[1]
    pad = (-length) % size
    query = block.query(x, torch.zeros(1, device=x.device))
    blocks = functional.pad(block.q(query), (0, 0, 0, pad)).unflatten(1, (-1, size))
    q = split_heads(blocks, block.heads)  # (B, S/W, H, W, K)
    memory = functional.pad(block.joint_memory(query), (0, 0, size, size + pad))
    memory = memory.unflatten(1, (-1, size))
    memory = torch.cat([memory[:, :-2], memory[:, 1:-1], memory[:, 2:]], 2)  # (B, S/W, 3W, 2D)
    k, v = (split_heads(part, block.heads) for part in memory.chunk(2, -1))
    seen = functional.pad(visible, (size, size + pad)).unflatten(1, (-1, size))
    seen = torch.cat([seen[:, :-2], seen[:, 1:-1], seen[:, 2:]], 2)  # (B, S/W, 3W)
    here = torch.arange(size, device=x.device)
    there = torch.arange(3 * size, device=x.device)
    offset = there[None, :] - here[:, None] + size  # (W, 3W), 1 .. 4W - 1
    bias = block.relative_bias(q, offset) + hidden_bias(seen, x.dtype)[:, :, None, None, :]
    read = attend(q, k, v, bias).flatten(1, 2)[:, :length]
    return block.read(x, query, read)
