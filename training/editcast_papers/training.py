"""The papers' training: Adam, gradients clipped at global norm 1, a rate that falls linearly.

Papers keep the rate constant; the default here falls, since budgets are short. Each epoch has its
own order and each step its own seed, so that a training that was killed goes on exactly as if it
had not been.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Literal

import torch
from torch import Tensor, nn

from editcast_model.private_files import private_folder
from editcast_training.evaluation.results import processor
from editcast_training.fit.checkpoints import read_checkpoint, restore, save_checkpoint

Schedule = Literal["linear", "constant"]
#: Called with a training's name, the step, and the accuracy on dev after it.
Tell = Callable[[str, int, float], None]
_CLIP = 1.0
_WARM_UP = 100  # steps
NOTES = 20  # evaluations on dev in a training
_POOL = 16  # batches among which instances are sorted by length


@dataclass(frozen=True)
class Config:
    """Hyperparameters that are chosen on dev.

    Attributes:
        hidden: The hidden size.
        rate: Adam's learning rate, at its highest.
        batch: Instances in a step.
        steps: Steps of the whole training.
        schedule: ``constant``, as in the paper, or ``linear``: a warm-up, then down to zero.
    """

    hidden: int = 128
    rate: float = 1e-3
    batch: int = 64
    steps: int = 4000
    schedule: Schedule = "linear"

    def to_json(self) -> dict[str, Any]:
        """As it stands in a line of results."""
        return asdict(self)


def learning_rate(config: Config, step: int) -> float:
    """Return the rate of a step, counted from 0."""
    if config.schedule == "constant":
        return config.rate
    warm_up = min(_WARM_UP, max(config.steps // 10, 1))
    falling = (config.steps - step) / max(config.steps - warm_up, 1)
    return config.rate * min((step + 1) / warm_up, falling)


def device_words(device: torch.device) -> str:
    """Return the device, as it stands in a line of results."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    threads = torch.get_num_threads()
    return f"{processor()}, {threads} thread{'s' if threads > 1 else ''}"


@dataclass
class Progress:
    """Progress of a training; written into its checkpoints.

    Attributes:
        step: Steps made.
        dev: Pairs of a step and the score on dev after it.
        seconds: The median step's seconds between two evaluations.
        best: The best score on dev.
    """

    step: int = 0
    dev: list[list[float]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    best: float = -1.0

    def in_line(self, network: nn.Module, device: torch.device) -> dict[str, Any]:
        """Return what a line of results says of every training."""
        return {
            "parameters": sum(one.numel() for one in network.parameters()),
            "device": device_words(device),
            "seconds_per_step": round(median(self.seconds), 4),
            "dev": self.dev,
        }


@dataclass(frozen=True)
class Training:
    """A network on its way, whatever the data.

    Attributes:
        network: The network, on its device.
        config: The recipe's settings.
        seed: Of what is drawn in a step.
        loss: The mean loss of a step, counted from 0.
        dev: The score of the network, the higher the better; in percent.
        folder: Where its checkpoints are.
        tell: Called with the step and the score after each evaluation.
        notes: How many evaluations there are.
    """

    network: nn.Module
    config: Config
    seed: int
    loss: Callable[[int], Tensor]
    dev: Callable[[], float]
    folder: Path
    tell: Callable[[int, float], None]
    notes: int = NOTES

    def run(self) -> Progress:
        """Train to the end, from the latest checkpoint if there is one.

        The network then has the weights that were best on dev.

        Raises:
            TrainingError: A checkpoint is damaged or of another network.
        """
        # A network that is nearly always right has gradients so small that processors slow down.
        torch.set_flush_denormal(True)
        try:
            return self._run()
        finally:
            torch.set_flush_denormal(False)

    def _run(self) -> Progress:
        config, network, progress = self.config, self.network, Progress()
        latest, best = self.folder / "latest.safetensors", self.folder / "best.safetensors"
        private_folder(self.folder)
        optimizer = torch.optim.Adam(network.parameters(), lr=config.rate, fused=True)
        if latest.exists():
            weights, moments, about = read_checkpoint(latest)
            restore(network, optimizer, weights, moments)
            progress = Progress(**about)
        interval = max(config.steps // self.notes, 1)
        times = []
        while progress.step < config.steps:
            times.append(self._step(optimizer, progress.step))
            progress.step += 1
            if progress.step % interval and progress.step < config.steps:
                continue
            score = self.dev()
            progress.dev.append([progress.step, round(score, 2)])
            progress.seconds.append(round(median(times), 6))
            times.clear()
            # In this order: killed between the two, a training does this interval again.
            if score > progress.best:
                progress.best = score
                save_checkpoint(best, network, optimizer, vars(progress))
            save_checkpoint(latest, network, optimizer, vars(progress))
            self.tell(progress.step, score)
        restore(network, optimizer, *read_checkpoint(best)[:2])
        return progress

    def _step(self, optimizer: torch.optim.Optimizer, step: int) -> float:
        """One step; the seconds that it took."""
        began = time.perf_counter()
        torch.manual_seed(self.seed * 1_000_003 + step)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(self.config, step)
        self.network.train()
        loss = self.loss(step)
        update(self.network, optimizer, loss)
        if loss.is_cuda:
            torch.cuda.synchronize()
        return time.perf_counter() - began


def update(network: nn.Module, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    """Go one step down the gradient of a loss."""
    optimizer.zero_grad(set_to_none=True)
    torch.autograd.backward(loss)
    nn.utils.clip_grad_norm_(network.parameters(), _CLIP)
    optimizer.step()


def order(seed: int, count: int, batch: int, step: int) -> Tensor:
    """Return the instances of a step: an epoch's permutation, without an incomplete batch."""
    every = max(count // batch, 1)
    epoch, place = divmod(step, every)
    generator = torch.Generator().manual_seed(seed * 10_007 + epoch)
    return torch.randperm(count, generator=generator)[place * batch : (place + 1) * batch]


def order_by_length(lengths: Sequence[int], seed: int, batch: int, step: int) -> list[int]:
    """Return the instances of a step: each epoch takes each once, beside those of its length."""
    every = max(len(lengths) // batch, 1)
    epoch, place = divmod(step, every)
    draw = torch.Generator().manual_seed(seed * 10_007 + epoch)
    shuffled = torch.randperm(len(lengths), generator=draw)[: every * batch]
    turn = int(torch.randperm(every, generator=draw)[place])
    pool, within = divmod(turn, _POOL)
    pooled: list[int] = shuffled[pool * _POOL * batch : (pool + 1) * _POOL * batch].tolist()
    pooled.sort(key=lambda at: lengths[at])
    return pooled[within * batch : (within + 1) * batch]
