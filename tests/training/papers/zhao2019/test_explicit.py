"""E, the explicit baseline: its states are the states, and what its outputs may depend on."""

from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from editcast_model.edits import DELETE, PAD, SAVE, START, Edit, Timeline
from editcast_model.networks.batch import Batch, Instance, collate
from editcast_papers.zhao2019.edit_sequence import EditSequence
from editcast_papers.zhao2019.networks.explicit import Explicit, explicit_states

Draw = Callable[[int, int, int, int], tuple[list[int], list[Edit]]]

VOCABULARY = 30


@pytest.fixture
def network() -> Explicit:
    torch.manual_seed(1)
    network = Explicit(VOCABULARY, 16).eval()
    # With opinions: small parameters forget what is far off.
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
    return network


@torch.no_grad()
def said(network: Explicit, batch: Batch) -> tuple[Tensor, Tensor]:
    """Log probabilities of positions (B, T, N) and of contents (B, T, V)."""
    position, vocabulary, weights, *_ = network(batch)
    assert weights is None
    return position, torch.log_softmax(vocabulary, -1)


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    """Any edits that can be: short texts, so that deletions reach both ends."""
    timeline = Timeline([START, *draw(st.lists(st.integers(4, 6), max_size=5))])
    for _ in range(draw(st.integers(1, 12))):
        item = int(draw(st.sampled_from(timeline.order().tolist())))
        content = draw(st.sampled_from([DELETE, DELETE, SAVE, 4, 5]))
        if content == SAVE or (content == DELETE and item == 0):
            item, content = 0, SAVE
        timeline.append(Edit(item, content))
    return Instance(timeline.initial, timeline.edits)


@given(st.lists(instances(), min_size=1, max_size=4))
def test_the_states_are_those_of_the_sequence(drawn: list[Instance]) -> None:
    batch = collate(drawn)
    items, tokens = explicit_states(batch)
    padded, nothing = batch.state.shape[1], batch.live.shape[-1]
    longest = 0
    for row, instance in enumerate(drawn):
        timeline = Timeline(instance.state)
        sequence = EditSequence(tuple(instance.state), tuple(instance.edits))
        for step, (state, edit) in enumerate(zip(sequence.states(), instance.edits, strict=False)):
            rest = tokens.shape[-1] - len(state)
            assert tokens[row, step].tolist() == [*state, *[PAD] * rest]
            own = timeline.order()
            own = own + (padded - len(instance.state)) * (own >= len(instance.state))
            assert items[row, step].tolist() == [*own.tolist(), *[nothing] * rest]
            timeline.append(edit)
            longest = max(longest, len(state))
        behind = slice(len(instance.edits), None)
        assert (tokens[row, behind, 0] == START).all()
        assert (tokens[row, behind, 1:] == PAD).all()
    assert tokens.shape[-1] == longest


def test_an_instance_alone_says_the_same_among_longer_ones(network: Explicit, draw: Draw) -> None:
    short, long = Instance(*draw(7, 6, VOCABULARY, 1)), Instance(*draw(20, 15, VOCABULARY, 2))
    alone, alone_content = said(network, collate([short]))
    padded, padded_content = said(network, collate([long, short]))
    size, steps, start = len(short.state), len(short.edits), len(long.state)
    kept = torch.cat([padded[1, :steps, :size], padded[1, :steps, start : start + steps]], 1)
    torch.testing.assert_close(kept, alone[0], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(padded_content[1, :steps], alone_content[0], atol=1e-5, rtol=1e-5)


def test_distributions_sum_to_one_over_what_is_possible(network: Explicit, draw: Draw) -> None:
    batch = collate([Instance(*draw(7, 6, VOCABULARY, 3)), Instance(*draw(20, 15, VOCABULARY, 4))])
    position, content = said(network, batch)
    torch.testing.assert_close(position.exp().sum(-1), torch.ones(2, 15))
    torch.testing.assert_close(content.exp().sum(-1), torch.ones(2, 15))
    assert torch.equal(position.exp() > 0, batch.live)


def test_nothing_depends_on_its_own_or_a_later_edit(network: Explicit, draw: Draw) -> None:
    state, edits = draw(12, 14, VOCABULARY, 5)
    position, content = said(network, collate([Instance(state, edits)]))
    before = Timeline(state)
    for keep, edit in enumerate(edits):
        for where in before.order().tolist():
            other = Timeline(state)
            for earlier in edits[:keep]:
                other.append(earlier)
            other.append(Edit(where, 9 if edit.content != 9 else 10))
            while len(other) < len(edits):
                other.append(Edit(int(other.order()[-1]), 8))
            there, then = said(network, collate([Instance(state, other.edits)]))
            items = len(state) + keep
            torch.testing.assert_close(
                there[0, : keep + 1, :items], position[0, : keep + 1, :items]
            )
            torch.testing.assert_close(then[0, : keep + 1], content[0, : keep + 1])
            if keep + 1 < len(edits):
                # ... but the next edit sees what this one did.
                assert (then[0, keep + 1] - content[0, keep + 1]).abs().max() > 1e-4
        before.append(edit)


def test_what_stood_there_a_step_ago_is_seen(network: Explicit) -> None:
    # Two ways to the same text, of which only the second level and the earlier state know.
    state = [START, 4, 5, 6, 7, 8]
    ways = [[Edit(2, DELETE), Edit(1, 9), Edit(0, SAVE)], [Edit(2, 9), Edit(2, DELETE), Edit(0, 3)]]
    batch = collate([Instance(state, way) for way in ways])
    tokens = explicit_states(batch)[1]
    assert torch.equal(tokens[0, 2], tokens[1, 2])
    seen: list[Tensor] = []
    network.states.register_forward_hook(lambda _, __, out: seen.append(out[0].detach()))
    said(network, batch)
    first, second = seen[0].view(2, 3, -1, 16)[:, 2]
    assert (first - second).abs().max() > 1e-4
