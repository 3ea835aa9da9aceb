"""Equality of tokens as an input, so that edits also inform about unknown names.

An embedding would have to learn for every token that it equals itself.

    S  state tokens    R  rows    D  width    V  vocabulary
    E  width of a token's vector, `VECTOR`    O  offsets -REACH .. REACH
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from editcast_model.edits import PAD
from editcast_model.networks.config import VECTOR

REACH = 5
EARLIER = 8
_PAIRS = [(i, j) for i in range(2 * REACH + 1) for j in range(i)]


def token_vectors(vocabulary: int) -> Tensor:
    """Return a fixed random unit vector for each token, (V, E).

    The product of two vectors is 1 for equal tokens and nearly 0 for others; exactly 0 if E is
    large enough for the vocabulary.
    """
    vectors = torch.randn(vocabulary, VECTOR, generator=torch.Generator().manual_seed(7))
    if vocabulary <= VECTOR:
        vectors = torch.linalg.qr(vectors.T)[0].T.contiguous()
    vectors = functional.normalize(vectors, dim=-1)
    vectors[PAD] = 0.0
    return vectors


def around(values: Tensor, site: Tensor) -> Tensor:
    """Gather the values at the offsets from sites: (..., S, E) and (..., R) -> (..., R, O, E).

    Values outside the state are zero.
    """
    offset = torch.arange(-REACH, REACH + 1, device=site.device)
    index = site[..., None] + offset
    inside = index.clamp(min=0).minimum(torch.full_like(index, 0) + (values.shape[-2] - 1))
    flat = inside.flatten(-2)[..., None]
    found = torch.gather(values, -2, flat.expand(*flat.shape[:-1], values.shape[-1]))
    return found.unflatten(-2, (-1, 2 * REACH + 1)) * (index == inside)[..., None]


class Neighbours(nn.Module):
    """The equality among a token's neighbours, as a part of its embedding."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.pairs = nn.Linear(len(_PAIRS), width, bias=False)

    def forward(self, state: Tensor) -> Tensor:
        """Compute hidden vectors of the state's ids: (..., S) -> (..., S, D)."""
        length = state.shape[-1]
        padded = functional.pad(state, (REACH, REACH), value=PAD)
        shifted = [padded.narrow(-1, offset, length) for offset in range(2 * REACH + 1)]
        equal = [(shifted[i] == shifted[j]) & (shifted[i] != PAD) for i, j in _PAIRS]
        return self.pairs(torch.stack(equal, -1).to(self.pairs.weight.dtype))


class Written(nn.Module):
    """The equality of an edit's content with the tokens around it and earlier contents."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.beside = nn.Linear(2 * REACH + 1, width, bias=False)
        self.before = nn.Linear(EARLIER, width, bias=False)

    def forward(self, content: Tensor, beside: Tensor, before: Tensor) -> Tensor:
        """Compute the equality part of the edits' embedding.

        Args:
            content: Vectors of the contents, (..., R, E).
            beside: Vectors around their sites, (..., R, O, E).
            before: Vectors of the `EARLIER` contents before each, (..., R, EARLIER, E).

        Returns:
            (..., R, D).
        """
        content = content[..., None]
        return self.beside(torch.matmul(beside, content).squeeze(-1)) + self.before(
            torch.matmul(before, content).squeeze(-1)
        )
