"""Heads of attention, and how much they disagree (Li et al. 2018).

B  batch      M  places that ask      N  places that are asked
H  heads      W  width of a head
"""

from typing import Literal, NamedTuple

from torch import Tensor, nn

Regularised = Literal["subspaces", "positions", "outputs"]


class Heads(NamedTuple):
    """The heads of an attention.

    Attributes:
        subspaces: The values (B, H, N, W).
        positions: The weights of the places (B, H, M, N).
        outputs: Before they are joined (B, H, M, W).
    """

    subspaces: Tensor
    positions: Tensor
    outputs: Tensor


def disagreement(heads: Heads, kind: Regularised, padding: Tensor) -> Tensor:
    """Return how much the heads of a self-attention disagree; 0 at most, -1 if they are equal.

    The paper's double sum over heads i and j of a product x_i . x_j is the square of the sum of all
    x_i. Cosines and products are of a place, and their mean is over places.

    Args:
        heads: Of the attention.
        kind: ``subspaces`` and ``outputs`` by cosines, ``positions`` by products of weights.
        padding: Whether there is no word, bool (B, N).
    """
    x: Tensor = getattr(heads, kind).float()
    if kind != "positions":
        x = nn.functional.normalize(x, dim=-1)
    alike = x.mean(1).square().sum(-1)  # (B, N)
    return -alike.masked_fill(padding, 0.0).sum() / (~padding).sum()
