"""Batches as tensors, made in this process, or ahead by others while the device computes.

A GPU computes a batch faster than one process makes it. The order of the batches does not depend on
how many processes make them.
"""

from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future
from dataclasses import fields
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from editcast_model.networks.batch import Batch, collate
from editcast_training.data.dataset import Column, Dataset, chunk_seed
from editcast_training.workers import worker_pool

#: A batch as the arrays of its fields. Tensors would need a file descriptor each to get here.
_Arrays = tuple[npt.NDArray[Any], ...]


def load(
    data: Dataset, seed: int, budget: int, processes: int = 0
) -> Generator[Callable[[], Batch], None, None]:
    """Yield what returns the batches of an epoch, in their order.

    Args:
        data: The instances.
        seed: Of the epoch.
        budget: Most subtokens of a batch; see `Dataset.batches`.
        processes: How many others make them ahead; 0 to make each when it is asked for.
    """
    if not processes:
        for instances in data.batches(seed, budget):
            yield partial(collate, instances)
        return
    with TemporaryDirectory(prefix="editcast-") as folder:
        _write(data, Path(folder))
        with worker_pool(processes, partial(_open, Path(folder))) as pool:
            waiting: deque[Future[list[_Arrays]]] = deque()
            for number, chunk in enumerate(data.chunks(seed, budget)):
                waiting.append(pool.submit(_make, chunk, chunk_seed(seed, number), budget))
                if len(waiting) > processes + 1:
                    yield from map(_returning, waiting.popleft().result())
            while waiting:
                yield from map(_returning, waiting.popleft().result())


def _returning(arrays: _Arrays) -> Callable[[], Batch]:
    return lambda: Batch(*map(torch.from_numpy, arrays))


# Of the instances the processes share one copy: files that they map into memory.


def _write(data: Dataset, folder: Path) -> None:
    for item in fields(Dataset):
        value = getattr(data, item.name)
        if isinstance(value, Column):
            np.save(folder / f"{item.name}.values.npy", value.values)
            np.save(folder / f"{item.name}.starts.npy", value.starts)
        else:
            np.save(folder / f"{item.name}.npy", value.astype(np.str_))


def _read(folder: Path) -> Dataset:
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
    _opened[:] = [_read(folder)]


def _make(chunk: list[int], seed: int, budget: int) -> list[_Arrays]:
    (data,) = _opened
    made = map(collate, data.batches_of(chunk, seed, budget))
    return [tuple(getattr(batch, item.name).numpy() for item in fields(batch)) for batch in made]
