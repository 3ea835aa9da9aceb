"""Token-level, teacher-forced accuracy: the papers' metric.

A *jump* is the first edit after an end-of-save mark: where models fail. It is *located* when it
points at where this or any later part of the same commit or save begins. End-of-save marks
themselves are counted apart, since they are no edits.
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from editcast_model.edits import SAVE
from editcast_model.networks.batch import Batch
from editcast_model.networks.heads import Forecasts, content_log_probability, mix


class TokenScores(Counter[str]):
    """Counts of edits, jumps and saves, and of those that were right.

    Attributes:
        loss: The sum of the losses, in nats.
    """

    loss = 0.0

    def shares(self) -> dict[str, float]:
        """Return the shares in percent, rounded, the loss in nats an edit, and the counts."""

        def of(whole: str, *parts: str) -> dict[str, float]:
            return {one: round(100 * self[one] / max(self[whole], 1), 2) for one in parts}

        return {
            "edits": self["edits"],
            **of("edits", "position", "content", "both"),
            "jumps": self["jumps"],
            **of("jumps", "jumps_position", "jumps_located", "jumps_both"),
            **of("saves", "saves_both"),
            "loss": round(self.loss / max(self["edits"] + self["saves"], 1), 4),
        }

    def add(self, batch: Batch, found: "Losses", said: Tensor) -> None:
        """Count the edits of a batch; the content is judged given the true position.

        `said` are the log probabilities of contents, (B, T, V).
        """
        contents, position = batch.contents[:, 1:], found.out.position
        best = position.argmax(-1, keepdim=True)
        where = best.squeeze(-1) == batch.positions[:, 1:]
        located = where | batch.instead.gather(-1, best).squeeze(-1)
        what = said.argmax(-1) == contents
        save = (contents == SAVE) & batch.scored
        edit = (contents != SAVE) & batch.scored
        jump = edit & (batch.contents[:, :-1] == SAVE)
        counted = {
            "edits": edit,
            "position": where & edit,
            "content": what & edit,
            "both": where & what & edit,
            "jumps": jump,
            "jumps_position": where & jump,
            "jumps_located": located & jump,
            "jumps_both": where & what & jump,
            "saves": save,
            "saves_both": where & what & save,
        }
        self.update({name: int(mask.sum()) for name, mask in counted.items()})
        self.loss += float((found.edits * batch.scored).sum())


class Losses(NamedTuple):
    """Negative log likelihoods of every edit by itself, (B, T), and what the network returned."""

    edits: Tensor
    out: Forecasts


def losses(network: nn.Module, batch: Batch) -> Losses:
    """Compute the negative log likelihood of a batch.

    The order in which a commit was made is not known, so the likelihood of where a part of it
    begins is that of all the places where a later part begins, together.
    """
    out: Forecasts = network(batch)
    position, targets = out.position, batch.positions[:, 1:, None]
    where = position.gather(-1, targets).squeeze(-1)
    some = batch.instead.any(-1)
    right = batch.instead[some].scatter(-1, targets[some], True)
    where = where.masked_scatter(some, position[some].where(right, -torch.inf).logsumexp(-1))
    contents = batch.contents[:, 1:]
    what = content_log_probability(out.vocabulary, out.weights, contents, batch.tokens)
    return Losses(-(where + what), out)


def forced(network: nn.Module, batch: Batch) -> tuple[Losses, Tensor]:
    """Compute the losses of a batch and the log probabilities of contents, without gradients."""
    with torch.no_grad():
        found = losses(network, batch)
        return found, mix(found.out.vocabulary, found.out.weights, batch.tokens)


def score(network: nn.Module, batches: Iterable[Batch]) -> TokenScores:
    """Measure accuracy over batches."""
    network.eval()
    total = TokenScores()
    for batch in batches:
        total.add(batch, *forced(network, batch))
    return total
