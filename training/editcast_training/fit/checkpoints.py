"""Checkpoints of a training: one safetensors file, replaced at once, so that a kill loses none."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn
from torch.optim import Optimizer

from editcast_model.errors import TrainingError
from editcast_model.private_files import atomic_write
from editcast_training.disk import explained
from editcast_training.fit.processes import divided_like, whole

FORMAT = 1


@explained(TrainingError)
def save_checkpoint(path: Path, network: nn.Module, optimizer: Optimizer, about: Any) -> None:
    """Write weights, the optimizer's moments, and `about`, a JSON object.

    The file is complete on the disk before it takes the place of the one before.

    Raises:
        TrainingError: It cannot be written; the one before is as it was.
    """
    tensors = dict(_tensors(network, optimizer))
    head = {"editcast": json.dumps({"format": FORMAT, "about": about})}
    with atomic_write(path) as partial:
        # `save_file` would write a file of its own name beside it, and leave that when killed.
        partial.write_bytes(save(tensors, head))


def contribute(network: nn.Module, optimizer: Optimizer) -> None:
    """Give the first process, which saves a checkpoint, what this one has of a divided network."""
    for _ in _tensors(network, optimizer):
        pass


def _tensors(network: nn.Module, optimizer: Optimizer) -> Iterator[tuple[str, Tensor]]:
    for name, value in network.state_dict().items():
        yield f"network/{name}", whole(value).detach().cpu().contiguous()
    for index, moments in optimizer.state_dict()["state"].items():
        for name, value in moments.items():
            yield f"optimizer/{index}/{name}", whole(value).detach().cpu().contiguous()


def read_checkpoint(path: Path) -> tuple[dict[str, Tensor], dict[int, dict[str, Tensor]], Any]:
    """Return the weights, the optimizer's moments by parameter, and `about`.

    Raises:
        TrainingError: The file is no checkpoint, or of another format.
    """
    try:
        with safe_open(path, "pt") as file:
            head = json.loads((file.metadata() or {}).get("editcast", "{}"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise TrainingError(
            f"The checkpoint {path} cannot be read ({error}); remove it to start again."
        ) from error
    if head.get("format") != FORMAT:
        raise TrainingError(
            f"The checkpoint {path} was written by another version of Editcast; "
            "remove it to start again."
        )
    weights: dict[str, Tensor] = {}
    moments: dict[int, dict[str, Tensor]] = {}
    for name, value in tensors.items():
        kind, rest = name.split("/", 1)
        if kind == "network":
            weights[rest] = value
        else:
            index, moment = rest.split("/")
            moments.setdefault(int(index), {})[moment] = value
    return weights, moments, head["about"]


def restore(
    network: nn.Module,
    optimizer: Optimizer,
    weights: dict[str, Tensor],
    moments: dict[int, dict[str, Tensor]],
) -> None:
    """Put a checkpoint into a network and its optimizer.

    Raises:
        TrainingError: They are of other shapes.
    """
    own = network.state_dict()
    try:
        divided = {
            name: divided_like(value, own[name]) if name in own else value
            for name, value in weights.items()
        }
        network.load_state_dict(divided)
    except (RuntimeError, ValueError) as error:
        raise TrainingError(
            "The checkpoint is of another network; remove it, or train with its settings."
        ) from error
    parameters = [one for group in optimizer.param_groups for one in group["params"]]
    state = optimizer.state_dict()
    state["state"] = {
        index: {
            name: divided_like(value, parameters[index]) for name, value in moments[index].items()
        }
        for index in moments
    }
    optimizer.load_state_dict(state)
