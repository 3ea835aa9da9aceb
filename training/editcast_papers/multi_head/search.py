"""Beam search: the likeliest translations, many sources at a time.

    B  sources      K  rays of a source      R  rays of all sources, B K      V  vocabulary

A ray that has ended stays in the beam with its score. Rays are compared by their log probability
over the penalty of their length (Wu et al. 2016).
"""

import math

import torch
from torch import Tensor

from editcast_papers.multi_head.attention import Asked
from editcast_papers.multi_head.network import State, Translator
from editcast_papers.subwords import END, PAD, START

_PENALTY = 0.6  # the paper's


@torch.no_grad()
def translate(network: Translator, source: Tensor, beam: int, longest: int) -> Tensor:
    """Find the best translation of each source.

    Args:
        network: In evaluation mode.
        source: Ids (B, N).
        beam: K.
        longest: Subwords of a translation at most, with its end mark.

    Returns:
        Ids with the end mark, padded (B, .).
    """
    sources, device = len(source), source.device
    memory = network.encode(source)
    states = network.begin(memory, beam)
    padding = memory.padding.repeat_interleave(beam, 0)
    text = torch.full((sources, beam, 1), START, device=device)
    total = torch.full((sources, beam), -math.inf, device=device)
    total[:, 0] = 0.0  # all rays are equal before the first word
    length = torch.zeros((sources, beam), device=device)
    ended = torch.zeros((sources, beam), dtype=torch.bool, device=device)
    firsts = torch.arange(sources, device=device)[:, None] * beam
    for _ in range(longest):
        logits, states = network.decode(text[:, :, -1].reshape(-1, 1), states, padding)
        log = logits[:, 0].float().log_softmax(-1).view(sources, beam, -1)
        log[..., [PAD, START]] = -math.inf
        log = _stay(log, ended)
        grown, longer = total[..., None] + log, length + ~ended
        ranked = grown / _penalty(longer)[..., None]
        index = ranked.flatten(1).topk(beam, 1).indices
        parent, word = index // log.shape[-1], index % log.shape[-1]
        total, length = grown.flatten(1).gather(1, index), longer.gather(1, parent)
        ended = ended.gather(1, parent) | (word == END)
        text = text.gather(1, parent[..., None].expand_as(text))
        text = torch.cat([text, word[..., None]], 2)
        if ended.all():
            break
        states = _follow(states, (firsts + parent).flatten())
    best = (total / _penalty(length)).masked_fill(~ended, -math.inf)
    # Where no ray has ended, the first is as good as any.
    return text[torch.arange(sources, device=device), best.argmax(1), 1:]


def _stay(log: Tensor, ended: Tensor) -> Tensor:
    """Let rays that have ended go on with padding alone, which costs nothing."""
    padding = torch.full_like(log[0, 0], -math.inf)
    padding[PAD] = 0.0
    return torch.where(ended[..., None], padding, log)


def _penalty(length: Tensor) -> Tensor:
    return ((5 + length) / 6) ** _PENALTY


def _follow(states: list[State], rows: Tensor) -> list[State]:
    """Give each ray the state of the one that it grew from; the source is the same."""
    return [
        State(Asked(one.target.keys[rows], one.target.values[rows]), one.source) for one in states
    ]
