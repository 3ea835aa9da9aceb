"""One edit at a time, or some together, the networks say what they say of whole instances."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from editcast_model.edits import START, Edit, Timeline
from editcast_model.inference.relative_positions import BUCKETS, Row, buckets
from editcast_model.networks.batch import Instance, collate
from editcast_model.networks.config import NetworkConfig, bundled, paper, plus
from editcast_model.networks.heads import mix
from editcast_model.networks.incremental import Advance, Content, Encode, Point
from editcast_model.networks.model import ImplicitAttention
from editcast_model.networks.spans import LONGEST
from editcast_model.networks.stages import cache_slots, cache_width, read_names, state_names

Draw = Callable[[int, int, int, int], tuple[list[int], list[Edit]]]

VOCABULARY = 60
OURS = replace(bundled(VOCABULARY), width=32, feed_forward=64, local=8)
PLUS = replace(plus(VOCABULARY, 32), local=8)
DEEP = {"state_layers": 2, "edit_layers": 2, "position_layers": 2, "content_layers": 2}
CONFIGS: dict[str, NetworkConfig] = {
    **{name: paper(VOCABULARY, name, 32) for name in ("IA-v", "IA-vg", "IA-a", "IA-ag")},
    "deep IA-v with analogy": replace(paper(VOCABULARY, "IA-v", 32), analogy=2, **DEEP),
    "deep IA-ag with distance": replace(paper(VOCABULARY, "IA-ag", 32), distance=True, **DEEP),
    "bundled": OURS,
    "deep bundled": replace(OURS, **DEEP),
    "without spans": replace(OURS, spans=False),
    "bundled, all of the state": replace(OURS, local=0),
    "bundled without heads": replace(
        OURS, analogy=0, distance=False, copy=False, spans=False, feed_forward=0
    ),
    "residual analogical": replace(OURS, decoder="analogical"),
    "IA+": PLUS,
    "deep IA+": replace(PLUS, **DEEP),
    "IA+, all of the state": replace(PLUS, local=0),
    "IA+ with analogy": replace(PLUS, analogy=2, seek=0),
    "IA+ without equality": replace(PLUS, equality=False),
    "IA+ without copying": replace(PLUS, copy=False, scan=False),
}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@torch.no_grad()
def incremental(
    network: ImplicitAttention, given: Instance
) -> tuple[list[Tensor], list[tuple[Tensor, ...]]]:
    """Log probabilities of each edit's position (N,), and what is said of its content."""
    config = network.config
    encode, advance, point = Encode(network), Advance(network), Point(network)
    content = Content(network)
    timeline, tokens = Timeline(given.state), torch.tensor(given.state)
    state = encode(tokens)
    named = dict(zip(state_names(config), state, strict=True))

    def read(stage: str) -> list[Tensor]:
        return [named[name] for name in read_names(config, stage)]

    past = torch.zeros(0, 2, dtype=torch.long)
    cache = torch.zeros(0, cache_width(config))
    row = torch.tensor([[START, 0, 0, 0, BUCKETS // 2]])
    positions, contents = [], []
    for edit in given.edits:
        live = torch.from_numpy(timeline.live.copy())
        standing = live[None, : len(tokens)]
        cache = torch.cat([cache, advance(row, past, cache, standing, *read("advance"))])
        past = torch.cat([past, row[:, [0, 2]]])
        apart = torch.from_numpy(buckets(timeline)).long()
        positions.append(point(past, cache, apart, live, *read("point")))
        at = torch.tensor([edit.position])
        said = content(at, past, cache, tokens, *read("content"))
        contents.append(said if isinstance(said, tuple) else (said,))
        place = Row(timeline, edit)
        row = torch.tensor([[edit.content, place.position, place.site, place.rank, place.move]])
        timeline.append(edit)
    return positions, contents


@torch.no_grad()
def cached(network: ImplicitAttention, given: Instance, together: int) -> Tensor:
    """The cache of all edits, read so many at once, (1 + T, F)."""
    encode, advance = Encode(network), Advance(network)
    named = dict(zip(state_names(network.config), encode(torch.tensor(given.state)), strict=True))
    state = [named[name] for name in read_names(network.config, "advance")]
    timeline = Timeline(given.state)
    rows = [[START, 0, 0, 0, BUCKETS // 2]]
    live = [timeline.live.copy()]
    for edit in given.edits:
        place = Row(timeline, edit)
        rows.append([edit.content, place.position, place.site, place.rank, place.move])
        timeline.append(edit)
        live.append(timeline.live[: len(given.state)].copy())
    every, standing = torch.tensor(rows), torch.tensor(np.stack(live))
    past, cache = every[:0, [0, 2]], torch.zeros(0, cache_width(network.config))
    for start in (0, *range(1, len(rows), together)):
        end = start + together if start else 1  # the first is no edit, and read alone
        read = advance(every[start:end], past, cache, standing[start:end], *state)
        past, cache = torch.cat([past, every[start:end, [0, 2]]]), torch.cat([cache, read])
    return cache


@pytest.mark.parametrize("name", CONFIGS)
def test_one_edit_at_a_time_is_the_whole_instance(name: str, draw: Draw) -> None:
    torch.manual_seed(1)
    network = ImplicitAttention(CONFIGS[name]).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += torch.randn_like(parameter) * 0.05
    instances = [
        Instance(*draw(size, steps, VOCABULARY, size))
        for size, steps in ((40, 25), (2, 12), (9, 1))
    ]
    batch = collate(instances)
    with torch.no_grad():
        whole, vocabulary, weights, _, spans = network(batch)
    whole_contents = mix(vocabulary, weights, batch.tokens)
    start = batch.state.shape[1]
    for row, given in enumerate(instances):
        size = len(given.state)
        positions, contents = incremental(network, given)
        for step, (position, (content, *copied)) in enumerate(
            zip(positions, contents, strict=True)
        ):
            wanted = torch.cat([whole[row, step, :size], whole[row, step, start : start + step]])
            possible = position > -1e4
            assert possible.tolist() == (wanted > -1e4).tolist()
            torch.testing.assert_close(position[possible], wanted[possible], atol=2e-4, rtol=1e-4)
            likely = content > -50
            torch.testing.assert_close(
                content[likely], whole_contents[row, step][likely], atol=2e-4, rtol=1e-4
            )
            if spans is None:
                continue
            both = [spans.of_length(length)[row, step] for length in range(2, LONGEST + 1)]
            every = torch.log(torch.stack(both) + 1e-30) + spans.gate[row, step]
            wanted = torch.cat([every[:, :size], every[:, start : start + step]], 1)
            likely = copied[0] > -50
            assert size < 5 or likely.any()
            assert likely.tolist() == (wanted > -50).tolist()
            torch.testing.assert_close(copied[0][likely], wanted[likely], atol=2e-4, rtol=1e-4)
            torch.testing.assert_close(copied[1], spans.deletes[row, step])


@pytest.mark.parametrize("name", CONFIGS)
def test_edits_read_together_leave_what_they_leave_one_by_one(name: str, draw: Draw) -> None:
    torch.manual_seed(1)
    network = ImplicitAttention(CONFIGS[name]).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += torch.randn_like(parameter) * 0.05
    for size, steps in ((40, 25), (2, 12), (9, 1)):
        given = Instance(*draw(size, steps, VOCABULARY, size))
        alone = cached(network, given, 1)
        for together in (2, 7, steps):
            # What the first row keeps for the contents of the paper's networks is never read.
            there = cached(network, given, together)
            torch.testing.assert_close(there[1:], alone[1:], atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("name", CONFIGS)
def test_a_cache_row_has_a_slot_for_each_part(name: str) -> None:
    slots = list(cache_slots(CONFIGS[name]).values())
    assert slots[0].start == 0
    assert [one.stop for one in slots[:-1]] == [one.start for one in slots[1:]]
    assert slots[-1].stop == cache_width(CONFIGS[name])
