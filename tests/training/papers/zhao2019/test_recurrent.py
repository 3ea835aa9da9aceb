"""IR, the implicit baseline: its columns, and what its outputs may depend on."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from editcast_model.edits import Edit, Timeline
from editcast_model.networks.batch import Batch, Instance, collate
from editcast_papers.zhao2019.networks.recurrent import Recurrent

Draw = Callable[[int, int, int, int], tuple[list[int], list[Edit]]]

VOCABULARY = 30


@pytest.fixture
def network() -> Recurrent:
    torch.manual_seed(1)
    return Recurrent(VOCABULARY, 16, 40).eval()


@torch.no_grad()
def said(network: Recurrent, batch: Batch) -> tuple[Tensor, Tensor]:
    """Log probabilities of positions (B, T, N) and of contents (B, T, V)."""
    position, vocabulary, weights, *_ = network(batch)
    assert weights is None
    return position, torch.log_softmax(vocabulary, -1)


def with_edit(state: list[int], edits: list[Edit], step: int, edit: Edit) -> Batch:
    """The instance with another edit at `step` and others behind it."""
    timeline = Timeline(state)
    for earlier in [*edits[:step], edit]:
        timeline.append(earlier)
    while len(timeline) < len(edits):
        timeline.append(Edit(int(timeline.order()[-1]), 8))
    return collate([Instance(state, timeline.edits)])


def test_columns_are_an_instances_own_items(network: Recurrent, draw: Draw) -> None:
    short, long = Instance(*draw(7, 4, VOCABULARY, 1)), Instance(*draw(20, 6, VOCABULARY, 2))
    columns = network.columns(collate([long, short]))
    assert columns[0].tolist() == list(range(26))
    assert columns[1, :7].tolist() == list(range(7))
    assert columns[1, 20:].tolist() == list(range(7, 13))


def test_items_past_the_last_column_share_it(draw: Draw) -> None:
    network = Recurrent(VOCABULARY, 16, 10)
    batch = collate([Instance(*draw(8, 6, VOCABULARY, 3))])
    assert network.columns(batch).tolist() == [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 9]]
    position, _ = said(network, batch)
    torch.testing.assert_close(position.exp().sum(-1), torch.ones(1, 6))


def test_an_instance_alone_says_the_same_among_longer_ones(network: Recurrent, draw: Draw) -> None:
    short, long = Instance(*draw(7, 6, VOCABULARY, 4)), Instance(*draw(20, 15, VOCABULARY, 5))
    alone, alone_content = said(network, collate([short]))
    padded, padded_content = said(network, collate([long, short]))
    size, steps, start = len(short.state), len(short.edits), len(long.state)
    kept = torch.cat([padded[1, :steps, :size], padded[1, :steps, start : start + steps]], 1)
    torch.testing.assert_close(kept, alone[0], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(padded_content[1, :steps], alone_content[0], atol=1e-5, rtol=1e-5)


def test_distributions_sum_to_one_over_what_is_possible(network: Recurrent, draw: Draw) -> None:
    batch = collate([Instance(*draw(7, 6, VOCABULARY, 6)), Instance(*draw(20, 15, VOCABULARY, 7))])
    position, content = said(network, batch)
    torch.testing.assert_close(position.exp().sum(-1), torch.ones(2, 15))
    torch.testing.assert_close(content.exp().sum(-1), torch.ones(2, 15))
    assert torch.equal(position.exp() > 0, batch.live)


def test_positions_know_the_edits_before_and_contents_their_position(
    network: Recurrent, draw: Draw
) -> None:
    state, edits = draw(12, 14, VOCABULARY, 8)
    position, content = said(network, collate([Instance(state, edits)]))
    before = Timeline(state)
    tried = 0
    for step, edit in enumerate(edits):
        items, written = len(state) + step, 9 if edit.content != 9 else 10
        for where in before.order().tolist():
            there, then = said(network, with_edit(state, edits, step, Edit(where, written)))
            torch.testing.assert_close(
                there[0, : step + 1, :items], position[0, : step + 1, :items]
            )
            torch.testing.assert_close(then[0, :step], content[0, :step])
            if where == edit.position:
                torch.testing.assert_close(then[0, step], content[0, step])
            else:
                assert (then[0, step] - content[0, step]).abs().max() > 1e-4
            if step + 1 < len(edits):
                # ... and the next edit knows all of this one.
                items_next = min(items, there.shape[-1])
                both = (there[0, step + 1, :items_next] > -1e6) & (
                    position[0, step + 1, :items_next] > -1e6
                )
                change = (there - position)[0, step + 1, :items_next][both]
                assert change.abs().max() > 1e-4
            tried += where != edit.position
        before.append(edit)
    assert tried > 50


def test_the_state_is_read_to_its_end(network: Recurrent, draw: Draw) -> None:
    state, edits = draw(12, 5, VOCABULARY, 9)
    changed = [*state[:-1], 4 if state[-1] != 4 else 5]
    long = Instance(*draw(20, 5, VOCABULARY, 10))
    one = said(network, collate([long, Instance(state, edits)]))[0][1]
    other = said(network, collate([long, Instance(changed, edits)]))[0][1]
    assert (one - other).abs().max() > 1e-4
