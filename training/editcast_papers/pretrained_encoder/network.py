"""The network: an encoder, a decoder, and a gate between generating a word and copying one.

    B  batch, or rays      S  subwords      N  words read      M  words written
    D  hidden              V  vocabulary     Q  words to be written, or rays

With probability `gate` the next word is one of the vocabulary; otherwise it is a word of the
description, chosen by attention (See et al. 2017). So words that nobody knows can be written, too.
What was copied is read again as the encoder made it (Gu et al. 2016): an unknown word is more than
unknown. A network that does not copy always generates.
"""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, logsigmoid

from editcast_papers.pretrained_encoder.corpus import Batch
from editcast_papers.pretrained_encoder.decoders import (
    LSTMDecoder,
    Memory,
    State,
    TransformerDecoder,
)
from editcast_papers.pretrained_encoder.encoder import DROPOUT, Encoder
from editcast_papers.subwords import PAD, START, UNKNOWN

Kind = Literal["LSTM", "Transformer"]
_NEVER = -1e9
_TINY = 1e-20  # what no probability is below, so that it has a logarithm


class Writer(nn.Module):
    """Writes code. `pieces` is how many subwords there are, `vocabulary` V."""

    never: Tensor

    def __init__(
        self, pieces: int, vocabulary: int, hidden: int, decoder: Kind, *, copying: bool
    ) -> None:
        super().__init__()
        self.vocabulary, self.copying = vocabulary, copying
        self.encoder = Encoder(pieces, hidden)
        self.embedding = nn.Embedding(vocabulary, hidden, padding_idx=PAD)
        nn.init.normal_(self.embedding.weight, std=hidden**-0.5)
        self.decoder = (LSTMDecoder if decoder == "LSTM" else TransformerDecoder)(hidden)
        self.dropout = nn.Dropout(DROPOUT)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        self.gate = nn.Linear(hidden, 1)
        self.point = nn.Linear(hidden, hidden, bias=False)
        self.again = nn.Linear(hidden, hidden, bias=False)
        never = torch.zeros(vocabulary)
        never[[PAD, START]] = _NEVER
        self.register_buffer("never", never, persistent=False)

    def read(self, batch: Batch) -> Memory:
        """Read the descriptions."""
        states = self.encoder.words(batch.pieces, batch.owners, batch.words.shape[1])
        return Memory(self.dropout(states), batch.words == PAD, batch.words)

    def forward(self, batch: Batch) -> Tensor:
        """Return the log probability of each word to be written (Q,), Q of them in all texts.

        A word that can neither be generated nor be copied counts as the unknown one.
        """
        memory = self.read(batch)
        start = torch.full_like(batch.code[:, :1], START)
        so_far = torch.cat([start, batch.code[:, :-1]], 1)
        out, _ = self.decoder(self._embed(so_far, memory), memory, self.decoder.begin(memory))
        real = batch.code != PAD
        code = batch.code[real]  # (Q,)
        generated, copied = self._scores(out[real], self._copies(out, memory)[real])
        known = code < self.vocabulary
        found = generated.gather(1, torch.where(known, code, UNKNOWN)[:, None])[:, 0]
        if self.copying:
            here = code[:, None] == batch.words[real.nonzero()[:, 0]]  # (Q, N)
            found = found.masked_fill(~known & here.any(1), _NEVER)
            share = (copied.exp() * here).sum(1).clamp(min=_TINY).log()
            found = torch.logaddexp(found, share)
        return found

    def advance(self, words: Tensor, memory: Memory, state: State) -> tuple[Tensor, State]:
        """Read one more word of each ray (B,); log probabilities of the next.

        Returns:
            Of the words of the vocabulary, and behind these of the words read (B, V + N): a word
            that is there more than once has all of its probability at one place. And the state.
        """
        out, state = self.decoder(self._embed(words[:, None], memory), memory, state)
        generated, copied = self._scores(out[:, 0], self._copies(out, memory)[:, 0])
        chances = generated.exp()
        chances[:, UNKNOWN] = 0.0
        chances = torch.cat([chances, torch.zeros_like(copied)], 1)
        if self.copying:
            same = memory.words[:, :, None] == memory.words[:, None]
            first = same.to(torch.uint8).argmax(-1) + self.vocabulary
            slot = torch.where(memory.words < self.vocabulary, memory.words, first)
            chances = chances.scatter_add(1, slot, copied.exp())
        return chances.clamp(min=_TINY).log(), state

    def _embed(self, words: Tensor, memory: Memory) -> Tensor:
        """Embed ids (B, M): as words of the vocabulary and, if it copies, as they were read."""
        x = self.embedding(torch.where(words < self.vocabulary, words, UNKNOWN))
        if self.copying:
            here = (words[..., None] == memory.words[:, None]).to(x.dtype)  # (B, M, N)
            share = here / here.sum(-1, keepdim=True).clamp(min=1)
            x = x + self.again(share @ memory.states)
        embedded: Tensor = self.dropout(x)
        return embedded

    def _copies(self, out: Tensor, memory: Memory) -> Tensor:
        """Score the words read (B, M, N)."""
        copies = self.point(out) @ memory.states.transpose(1, 2)
        return copies.masked_fill(memory.padding[:, None], _NEVER)

    def _scores(self, out: Tensor, copies: Tensor) -> tuple[Tensor, Tensor]:
        """Log probabilities of generating (Q, V) and of copying (Q, N), from what was put out."""
        words = linear(out, self.embedding.weight, self.bias + self.never)
        generated, copied = torch.log_softmax(words, -1), torch.log_softmax(copies, -1)
        if self.copying:
            gate = self.gate(out)
            return generated + logsigmoid(gate), copied + logsigmoid(-gate)
        return generated, copied
