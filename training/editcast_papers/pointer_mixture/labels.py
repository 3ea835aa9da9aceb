"""Labels that a network predicts, their loss, and a count of those it got right."""

from typing import Literal, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from editcast_papers.pointer_mixture.network import Completer, Guess, windows
from editcast_papers.pointer_mixture.streams import WINDOW, Batch

Task = Literal["value", "type"]
_LEAST = 1e-12  # weight of a place


class Labels(NamedTuple):
    """The right answers of a batch.

    Attributes:
        classes: (B, T); -1 where the vocabulary has no right one, or at padding.
        places: The last place of the memory with the value, (B, T); -1 where there is none, or
            where the vocabulary has the value.
        next: The values or types themselves, (B, T); -1 at padding.
        memory: Values of the memory, (B, T, T).
    """

    classes: Tensor
    places: Tensor
    next: Tensor
    memory: Tensor


def labels(batch: Batch, task: Task, classes: int) -> Labels:
    """Label a batch. What is in the vocabulary is never to be copied, as in the paper."""
    right = batch.next_values if task == "value" else batch.next_types
    known = right.masked_fill(right >= classes, -1)
    memory = windows(batch.before, batch.values)
    numbers = torch.arange(1, WINDOW + 1, device=right.device)
    last = ((memory == right[..., None]) * numbers).amax(-1) - 1
    copied = (right >= classes) if task == "value" else torch.zeros_like(right, dtype=torch.bool)
    return Labels(known, last.masked_fill(~copied, -1), right, memory)


def loss(network: Completer, guess: Guess, right: Labels) -> Tensor:
    """Return the mean loss of the nodes that have a right answer; others are not learned from."""
    known = right.classes >= 0
    # The softmax is most of the work where the vocabulary is large: only for what is learned from.
    scores = network.out(guess.features[known])
    total = F.cross_entropy(scores, right.classes[known], reduction="sum")
    count = known.sum()
    if guess.switch is not None and guess.places is not None:
        copied = right.places >= 0
        places = guess.places[copied].gather(-1, right.places[copied][:, None])
        total = total - places.clamp(min=_LEAST).log().sum()
        total = total - F.logsigmoid(guess.switch[known]).sum()
        total = total - F.logsigmoid(-guess.switch[copied]).sum()
        count = count + copied.sum()
    return total / count.clamp(min=1)


def answers(network: Completer, guess: Guess, right: Labels) -> Tensor:
    """Tell which nodes are predicted right, bool (B, T): the likeliest class, or place."""
    scores = network.out(guess.features)
    best, found = scores.max(-1)
    if guess.switch is not None and guess.places is not None:
        weight, place = guess.places.max(-1)
        value = right.memory.gather(-1, place[..., None])[..., 0]
        generated = F.logsigmoid(guess.switch) + best - scores.logsumexp(-1)
        copied = F.logsigmoid(-guess.switch) + weight.clamp(min=_LEAST).log()
        found = torch.where(copied > generated, value, found)
    return (found == right.next) & (right.next >= 0)
