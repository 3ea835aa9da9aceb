"""Which tokens are equal, whatever they are: what an edit tells about names never seen before.

An embedding has to learn of every pair of tokens that they are the same; here it is told.

    B  batch    S  state tokens    R  rows    T  steps    N  items, S + the edits
    D  width    A  heads           E  width of a token's vector, `VECTOR`
    O  offsets -REACH .. REACH     P  width of what is found
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from editcast_model.edits import PAD
from editcast_model.networks.config import VECTOR

REACH = 5
EARLIER = 8
_FOUND = 32
_PAIRS = [(i, j) for i in range(2 * REACH + 1) for j in range(i)]


def token_vectors(vocabulary: int) -> Tensor:
    """A fixed unit vector for each token, (V, E).

    Products of two are 1 for equal tokens and nearly 0 for others; exactly 0 where the vocabulary
    has room for that.
    """
    vectors = torch.randn(vocabulary, VECTOR, generator=torch.Generator().manual_seed(7))
    if vocabulary <= VECTOR:
        vectors = torch.linalg.qr(vectors.T)[0].T.contiguous()
    vectors = functional.normalize(vectors, dim=-1)
    vectors[PAD] = 0.0
    return vectors


def around(values: Tensor, site: Tensor) -> Tensor:
    """The values at the offsets from sites: (..., S, E) and (..., R) -> (..., R, O, E).

    Outside the state there is nothing, which is zero.
    """
    offset = torch.arange(-REACH, REACH + 1, device=site.device)
    index = site[..., None] + offset
    inside = index.clamp(min=0).minimum(torch.full_like(index, 0) + (values.shape[-2] - 1))
    flat = inside.flatten(-2)[..., None]
    found = torch.gather(values, -2, flat.expand(*flat.shape[:-1], values.shape[-1]))
    return found.unflatten(-2, (-1, 2 * REACH + 1)) * (index == inside)[..., None]


class Neighbours(nn.Module):
    """Which of a token's neighbours are equal to each other, as part of its embedding."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.pairs = nn.Linear(len(_PAIRS), width, bias=False)

    def forward(self, state: Tensor) -> Tensor:
        """State ids (..., S) -> (..., S, D)."""
        length = state.shape[-1]
        padded = functional.pad(state, (REACH, REACH), value=PAD)
        shifted = [padded.narrow(-1, offset, length) for offset in range(2 * REACH + 1)]
        equal = [(shifted[i] == shifted[j]) & (shifted[i] != PAD) for i, j in _PAIRS]
        return self.pairs(torch.stack(equal, -1).to(self.pairs.weight.dtype))


class Written(nn.Module):
    """Which tokens around an edit, and which contents before it, are equal to what it wrote."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.beside = nn.Linear(2 * REACH + 1, width, bias=False)
        self.before = nn.Linear(EARLIER, width, bias=False)

    def forward(self, content: Tensor, beside: Tensor, before: Tensor) -> Tensor:
        """Part of the edits' embedding.

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


class Seek(nn.Module):
    """Where the tokens stand that the next edit looks for: a small convolution over the text.

    Each head chooses earlier edits and offsets from their sites; the tokens that stand there are
    sought. Where the text has them, seen together with what each place is like, says where to go.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.chooses = nn.Linear(width, heads * VECTOR)
        self.chosen = nn.Linear(width, heads * VECTOR)
        self.offset = nn.Linear(width, heads * (2 * REACH + 2))
        self.place = nn.Linear(width, _FOUND, bias=False)
        self.asks = nn.Linear(width, _FOUND)
        self.found = nn.Parameter(torch.randn(2 * REACH + 1, heads + 1, _FOUND) * 0.1)
        self.out = nn.Linear(_FOUND, 1)
        self.profile = nn.Linear(heads * (2 * REACH + 1), width, bias=False)

    def rows(self, hidden: Tensor, edits: Tensor, hidden_rows: Tensor) -> Tensor:
        """Which row each head follows: (..., T, D), (..., R, D), bias (T, R) -> (..., A, T, R)."""
        query = self.chooses(hidden).unflatten(-1, (self.heads, -1)).transpose(-2, -3)
        key = self.chosen(edits).unflatten(-1, (self.heads, -1)).transpose(-2, -3)
        scores = torch.matmul(query, key.transpose(-1, -2)) * VECTOR**-0.5
        return torch.softmax(scores + hidden_rows, -1)

    def sought(self, hidden: Tensor, rows: Tensor, tokens: Tensor) -> Tensor:
        """The vectors looked for.

        Args:
            hidden: Of the decoder, (..., T, D).
            rows: Weights of the rows, (..., A, T, R).
            tokens: Vectors around the rows' sites and of their contents, (..., R, O + 1, E).

        Returns:
            (..., T, A, E).
        """
        weights = torch.softmax(self.offset(hidden).unflatten(-1, (self.heads, -1)), -1)
        chosen = torch.matmul(rows, tokens.flatten(-2).unsqueeze(-3))  # (..., A, T, (O + 1) E)
        chosen = chosen.unflatten(-1, (-1, VECTOR)).transpose(-3, -4)  # (..., T, A, O + 1, E)
        return torch.matmul(weights.unsqueeze(-2), chosen).squeeze(-2)

    def forward(
        self, hidden: Tensor, sought: Tensor, text: Tensor, places: Tensor, ahead: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Pointer logits of the state.

        Args:
            hidden: Of the decoder, (..., T, D).
            sought: (..., T, A, E).
            text: Vectors of the state's tokens, (..., S, E).
            places: What each token's place is like, ``self.place`` of its hidden, (..., S, P).
            ahead: Which tokens are live and to the right of the last edit, (..., T, S).

        Returns:
            (..., T, S), and where what is sought stands, (..., T, A, S).
        """
        stands = torch.matmul(sought, text.transpose(-1, -2).unsqueeze(-3))
        channels = torch.cat([stands, ahead.to(stands.dtype).unsqueeze(-2)], -2)
        lead = channels.shape[:-2]
        kernel = self.found.permute(2, 1, 0)
        found = functional.conv1d(channels.flatten(0, -3), kernel, padding=REACH)
        found = found.unflatten(0, lead)  # (..., T, P, S)
        found = found + places.transpose(-1, -2).unsqueeze(-3) + self.asks(hidden)[..., None]
        logits = torch.matmul(self.out.weight, functional.gelu(found)) + self.out.bias
        return logits.squeeze(-2), stands
