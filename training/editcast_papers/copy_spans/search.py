"""Beam search that merges rays of equal text: Algorithm 1.

    B  batch      K  rays              C  best actions of a ray     T  longest text
    N  words      V  vocabulary        A  rays that grow now        S  actions, V + N^2

At step t the rays whose text has t words grow; longer ones, made by copying a span, wait. All rays
keep the decoder's state after t words of their text. Texts are compared by a hash of 64 bits.
Actions are numbered: first the words of the vocabulary, then Copy(i:j) as V + i N + j - 1.
"""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from editcast_papers.copy_spans.network import Copier, Memory
from editcast_papers.copy_spans.pairs import END, PAD, START, Batch

#: When the probabilities of equal texts are added up.
Merge = Literal["always", "end", "never"]
GENERATED, CONTINUED = -1, -2
_BASE = -7046029254386353131  # odd, so that multiplying by it loses nothing
_NOBODY = -1  # the hash of what cannot be


@dataclass(frozen=True)
class Found:
    """The rays at the end, best first.

    Attributes:
        text: Ids with the end mark, padded (B, K, T).
        score: Log probabilities; minus infinity where there is no ray (B, K).
        made: By what action a word came (B, K, T): `GENERATED`, ``i * N + j - 1`` at the first
            word of Copy(i:j), `CONTINUED` at its others. Of a merged ray: one of the ways.
    """

    text: Tensor
    score: Tensor
    made: Tensor


@dataclass
class _Rays:
    """Rays on their way: as `Found`, and for each its hash, its length, and whether it ended."""

    text: Tensor
    score: Tensor
    made: Tensor
    hashed: Tensor
    length: Tensor
    ended: Tensor


@dataclass(frozen=True)
class _Spans:
    """All spans of the texts before, by number of the action.

    Attributes:
        hashed: The hash of each (B, N^2).
        slot: The first action that writes the same (B, S).
        real: Whether there is such a span, bool (B, N^2).
    """

    hashed: Tensor
    slot: Tensor
    real: Tensor


@torch.no_grad()
def search(
    network: Copier,
    batch: Batch,
    beam: int,
    longest: int,
    merge: Merge = "always",
    width: int | None = None,
) -> Found:
    """Find the likeliest texts.

    Args:
        network: In evaluation mode.
        batch: What was before, and the edits shown.
        beam: K.
        longest: T, with the end mark.
        merge: ``never`` with a beam of 1 is greedy decoding.
        width: C; K if None, when an action further down its ray's list never has a chance but by
            merging with other rays.
    """
    memory, before = network.read(batch), batch.before
    spans = _spans(network, before)
    rays = _begin(len(before), beam, longest)
    state = memory.state[:, None].expand(-1, beam, -1)
    word = torch.full_like(rays.length, START)
    for step in range(longest):
        state = network.advance(word, state, memory)
        active = (rays.length == step) & ~rays.ended & (rays.score > -math.inf)
        if active.any():
            chosen = _Choice(network, memory, spans, before, merge == "always")
            rays, parent = chosen.grow(rays, state, active, width or beam)
            state = state.gather(1, parent[..., None].expand_as(state))
        if (rays.ended | (rays.score == -math.inf)).all():
            break
        word = rays.text[:, :, step]
    score = rays.score.masked_fill(~rays.ended, -math.inf)
    if merge == "end":
        score = _merged(score, rays.hashed)
    score, order = score.sort(dim=1, descending=True, stable=True)
    wide = order[..., None].expand_as(rays.text)
    return Found(rays.text.gather(1, wide), score, rays.made.gather(1, wide))


def _begin(texts: int, beam: int, longest: int) -> _Rays:
    score = torch.full((texts, beam), -math.inf)
    score[:, 0] = 0.0
    zeros = torch.zeros((texts, beam), dtype=torch.int64)
    text = torch.full((texts, beam, longest), PAD)
    made = torch.full_like(text, CONTINUED)
    return _Rays(text, score, made, zeros, zeros, zeros.bool())


