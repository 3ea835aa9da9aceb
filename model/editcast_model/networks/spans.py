"""Copy a run of tokens, or delete one, in one decision (Panthaplackel et al. 2021).

Dimensions:

    B  batch    S  state tokens    T  steps    N  items, S + T    D  width    L  `LONGEST`

A span is a run of items: of the state, or of earlier edits that inserted one token after another.
Its score is the product of the hidden that asks with a start key and an end key, so all spans are
normalised by L products of what begins with what ends, and none is ever listed. There are many
ways to write the same text, token by token or by spans, from here or from there: the likelihood
is that of all of them together.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from editcast_model.networks.attention import hidden_bias

#: Most tokens of a span.
LONGEST = 8


@dataclass(frozen=True)
class SpanScores:
    """What each step thinks of all spans, as factors.

    Attributes:
        starts: Exponentials of the start scores, (..., T, N).
        ends: Exponentials of the end scores, 0 where nothing can be copied, (..., T, N).
        room: How many items a span that begins here can have, (..., N).
        gate: Log probability of copying a span, divided by all spans together, (..., T, 1).
        deletes: Log probability of each number of tokens deleted, 1 to L, (..., T, L).
    """

    starts: Tensor
    ends: Tensor
    room: Tensor
    gate: Tensor
    deletes: Tensor

    def of_length(self, length: int) -> Tensor:
        """Unnormalised probabilities of the spans of so many tokens, by where they begin."""
        ends = functional.pad(self.ends, (0, LONGEST))
        ends = ends.narrow(-1, length - 1, self.ends.shape[-1])
        return self.starts * ends * (self.room >= length).unsqueeze(-2)


class Spans(nn.Module):
    """The heads for spans; at first they are hardly ever asked."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.start = nn.Linear(width, width)
        self.end = nn.Linear(width, width)
        self.gate = nn.Linear(width, 1)
        self.count = nn.Linear(width, LONGEST)
        nn.init.constant_(self.gate.bias, -4.0)
        with torch.no_grad():
            self.count.bias.copy_(torch.tensor([4.0] + [0.0] * (LONGEST - 1)))

    def queries(self, hidden: Tensor) -> list[Tensor]:
        """What is held against the items' keys, where a span begins and where it ends: (..., D)."""
        scale = hidden.shape[-1] ** -0.5
        return [query(hidden) * scale for query in (self.start, self.end)]

    def forward(
        self, hidden: Tensor, products: list[Tensor], room: Tensor, seen: Tensor
    ) -> tuple[SpanScores, Tensor, Tensor]:
        """Score all spans.

        Args:
            hidden: That asks for a content, (..., T, D).
            products: Of each of the queries with the items' keys, (..., T, N).
            room: As in `SpanScores`, (..., N).
            seen: Which items can be copied at each step, bool (..., T, N).

        Returns:
            The scores; the log probability that no span is copied, (..., T, 1); and that of the
            first token of a span being each item, (..., T, N).
        """
        bias = hidden_bias(seen, hidden.dtype)
        starts, ends = (_exponentials(product + bias) for product in products)
        ends = ends * seen
        gate = self.gate(hidden).float()
        deletes = torch.log_softmax(self.count(hidden).float(), -1)
        scores = SpanScores(starts, ends, room, gate, deletes)
        first = scores.of_length(2)
        for length in range(3, LONGEST + 1):
            first = first + scores.of_length(length)
        total = first.sum(-1, keepdim=True)
        possible = total > 0
        opened = -functional.softplus(-gate) - torch.log(total + 1e-30)
        opened = torch.where(possible, opened, torch.full_like(opened, -1e4))
        shut = torch.where(possible, -functional.softplus(gate), torch.zeros_like(gate))
        scores = SpanScores(starts, ends, room, opened, deletes)
        return scores, shut, opened + torch.log(first + 1e-30)


def beside_spans(weights: Tensor, shut: Tensor, first: Tensor) -> tuple[Tensor, Tensor]:
    """The copy head's weights where spans are copied too.

    Args:
        weights: Of the vocabulary and of every item, (..., T, 1 + N).
        shut: Log probability that no span is copied, (..., T, 1).
        first: That of the first token of a span being each item, (..., T, N).

    Returns:
        Of single tokens alone, and of what comes first either way, (..., T, 1 + N) both.
    """
    single = shut + weights
    return single, torch.cat([single[..., :1], torch.logaddexp(single[..., 1:], first)], -1)


def _exponentials(scores: Tensor) -> Tensor:
    """Of scores, the largest of which is made 0: a factor that all spans share."""
    scores = scores.float()
    return torch.exp(scores - scores.amax(-1, keepdim=True).detach())


def room_of(copyable: Tensor, size: int, together: Tensor) -> Tensor:
    """How many items a span has that begins at each, at most L.

    Args:
        copyable: Which items can be copied at all, bool (..., N), the state's first.
        size: S; no span goes from the state into the edits.
        together: Which edit hangs from the token that the one before hangs from, bool (..., T).

    Returns:
        int64 (..., N).
    """
    same = functional.pad(together, (size, 0), value=True)  # goes on from the item before
    item = torch.arange(copyable.shape[-1], device=copyable.device)
    same = same & (item != size)
    alive = copyable
    room = copyable.long()
    later = functional.pad(copyable & same, (0, LONGEST))
    for length in range(2, LONGEST + 1):
        alive = alive & later.narrow(-1, length - 1, copyable.shape[-1])
        room = room + alive
    return room


def of_targets(scores: SpanScores, targets: Tensor, tokens: Tensor, goes_on: Tensor) -> Tensor:
    """Log probabilities that a span at each step copies just what comes.

    Args:
        scores: Of `Spans`.
        targets: True contents (B, T).
        tokens: Each item's token (B, N).
        goes_on: Whether the next edit inserts right behind this one, bool (B, T).

    Returns:
        For spans of 2 to L tokens, (B, T, L - 1); about -1e4 where there is none.
    """
    same = targets[..., None] == tokens[:, None, :]
    matches, out = same, []
    for length in range(2, LONGEST + 1):
        # What begins here matches `length` tokens if this one is equal and the rest match.
        rest = functional.pad(matches[:, 1:, 1:], (0, 1, 0, 1))
        matches = same & goes_on[..., None] & rest
        total = (scores.of_length(length) * matches).sum(-1)
        out.append(torch.where(total > 0, torch.log(total + 1e-30), torch.full_like(total, -1e4)))
    return torch.stack(out, -1) + scores.gate


def marginal(steps: Tensor, leaps: Tensor) -> Tensor:
    """Log likelihood of sequences that are made of single steps and of leaps over several.

    Args:
        steps: Log probability of each step by itself, (B, T).
        leaps: That of doing it and so many after it at once, 2 to L, (B, T, L - 1).

    Returns:
        (B,): over all ways of cutting the sequence.
    """
    reached: list[Tensor] = [torch.zeros_like(steps[:, 0])]
    for end in range(1, steps.shape[1] + 1):
        ways = [reached[end - 1] + steps[:, end - 1]]
        for length in range(2, min(LONGEST, end) + 1):
            ways.append(reached[end - length] + leaps[:, end - length, length - 2])
        reached.append(torch.logsumexp(torch.stack(ways, -1), -1))
    return reached[-1]
