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
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from editcast_model.networks.batch import Batch, collate
from editcast_model.private_files import discard, private_folder
from editcast_training.data.dataset import Column, Dataset, chunk_seed
from editcast_training.workers import worker_pool


def load(
    data: Dataset, seed: int, budget: int, folder: Path, processes: int = 0
) -> Generator[Callable[[], Batch], None, None]:
    """Yield what returns the batches of an epoch, in their order.

    Each is to be called before the next is asked for.

    Args:
        data: The instances.
        seed: Of the epoch.
        budget: Most subtokens of a batch; see `Dataset.batches`.
        folder: Where others put them. It is made anew, and removed afterwards: what a killed
            training has left there is a copy of the user's history.
        processes: How many others make them ahead; 0 to make each when it is asked for.
    """
    if not processes:
        for instances in data.batches(seed, budget):
            yield partial(collate, instances)
        return
    discard(folder)
    try:
        _write_data(data, private_folder(folder))
        with worker_pool(processes, partial(_open, folder)) as pool:
            waiting: deque[Future[tuple[Path, list[int]]]] = deque()
            for number, chunk in enumerate(data.chunks(seed, budget)):
                waiting.append(pool.submit(_make, folder, number, chunk, seed, budget))
                if len(waiting) > processes + 1:
                    yield from _made(*waiting.popleft().result())
            while waiting:
                yield from _made(*waiting.popleft().result())
    finally:
        discard(folder)


# Batches come in files: a pipe hands over so little at once that a thread that reads it takes turns
# with this one all the time.


def _made(path: Path, starts: list[int]) -> Generator[Callable[[], Batch], None, None]:
    for start in starts:
        yield partial(_read_batch, path, start)
    path.unlink()


def _read_batch(path: Path, start: int) -> Batch:
    with path.open("rb") as file:
        file.seek(start)
        return Batch(*[torch.from_numpy(np.load(file)) for _ in fields(Batch)])


# Of the instances the processes share one copy: files that they map into memory.


def _write_data(data: Dataset, folder: Path) -> None:
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


def _make(
    folder: Path, number: int, chunk: list[int], seed: int, budget: int
) -> tuple[Path, list[int]]:
    """Write the batches of a chunk into a file, and say where each begins."""
    (data,) = _opened
    path = folder / f"{number}.batches"
    starts: list[int] = []
    with path.open("wb") as file:
        for instances in data.batches_of(chunk, chunk_seed(seed, number), budget):
            starts.append(file.tell())
            batch = collate(instances)
            for item in fields(batch):
                np.save(file, getattr(batch, item.name).numpy())
    return path, starts
