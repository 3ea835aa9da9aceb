"""Processes that share the steps of a training: where they meet, and what they add up."""

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
    """What a process knows of the others that share its training.

    Attributes:
        file: By which they find each other; not there yet, in a folder that all can write to.
        rank: This process' number, from 0.
        world: How many they are.
    """

    file: Path
    rank: int
    world: int


@contextmanager
def meeting(place: Meeting | None, device: torch.device) -> Iterator[tuple[int, int]]:
    """Yield the number of this process and how many there are, and let it leave them.

    Args:
        place: Where they meet; None where it is alone, or `torchrun` has started it.
        device: What they compute on.
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
    """Give a network the sum of the gradients of all processes; return their losses' and edits'."""
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


def of_first(value: float, device: torch.device) -> float:
    """Return what the first process knows."""
    found = torch.tensor(value, device=device, dtype=torch.float64)
    dist.broadcast(found, 0)
    return float(found)
