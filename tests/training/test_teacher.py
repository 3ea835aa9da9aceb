"""The likelihood where the order of edits is not known, and what counts as located."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from editcast_model.edits import DELETE, SAVE, START, Edit, Timeline
from editcast_model.networks.batch import Batch, Instance, collate
from editcast_model.networks.config import bundled
from editcast_model.networks.heads import Forecasts, content_log_probability
from editcast_model.networks.model import ImplicitAttention
from editcast_model.networks.spans import LONGEST
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
        """See `ImplicitAttention.forward`."""
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


def _spans(seed: int) -> tuple[ImplicitAttention, Batch]:
    """A network with spans, and an instance where there are many: two copied, one deleted."""
    torch.manual_seed(seed)
    config = replace(bundled(40), width=32, feed_forward=32, local=8, dropout=0.0, spans=True)
    network = ImplicitAttention(config)
    torch.nn.init.normal_(network.spans.gate.bias)
    timeline = Timeline([START, *range(10, 22)])
    timeline.replace(13, 13, [10, 11, 12, 30])
    timeline.save()
    timeline.replace(3, 6, [])
    timeline.save()
    timeline.replace(1, 1, [30, 11, 12, 30])
    return network, collate([Instance(timeline.initial, timeline.edits)])


def test_every_way_of_making_the_edits_counts() -> None:
    network, batch = _spans(0)
    with torch.no_grad():
        loss = losses(network, batch)
    out, contents = loss.out, batch.contents[:, 1:]
    assert out.spans is not None
    where = out.position.gather(-1, batch.positions[:, 1:, None])[0, :, 0]
    alone = content_log_probability(out.vocabulary, out.single, contents, batch.tokens)[0]
    alone = alone + torch.where(contents[0] == DELETE, out.spans.deletes[0, :, 0], 0.0)
    kinds = contents[0].tolist()
    count = len(kinds)
    reached = [0.0]
    for end in range(1, count + 1):
        ways = [reached[-1] + float(where[end - 1] + alone[end - 1])]
        for length in range(2, min(LONGEST, end) + 1):
            first = end - length
            text = kinds[first:end]
            if set(text) == {DELETE}:
                size = float(out.spans.deletes[0, first, length - 1])
                kind = float(alone[first] - out.spans.deletes[0, first, 0])
                ways.append(reached[first] + float(where[first]) + kind + size)
            elif not {DELETE, SAVE} & set(text):
                spans = out.spans.of_length(length)[0, first]
                tokens = batch.tokens[0].tolist()
                same = [at for at in range(len(tokens)) if tokens[at : at + length] == text]
                total = sum(float(spans[at]) for at in same)
                if total:
                    copied = torch.tensor(total).log() + out.spans.gate[0, first, 0]
                    ways.append(reached[first] + float(where[first] + copied))
        reached.append(float(torch.logsumexp(torch.tensor(ways), 0)))
    assert float(loss.edits.sum() + loss.spans.sum()) == pytest.approx(-reached[-1], rel=1e-4)


def test_spans_are_learned() -> None:
    network, batch = _spans(1)
    optimizer = torch.optim.Adam(network.parameters(), lr=5e-3)
    for _ in range(60):
        optimizer.zero_grad()
        loss = losses(network, batch)
        torch.autograd.backward(loss.edits.sum() + loss.spans.sum())
        optimizer.step()
    with torch.no_grad():
        loss = losses(network, batch)
    assert float(loss.edits.sum() + loss.spans.sum()) < 1.0
    spans = loss.out.spans
    assert spans is not None
    assert int(spans.deletes[0, 5].argmax()) == 2  # three tokens at once
