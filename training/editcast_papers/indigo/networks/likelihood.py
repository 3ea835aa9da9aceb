"""The joint likelihood of a text and an order of writing it (equations 2 and 11).

B  batch     N  words of a text     K  orders of each text     V  vocabulary
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from editcast_papers.indigo.networks.network import Indigo, Memory
from editcast_papers.indigo.networks.positions import PAD, Written, write


@dataclass(frozen=True)
class Likelihood:
    """Log probabilities, 0 at padding.

    Attributes:
        words: Of each word and of the end of decoding (B, N + 1).
        places: Of each word's place (B, N).
    """

    words: Tensor
    places: Tensor

    def total(self) -> Tensor:
        """Add all up (B,)."""
        return self.words.sum(1) + self.places.sum(1)


def of_written(network: Indigo, memory: Memory, written: Written) -> Likelihood:
    """Find the likelihood of texts in the order in which they are written."""
    count = written.left.shape[1]
    states = network.decode(written.words, written.relations, memory).states  # (B, N + 2, D)
    logits = network.words(states[:, 1:]).flatten(0, 1)  # (B * (N + 1), V)
    surprise = functional.cross_entropy(
        logits, written.following.flatten(), ignore_index=PAD, reduction="none"
    )
    words = -surprise.view_as(written.following)
    known = torch.ones((count, count + 1), dtype=torch.bool, device=states.device).tril(1)
    new = written.words[:, 2:]
    scores = network.places(states[:, 1:-1], new, states[:, :-1], known[None])
    places = beside(scores, written.left, written.right)
    return Likelihood(words, torch.where(new == PAD, 0.0, places))


def beside(scores: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """Add up the two keys of the place between two words.

    Args:
        scores: Log probabilities (B, N, 2, P), as of `Indigo.places`.
        left: The word on the left of the place (B, N).
        right: The word on its right (B, N).
    """
    on_the_right = scores[:, :, 1].gather(2, left[..., None])
    on_the_left = scores[:, :, 0].gather(2, right[..., None])
    return torch.logaddexp(on_the_right, on_the_left)[..., 0]


def of_orders(network: Indigo, source: Tensor, text: Tensor, orders: Tensor) -> Tensor:
    """Find the likelihood of each of several orders.

    Args:
        network: The network.
        source: Ids (B, S).
        text: Ids (B, N).
        orders: Permutations (B, K, N).

    Returns:
        Log probabilities (B, K).
    """
    times = orders.shape[1]
    memory = network.encode(source).repeated(times)
    written = write(text.repeat_interleave(times, 0), orders.flatten(0, 1))
    return of_written(network, memory, written).total().view(-1, times)
