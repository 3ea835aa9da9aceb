"""The likelihood of a text over all sequences of actions that write it: equation (2).

    B  batch        M  words to write, with the end        N  words before
    Q  correct spans, of all places of all texts           L  the longest of them

From the end of a text to its beginning, the likelihood of each suffix is the sum, over the correct
actions at its first word, of the action's probability and of the likelihood of what is left. Spans
are given as a list, for few of the N^2 at a place are correct.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from editcast_papers.copy_spans.network import Actions, Copier
from editcast_papers.copy_spans.pairs import PAD, UNKNOWN, Batch

_NEVER = -1e9


@dataclass(frozen=True)
class Correct:
    """The actions that write the right words.

    Attributes:
        text: The text of each span (Q,).
        place: Where in it the span is written (Q,).
        first: Where in what was before the span begins (Q,).
        length: How long it is (Q,).
        word: The id that Gen writes at each place (B, M).
        generate: Whether Gen is correct there, bool (B, M); after the end it is, and costs nothing.
    """

    text: Tensor
    place: Tensor
    first: Tensor
    length: Tensor
    word: Tensor
    generate: Tensor


def correct_actions(batch: Batch, known: int, *, spans: bool, forced: bool) -> Correct:
    """List the correct actions.

    Gen of the unknown word is correct where a word that cannot be generated cannot be copied.

    Args:
        batch: The texts.
        known: Size of the vocabulary.
        spans: Whether spans may be longer than a word.
        forced: Whether only the longest span is correct at a place, and Gen where there is none.
    """
    longest = batch.matches if spans else batch.matches.clamp(max=1)
    best = longest.max(-1, keepdim=True).values
    if forced:
        text, place, first = torch.where((longest == best) & (best > 0))
        length = longest[text, place, first]
    else:
        text, place, first = torch.where(longest > 0)
        counts = longest[text, place, first]
        start = counts.cumsum(0) - counts
        text, place, first, start = (
            one.repeat_interleave(counts) for one in (text, place, first, start)
        )
        length = torch.arange(len(text)) - start + 1
    copied = best[..., 0] > 0
    generate = ~copied if forced else (batch.after < known) | ~copied
    word = torch.where(batch.after < known, batch.after, UNKNOWN)
    return Correct(text, place, first, length, word, generate)


def log_likelihood(actions: Actions, correct: Correct, after: Tensor) -> Tensor:
    """Return the log likelihood of each text (B,).

    Args:
        actions: At each place of the texts.
        correct: Of the same texts.
        after: Ids (B, M); what is padded costs nothing.
    """
    generated = actions.vocabulary.gather(-1, correct.word[..., None])[..., 0]
    generated = generated.masked_fill(~correct.generate, _NEVER).masked_fill(after == PAD, 0.0)
    length = int(correct.length.max()) if len(correct.length) else 1
    by_length = _sums(actions, correct, length)  # (B, M, L)
    single = torch.logaddexp(by_length[..., 0], generated)
    by_length = torch.cat([single[..., None], by_length[..., 1:]], -1)
    # Likelihoods of the suffixes that begin 1, 2, .. L words further.
    ahead = by_length.new_full((len(after), length), _NEVER)
    ahead[:, 0] = 0.0
    for here in reversed(by_length.unbind(1)):
        here = (here + ahead).logsumexp(-1, keepdim=True)
        ahead = torch.cat([here, ahead[:, :-1]], -1)
    return ahead[:, 0]


def text_likelihoods(network: Copier, batch: Batch, *, forced: bool) -> Tensor:
    """Return the log likelihood that a network gives each text (B,); see `correct_actions`."""
    correct = correct_actions(batch, network.vocabulary, spans=network.spans, forced=forced)
    return log_likelihood(network(batch), correct, batch.after)


def _sums(actions: Actions, correct: Correct, length: int) -> Tensor:
    """Sum the probabilities of spans of one place and length: log (B, M, L)."""
    texts, places, _ = actions.first.shape
    value = (
        actions.first[correct.text, correct.place, correct.first]
        + actions.last[correct.text, correct.place, correct.first + correct.length - 1]
    )
    slot = (correct.text * places + correct.place) * length + correct.length - 1
    most = value.new_full((texts * places * length,), _NEVER)
    most = most.scatter_reduce(0, slot, value.detach(), "amax")
    total = torch.zeros_like(most).index_add(0, slot, torch.exp(value - most[slot]))
    sums = most + total.clamp(min=torch.finfo(total.dtype).tiny).log()
    return sums.unflatten(0, (texts, places, length))
