"""The likelihood where the order of edits is not known, and what counts as located."""

import torch
from torch import nn

from editcast_model.edits import SAVE, START, Edit
from editcast_model.networks.batch import Batch, Instance, collate
from editcast_model.networks.heads import Forecasts
from editcast_training.fit.loss import losses, score

# Two replacements of one commit, at the tokens 2 and 4 of five, and one of the next.
STATE = [START, 10, 11, 12, 13, 14]
EDITS = [Edit(2, 20), Edit(0, SAVE), Edit(4, 20), Edit(0, SAVE), Edit(3, 21), Edit(0, SAVE)]
JUMPS = [1, 0, 1, 0, 2, 0]


class Sure(nn.Module):
    """Points at one item whatever it is asked, with a probability of 0.6, else anywhere."""

    def __init__(self, item: int) -> None:
        super().__init__()
        self.item = item

    def forward(self, batch: Batch) -> Forecasts:
        """See `EditNetwork.forward`."""
        count, steps, items = batch.live.shape
        position = torch.full((count, steps, items), 0.4 / (items - 1))
        position[..., self.item] = 0.6
        return Forecasts(position.log(), torch.zeros(count, steps, 32), None)


def test_any_place_where_the_commit_goes_on_will_do() -> None:
    plain = collate([Instance(STATE, EDITS)])
    batch = collate([Instance(STATE, EDITS, jumps=JUMPS)])
    strict, loose = losses(Sure(4), plain)[0][0], losses(Sure(4), batch)[0][0]
    items = batch.live.shape[-1]
    either = torch.tensor([0.6 + 0.4 / (items - 1)])
    assert torch.allclose(
        strict[0] - loose[0], either.log() - torch.log(0.4 / (items - 1) + 0 * either)
    )
    assert torch.equal(strict[1:], loose[1:])


def test_a_jump_is_located_where_any_later_part_begins() -> None:
    instance = Instance(STATE, [Edit(1, 20), Edit(0, SAVE), *EDITS], jumps=[0, 0, *JUMPS])
    shares = score(Sure(4), [collate([instance])]).shares()
    assert (shares["jumps"], shares["jumps_position"], shares["jumps_located"]) == (3, 33.33, 66.67)
