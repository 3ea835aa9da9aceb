"""Batches as tensors, made in this process, or ahead by others while the device computes.

A GPU computes a batch faster than one process makes it. The order of the batches does not depend on
how many processes make them.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors import torch as safetensors

from editcast_model.networks.batch import Batch, collate
from editcast_model.private_files import discard, private_folder
from editcast_training.data.dataset import Column, Dataset
from editcast_training.workers import worker_pool


def load(
    data: Dataset, seed: int, budget: int, folder: Path, processes: int = 0
) -> Generator[Callable[[], Batch], None, None]:
    """Yield functions that return the batches of an epoch, in their order.

    Without other processes each is made on request. These put them into the folder. It is emptied
    first and removed afterwards, since it holds a copy of the user's history, also after a training
    that was killed. See also `Dataset.batches`.
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
            for chunk in data.chunks(seed, budget):
                waiting.append(pool.submit(_make, folder, chunk, budget))
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
_SHARED = ("states", "positions", "contents", "jumps")


def _write_data(data: Dataset, folder: Path) -> None:
    for name in _SHARED:
        column: Column = getattr(data, name)
        np.save(folder / f"{name}.values.npy", column.values)
        np.save(folder / f"{name}.starts.npy", column.starts)


# In the processes.

_opened: list[Dataset] = []


def _open(folder: Path) -> None:
    def mapped(name: str) -> npt.NDArray[Any]:
        return np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r"))

    torch.set_num_threads(1)
    states, positions, contents, jumps = (
        Column(mapped(f"{one}.values"), mapped(f"{one}.starts")) for one in _SHARED
    )
    no_kinds = np.array([], np.str_)  # the order is drawn already
    _opened[:] = [Dataset(states, positions, contents, jumps, no_kinds)]


def _make(folder: Path, chunk: tuple[int, list[int]], budget: int) -> list[Path]:
    """Write the batches of a chunk into files.

    A pipe takes little data at once, so the thread that reads it would often interrupt the
    training.
    """
    (data,) = _opened
    paths: list[Path] = []
    for instances in data.batches_of(chunk, budget):
        paths.append(folder / f"{chunk[0]}-{len(paths)}.batch")
        paths[-1].write_bytes(safetensors.save(vars(collate(instances))))
    return paths
