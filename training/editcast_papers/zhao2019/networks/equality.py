"""The pointer of IA+ that looks for tokens which stood at earlier edits.

Dimensions:

    S  state tokens    R  rows    T  steps    D  width    A  heads    P  width of what is found
    E  width of a token's vector, `VECTOR`    O  offsets -REACH .. REACH
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from editcast_model.networks.config import VECTOR
from editcast_model.networks.equality import REACH

_FOUND = 32


class Seek(nn.Module):
    """Places of the tokens that the next edit looks for: a small convolution over the text.

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
        """Weigh the rows of each head: (..., T, D), (..., R, D), (T, R) -> (..., A, T, R)."""
        query = self.chooses(hidden).unflatten(-1, (self.heads, -1)).transpose(-2, -3)
        key = self.chosen(edits).unflatten(-1, (self.heads, -1)).transpose(-2, -3)
        scores = torch.matmul(query, key.transpose(-1, -2)) * VECTOR**-0.5
        return torch.softmax(scores + hidden_rows, -1)

    def sought(self, hidden: Tensor, rows: Tensor, tokens: Tensor) -> Tensor:
        """Return the vectors looked for.

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
