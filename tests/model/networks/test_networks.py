"""The network and the paper's: what outputs depend on, what is impossible, and that they learn."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from editcast_model.checked import UnfitError
from editcast_model.edits import BUCKETS, DELETE, PAD, SAVE, START, Edit, Timeline
from editcast_model.networks.batch import Batch, Instance, collate
from editcast_model.networks.config import NetworkConfig
from editcast_model.networks.heads import content_log_probability, mix
from editcast_model.networks.model import EditNetwork
from editcast_papers.zhao2019.networks.config import PaperConfig, paper, plus
from editcast_papers.zhao2019.networks.implicit_attention import ImplicitAttention

pytestmark = pytest.mark.usefixtures("one_thread")

Draw = Callable[[int, int, int, int], tuple[list[int], list[Edit]]]

VOCABULARY = 60
VARIANTS = ("IA-v", "IA-vg", "IA-a", "IA-ag")
BUNDLED = NetworkConfig(VOCABULARY, width=32, feed_forward=64, local=8, dropout=0.0)
CONFIGS: dict[str, NetworkConfig | PaperConfig] = {
    "bundled": BUNDLED,
    **{name: paper(VOCABULARY, name, 32) for name in VARIANTS},
    "IA+": replace(plus(VOCABULARY, 32), local=8),
}
Network = EditNetwork | ImplicitAttention
# Above what a mask leaves of any logit, below every real log probability.
IMPOSSIBLE = -1e6


@pytest.fixture(params=CONFIGS)
def network(request: pytest.FixtureRequest) -> Network:
    """A network with opinions: parameters that start at zero would hide a dependence."""
    return opinionated(CONFIGS[request.param])


def build(config: NetworkConfig | PaperConfig) -> Network:
    return EditNetwork(config) if isinstance(config, NetworkConfig) else ImplicitAttention(config)


def opinionated(config: NetworkConfig | PaperConfig) -> Network:
    torch.manual_seed(1)
    network = build(config).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    return network


def instance(draw: Draw, size: int, steps: int, seed: int) -> Instance:
    return Instance(*draw(size, steps, VOCABULARY, seed))


@torch.no_grad()
def said(network: Network, batch: Batch) -> tuple[Tensor, Tensor]:
    """Log probabilities of positions (B, T, N) and of contents (B, T, V)."""
    position, vocabulary, weights = network(batch)
    return position, mix(vocabulary, weights, batch.tokens)


def other_edits(given: Instance, keep: int, position: bool, content: bool) -> list[Instance]:
    """The instance with other edits from index `keep` on, of which the first differs as told."""
    out = []
    true = given.edits[keep]
    for seed in range(40):
        timeline = Timeline(given.state)
        for edit in given.edits[:keep]:
            timeline.append(edit)
        items = [int(item) for item in timeline.order()]
        where = items[seed % len(items)] if position else true.position
        what = 4 + (seed * 7) % (VOCABULARY - 4) if content else true.content
        if (where == true.position) is position or (what == true.content) is content:
            continue
        if (what == DELETE and where == 0) or (what == SAVE and where != 0):
            continue
        timeline.append(Edit(where, what))
        while len(timeline) < len(given.edits):
            live = timeline.order()
            timeline.append(Edit(int(live[seed % len(live)]), 4 + seed % (VOCABULARY - 4)))
        out.append(Instance(given.state, timeline.edits))
    assert out
    return out


def test_nothing_depends_on_later_edits(network: Network, draw: Draw) -> None:
    given = instance(draw, 20, 14, 1)
    size, keep = len(given.state), 6
    position, content = said(network, collate([given]))
    changed = 0.0
    for other in other_edits(given, keep, position=True, content=True)[:5]:
        other_position, other_content = said(network, collate([other]))
        # The positions and contents of edits 0 .. keep - 1 read the edits before them; the
        # position of edit `keep` reads the same edits.
        likely = content[:, :keep] > -50  # below, no digits are left
        torch.testing.assert_close(other_content[:, :keep][likely], content[:, :keep][likely])
        for step in range(keep + 1):
            items = size + step
            torch.testing.assert_close(
                other_position[:, step, :items], position[:, step, :items], atol=1e-5, rtol=1e-5
            )
        later = (other_content[:, keep + 1] - content[:, keep + 1]).abs().max()
        changed = max(changed, float(later))
    assert changed > 1e-3


def test_content_depends_on_its_position_and_position_not_on_content(
    network: Network, draw: Draw
) -> None:
    given = instance(draw, 20, 14, 2)
    step = next(t for t in range(5, 13) if given.edits[t].content >= 4)
    size = len(given.state) + step
    position, content = said(network, collate([given]))
    for other in other_edits(given, step, position=True, content=False)[:5]:
        there, then = said(network, collate([other]))
        torch.testing.assert_close(there[:, step, :size], position[:, step, :size])
        assert (then[:, step] - content[:, step]).abs().max() > 1e-3
    for other in other_edits(given, step, position=False, content=True)[:5]:
        there, then = said(network, collate([other]))
        torch.testing.assert_close(there[:, step, :size], position[:, step, :size])
        torch.testing.assert_close(then[:, step], content[:, step])
        # ... but the next edit knows what was written.
        assert (there[:, step + 1] - position[:, step + 1]).abs().max() > 1e-4


def test_the_state_is_read(network: Network, draw: Draw) -> None:
    given = instance(draw, 20, 6, 3)
    changed = list(given.state)
    changed[7] = 4 if changed[7] != 4 else 5
    position, content = said(network, collate([given]))
    there, then = said(network, collate([Instance(changed, given.edits)]))
    assert (there - position).abs().max() > 1e-4
    assert (then - content).abs().max() > 1e-4


def test_distributions_sum_to_one(network: Network, draw: Draw) -> None:
    position, content = said(network, collate([instance(draw, 25, 12, 4), instance(draw, 9, 7, 5)]))
    one = torch.ones(2, 12)
    torch.testing.assert_close(position.exp().sum(-1), one, atol=1e-4, rtol=0)
    torch.testing.assert_close(content.exp().sum(-1), one, atol=1e-4, rtol=0)


def test_positions_that_cannot_be_have_no_probability(network: Network, draw: Draw) -> None:
    instances = [instance(draw, 25, 30, 6), instance(draw, 9, 20, 7)]
    batch = collate(instances)
    position, _ = said(network, batch)
    padded = batch.state.shape[1]
    for row, given in enumerate(instances):
        timeline = Timeline(given.state)
        for step, edit in enumerate(given.edits):
            possible = set()
            for item in map(int, timeline.order()):
                in_state = item < len(given.state)
                possible.add(item if in_state else item - len(given.state) + padded)
            for item, logarithm in enumerate(position[row, step].tolist()):
                assert (logarithm > IMPOSSIBLE) == (item in possible)
                assert item in possible or math.exp(logarithm) == 0
            timeline.append(edit)
    # The instances do delete and save: otherwise this would test little.
    contents = {edit.content for given in instances for edit in given.edits}
    assert {DELETE, SAVE} <= contents


def test_contents_that_cannot_be_have_no_probability(network: Network, draw: Draw) -> None:
    batch = collate([instance(draw, 25, 30, 8), instance(draw, 9, 20, 9)])
    _, content = said(network, batch)
    probability = content.exp()
    at_start = batch.positions[:, 1:] == 0
    assert at_start.any() and (~at_start & batch.scored).any()
    assert probability[..., PAD].max() < 1e-20
    if isinstance(network.config, PaperConfig) and not network.config.copy:
        # A copy can be of the start token: the predictor leaves it out.
        assert probability[..., START].max() < 1e-20
    assert probability[..., DELETE][at_start].max() < 1e-20
    assert probability[..., SAVE][~at_start].max() < 1e-20
    assert content[..., SAVE][at_start].min() > IMPOSSIBLE
    assert content[..., DELETE][~at_start].min() > IMPOSSIBLE


def test_the_loss_of_a_content_is_its_log_probability(network: Network, draw: Draw) -> None:
    batch = collate([instance(draw, 25, 30, 8), instance(draw, 9, 20, 9)])
    with torch.no_grad():
        _, vocabulary, weights = network(batch)
    targets = batch.contents[:, 1:]
    ours = content_log_probability(vocabulary, weights, targets, batch.tokens)
    wanted = mix(vocabulary, weights, batch.tokens).gather(-1, targets[..., None]).squeeze(-1)
    torch.testing.assert_close(ours[batch.scored], wanted[batch.scored])


def test_padding_changes_nothing(network: Network, draw: Draw) -> None:
    short, long = instance(draw, 11, 7, 10), instance(draw, 40, 20, 11)
    alone, alone_content = said(network, collate([short]))
    padded, padded_content = said(network, collate([long, short]))
    size, steps = len(short.state), len(short.edits)
    start = len(long.state)
    kept = torch.cat([padded[1, :steps, :size], padded[1, :steps, start : start + steps]], 1)
    possible = alone[0] > IMPOSSIBLE
    torch.testing.assert_close(kept[possible], alone[0][possible], atol=1e-4, rtol=1e-4)
    assert (kept[~possible] < IMPOSSIBLE).all()
    torch.testing.assert_close(
        padded_content[1, :steps].exp(), alone_content[0].exp(), atol=1e-5, rtol=1e-4
    )


def test_given_edits_are_not_scored(draw: Draw) -> None:
    state, edits = draw(9, 7, VOCABULARY, 12)
    batch = collate([Instance(state, edits, given=3), Instance(state, edits[:5])])
    assert batch.scored.tolist() == [[False] * 3 + [True] * 4, [True] * 5 + [False] * 2]


def test_dropout_is_only_in_training(draw: Draw) -> None:
    network = EditNetwork(replace(BUNDLED, dropout=0.5))
    batch = collate([instance(draw, 20, 6, 13)])
    network.eval()
    assert torch.equal(said(network, batch)[0], said(network, batch)[0])
    network.train()
    assert not torch.equal(said(network, batch)[0], said(network, batch)[0])


def test_a_config_survives_json() -> None:
    assert NetworkConfig.from_json(json.loads(json.dumps(BUNDLED.to_json()))) == BUNDLED


def test_the_options_of_earlier_versions_must_be_those_of_the_network() -> None:
    earlier = BUNDLED.to_json() | {"aggregate": "residual", "seek": 0, "copy": True, "spans": True}
    assert NetworkConfig.from_json(earlier) == BUNDLED
    for name, value in (("aggregate", "gru"), ("seek", 4), ("copy", False), ("scan", 0)):
        with pytest.raises(UnfitError, match=f"network.{name} must be "):
            NetworkConfig.from_json(earlier | {name: value})


# -- learning ----------------------------------------------------------------------------------


def loss_of(network: Network, batch: Batch) -> Tensor:
    position, vocabulary, weights = network(batch)
    where = position.gather(-1, batch.positions[:, 1:, None]).squeeze(-1)
    what = content_log_probability(vocabulary, weights, batch.contents[:, 1:], batch.tokens)
    return -((where + what) * batch.scored).sum() / batch.scored.sum()


def train(network: Network, batch: Batch, steps: int, rate: float) -> list[float]:
    network.train()
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(network, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        losses.append(float(loss.detach()))
    network.eval()
    return losses


GOLDEN = Path(__file__).parent / "golden_losses.json"


def golden_losses(name: str, draw: Draw) -> list[float]:
    torch.manual_seed(0)
    network = build(CONFIGS[name])
    batch = collate([instance(draw, 20 + seed, 12 + seed, seed) for seed in range(6)])
    return train(network, batch, 20, 3e-3)


@pytest.mark.parametrize("name", ["bundled"])  # test_zoo.py has the others
def test_twenty_steps_of_training_lose_as_recorded(name: str, draw: Draw) -> None:
    recorded = json.loads(GOLDEN.read_text(encoding="utf-8"))[name]
    assert golden_losses(name, draw) == pytest.approx(recorded, rel=1e-3)


@pytest.mark.parametrize("name", ["bundled", "IA-ag"])
def test_ten_small_instances_are_learned_by_heart(name: str, draw: Draw) -> None:
    torch.manual_seed(0)
    network = build(replace(CONFIGS[name], width=64))
    # Each has its own state, from which alone its first edit can be known.
    batch = collate([instance(draw, 12, 6, seed) for seed in range(10)])
    for _ in range(20):
        train(network, batch, 25, 3e-3)
        position, content = said(network, batch)
        right = (position.argmax(-1) == batch.positions[:, 1:]) & (
            content.argmax(-1) == batch.contents[:, 1:]
        )
        if bool(right[batch.scored].all()):
            return
    share = float(right[batch.scored].float().mean())
    pytest.fail(f"Only {share:.0%} of the edits are right.")


def test_the_analogy_points_where_the_text_reads_the_same() -> None:
    # Nothing is learned here: the pointer alone is silenced, and the last place forbidden.
    network = EditNetwork(BUNDLED).eval()
    with torch.no_grad():
        network.pointer_query.weight.zero_()
        network.pointer_query.bias.zero_()
        network.distance.bias.weight.zero_()
        network.distance.bias.bias.zero_()
        network.distance.bias.bias[BUCKETS // 2 - 2 : BUCKETS // 2 + 3] = -100.0
    for seed in range(20):
        draw = torch.Generator().manual_seed(seed)
        tokens = (torch.randperm(VOCABULARY - 4, generator=draw) + 4).tolist()
        place, filler = tokens[:7], tokens[7:]
        gap = 8 + seed
        state = [START, *filler[:9], *place, *filler[9 : 9 + gap], *place, *filler[40:49]]
        first, second = 10 + 3, 10 + 7 + gap + 3
        given = Instance(state, [Edit(first, filler[0]), Edit(second, filler[0])])
        position, _ = said(network, collate([given]))
        assert int(position[0, 1].argmax()) == second
        # Before any edit there is nothing to follow, and nothing sticks out.
        assert float(position[0, 0, 8:].max() - position[0, 0, 8:-2].min()) < 1e-4
