"""The pointer and content heads' optional parts: analogy, distance, scanning, copy.

Dimensions:

    B  batch    S  state tokens    T  steps    N  items    D  width
    A  analogy heads    E  width of a token's random vector    O  offsets, 2 * REACH + 1
    C  width of the surroundings, O * E
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from editcast_model.inference.relative_positions import BUCKETS
from editcast_model.networks.attention import hidden_bias
from editcast_model.networks.config import VECTOR
from editcast_model.networks.equality import REACH, token_vectors
from editcast_model.networks.spans import SpanScores

NEAR = 12


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
        self.register_buffer("vectors", token_vectors(vocabulary))
        self.weight = nn.Parameter(torch.zeros(heads, 2 * REACH + 1))
        self.strength = nn.Parameter(torch.ones(heads))
        self.chooses = nn.Linear(width, heads * VECTOR)
        self.chosen = nn.Linear(width, heads * VECTOR)

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
        scores = torch.matmul(query, key.transpose(-1, -2)) * VECTOR**-0.5
        return torch.softmax(scores + hidden_bias(seen, scores.dtype), -1)

    def query(self, weights: Tensor, at_sites: Tensor) -> Tensor:
        """What to look for: (..., A, T, R) and surroundings at sites (..., R, C) -> (..., T, C)."""
        looks = torch.matmul(weights[..., 1:], at_sites[..., 1:, :].unsqueeze(-3))
        count = functional.softplus(self.weight) * self.strength[:, None]  # (A, O)
        count = count.repeat_interleave(VECTOR, -1)  # (A, C)
        return (looks * count[:, None, :]).sum(-3)


class Scan(nn.Module):
    """A pointer that goes on from the last edit and stops at the first place that will do.

    Stick-breaking over the live tokens of the state to its right, mixed with the softmax pointer: a
    softmax can prefer what is near, but not the first of several that are equally good.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.stop = nn.Linear(width, 1)
        self.gate = nn.Linear(width, 1)

    def forward(
        self, hidden: Tensor, logits: Tensor, ahead: Tensor, last: Tensor, live: Tensor
    ) -> Tensor:
        """Log probabilities.

        Args:
            hidden: Of the decoder, (..., T, D).
            logits: Of the softmax pointer, (..., T, N), the state's tokens first.
            ahead: Which of the state are live and to the right of the last edit, (..., T, S).
            last: The item of the last edit, (..., T, 1).
            live: Which items are, bool (..., T, N).

        Returns:
            (..., T, N).
        """
        size = ahead.shape[-1]
        last = last.expand(*live.shape[:-1], 1)
        # The last insertion comes first: the next place may be just behind it.
        first = torch.gather(live, -1, last) & (last >= size)
        open_ = torch.cat([first, ahead], -1)
        stop = torch.cat([torch.gather(logits, -1, last), logits[..., :size]], -1)
        stop = (stop + self.stop(hidden)).float()
        passed = -functional.softplus(stop) * open_
        reached = torch.cumsum(passed, -1)
        scanned = reached - passed - functional.softplus(-stop) + hidden_bias(open_, passed.dtype)
        gate = self.gate(hidden).float()
        opened, shut = -functional.softplus(-gate), -functional.softplus(gate)
        # What scanning leaves over at the end of the state is the softmax pointer's.
        rest = torch.logaddexp(shut, opened + reached[..., -1:])
        pointed = torch.log_softmax(logits.float(), -1) + rest
        scanned = scanned + opened
        item = torch.arange(logits.shape[-1], device=logits.device)
        scanned = torch.cat(
            [
                scanned[..., 1:],
                scanned[..., :1] + hidden_bias(item[size:] == last, scanned.dtype),
            ],
            -1,
        )
        return torch.logaddexp(pointed, scanned)


class Copy(nn.Module):
    """How much of a content's probability is the vocabulary's, and how much each token's.

    With `near`, tokens are preferred by where they stand as well: a state's token by its offset
    from the site pointed at, an edit's by how long ago it was.
    """

    def __init__(self, width: int, *, near: bool = False) -> None:
        super().__init__()
        self.query = nn.Linear(width, width)
        self.gate = nn.Linear(width, 1)
        self.near = near
        if near:
            self.beside = nn.Linear(width, 2 * NEAR + 1)
            self.ago = nn.Linear(width, NEAR + 1)

    def query_of(self, hidden: Tensor) -> Tensor:
        """What is held against the items' keys, (..., D)."""
        return self.query(hidden) * hidden.shape[-1] ** -0.5

    def nearness(self, hidden: Tensor, site: Tensor, size: int, rows: Tensor) -> Tensor:
        """Biases of all items by where they stand.

        Args:
            hidden: (..., T, D).
            site: The state's token that the position pointed at hangs from, (..., T).
            size: S.
            rows: How many edits ago each edit was, (T, N - S).

        Returns:
            (..., T, N).
        """
        beside = torch.arange(size, device=site.device) - site[..., None]
        beside = (beside.clamp(-NEAR, NEAR)) + NEAR
        ago = rows.clamp(0, NEAR).expand(*site.shape, rows.shape[-1])
        return torch.cat(
            [
                torch.gather(self.beside(hidden), -1, beside),
                torch.gather(self.ago(hidden), -1, ago),
            ],
            -1,
        )

    def weights(self, hidden: Tensor, scores: Tensor, visible: Tensor) -> Tensor:
        """Hiddens (..., D), scores of the items (..., N), bool (..., N) -> (..., 1 + N)."""
        scores = torch.log_softmax((scores + hidden_bias(visible, scores.dtype)).float(), -1)
        gate = self.gate(hidden).float()
        # Log sigmoids; ONNX Runtime's sigmoid has no digits left where a gate is nearly shut.
        opened, shut = -functional.softplus(-gate), -functional.softplus(gate)
        return torch.cat([opened, shut + scores], -1)


class Forecasts(NamedTuple):
    """What a network says of edits 1..T of a batch.

    Attributes:
        position: Log probabilities of every position, (B, T, N).
        vocabulary: Logits of the vocabulary, (B, T, V), normalised unless contents can be copied.
        weights: The copy head's log weights (B, T, 1 + N), of which the first is the vocabulary's
            (`content_log_probability` and `mix` read them), or None. With spans, an item's is also
            that of the spans which begin there.
        single: The same for single tokens alone; with spans.
        spans: With spans, their scores.
    """

    position: Tensor
    vocabulary: Tensor
    weights: Tensor | None
    single: Tensor | None = None
    spans: SpanScores | None = None


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
