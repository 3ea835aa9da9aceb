"""Time of a training step: left to right, and with orders that are searched (table 6)."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, ClassVar

import torch

from editcast_papers.indigo.networks.network import Indigo
from editcast_papers.indigo.paper import TIME
from editcast_papers.indigo.runs import VARIANTS, Sizes, loss_of
from editcast_papers.indigo.tasks import TASKS, batch_of, read_task
from editcast_papers.training import Config, device_words, update
from editcast_training.fit.trainer import autocast, pick_device

_STEPS = 7


@dataclass(frozen=True)
class Timing:
    """The time of training steps.

    Attributes:
        task: Of `TASKS`.
        orders: B; 0 for left to right.
        config: Of `Config` and the layers.
        steps: Steps measured, the first one aside.
        batches_per_second: By the median step.
        device: The processor and its threads.
    """

    kind: ClassVar[str] = "time"
    task: str
    orders: int
    config: Mapping[str, Any]
    steps: int
    batches_per_second: float
    device: str


def time_training(
    task: str, folder: Path, config: Config, sizes: Sizes, device_name: str
) -> list[Timing]:
    """Measure the steps of table 6.

    On a processor it is the processor's own time, so that other work on the machine is not in it.

    Raises:
        ReproductionError: The data cannot be read.
    """
    device, corpus = pick_device(device_name), read_task(task, folder, "L2R")
    torch.manual_seed(0)
    network = Indigo(
        len(corpus.words),
        corpus.known,
        config.hidden,
        sizes.layers,
        ordered=TASKS[task].ordered,
    )
    network.to(device).train()
    optimizer = torch.optim.Adam(network.parameters(), lr=config.rate)
    lines = []
    for orders in TIME:
        variant = VARIANTS["SAO" if orders else "L2R"]
        times = []
        for step in range(_STEPS + 1):
            batch = batch_of(corpus, 0, config.batch, step, device)
            began = _now(device)
            with autocast(device):
                loss = loss_of(network, batch, variant, max(orders, 1), bootstrapping=False)
            update(network, optimizer, loss)
            times.append(_now(device) - began)
        about = {"hidden": config.hidden, "batch": config.batch, "layers": sizes.layers}
        speed = round(1 / median(times[1:]), 3)
        lines.append(Timing(task, orders, about, _STEPS, speed, device_words(device)))
    return lines


def _now(device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize()
        return time.perf_counter()
    return time.process_time()
