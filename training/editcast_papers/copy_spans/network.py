"""A sequence-to-sequence network that copies spans: two GRUs with attention, one softmax.

    B  batch             N  words before         M  words after, or rays
    V  vocabulary        E  embedding            D  hidden

Two layers of a bidirectional GRU read what was before. A GRU reads what has been written so far;
what it puts out attends to what was before (Luong et al. 2015, "general", without input feeding),
and scores every word of the vocabulary and every span Copy(i:j). The score of a span is
W (r_i || r_{j-1}) . h. It is the sum of a part of the first word and a part of the last one, so the
softmax over all spans is normalised in N steps and not N^2.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from editcast_papers.copy_spans.pairs import PAD, START, UNKNOWN

EMBEDDING = 32
DROPOUT = 0.2
_NEVER = -1e9


class Memory(NamedTuple):
    """What was read of the words before.

    Attributes:
        words: (B, N, 2D).
        first: Keys of words that begin a span (B, N, D).
        last: Keys of words that end one (B, N, D).
        padding: Whether there is no word, bool (B, N).
        state: The decoder's first (B, D).
    """

    words: Tensor
    first: Tensor
    last: Tensor
    padding: Tensor
    state: Tensor


class Actions(NamedTuple):
    """Log probabilities of actions; Copy(i:j) has ``first[i] + last[j - 1]``.

    Attributes:
        vocabulary: (B, M, V).
        first: (B, M, N).
        last: (B, M, N).
    """

    vocabulary: Tensor
    first: Tensor
    last: Tensor


class BothWays(nn.Module):
    """A layer of a bidirectional GRU over padded texts.

    torch's own needs packed texts, and goes back through those in time that is quadratic in their
    length.
    """

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.onward = nn.GRU(width, hidden, batch_first=True)
        self.back = nn.GRU(width, hidden, batch_first=True)

    def forward(self, x: Tensor, turned: Tensor) -> Tensor:
        """Read (B, N, .) -> (B, N, 2D); what is at padding means nothing.

        Args:
            x: The texts.
            turned: The places of each text from its last word to its first, then of the padding:
                (B, N).
        """
        onward, _ = self.onward(x)
        back, _ = self.back(_at(x, turned))
        return torch.cat([onward, _at(back, turned)], -1)


def _at(x: Tensor, places: Tensor) -> Tensor:
    return x.gather(1, places[..., None].expand(-1, -1, x.shape[-1]))


class Copier(nn.Module):
    """The network. Without `spans` it is the baseline, in which a span is one word long."""

    def __init__(self, vocabulary: int, hidden: int, *, spans: bool) -> None:
        super().__init__()
        self.vocabulary, self.spans = vocabulary, spans
        self.embedding = nn.Embedding(vocabulary, EMBEDDING)
        self.lower = BothWays(EMBEDDING, hidden)
        self.upper = BothWays(2 * hidden, hidden)
        self.bridge = nn.Linear(2 * hidden, hidden)
        self.decoder = nn.GRU(EMBEDDING, hidden, batch_first=True)
        self.ask = nn.Linear(hidden, 2 * hidden, bias=False)
        self.join = nn.Linear(3 * hidden, hidden)
        self.keys = nn.Linear(2 * hidden, 2 * hidden, bias=False)
        self.out = nn.Linear(hidden, vocabulary)
        self.dropout = nn.Dropout(DROPOUT)
        never = torch.zeros(vocabulary)
        never[[PAD, START]] = _NEVER
        self.register_buffer("never", never, persistent=False)

    def embed(self, words: Tensor) -> Tensor:
        """Embed ids (B, M) -> (B, M, E); those above the vocabulary as unknown."""
        known = torch.where(words < self.vocabulary, words, UNKNOWN)
        embedded: Tensor = self.dropout(self.embedding(known))
        return embedded

    def read(self, before: Tensor) -> Memory:
        """Read ids (B, N)."""
        padding = before == PAD
        lengths = (~padding).sum(1, keepdim=True)
        places = torch.arange(before.shape[1]).expand_as(before)
        turned = torch.where(padding, places, lengths - 1 - places)
        words = self.upper(self.dropout(self.lower(self.embed(before), turned)), turned)
        ends = _at(words, torch.cat([lengths - 1, torch.zeros_like(lengths)], 1))  # (B, 2, 2D)
        onward, back = ends[:, 0].chunk(2, -1)[0], ends[:, 1].chunk(2, -1)[1]
        words = self.dropout(words)
        first, last = self.keys(words).chunk(2, -1)
        state = torch.tanh(self.bridge(torch.cat([onward, back], -1)))
        return Memory(words, first, last, padding, state)

    def act(self, memory: Memory, hidden: Tensor) -> Actions:
        """Score all actions from what the decoder put out (B, M, D)."""
        hide = memory.padding[:, None, :] * _NEVER
        seen = torch.softmax(self.ask(hidden) @ memory.words.transpose(1, 2) + hide, -1)
        joined = torch.cat([hidden, seen @ memory.words], -1)
        hidden = self.dropout(torch.tanh(self.join(joined)))
        words = self.out(hidden) + self.never
        first = hidden @ memory.first.transpose(1, 2) + hide
        last = hidden @ memory.last.transpose(1, 2) + hide
        ends = last.flip(-1).logcumsumexp(-1).flip(-1) if self.spans else last
        total = torch.logaddexp(words.logsumexp(-1), (first + ends).logsumexp(-1))[..., None]
        return Actions(words - total, first - total, last)

    def forward(self, before: Tensor, after: Tensor) -> Actions:
        """Score the actions at each place of what is to be written, ids (B, N) and (B, M)."""
        memory = self.read(before)
        so_far = torch.cat([torch.full_like(after[:, :1], START), after[:, :-1]], 1)
        hidden, _ = self.decoder(self.embed(so_far), memory.state[None])
        return self.act(memory, hidden)

    def advance(self, word: Tensor, state: Tensor) -> Tensor:
        """Read one more word of each ray: ids (B, K) and states (B, K, D) -> states."""
        flat = state.flatten(0, 1)[None]
        _, after = self.decoder(self.embed(word).flatten(0, 1)[:, None], flat)
        moved: Tensor = after[0].unflatten(0, word.shape)
        return moved
