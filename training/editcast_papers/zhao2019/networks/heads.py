"""The parts of IA+'s heads that the bundled network has not.

Dimensions:

    S  state tokens    T  steps    N  items    D  width
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from editcast_model.networks.attention import hidden_bias
from editcast_model.networks.heads import Copy


class Scan(nn.Module):
    """A pointer that goes on from the last edit and stops at the first place that will do.

    Stick-breaking over the live tokens of the state to its right, mixed with the softmax pointer: a
    softmax can prefer what is near, but not the first of several that are equally good.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.stop = nn.Linear(width, 1)
        self.gate = nn.Linear(width, 1)

    def forward(
        self, hidden: Tensor, logits: Tensor, ahead: Tensor, last: Tensor, live: Tensor
    ) -> Tensor:
        """Log probabilities.

        Args:
            hidden: Of the decoder, (..., T, D).
            logits: Of the softmax pointer, (..., T, N), the state's tokens first.
            ahead: Which of the state are live and to the right of the last edit, (..., T, S).
            last: The item of the last edit, (..., T, 1).
            live: Which items are, bool (..., T, N).

        Returns:
            (..., T, N).
        """
        size = ahead.shape[-1]
        last = last.expand(*live.shape[:-1], 1)
        # The last insertion comes first: the next place may be just behind it.
        first = torch.gather(live, -1, last) & (last >= size)
        open_ = torch.cat([first, ahead], -1)
        stop = torch.cat([torch.gather(logits, -1, last), logits[..., :size]], -1)
        stop = (stop + self.stop(hidden)).float()
        passed = -functional.softplus(stop) * open_
        reached = torch.cumsum(passed, -1)
        scanned = reached - passed - functional.softplus(-stop) + hidden_bias(open_, passed.dtype)
        gate = self.gate(hidden).float()
        opened, shut = -functional.softplus(-gate), -functional.softplus(gate)
        # What scanning leaves over at the end of the state is the softmax pointer's.
        rest = torch.logaddexp(shut, opened + reached[..., -1:])
        pointed = torch.log_softmax(logits.float(), -1) + rest
        scanned = scanned + opened
        item = torch.arange(logits.shape[-1], device=logits.device)
        scanned = torch.cat(
            [
                scanned[..., 1:],
                scanned[..., :1] + hidden_bias(item[size:] == last, scanned.dtype),
            ],
            -1,
        )
        return torch.logaddexp(pointed, scanned)


class PlainCopy(Copy):
    """A copy head that knows nothing of where tokens stand."""

    def __init__(self, width: int) -> None:
        nn.Module.__init__(self)
        self.query = nn.Linear(width, width)
        self.gate = nn.Linear(width, 1)
