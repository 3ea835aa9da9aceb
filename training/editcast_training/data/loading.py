"""Batches as tensors, made in this process, or ahead by others while the device computes.

A GPU computes a batch faster than one process makes it. The order of the batches does not depend on
how many processes make them.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors import torch as safetensors

from editcast_model.networks.batch import Batch, collate
from editcast_model.private_files import discard, private_folder
from editcast_training.data.dataset import Column, Dataset, chunk_seed
from editcast_training.workers import worker_pool


def load(
    data: Dataset, seed: int, budget: int, folder: Path, processes: int = 0
) -> Generator[Callable[[], Batch], None, None]:
    """Yield functions that return the batches of an epoch, in their order.

    Args:
        data: The instances.
        seed: Of the epoch.
        budget: Most subtokens of a batch; see `Dataset.batches`.
        folder: Where other processes put them. It is emptied first and removed afterwards, since
            it holds a copy of the user's history, also after a training that was killed.
        processes: The number of processes that make them in advance; 0 to make each on request.
    """
    if not processes:
        for instances in data.batches(seed, budget):
            yield partial(collate, instances)
        return
    discard(folder)
    try:
        _write_data(data, private_folder(folder))
        with worker_pool(processes, partial(_open, folder)) as pool:
            waiting: deque[Future[list[Path]]] = deque()
            for number, chunk in enumerate(data.chunks(seed, budget)):
                waiting.append(pool.submit(_make, folder, number, chunk, seed, budget))
                if len(waiting) > processes + 1:
                    yield from _made(waiting.popleft().result())
            while waiting:
                yield from _made(waiting.popleft().result())
    finally:
        discard(folder)


def _made(paths: Iterable[Path]) -> Generator[Callable[[], Batch], None, None]:
    for path in paths:
        written = path.read_bytes()
        path.unlink()
        yield partial(_batch, written)


def _batch(written: bytes) -> Batch:
    return Batch(**safetensors.load(written))


# The processes share one copy of the instances: files that they map into memory.


def _write_data(data: Dataset, folder: Path) -> None:
    for item in fields(Dataset):
        value = getattr(data, item.name)
        if isinstance(value, Column):
            np.save(folder / f"{item.name}.values.npy", value.values)
            np.save(folder / f"{item.name}.starts.npy", value.starts)
        else:
            np.save(folder / f"{item.name}.npy", value)


def _read_data(folder: Path) -> Dataset:
    def mapped(name: str) -> npt.NDArray[Any]:
        array: npt.NDArray[Any] = np.load(folder / f"{name}.npy", mmap_mode="r")
        return array

    found: dict[str, Any] = {}
    for item in fields(Dataset):
        if (folder / f"{item.name}.npy").exists():
            found[item.name] = mapped(item.name)
        else:
            starts = np.asarray(mapped(f"{item.name}.starts"))
            found[item.name] = Column(mapped(f"{item.name}.values"), starts)
    return Dataset(**found)


# In the processes.

_opened: list[Dataset] = []


def _open(folder: Path) -> None:
    torch.set_num_threads(1)
    _opened[:] = [_read_data(folder)]


def _make(folder: Path, number: int, chunk: list[int], seed: int, budget: int) -> list[Path]:
    """Write the batches of a chunk into files.

    A pipe takes little data at once, so the thread that reads it would often interrupt the
    training.
    """
    (data,) = _opened
    paths: list[Path] = []
    for instances in data.batches_of(chunk, chunk_seed(seed, number), budget):
        paths.append(folder / f"{number}-{len(paths)}.batch")
        paths[-1].write_bytes(safetensors.save(vars(collate(instances))))
    return paths
