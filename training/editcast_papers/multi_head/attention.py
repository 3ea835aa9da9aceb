"""Multi-head attention that shows its heads.

B  batch      M  places that ask      N  places that are asked
D  width      H  heads                W  width of a head, D / H
"""

from typing import Literal, NamedTuple

from torch import Tensor, nn

from editcast_papers.heads import Heads
from editcast_papers.routing import Routing, Rule

Joining = Literal["linear"] | Rule


class Asked(NamedTuple):
    """Keys and values of the places that are asked, both (B, H, N, W)."""

    keys: Tensor
    values: Tensor


class Attention(nn.Module):
    """Attention whose heads are joined by a linear projection, or by routing."""

    def __init__(self, width: int, heads: int, joining: Joining, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.asked = nn.Linear(width, 2 * width)
        self.join = (
            nn.Linear(width, width) if joining == "linear" else Routing(width, heads, joining)
        )
        self.dropout = nn.Dropout(dropout)

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def ask(self, x: Tensor) -> Asked:
        """Make keys and values of places (B, N, D)."""
        keys, values = self.asked(x).chunk(2, -1)
        return Asked(self._split(keys), self._split(values))

    def forward(self, x: Tensor, asked: Asked, hide: Tensor) -> tuple[Tensor, Heads]:
        """Attend: places that ask (B, M, D) -> (B, M, D).

        Args:
            x: The places that ask.
            asked: Of the places that are asked.
            hide: Added to the scores, (B, 1, 1 or M, N) or what spreads to it.
        """
        query = self._split(self.query(x))
        scores = query @ asked.keys.transpose(-1, -2) * query.shape[-1] ** -0.5
        weights = (scores + hide).softmax(-1)
        outputs = self.dropout(weights) @ asked.values
        joined = self.join(outputs.transpose(1, 2).flatten(-2))
        return joined, Heads(asked.values, weights, outputs)
