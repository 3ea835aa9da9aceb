"""One edit at a time, or some together, the network says what it says of whole instances."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from editcast_model.edits import BUCKETS, START, Edit, Timeline
from editcast_model.networks.batch import Instance, collate
from editcast_model.networks.config import NetworkConfig, cache_slots, cache_width
from editcast_model.networks.heads import mix
from editcast_model.networks.incremental import Advance, Content, Encode, Point
from editcast_model.networks.model import EditNetwork

pytestmark = pytest.mark.usefixtures("one_thread")

Draw = Callable[[int, int, int, int], tuple[list[int], list[Edit]]]

VOCABULARY = 60
SMALL = NetworkConfig(VOCABULARY, width=32, feed_forward=64, local=8, state_layers=1, edit_layers=1)
CONFIGS = {
    "one layer of each": SMALL,
    "two layers of each": replace(SMALL, state_layers=2, edit_layers=2),
    "one head": replace(SMALL, heads=1, analogy=1),
    "a window wider than the text": replace(SMALL, local=64),
}


@pytest.fixture(params=CONFIGS)
def network(request: pytest.FixtureRequest) -> EditNetwork:
    """A network with opinions: parameters that start at zero would hide a difference."""
    torch.manual_seed(1)
    network = EditNetwork(CONFIGS[request.param]).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
    return network


@torch.no_grad()
def one_by_one(network: EditNetwork, given: Instance) -> tuple[list[Tensor], list[Tensor]]:
    """Log probabilities of each edit's position (N,), and of its content (V,)."""
    advance, point, content = Advance(network), Point(network), Content(network)
    timeline, tokens = Timeline(given.state), torch.tensor(given.state)
    hidden, vectors = Encode(network)(tokens)
    past = torch.zeros(0, 2, dtype=torch.long)
    cache = torch.zeros(0, cache_width(network.config))
    row = torch.tensor([[START, 0, 0, BUCKETS // 2]])
    positions, contents = [], []
    for edit in given.edits:
        live = torch.from_numpy(timeline.live.copy())
        cache = torch.cat([cache, advance(row, past, cache, hidden, vectors)])
        past = torch.cat([past, row[:, [0, 2]]])
        apart = torch.from_numpy(timeline.buckets()).long()
        positions.append(point(past, cache, apart[None], live[None], hidden, vectors)[0])
        contents.append(content(torch.tensor([edit.position]), past, cache, tokens, hidden)[0])
        place = timeline.row(edit)
        row = torch.tensor([[edit.content, place.position, place.site, place.move]])
        timeline.append(edit)
    return positions, contents


@torch.no_grad()
def cached(network: EditNetwork, given: Instance, together: int) -> Tensor:
    """The cache of all edits, read so many at once, (1 + T, F)."""
    state = Encode(network)(torch.tensor(given.state))
    timeline = Timeline(given.state)
    rows = [[START, 0, 0, BUCKETS // 2]]
    for edit in given.edits:
        place = timeline.row(edit)
        rows.append([edit.content, place.position, place.site, place.move])
        timeline.append(edit)
    every = torch.tensor(rows)
    past, cache = every[:0, [0, 2]], torch.zeros(0, cache_width(network.config))
    for start in (0, *range(1, len(rows), together)):
        end = start + together if start else 1  # the first is no edit, and read alone
        read = Advance(network)(every[start:end], past, cache, *state)
        past, cache = torch.cat([past, every[start:end, [0, 2]]]), torch.cat([cache, read])
    return cache


def test_one_edit_at_a_time_is_the_whole_instance(network: EditNetwork, draw: Draw) -> None:
    instances = [
        Instance(*draw(size, steps, VOCABULARY, size))
        for size, steps in ((40, 25), (2, 12), (9, 1))
    ]
    batch = collate(instances)
    with torch.no_grad():
        whole, vocabulary, weights = network(batch)
    whole_contents = mix(vocabulary, weights, batch.tokens)
    start = batch.state.shape[1]
    for row, given in enumerate(instances):
        size = len(given.state)
        each = zip(*one_by_one(network, given), strict=True)
        for step, (position, content) in enumerate(each):
            wanted = torch.cat([whole[row, step, :size], whole[row, step, start : start + step]])
            possible = position > -1e4
            assert possible.tolist() == (wanted > -1e4).tolist()
            torch.testing.assert_close(position[possible], wanted[possible], atol=2e-4, rtol=1e-4)
            likely = content > -50
            torch.testing.assert_close(
                content[likely], whole_contents[row, step][likely], atol=2e-4, rtol=1e-4
            )


def test_edits_read_together_leave_what_they_leave_one_by_one(
    network: EditNetwork, draw: Draw
) -> None:
    for size, steps in ((40, 25), (2, 12), (9, 1)):
        given = Instance(*draw(size, steps, VOCABULARY, size))
        alone = cached(network, given, 1)
        for together in (2, 7, steps):
            there = cached(network, given, together)
            torch.testing.assert_close(there, alone, atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("name", CONFIGS)
def test_a_cache_row_has_a_slot_for_each_part(name: str) -> None:
    slots = list(cache_slots(CONFIGS[name]).values())
    assert slots[0].start == 0
    assert [one.stop for one in slots[:-1]] == [one.start for one in slots[1:]]
    assert slots[-1].stop == cache_width(CONFIGS[name])
