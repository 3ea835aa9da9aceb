"""Every network by its name: shapes, the recorded losses, and that it learns.

The losses are recorded from the repository's root, by
``python tests/training/papers/zhao2019/test_zoo.py``.
"""

import json
from pathlib import Path

import pytest
import torch
from torch import nn

from editcast_model.errors import ReproductionError
from editcast_model.networks.batch import Batch, Instance, collate
from editcast_model.networks.heads import mix
from editcast_papers.zhao2019.networks.zoo import NAMES, VARIANTS, build
from editcast_papers.zhao2019.synthetic import VOCABULARY, generate
from editcast_training.fit.loss import losses

pytestmark = pytest.mark.usefixtures("one_thread")

GOLDEN = Path(__file__).parent / "golden_zoo.json"


def batch_of(task: str, count: int) -> Batch:
    return collate(
        [
            Instance(example.sequence.initial, example.sequence.edits, example.given)
            for example in generate(task, count, 1)
        ]
    )


def train(network: nn.Module, batch: Batch, steps: int, rate: float) -> list[float]:
    network.train()
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    out = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (losses(network, batch)[0] * batch.scored).sum() / batch.scored.sum()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        out.append(round(float(loss.detach()), 5))
    return out


def golden_losses(name: str) -> list[float]:
    batch = batch_of("MetaFlip11", 8)
    torch.manual_seed(0)
    return train(build(name, VOCABULARY, 32, batch.live.shape[-1]), batch, 20, 1e-3)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ReproductionError, match="no network IB; there are E, IR, IA-v, .*IA-ag"):
        build("IB", VOCABULARY, 32, 50)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_a_network(name: str) -> None:
    batch = batch_of("MetaReplace2", 3)
    shape = batch.live.shape
    loss, (position, vocabulary, weights) = losses(build(name, VOCABULARY, 16, shape[2]), batch)
    assert position.shape == shape
    assert vocabulary.shape == (*shape[:2], VOCABULARY)
    assert weights is None or weights.shape == (*shape[:2], 1 + shape[2])
    assert loss.shape == shape[:2] and bool(loss[batch.scored].isfinite().all())


@pytest.mark.parametrize("name", NAMES)
def test_twenty_steps_of_training_lose_as_recorded(name: str) -> None:
    recorded = json.loads(GOLDEN.read_text(encoding="utf-8"))[name]
    assert golden_losses(name) == pytest.approx(recorded, rel=1e-3)


@pytest.mark.parametrize("name", ["E", "IR", *VARIANTS, "IA+"])
def test_ten_instances_are_learned_by_heart(name: str) -> None:
    batch = batch_of("MetaAppend1", 10)
    torch.manual_seed(0)
    network = build(name, VOCABULARY, 64, batch.live.shape[-1])
    for _ in range(20):
        train(network, batch, 25, 5e-3)
        network.eval()
        with torch.no_grad():
            position, vocabulary, weights = network(batch)
        what = mix(vocabulary, weights, batch.tokens).argmax(-1) == batch.contents[:, 1:]
        right = (what & (position.argmax(-1) == batch.positions[:, 1:]))[batch.scored]
        if bool(right.all()):
            return
    pytest.fail(f"Only {float(right.float().mean()):.0%} of the edits are right.")


if __name__ == "__main__":
    torch.set_num_threads(1)
    rows = [f" {json.dumps(name)}: {json.dumps(golden_losses(name))}" for name in NAMES]
    GOLDEN.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
