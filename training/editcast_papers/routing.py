"""Routing by agreement, in place of the linear projection that joins the heads of attention.

    ...  batch and places      H  heads = capsules that go in      C  capsules that come out
    D    width                 R  width of a capsule that goes in  U  width of one that comes out

Every head has a capsule, which is made from what all heads put out. It votes for every capsule
that comes out, and gives more of itself to those whose other votes agree with its own. All
capsules that come out are D wide together.
"""

import math
from typing import Literal

import torch
from torch import Tensor, nn

Rule = Literal["simple", "em"]
ITERATIONS = 3
#: U: a capsule that comes out is one neuron, C = D.
UNIT = 1
_LEAST_VARIANCE = 1e-3


class Routing(nn.Module):
    """Joined heads: (..., D) -> (..., D).

    R is D / 2. So the network grows by 7 D^2 numbers where it routes; the paper's grows by 8 D^2.
    """

    def __init__(self, width: int, heads: int, rule: Rule) -> None:
        super().__init__()
        self.heads, self.rule, inner = heads, rule, width // 2
        self.capsules = nn.Linear(width, heads * inner)
        self.votes = nn.Parameter(torch.empty(heads, inner, width))
        nn.init.uniform_(self.votes, -(inner**-0.5), inner**-0.5)
        if rule == "em":
            self.gain = nn.Parameter(torch.zeros(width // UNIT))  # beta_A
            self.cost = nn.Parameter(torch.zeros(width // UNIT))  # beta_mu

    def forward(self, heads: Tensor) -> Tensor:
        """Route what the heads put out, one beside the other (..., D) -> (..., D)."""
        capsules = torch.relu(self.capsules(heads)).unflatten(-1, (self.heads, -1))  # (..., H, R)
        votes = torch.einsum("...hr,hrd->...hd", capsules, self.votes)
        votes = votes.float().unflatten(-1, (-1, UNIT))  # (..., H, C, U)
        if self.rule == "simple":
            return simple_routing(votes).flatten(-2)
        return em_routing(votes, self.gain, self.cost).flatten(-2)


def simple_routing(votes: Tensor) -> Tensor:
    """Route by scalar products (Sabour et al. 2017): (..., H, C, U) -> (..., C, U)."""
    agreement = torch.zeros_like(votes[..., 0])
    out = votes.mean(-3)
    for iteration in range(ITERATIONS):
        share = agreement.softmax(-1)[..., None]  # (..., H, C, 1)
        out = (share * votes).sum(-3) / share.sum(-3)
        if iteration + 1 < ITERATIONS:
            agreement = agreement + (out[..., None, :, :] * votes).sum(-1)
    return out


def em_routing(votes: Tensor, gain: Tensor, cost: Tensor) -> Tensor:
    """Route by a mixture of Gaussians (Hinton et al. 2018): (..., H, C, U) -> (..., C, U).

    A capsule that comes out is a Gaussian of the votes for it. It is the more active, the more
    votes it has and the less they differ.

    Args:
        votes: From every capsule that goes in, for every one that comes out.
        gain: What activity gains (C,).
        cost: What activity loses by a vote (C,).
    """
    share = torch.full_like(votes[..., 0], 1 / votes.shape[-2])
    out = votes.mean(-3)
    for iteration in range(ITERATIONS):
        total = share.sum(-2)  # (..., C)
        part = (share / total[..., None, :])[..., None]
        middle = (part * votes).sum(-3)  # (..., C, U)
        away = (votes - middle[..., None, :, :]).square()
        variance = (part * away).sum(-3) + _LEAST_VARIANCE
        spread = (0.5 * variance.log() + 0.5 * (1 + math.log(2 * math.pi))).sum(-1)
        active = nn.functional.logsigmoid(gain - (cost + spread) * total)  # (..., C)
        out = active.exp()[..., None] * middle
        if iteration + 1 < ITERATIONS:
            scaled = away / variance[..., None, :, :] + variance.log()[..., None, :, :]
            likely = -0.5 * (scaled + math.log(2 * math.pi)).sum(-1)  # (..., H, C)
            share = (active[..., None, :] + likely).softmax(-1)
    return out
