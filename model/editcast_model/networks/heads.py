"""Components of the pointer head and the content head.

Dimensions:

    B  batch    S  state tokens    T  steps    N  items    D  width    V  vocabulary
    A  analogy heads    E  width of a token's random vector    O  offsets, 2 * REACH + 1
    R  rows    C  width of the surroundings, O * E
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from editcast_model.edits import BUCKETS
from editcast_model.networks.attention import hidden_bias, split_heads
from editcast_model.networks.config import VECTOR
from editcast_model.networks.equality import REACH

#: The most offsets from the site, and the most edits back, that the copy head distinguishes.
NEAR = 12


def pointer_logits(query: Tensor, keys: Tensor) -> Tensor:
    """Compute inner products: (..., T, D) and (..., N, D) -> (..., T, N)."""
    return torch.matmul(query, keys.transpose(-1, -2))


class Distance(nn.Module):
    """A bias for every item by its distance from the last edit, linear in the decoder's state."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.bias = nn.Linear(width, BUCKETS)

    def forward(self, hidden: Tensor, buckets: Tensor) -> Tensor:
        """Compute biases from hidden vectors (..., T, D) and buckets (..., T, N): (..., T, N)."""
        return torch.gather(self.bias(hidden), -1, buckets.long())


class Analogy(nn.Module):
    """A pointer to places that are similar to the surroundings of an earlier edit.

    The surroundings of a token are the fixed random unit vectors of the tokens at -5..5 from it.
    The product of two surroundings is approximately a count of equal neighbours, with a learned
    weight for each offset.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.weight = nn.Parameter(torch.zeros(heads, 2 * REACH + 1))
        self.strength = nn.Parameter(torch.ones(heads))
        self.chooses = nn.Linear(width, heads * VECTOR)
        self.chosen = nn.Linear(width, heads * VECTOR)

    def weights(self, hidden: Tensor, rows: Tensor, bias: Tensor) -> Tensor:
        """Weigh the earlier rows to follow; row 0 means none.

        Args:
            hidden: Hidden vectors of the decoder, (..., T, D).
            rows: Hidden vectors of the edits, (..., R, D).
            bias: Masks later rows, (T, R).

        Returns:
            (..., A, T, R).
        """
        query = split_heads(self.chooses(hidden), self.heads)
        key = split_heads(self.chosen(rows), self.heads)
        scores = pointer_logits(query, key) * VECTOR**-0.5
        return torch.softmax(scores + bias, -1)

    def query(self, weights: Tensor, at_sites: Tensor) -> Tensor:
        """Compute queries from weights (..., A, T, R) and surroundings (..., R, C): (..., T, C)."""
        looks = torch.matmul(weights[..., 1:], at_sites[..., 1:, :].unsqueeze(-3))
        count = functional.softplus(self.weight) * self.strength[:, None]  # (A, O)
        count = count.repeat_interleave(VECTOR, -1)  # (A, C)
        return (looks * count[:, None, :]).sum(-3)

    @staticmethod
    def scores(query: Tensor, vectors: Tensor) -> Tensor:
        """Compare many queries (..., T, C) with all tokens, vectors (..., S, E): (..., T, S)."""
        padded = functional.pad(vectors, (0, 0, REACH, REACH))
        shifted = [padded.narrow(-2, offset, vectors.shape[-2]) for offset in range(2 * REACH + 1)]
        return pointer_logits(query, torch.cat(shifted, -1))

    @staticmethod
    def scores_of_few(query: Tensor, vectors: Tensor) -> Tensor:
        """Compute the `scores` of a few queries (T, C) with vectors (S, E): (T, S).

        This avoids storing the surroundings of all tokens, which are eleven times as large.
        """
        size, few = vectors.shape[0], query.shape[0]
        of_offsets = query.unflatten(1, (-1, VECTOR)).transpose(0, 1).flatten(0, 1)
        each = torch.matmul(of_offsets, vectors.T)  # (O * T, S)
        padded = functional.pad(each, (REACH, REACH)).unflatten(0, (-1, few))
        return sum(padded[offset, :, offset : offset + size] for offset in range(2 * REACH + 1))


class Copy(nn.Module):
    """The copy head, which weighs the vocabulary and each token as sources of a content.

    The weights also depend on places: of a token of the state on its offset from the site, of an
    inserted token on the number of edits since.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, width)
        self.gate = nn.Linear(width, 1)
        self.beside = nn.Linear(width, 2 * NEAR + 1)
        self.ago = nn.Linear(width, NEAR + 1)

    def query_of(self, hidden: Tensor) -> Tensor:
        """Compute the query that is compared with the items' keys, (..., D)."""
        return self.query(hidden) * hidden.shape[-1] ** -0.5

    def nearness(self, hidden: Tensor, site: Tensor, size: int, rows: Tensor) -> Tensor:
        """Compute biases of all items by their places.

        Args:
            hidden: (..., T, D).
            site: The site of the position, a token of the state, (..., T).
            size: S.
            rows: The number of edits since each edit, (T, N - S).

        Returns:
            (..., T, N).
        """
        beside = torch.arange(size, device=site.device) - site[..., None]
        beside = beside.clamp(-NEAR, NEAR) + NEAR
        ago = rows.clamp(0, NEAR).expand(*site.shape, rows.shape[-1])
        parts = self.beside(hidden).gather(-1, beside), self.ago(hidden).gather(-1, ago)
        return torch.cat(parts, -1)

    def weights(self, hidden: Tensor, scores: Tensor, visible: Tensor) -> Tensor:
        """Compute weights from hidden vectors (..., D), scores and mask (..., N): (..., 1 + N)."""
        scores = torch.log_softmax((scores + hidden_bias(visible, scores.dtype)).float(), -1)
        gate = self.gate(hidden).float()
        # Log sigmoids; ONNX Runtime's sigmoid has no digits left where a gate is nearly shut.
        opened, shut = -functional.softplus(-gate), -functional.softplus(gate)
        return torch.cat([opened, shut + scores], -1)


class Forecasts(NamedTuple):
    """Predictions of edits 1..T of a batch.

    Attributes:
        position: Log probabilities of every position, (B, T, N).
        vocabulary: Logits of the vocabulary, (B, T, V), normalized unless contents can be copied.
        weights: The copy head's log weights (B, T, 1 + N), of which the first is the vocabulary's
            (`content_log_probability` and `mix` read them); None where nothing is copied.
    """

    position: Tensor
    vocabulary: Tensor
    weights: Tensor | None


def content_log_probability(
    vocabulary: Tensor, weights: Tensor | None, targets: Tensor, tokens: Tensor
) -> Tensor:
    """Compute the log probability of the true contents.

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
    """Compute log probabilities of all contents, (..., V).

    Args:
        vocabulary: As in `content_log_probability`, like the other two.
        weights: See `vocabulary`.
        tokens: See `vocabulary`.
    """
    plain = torch.log_softmax(vocabulary.float(), -1)
    if weights is None:
        return plain
    mixed = torch.exp(plain + weights[..., :1])
    index = tokens.unsqueeze(-2).expand(*weights.shape[:-1], tokens.shape[-1])
    return torch.log(mixed.scatter_add(-1, index, torch.exp(weights[..., 1:])) + 1e-30)
