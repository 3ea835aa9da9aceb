"""Processes that share the steps of a training, and the sum of their gradients."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn


@dataclass(frozen=True)
class Meeting:
    """A process among those that share a training.

    Attributes:
        file: A new file by which they find each other, in a folder that all can write to.
        rank: The number of this process, from 0.
        world: The number of processes.
    """

    file: Path
    rank: int
    world: int


@contextmanager
def meeting(place: Meeting | None, device: torch.device) -> Iterator[tuple[int, int]]:
    """Join the processes of a training, and yield the rank of this one and their number.

    Args:
        place: The meeting; None for a single process, or one started by `torchrun`.
        device: The device of the training.
    """
    backend = "nccl" if device.type == "cuda" else "gloo"
    if place is not None:
        rank, world = place.rank, place.world
        url = f"file://{place.file}"
        dist.init_process_group(backend, init_method=url, rank=rank, world_size=world)
    else:
        rank, world = (int(os.environ.get(name, default)) for name, default in _TORCHRUN)
        if world > 1:
            dist.init_process_group(backend)
    try:
        yield rank, world
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


_TORCHRUN = (("RANK", "0"), ("WORLD_SIZE", "1"))


def add_up(network: nn.Module, loss: float, edits: int) -> tuple[float, int]:
    """Sum the gradients of all processes into a network; return the sums of losses and edits."""
    parameters = list(network.parameters())
    counts = torch.tensor([loss, edits], device=parameters[0].device)
    parts = [torch.zeros_like(one) if one.grad is None else one.grad for one in parameters]
    total = torch.cat([counts, *(part.flatten() for part in parts)])
    dist.all_reduce(total)
    at = len(counts)
    for one in parameters:
        one.grad = total[at : at + one.numel()].view_as(one)
        at += one.numel()
    return float(total[0]), int(total[1])


def add_up_counts(loss: float, edits: int, device: torch.device) -> tuple[float, int]:
    """Return the sums of losses and edits of all processes."""
    total = torch.tensor([loss, edits], device=device)
    dist.all_reduce(total)
    return float(total[0]), int(total[1])


def of_first(value: float, device: torch.device) -> float:
    """Return the value of the first process."""
    found = torch.tensor(value, device=device, dtype=torch.float64)
    dist.broadcast(found, 0)
    return float(found)