@dataclass(frozen=True)
class _Choice:
    """One step of the search."""

    network: Copier
    memory: Memory
    spans: _Spans
    before: Tensor
    merge: bool

    def grow(self, rays: _Rays, state: Tensor, active: Tensor, width: int) -> tuple[_Rays, Tensor]:
        """Let the active rays grow; the best rays, and which ray each came from (B, K)."""
        beam, limit = rays.score.shape[1], rays.text.shape[2]
        best, which = self._best(state, active, width)  # (B, K, C)
        words, vocabulary = self.before.shape[1], self.network.vocabulary
        span = (which - vocabulary).clamp(min=0)
        copied, first, last = which >= vocabulary, span // words, span % words
        length = torch.where(copied, last - first + 1, 1)
        fits = rays.length[..., None] + length + (which != END) <= limit  # the end must fit, too
        grown = (rays.score[..., None] + best).masked_fill(~fits, -math.inf)
        own = self.spans.hashed.gather(1, span.flatten(1)).view_as(span)
        own = torch.where(copied, own, _mixed(which))
        hashed = rays.hashed[..., None] * _powers(limit)[length.clamp(max=limit)] + own
        # Each ray's actions, and then each ray itself, which waits.
        waiting = rays.score.masked_fill(active, -math.inf)
        score = torch.cat([grown.flatten(1), waiting], 1)
        hashed = torch.cat([hashed.flatten(1), rays.hashed], 1)
        if self.merge:
            score = _merged(score, hashed)
        score, index = score.topk(beam, 1)
        grows = index < beam * width
        parent = torch.where(grows, index // width, index - beam * width)
        taken = which.flatten(1).gather(1, index.clamp(max=beam * width - 1))
        taken = torch.where(grows, taken, -1)
        return self._write(rays, parent, taken, score, hashed.gather(1, index)), parent

    def _best(self, state: Tensor, active: Tensor, width: int) -> tuple[Tensor, Tensor]:
        """Log probabilities and numbers of each active ray's best actions, twice (B, K, C)."""
        actions = self.network.act(self.memory, state)
        first, last = actions.first[active], actions.last[active]  # (A, N)
        real = self.spans.real[active.nonzero()[:, 0]]
        copies = (first[:, :, None] + last[:, None, :]).flatten(1).masked_fill(~real, -math.inf)
        score = torch.cat([actions.vocabulary[active], copies], 1)  # (A, S)
        if self.merge:
            slot = self.spans.slot[active.nonzero()[:, 0]]
            score = torch.zeros_like(score).scatter_add_(1, slot, score.exp_()).log_()
        width_here = min(width, score.shape[1])
        found, number = score.topk(width_here, 1)
        best = found.new_full((*active.shape, width), -math.inf)
        which = number.new_zeros(best.shape)
        best[..., :width_here][active] = found
        which[..., :width_here][active] = number
        return best, which

    def _write(
        self, rays: _Rays, parent: Tensor, taken: Tensor, score: Tensor, hashed: Tensor
    ) -> _Rays:
        """Write what was taken (B, K), -1 for nothing, behind the texts of the parents."""
        words, vocabulary = self.before.shape[1], self.network.vocabulary
        wide = parent[..., None].expand_as(rays.text)
        text, made = rays.text.gather(1, wide), rays.made.gather(1, wide)
        old = rays.length.gather(1, parent)
        copied = taken >= vocabulary
        span = (taken - vocabulary).clamp(min=0)
        first, last = span // words, span % words
        length = torch.where(copied, last - first + 1, (taken >= 0).long())
        offset = torch.arange(text.shape[2]) - old[..., None]
        source = (first[..., None] + offset).clamp(0, words - 1)
        copy = self.before[:, None].expand(-1, text.shape[1], -1).gather(2, source)
        new = torch.where(copied[..., None], copy, taken[..., None])
        inside = (offset >= 0) & (offset < length[..., None])
        text = torch.where(inside, new, text)
        how = torch.where(copied, span, GENERATED)[..., None]
        made = torch.where(inside & (offset == 0), how, made)
        ended = rays.ended.gather(1, parent) | (taken == END)
        return _Rays(text, score, made, hashed, old + length, ended)


def _mixed(ids: Tensor) -> Tensor:
    """Hash ids one by one."""
    mixed = (ids + 1) * -4658895280553007687
    mixed = (mixed ^ (mixed >> 31)) * -7723592293110705685
    return mixed ^ (mixed >> 29)


def _powers(count: int) -> Tensor:
    """Return the base's powers from 0 to `count`, modulo 2^64."""
    return torch.cat([torch.ones(1, dtype=torch.int64), torch.full((count,), _BASE)]).cumprod(0)


def _spans(network: Copier, before: Tensor) -> _Spans:
    words = before.shape[1]
    power = _powers(words)
    prefix = [torch.zeros(len(before), dtype=torch.int64)]
    for column in _mixed(before).unbind(1):
        prefix.append(prefix[-1] * _BASE + column)
    until = torch.stack(prefix, 1)  # (B, N + 1)
    place = torch.arange(words)
    length = place[None, :] - place[:, None] + 1  # (N, N)
    real = (length > 0) if network.spans else (length == 1)
    real = real & (before != PAD)[:, None, :]  # a span that ends within the text is within it
    hashed = until[:, None, 1:] - until[:, :-1, None] * power[length.clamp(min=0)]
    hashed = torch.where(real, hashed, _NOBODY).flatten(1)
    ranked, order = hashed.sort(dim=1, stable=True)
    head = torch.ones_like(ranked, dtype=torch.bool)
    head[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    index = torch.arange(ranked.shape[1]).expand_as(ranked)
    leader = order.gather(1, torch.where(head, index, 0).cummax(1).values)
    slot = torch.zeros_like(order).scatter_(1, order, leader) + network.vocabulary
    # A word that can be generated: there its copies count.
    single = (place * (words + 1)).expand_as(before)
    word = torch.where(before < network.vocabulary, before, slot.gather(1, single))
    slot.scatter_(1, single, word)
    vocabulary = torch.arange(network.vocabulary).expand(len(before), -1)
    return _Spans(hashed, torch.cat([vocabulary, slot], 1), real.flatten(1))


def _merged(score: Tensor, hashed: Tensor) -> Tensor:
    """Give one of each group of equal hashes the sum of their probabilities, the others none."""
    hashed = torch.where(score > -math.inf, hashed, _NOBODY)
    ranked, order = hashed.sort(dim=1, stable=True)
    score = score.gather(1, order)
    head = torch.ones_like(ranked, dtype=torch.bool)
    head[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    group = head.cumsum(1) - 1
    most = torch.full_like(score, -1e9).scatter_reduce(1, group, score, "amax")
    total = torch.zeros_like(score).scatter_add(1, group, (score - most.gather(1, group)).exp())
    sums = (most + total.log()).gather(1, group).masked_fill(~head, -math.inf)
    return torch.empty_like(sums).scatter_(1, order, sums)
