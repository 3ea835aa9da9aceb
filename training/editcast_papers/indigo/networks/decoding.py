"""Decoding in two steps: a beam over words, then all places of each word.

    B  batch     K  beam     R  rays, B * K     M  words so far, both ends first     V  vocabulary

At each step the K likeliest continuations of the rays by a word are found; with each of these
words all M - 1 places are tried, and the K likeliest of these go on. A text is complete when the
end of decoding is among the K likeliest continuations. The best complete one is that with the
highest log probability by word.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from editcast_papers.indigo.networks.network import Cache, Indigo
from editcast_papers.indigo.networks.positions import (
    DONE,
    END,
    RIGHT,
    START,
    extended,
    first_relations,
    places_of,
)


class Decoded(NamedTuple):
    """A text as it was written.

    Attributes:
        words: Ids in the order of writing, without the ends.
        places: The place of each in the text, from 0.
    """

    words: Sequence[int]
    places: Sequence[int]

    def text(self) -> list[int]:
        """Return the ids in the order of the text."""
        return [word for _, word in sorted(zip(self.places, self.words, strict=True))]


class _Rays(NamedTuple):
    """Rays on their way: log probabilities (R,), words (R, M), R (R, M, M), and the cache."""

    score: Tensor
    words: Tensor
    relations: Tensor
    cache: Cache


class _Best:
    """The best complete text of each source."""

    def __init__(self, count: int, device: torch.device) -> None:
        self.score = torch.full((count,), -math.inf, device=device)
        self.complete = torch.zeros(count, dtype=torch.int64, device=device)
        self.found = [Decoded((), ())] * count

    def take(self, rays: _Rays, score: Tensor, beam: int) -> None:
        """Take complete rays with their log probabilities (R,), where they are better.

        Args:
            rays: Before the end of decoding.
            score: With the end of decoding; minus infinity for those that did not end.
            beam: K.
        """
        each = (score / (rays.words.shape[1] - 1)).view(-1, beam)
        self.complete += (each > -math.inf).sum(1)
        best, which = each.max(1)
        better = best > self.score
        self.score = torch.where(better, best, self.score)
        at = better.nonzero()[:, 0]
        rows = at * beam + which[at]
        words = rays.words[rows, 2:].tolist()
        places = (places_of(rays.relations[rows])[:, 2:] - 1).tolist()
        for number, one, where in zip(at.tolist(), words, places, strict=True):
            self.found[number] = Decoded(one, where)


@torch.no_grad()
def decode(network: Indigo, source: Tensor, beam: int, longest: int) -> list[Decoded]:
    """Write a text for each source.

    Args:
        network: In evaluation mode.
        source: Ids (B, S).
        beam: K; with 1 it is greedy.
        longest: Words of a text at most. A text that does not end is empty.
    """
    count = len(source)
    memory = network.encode(source).repeated(beam)
    ends = torch.tensor([[START, END]], device=source.device).expand(beam * count, -1)
    relations = first_relations(len(ends), source.device)
    cache = network.decode(ends, relations, memory)
    score = torch.full((count, beam), -math.inf, device=source.device)
    score[:, 0] = 0.0
    rays = _Rays(score.flatten(), ends, relations, cache)
    best = _Best(count, source.device)
    never = network.never()
    for step in range(longest + 1):
        words = torch.log_softmax(network.words(rays.cache.states[:, -1]) + never, -1)
        every = rays.score[:, None] + words  # (R, V)
        best.take(rays, _ending(every, beam), beam)
        if step == longest or bool((best.complete >= beam).all()):
            break
        every[:, DONE] = -math.inf
        score, chosen = every.view(count, -1).topk(beam, 1)
        rows = _rows(chosen // every.shape[1])
        rays = _placed(network, rays, score, rows, (chosen % every.shape[1]).flatten())
        new = rays.relations[:, -1:]
        cache = network.decode(rays.words[:, -1:], new, memory, rays.cache)
        rays = rays._replace(cache=cache)
    return best.found


def _ending(every: Tensor, beam: int) -> Tensor:
    """Return the log probabilities of rays (R,) that end among the K best continuations."""
    least = every.view(-1, beam * every.shape[1]).topk(beam, 1).values[:, -1:]
    done = every[:, DONE].view(-1, beam)
    return torch.where(done >= least, done, -math.inf).flatten()


def _rows(parents: Tensor) -> Tensor:
    """Return the numbers (R,) of rays (B, K) among those of all sources."""
    first = torch.arange(len(parents), device=parents.device)[:, None] * parents.shape[1]
    return (first + parents).flatten()


def _placed(network: Indigo, rays: _Rays, score: Tensor, rows: Tensor, words: Tensor) -> _Rays:
    """Find the likeliest places of the words chosen.

    Args:
        network: The network.
        rays: Before these words.
        score: Of the rays with a word (B, K).
        rows: The ray that each comes from (R,).
        words: Ids (R,).
    """
    count, beam = score.shape
    cache, relations = rays.cache.of_rows(rows), rays.relations[rows]
    known = torch.ones((1, 1, cache.states.shape[1]), dtype=torch.bool, device=words.device)
    scores = network.places(cache.states[:, -1:], words[:, None], cache.states, known)[:, 0]
    every = score.view(-1, 1) + by_left_neighbour(scores, relations)  # (R, M)
    score, chosen = every.view(count, -1).topk(beam, 1)
    parents, left = _rows(chosen // every.shape[1]), (chosen % every.shape[1]).flatten()
    grown = extended(relations[parents], left, torch.full_like(left, RIGHT))
    so_far = torch.cat([rays.words[rows[parents]], words[parents, None]], 1)
    return _Rays(score.flatten(), so_far, grown, cache.of_rows(parents))


def by_left_neighbour(scores: Tensor, relations: Tensor) -> Tensor:
    """Add up the two keys of each place: (R, 2, M) -> by the word on its left (R, M)."""
    places = places_of(relations)
    at = places.argsort(1)  # the word at each place
    after = at.gather(1, (places + 1).clamp(max=places.shape[1] - 1))
    both = torch.logaddexp(scores[:, 1], scores[:, 0].gather(1, after))
    return both.index_fill(1, torch.tensor([1], device=scores.device), -math.inf)
