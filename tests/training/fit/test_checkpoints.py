from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from editcast_model.errors import TrainingError
from editcast_training.fit.checkpoints import read_checkpoint, restore, save_checkpoint


def _trained(width: int = 3, steps: int = 2) -> tuple[nn.Linear, torch.optim.AdamW]:
    torch.manual_seed(0)
    network = nn.Linear(width, 2)
    optimizer = torch.optim.AdamW(network.parameters())
    for _ in range(steps):
        network(torch.ones(1, width)).sum().backward()
        optimizer.step()
    return network, optimizer


def test_what_is_restored_trains_on_bit_for_bit(tmp_path: Path) -> None:
    path = tmp_path / "latest.safetensors"
    network, optimizer = _trained()
    save_checkpoint(path, network, optimizer, {"step": 2})
    fresh, fresh_optimizer = _trained(steps=0)
    weights, moments, about = read_checkpoint(path)
    restore(fresh, fresh_optimizer, weights, moments)
    assert about == {"step": 2}
    for one, its in ((network, optimizer), (fresh, fresh_optimizer)):
        its.zero_grad()
        (one(torch.ones(1, 3)) ** 2).sum().backward()
        its.step()
    assert torch.equal(network.weight, fresh.weight)
    assert not torch.equal(network.weight, weights["weight"])
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_half_a_checkpoint_is_never_in_the_place_of_a_whole_one(tmp_path: Path) -> None:
    path = tmp_path / "latest.safetensors"
    network, optimizer = _trained()
    save_checkpoint(path, network, optimizer, 1)
    path.with_name(f".{path.name}.partial").write_bytes(path.read_bytes()[:100])
    assert read_checkpoint(path)[2] == 1
    save_checkpoint(path, network, optimizer, 2)
    assert read_checkpoint(path)[2] == 2


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latest.safetensors"
    with pytest.raises(TrainingError, match="cannot be read"):
        read_checkpoint(path)
    network, optimizer = _trained()
    save_checkpoint(path, network, optimizer, 1)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(TrainingError, match="cannot be read"):
        read_checkpoint(path)
    save_file({"network/weight": torch.zeros(1)}, path)
    with pytest.raises(TrainingError, match="another version"):
        read_checkpoint(path)


def test_a_checkpoint_of_another_network_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latest.safetensors"
    save_checkpoint(path, *_trained(), 1)
    weights, moments, _ = read_checkpoint(path)
    with pytest.raises(TrainingError, match="another network"):
        restore(*_trained(4), weights, moments)
