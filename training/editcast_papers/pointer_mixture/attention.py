"""Additive attention of each place to a window of keys, without all the tanh that it needs.

    B  batch    T  places that ask    L  keys of a window    D  hidden

    score[b, t, l] = v . tanh(key[b, t + l] + query[b, t])

With a = exp(2 key) and b = exp(2 query), tanh is 1 - 2 r, where r = 1 / (1 + a b): an exponential
for each key and each query, and a division for each pair of them. Place by place, what is worked on
stays in the processor's cache; the way back makes r anew.
"""

from typing import Any

import torch
from torch import Tensor

# Where keys and queries, which hardly get there, are cut off: the product of two exponentials would
# leave the range of a float.
_LARGEST = 20.0


def window_scores(keys: Tensor, queries: Tensor, v: Tensor) -> Tensor:
    """Return the scores: keys (B, T + L - 1, D), queries (B, T, D), v (D,) -> (B, T, L)."""
    scores: Tensor = _WindowScores.apply(keys, queries, v)
    return scores


class _WindowScores(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, keys: Tensor, queries: Tensor, v: Tensor) -> Tensor:
        a, b = _grown(keys), _grown(queries)
        ctx.save_for_backward(a, b, v)
        places = queries.shape[1]
        width = keys.shape[1] - places + 1
        scores = [_reciprocal(a, b, place, width) @ v for place in range(places)]
        return v.sum() - 2 * torch.stack(scores, 1)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        a, b, v = ctx.saved_tensors
        (gradient,) = gradients  # (B, T, L)
        width = gradient.shape[2]
        of_keys, of_queries, of_v = torch.zeros_like(a), torch.empty_like(b), torch.zeros_like(v)
        for place in range(b.shape[1]):
            own = gradient[:, place]  # (B, L)
            r = _reciprocal(a, b, place, width)
            of_v += own.flatten() @ r.flatten(0, 1)
            steep = torch.addcmul(r, r, r, value=-1)  # a quarter of the slope of tanh
            of_keys[:, place : place + width].addcmul_(steep, own[..., None])
            of_queries[:, place] = (own[:, None] @ steep)[:, 0]
        return of_keys.mul_(4 * v), of_queries.mul_(4 * v), gradient.sum() - 2 * of_v


def _grown(x: Tensor) -> Tensor:
    return torch.exp(2 * x.clamp(-_LARGEST, _LARGEST))


def _reciprocal(a: Tensor, b: Tensor, place: int, width: int) -> Tensor:
    """Return r of the keys that a place sees, (B, L, D)."""
    product = a[:, place : place + width] * b[:, place, None]
    return product.add_(1).reciprocal_()
