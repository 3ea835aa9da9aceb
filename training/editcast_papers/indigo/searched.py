"""The searched adaptive order: a beam over the permutations of a text that is known.

    B  batch     K  orders kept     N  words of a text     A  places with both ends: N + 2
    R  rays, B * K     M  words written so far

A ray is a part of a text, written in some order. Every word that it lacks is tried, at its place;
the K likeliest rays go on. Dropout, if the network is in training, makes the search explore.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from editcast_papers.indigo.networks.likelihood import beside
from editcast_papers.indigo.networks.network import Cache, Indigo
from editcast_papers.indigo.networks.positions import DONE, END, PAD, START, first_relations


class Orders(NamedTuple):
    """The orders found, best first.

    Attributes:
        order: Permutations (B, K, N), places of padding last; the first one again where there are
            not as many.
        score: The log probability of each with its text (B, K); minus infinity where there is none.
    """

    order: Tensor
    score: Tensor


class _Rays(NamedTuple):
    """Rays on their way.

    Attributes:
        score: Log probabilities (B, K).
        when: The number of the word at a place; -1 where there is none yet (B, K, A).
        places: The place of each word so far (B, K, M).
    """

    score: Tensor
    when: Tensor
    places: Tensor


@torch.no_grad()
def search_orders(network: Indigo, source: Tensor, text: Tensor, beam: int) -> Orders:
    """Find the likeliest orders of texts.

    Args:
        network: The network; with dropout if it is in training.
        source: Ids (B, S).
        text: Ids (B, N).
        beam: K.
    """
    memory = network.encode(source).repeated(beam)
    lengths = (text != PAD).sum(1)
    letters = functional.pad(text, (1, 1))[:, None].expand(-1, beam, -1)  # (B, K, A)
    rays = _begin(text, lengths, beam)
    ends = torch.tensor([[START, END]], device=text.device).expand(beam * len(text), -1)
    cache = network.decode(ends, first_relations(len(ends), text.device), memory)
    row = torch.arange(len(text), device=text.device)[:, None] * beam
    for step in range(text.shape[1]):
        gains, done = _gains(network, cache, rays, letters)
        possible = (rays.when < 0) & (letters != PAD)
        every = (rays.score[..., None] + gains).masked_fill(~possible, -math.inf)
        score, chosen = every.flatten(1).topk(beam, 1)
        ended = lengths <= step
        # A text that is complete stays as it is, but for the end of decoding, once.
        last = torch.where((lengths == step)[:, None], rays.score + done, rays.score)
        same = torch.arange(beam, device=text.device)
        parent = torch.where(ended[:, None], same, chosen // letters.shape[2])
        place = torch.where(ended[:, None], step + 2, chosen % letters.shape[2])
        rays = _moved(rays, torch.where(ended[:, None], last, score), parent, place)
        words = letters.gather(2, place.clamp(max=letters.shape[2] - 1)[..., None])
        relation = torch.sign(rays.places[..., -1:] - rays.places).flatten(0, 1)[:, None]
        rows = (row + parent).flatten()
        cache = network.decode(words.flatten(0, 1), relation, memory, cache.of_rows(rows))
    _, done = _gains(network, cache, rays, letters)
    score = torch.where((lengths == text.shape[1])[:, None], rays.score + done, rays.score)
    order = rays.places[..., 2:] - 1
    # The end of a text has the place behind its last word, so its padding begins one further.
    return _best_first(torch.where(order < lengths[:, None, None], order, order - 1), score)


def _begin(text: Tensor, lengths: Tensor, beam: int) -> _Rays:
    score = torch.full((len(text), beam), -math.inf, device=text.device)
    score[:, 0] = 0.0
    ends = torch.stack([torch.zeros_like(lengths), lengths + 1], -1)  # (B, 2)
    when = torch.full((len(text), text.shape[1] + 2), -1, device=text.device)
    when = when.scatter(1, ends, torch.tensor([[0, 1]], device=text.device).expand_as(ends))
    return _Rays(score, *(one[:, None].expand(-1, beam, -1) for one in (when, ends)))


def _gains(network: Indigo, cache: Cache, rays: _Rays, letters: Tensor) -> tuple[Tensor, Tensor]:
    """Score each word of the text at its place (B, K, A), and the end of decoding (B, K)."""
    state = cache.states[:, -1]
    logits = network.words(state).unflatten(0, letters.shape[:2])  # (B, K, V)
    total = logits.float().logsumexp(-1)
    at = torch.arange(letters.shape[2], device=letters.device).expand_as(letters)
    there = rays.when >= 0
    left = torch.where(there, at, 0).cummax(2).values
    far = letters.shape[2] - 1
    right = torch.where(there, at, far).flip(2).cummin(2).values.flip(2)
    numbers = [rays.when.gather(2, one).clamp(min=0).flatten(0, 1) for one in (left, right)]
    ids = letters.flatten(0, 1)
    known = torch.ones((1, 1, cache.states.shape[1]), dtype=torch.bool, device=letters.device)
    wide = state[:, None].expand(-1, ids.shape[1], -1)
    places = beside(network.places(wide, ids, cache.states, known), *numbers)
    words = logits.gather(2, letters) - total[..., None]
    return words + places.view(letters.shape), logits[..., DONE] - total


def _moved(rays: _Rays, score: Tensor, parent: Tensor, place: Tensor) -> _Rays:
    """Go on from the parents (B, K) with the word at a place (B, K)."""
    when = rays.when.gather(1, parent[..., None].expand_as(rays.when))
    places = rays.places.gather(1, parent[..., None].expand_as(rays.places))
    number = torch.full_like(place[..., None], rays.places.shape[2])
    inside = place.clamp(max=when.shape[2] - 1)[..., None]
    when = torch.where(place[..., None] < when.shape[2], when.scatter(2, inside, number), when)
    return _Rays(score, when, torch.cat([places, place[..., None]], 2))


def _best_first(order: Tensor, score: Tensor) -> Orders:
    score, ranks = score.sort(dim=1, descending=True, stable=True)
    order = order.gather(1, ranks[..., None].expand_as(order))
    return Orders(torch.where(score[..., None] > -math.inf, order, order[:, :1]), score)
