"""The pointer and content heads' optional parts: analogy, distance, copy.

Dimensions:

    B  batch    S  state tokens    T  steps    N  items    D  width
    A  analogy heads    E  width of a token's random vector    O  offsets, 2 * REACH + 1
    C  width of the surroundings, O * E
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from editcast_model.edits import PAD
from editcast_model.networks.attention import hidden_bias
from editcast_model.places import BUCKETS

REACH = 5
_VECTOR = 24


def pointer_logits(query: Tensor, keys: Tensor) -> Tensor:
    """Inner products: (..., T, D) and (..., N, D) -> (..., T, N)."""
    return torch.matmul(query, keys.transpose(-1, -2))


class Distance(nn.Module):
    """A bias for every item by its distance from the last edit, linear in the decoder's state."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.bias = nn.Linear(width, BUCKETS)

    def forward(self, hidden: Tensor, buckets: Tensor) -> Tensor:
        """Hiddens (..., T, D) and buckets (..., T, N) -> biases (..., T, N)."""
        return torch.gather(self.bias(hidden), -1, buckets.long())


class Analogy(nn.Module):
    """Choose an earlier edit, and point where the text looks as it looked there.

    The surroundings of a token are the fixed random unit vectors of the tokens at -5..5 from it.
    Their product is, but for a little noise, a count of equal neighbours, weighed by a learned
    weight an offset.
    """

    vectors: Tensor

    def __init__(self, vocabulary: int, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        vectors = torch.randn(vocabulary, _VECTOR, generator=torch.Generator().manual_seed(7))
        vectors = functional.normalize(vectors, dim=-1)
        vectors[PAD] = 0.0
        self.register_buffer("vectors", vectors)
        self.weight = nn.Parameter(torch.zeros(heads, 2 * REACH + 1))
        self.strength = nn.Parameter(torch.ones(heads))
        self.chooses = nn.Linear(width, heads * _VECTOR)
        self.chosen = nn.Linear(width, heads * _VECTOR)

    def surroundings(self, state: Tensor) -> Tensor:
        """State ids (..., S) -> (..., S, C)."""
        vectors = functional.pad(self.vectors[state], (0, 0, REACH, REACH))
        length = state.shape[-1]
        shifted = [vectors.narrow(-2, offset, length) for offset in range(2 * REACH + 1)]
        return torch.cat(shifted, -1)

    def weights(self, hidden: Tensor, rows: Tensor, seen: Tensor) -> Tensor:
        """Which earlier row to follow: (..., T, D), (..., R, D), bool (T, R) -> (..., A, T, R).

        Row 0 is no edit: whoever chooses it follows none.
        """
        query = self.chooses(hidden).unflatten(-1, (self.heads, -1)).transpose(-2, -3)
        key = self.chosen(rows).unflatten(-1, (self.heads, -1)).transpose(-2, -3)
        scores = torch.matmul(query, key.transpose(-1, -2)) * _VECTOR**-0.5
        return torch.softmax(scores + hidden_bias(seen, scores.dtype), -1)

    def query(self, weights: Tensor, at_sites: Tensor) -> Tensor:
        """What to look for: (..., A, T, R) and surroundings at sites (..., R, C) -> (..., T, C)."""
        looks = torch.matmul(weights[..., 1:], at_sites[..., 1:, :].unsqueeze(-3))
        count = functional.softplus(self.weight) * self.strength[:, None]  # (A, O)
        count = count.repeat_interleave(_VECTOR, -1)  # (A, C)
        return (looks * count[:, None, :]).sum(-3)


class Copy(nn.Module):
    """How much of a content's probability is the vocabulary's, and how much each token's."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, width)
        self.gate = nn.Linear(width, 1)

    def query_of(self, hidden: Tensor) -> Tensor:
        """What is held against the items' keys, (..., D)."""
        return self.query(hidden) * hidden.shape[-1] ** -0.5

    def weights(self, hidden: Tensor, scores: Tensor, visible: Tensor) -> Tensor:
        """Hiddens (..., D), products with the keys (..., N), bool (..., N) -> (..., 1 + N)."""
        scores = torch.log_softmax((scores + hidden_bias(visible, scores.dtype)).float(), -1)
        gate = self.gate(hidden).float()
        # Log sigmoids; ONNX Runtime's sigmoid has no digits left where a gate is nearly shut.
        opened, shut = -functional.softplus(-gate), -functional.softplus(gate)
        return torch.cat([opened, shut + scores], -1)

    def forward(self, hidden: Tensor, keys: Tensor, visible: Tensor) -> Tensor:
        """(..., T, D), keys (..., N, D), bool (..., T, N) -> log weights (..., T, 1 + N)."""
        return self.weights(hidden, pointer_logits(self.query_of(hidden), keys), visible)


def content_log_probability(
    vocabulary: Tensor, weights: Tensor | None, targets: Tensor, tokens: Tensor
) -> Tensor:
    """Log probability of the true contents.

    Args:
        vocabulary: Logits (B, T, V).
        weights: The copy head's log weights (B, T, 1 + N), or None.
        targets: True contents (B, T).
        tokens: Each item's token (B, N).

    Returns:
        (B, T).
    """
    plain = torch.log_softmax(vocabulary.float(), -1)
    plain = plain.gather(-1, targets[..., None]).squeeze(-1)
    if weights is None:
        return plain
    same = tokens[:, None, :] == targets[..., None]
    copied = torch.logsumexp(weights[..., 1:] + hidden_bias(same, weights.dtype), -1)
    return torch.logaddexp(plain + weights[..., 0], copied)


def mix(vocabulary: Tensor, weights: Tensor | None, tokens: Tensor) -> Tensor:
    """Log probabilities of all contents, (..., V), from what `content_log_probability` takes."""
    plain = torch.log_softmax(vocabulary.float(), -1)
    if weights is None:
        return plain
    mixed = torch.exp(plain + weights[..., :1])
    index = tokens.unsqueeze(-2).expand(*weights.shape[:-1], tokens.shape[-1])
    return torch.log(mixed.scatter_add(-1, index, torch.exp(weights[..., 1:])) + 1e-30)
