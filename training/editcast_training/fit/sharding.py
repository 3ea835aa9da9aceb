"""A network divided among the processes of a training, each of which has a part of every matrix.

Weights, gradients and the optimizer's moments are divided. A process gathers a matrix of a block
when its turn comes, and forgets the others' parts afterwards; what is in no block, mostly the
embeddings, it has whole while a batch is in the network. The gradients are the mean of those of all
processes.
"""

from typing import Any

import torch
from torch import Tensor, nn

from editcast_model.networks.attention import Block
from editcast_model.networks.model import EditNetwork


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
