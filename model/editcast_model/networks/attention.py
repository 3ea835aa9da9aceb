"""Multi-head attention as pre-norm residual blocks.

Dimensions:

    B  batch        S  memory                           T  queries
    D  width        H  heads                            K  D / H, width of a head
    W  block of a local attention
"""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional


def split_heads(x: Tensor, heads: int) -> Tensor:
    """Split the heads: (..., S, D) -> (..., H, S, K)."""
    return x.unflatten(-1, (heads, -1)).transpose(-2, -3)


def attend(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None) -> Tensor:
    """Attend by scaled dot products: (..., H, T, K), twice (..., H, S, K), bias -> (..., T, D)."""
    scores = torch.matmul(q, k.transpose(-1, -2)) * (q.shape[-1] ** -0.5)
    if bias is not None:
        scores = scores + bias
    return torch.matmul(torch.softmax(scores, -1), v).transpose(-2, -3).flatten(-2)


def hidden_bias(visible: Tensor, dtype: torch.dtype) -> Tensor:
    """Return a bias that masks what is not visible: bool of any shape -> 0 or very negative."""
    return visible.logical_not().to(dtype) * -1e9


class Block(nn.Module):
    """Attention and a feed-forward layer, each with pre-normalization and a residual connection.

    Relative positions are biases, of which a part is a product with the query (Shaw et al. 2018).
    Self-attention reads the normalized input; a `cross` block normalizes the other sequence itself.
    """

    def __init__(
        self, width: int, heads: int, feed_forward: int, offsets: int, *, cross: bool = False
    ) -> None:
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(width, 2 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.norm = nn.LayerNorm(width)
        self.norm_memory = nn.LayerNorm(width) if cross else nn.Identity()
        self.norm_forward = nn.LayerNorm(width)
        self.up = nn.Linear(width, feed_forward)
        self.down = nn.Linear(feed_forward, width)
        self.relative = nn.Parameter(torch.zeros(heads, offsets))
        self.relative_key = nn.Parameter(torch.randn(heads, width // heads, offsets) * 0.1)

    def memory(self, y: Tensor) -> Tensor:
        """Compute keys and values side by side: (..., S, D) -> (..., S, 2D)."""
        memory: Tensor = self.kv(self.norm_memory(y))
        return memory

    def relative_bias(self, q: Tensor, offset: Tensor) -> Tensor:
        """Compute the biases of relative positions.

        Args:
            q: Queries by heads, (..., H, T, K).
            offset: The relative offsets, within 0 .. offsets - 1: (T, S), or (..., T, S).

        Returns:
            (..., H, T, S).
        """
        every = torch.matmul(q, self.relative_key) + self.relative[:, None, :]
        index = offset.unsqueeze(-3).expand(*every.shape[:-1], offset.shape[-1])
        return torch.gather(every, -1, index)

    def local_bias(self, q: Tensor) -> Tensor:
        """Compute the biases of relative positions in a local attention.

        The offset of token j from query i is j - i + W, so that every row of the biases is that of
        the row before, shifted by one: a view with a row that is one shorter, and no gathering.

        Args:
            q: Queries by heads, (..., H, W, K).

        Returns:
            (..., H, W, 3W).
        """
        size = q.shape[-2]
        every = torch.matmul(q, self.relative_key) + self.relative[:, None, :]  # (..., W, 4W)
        rest = every.flatten(-2)[..., size:].unflatten(-1, (size, 4 * size - 1))
        return rest[..., : 3 * size]

    def finish(self, x: Tensor, read: Tensor) -> Tensor:
        """Add the attention's output, then apply the feed-forward layer: (..., T, D)."""
        x = x + self.out(read)
        y: Tensor = x + self.down(functional.gelu(self.up(self.norm_forward(x))))
        return y

    def forward(
        self, x: Tensor, memory: Tensor, bias: Tensor, offset: Tensor, query: Tensor
    ) -> Tensor:
        """Attend: (..., T, D) -> (..., T, D).

        Args:
            x: (..., T, D).
            memory: From `memory`, (..., S, 2D).
            bias: Masks parts of the memory; broadcasts to (..., H, T, S).
            offset: As in `relative_bias`.
            query: ``self.norm(x)``.
        """
        k, v = (split_heads(part, self.heads) for part in memory.chunk(2, -1))
        q = split_heads(self.q(query), self.heads)
        return self.finish(x, attend(q, k, v, self.relative_bias(q, offset) + bias))


class Stack(nn.ModuleList):
    """A typed `ModuleList` of blocks."""

    def __iter__(self) -> Iterator[Block]:
        return super().__iter__()  # type: ignore[return-value]


def window_attention(block: Block, x: Tensor, memory: Tensor, visible: Tensor) -> Tensor:
    """Attend from each query to its own window: (..., D) -> (..., D).

    Each head's query is a row that is zero outside the head, so that one product with the window is
    enough, instead of H products with parts of width K.

    Args:
        block: The block, with O relative offsets.
        x: (..., D).
        memory: Keys and values of each window, (..., O, 2D).
        visible: Which of them exist, bool (..., O).
    """
    k, v = memory.chunk(2, -1)
    q = block.q(block.norm(x)).unsqueeze(-2)
    mine = torch.arange(q.shape[-1], device=x.device) // block.relative_key.shape[1]
    mask = (mine == torch.arange(block.heads, device=x.device)[:, None]).to(q.dtype)  # (H, D)
    each = q * mask  # (..., H, D)
    scores = torch.matmul(each, k.transpose(-1, -2)) * (block.relative_key.shape[1] ** -0.5)
    scores = scores + (torch.matmul(each, block.relative_key.flatten(0, 1)) + block.relative)
    scores = scores + hidden_bias(visible, x.dtype).unsqueeze(-2)  # (..., H, O)
    read = torch.matmul(torch.softmax(scores, -1).to(v.dtype), v)  # (..., H, D)
    return block.finish(x, (read * mask).sum(-2))


def local_attention(block: Block, x: Tensor, visible: Tensor, size: int) -> Tensor:
    """Attend from each token to its block of `size` tokens and the two adjacent blocks.

    Time and memory are linear in the length. `block` has ``4 * size`` relative offsets.

    Args:
        block: The block.
        x: (B, S, D).
        visible: Which tokens exist, bool (B, S).
        size: W.
    """
    length = x.shape[1]
    pad = (-length) % size
    query = block.norm(x)
    blocks = functional.pad(block.q(query), (0, 0, 0, pad)).unflatten(1, (-1, size))
    q = split_heads(blocks, block.heads)  # (B, S/W, H, W, K)
    memory = functional.pad(block.memory(query), (0, 0, size, size + pad))
    memory = memory.unflatten(1, (-1, size))
    memory = torch.cat([memory[:, :-2], memory[:, 1:-1], memory[:, 2:]], 2)  # (B, S/W, 3W, 2D)
    k, v = (split_heads(part, block.heads) for part in memory.chunk(2, -1))
    seen = functional.pad(visible, (size, size + pad)).unflatten(1, (-1, size))
    seen = torch.cat([seen[:, :-2], seen[:, 1:-1], seen[:, 2:]], 2)  # (B, S/W, 3W)
    bias = block.local_bias(q) + hidden_bias(seen, x.dtype)[:, :, None, None, :]
    read = attend(q, k, v, bias).flatten(1, 2)[:, :length]
    return block.finish(x, read)
