"""A sequence-to-sequence network that copies spans: two GRUs with attention, one softmax.

    B  batch             N  words before         M  words after, or rays
    V  vocabulary        E  embedding            D  hidden
    C  words of the edit shown                   R  representation of an edit

Two layers of a bidirectional GRU read what was before. A GRU reads what has been written so far;
what it puts out attends to what was before (Luong et al. 2015, "general", without input feeding),
and scores every word of the vocabulary and every span Copy(i:j). The score of a span is
W (r_i || r_{j-1}) . h. It is the sum of a part of the first word and a part of the last one, so the
softmax over all spans is normalised in N steps and not N^2.

A network that represents edits (section 4.2) also reads an edit, word by word, and the decoder has
its representation beside each word.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from editcast_papers.copy_spans.pairs import PAD, START, UNKNOWN, Batch, Shown

DROPOUT = 0.2
_NEVER = -1e9


class Memory(NamedTuple):
    """Encoded words of the text before the edit.

    Attributes:
        words: (B, N, 2D).
        first: Keys of words that begin a span (B, N, D).
        last: Keys of words that end one (B, N, D).
        padding: Whether there is no word, bool (B, N).
        state: The decoder's first (B, D).
        edit: The representation of the edit shown (B, R); R is 0 without one.
    """

    words: Tensor
    first: Tensor
    last: Tensor
    padding: Tensor
    state: Tensor
    edit: Tensor


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


class Reader(nn.Module):
    """Two layers of a bidirectional GRU."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.lower = BothWays(width, hidden)
        self.upper = BothWays(2 * hidden, hidden)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x: Tensor, padding: Tensor) -> tuple[Tensor, Tensor]:
        """Read (B, N, .); its words (B, N, 2D) and what both ways end in (B, 2D)."""
        lengths = (~padding).sum(1, keepdim=True)
        places = torch.arange(padding.shape[1]).expand_as(padding)
        turned = torch.where(padding, places, lengths - 1 - places)
        words = self.upper(self.dropout(self.lower(x, turned)), turned)
        ends = _at(words, torch.cat([lengths - 1, torch.zeros_like(lengths)], 1))  # (B, 2, 2D)
        onward, back = ends[:, 0].chunk(2, -1)[0], ends[:, 1].chunk(2, -1)[1]
        return self.dropout(words), torch.cat([onward, back], -1)


class Copier(nn.Module):
    """The network. Without `spans` it is the baseline, in which a span is one word long.

    `edit` is R, and 0 for a network that is shown no edits.
    """

    def __init__(
        self, vocabulary: int, hidden: int, *, spans: bool, embedding: int = 32, edit: int = 0
    ) -> None:
        super().__init__()
        self.vocabulary, self.spans, self.edit = vocabulary, spans, edit
        self.embedding = nn.Embedding(vocabulary, embedding)
        self.encoder = Reader(embedding, hidden)
        self.bridge = nn.Linear(2 * hidden + edit, hidden)
        self.decoder = nn.GRU(embedding + edit, hidden, batch_first=True)
        self.ask = nn.Linear(hidden, 2 * hidden, bias=False)
        self.join = nn.Linear(3 * hidden, hidden)
        self.keys = nn.Linear(2 * hidden, 2 * hidden, bias=False)
        self.out = nn.Linear(hidden, vocabulary)
        self.dropout = nn.Dropout(DROPOUT)
        if edit:
            self.marks = nn.Embedding(3, embedding)
            self.edits = Reader(embedding, hidden)
            self.represent = nn.Linear(2 * hidden, edit)
        never = torch.zeros(vocabulary)
        never[[PAD, START]] = _NEVER
        self.register_buffer("never", never, persistent=False)

    def embed(self, words: Tensor) -> Tensor:
        """Embed ids (B, M) -> (B, M, E); those above the vocabulary as unknown."""
        known = torch.where(words < self.vocabulary, words, UNKNOWN)
        embedded: Tensor = self.dropout(self.embedding(known))
        return embedded

    def represented(self, shown: Shown) -> Tensor:
        """Represent edits (B, R)."""
        _, summary = self.edits(
            self.embed(shown.words) + self.marks(shown.marks), shown.words == PAD
        )
        edit: Tensor = torch.tanh(self.represent(summary))
        return edit

    def read(self, batch: Batch) -> Memory:
        """Read what was before, and the edits shown."""
        padding = batch.before == PAD
        words, summary = self.encoder(self.embed(batch.before), padding)
        edit = words.new_zeros((len(padding), 0))
        if self.edit and batch.shown is not None:
            edit = self.represented(batch.shown)
        first, last = self.keys(words).chunk(2, -1)
        state = torch.tanh(self.bridge(torch.cat([summary, edit], -1)))
        return Memory(words, first, last, padding, state, edit)

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

    def forward(self, batch: Batch) -> Actions:
        """Score the actions at each place of what is to be written."""
        memory = self.read(batch)
        start = torch.full_like(batch.after[:, :1], START)
        so_far = torch.cat([start, batch.after[:, :-1]], 1)
        hidden, _ = self.decoder(self._beside(so_far, memory), memory.state[None])
        return self.act(memory, hidden)

    def advance(self, word: Tensor, state: Tensor, memory: Memory) -> Tensor:
        """Read one more word of each ray: ids (B, K) and states (B, K, D) -> states."""
        words = self._beside(word, memory).flatten(0, 1)[:, None]
        _, after = self.decoder(words, state.flatten(0, 1)[None])
        moved: Tensor = after[0].unflatten(0, word.shape)
        return moved

    def _beside(self, words: Tensor, memory: Memory) -> Tensor:
        """Embed ids (B, M), with the representation of the edit beside each."""
        edit = memory.edit[:, None].expand(-1, words.shape[1], -1)
        return torch.cat([self.embed(words), edit], -1)
