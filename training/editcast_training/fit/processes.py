"""Processes that share the steps of a training.

Each has the whole network, and they add up their gradients. Or the network is divided among them:
weights, gradients and the optimizer's moments. Then a process gathers a matrix of a block when its
turn comes, and forgets the others' parts afterwards; what is in no block, mostly the embeddings, it
has whole while a batch is in the network. The gradients are the mean of those of all processes.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from editcast_model.networks.attention import Block
from editcast_model.networks.model import EditNetwork


@dataclass(frozen=True)
class Meeting:
    """A process among those that share a training.

    Attributes:
        file: A new file by which they find each other, in a folder that all can write to.
        rank: The number of this process, from 0.
        world: How many there are.
    """

    file: Path
    rank: int
    world: int


@contextmanager
def meeting(place: Meeting | None, device: torch.device) -> Iterator[tuple[int, int]]:
    """Join the processes of a training, and yield the rank of this one and their number.

    There is no place for a single process, and for one started by `torchrun`.
    """
    backend = "nccl" if device.type == "cuda" else "gloo"
    if place is not None:
        rank, world, url = place.rank, place.world, f"file://{place.file}"
    else:
        rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
        url = "env://"
    if world > 1:
        dist.init_process_group(backend, init_method=url, rank=rank, world_size=world)
    try:
        yield rank, world
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


def add_up(
    parameters: Sequence[nn.Parameter], loss: float, edits: int, device: torch.device
) -> tuple[float, int]:
    """Sum the gradients of all processes into parameters; return the sums of losses and edits."""
    counts = torch.tensor([loss, edits], device=device)
    parts = [torch.zeros_like(one) if one.grad is None else one.grad for one in parameters]
    total = torch.cat([counts, *(part.flatten() for part in parts)])
    dist.all_reduce(total)
    at = len(counts)
    for one in parameters:
        one.grad = total[at : at + one.numel()].view_as(one)
        at += one.numel()
    return float(total[0]), int(total[1])


def of_first(value: float, device: torch.device) -> float:
    """Return the value of the first process."""
    found = torch.tensor(value, device=device, dtype=torch.float64)
    dist.broadcast(found, 0)
    return float(found)


def divide(network: EditNetwork, device: torch.device, world: int) -> None:
    """Divide a network, which is the same in all processes, among these."""
    # Half a second to import, for what few trainings need.
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh(device.type, (world,))
    for block in [one for one in network.modules() if isinstance(one, Block)]:
        for layer in [one for one in block.children() if isinstance(one, nn.Linear)]:
            fully_shard(layer, mesh=mesh, reshard_after_forward=True)
    fully_shard(network, mesh=mesh, reshard_after_forward=True)


def whole(value: Any) -> Tensor:
    """Return a tensor with the parts of all processes, which have to call this together."""
    is_part = hasattr(value, "full_tensor")
    return value.full_tensor() if is_part else torch.as_tensor(value)


def divided_like(value: Tensor, other: Any) -> Tensor:
    """Return this process' part of a tensor that is divided as another one is, if it is."""
    if not hasattr(other, "placements") or not value.dim():
        return value
    from torch.distributed.tensor import distribute_tensor

    value = value.to(other.device_mesh.device_type)
    return distribute_tensor(value, other.device_mesh, other.placements, src_data_rank=None)
