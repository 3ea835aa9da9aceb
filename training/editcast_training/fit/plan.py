"""The plan of a training, and how far it is."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import torch

from editcast_model.networks.config import NetworkConfig
from editcast_training.data.streaming import Stream
from editcast_training.fit.processes import Meeting

#: The default number of subtokens of a batch.
SUBTOKENS: Final = 8_000


def no_reason() -> str:
    """Give no reason to wait."""
    return ""


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """Options of a training that do not depend on its data. `steps` or `minutes` ends it.

    Attributes:
        minutes: Minutes of training, evaluations and resumptions added up, or None.
        batches: Of a step, shared by the processes.
        patience: Evaluations without a lower loss on dev before it stops early; 0 for never.
        seed: Decides the initial weights, the order and the dropout.
        device: The device, as torch names it, or `auto`.
        stream: The storage that the split `train` is in, or None.
        sharded: Whether the network is divided among the processes, instead of whole in each.
    """

    steps: int | None = None
    minutes: float | None = None
    batches: int = 1
    patience: int = 0
    seed: int = 0
    device: str = "auto"
    stream: Stream | None = None
    sharded: bool = False


@dataclass(frozen=True)
class TrainingPlan(TrainingOptions):
    """Plan of a training.

    Attributes:
        corpus: A folder with the splits `train` and `dev`; without `train` if that is streamed.
        learning_rate: Peak, after warm-up; then a cosine to a hundredth of it.
        budget: Subtokens of a batch; see `Dataset.batches`.
        loaders: Processes that make batches ahead, while the device computes; 0 to make them in
            this process. The batches are the same.
        interval: Steps between evaluations, each followed by a checkpoint.
        weights: A checkpoint's or bundle's weights to begin from, or None.
        reason_to_wait: Asked before each step; says in words why to wait, empty to go on. Of
            several processes none waits.
        meeting: Where this process meets the others; None where it is alone, or `torchrun` has
            started it.
    """

    corpus: Path
    out: Path
    network: NetworkConfig
    learning_rate: float = 1e-3
    budget: int = SUBTOKENS
    loaders: int = 0
    interval: int = 200
    weights: dict[str, torch.Tensor] | None = None
    reason_to_wait: Callable[[], str] = no_reason
    meeting: Meeting | None = None


@dataclass
class Progress:
    """State of a training beside its weights; written into its checkpoints."""

    step: int = 0
    epoch: int = 0
    part: int = 0  # of the epoch
    batch: int = 0  # steps of the part
    edits: int = 0
    seconds: float = 0.0
    corpus: int = 0
    best: float = math.inf
    stale: int = 0
    average: float | None = None  # of the losses, the last steps' the most
    device: str = ""  # of the last steps
    budget: int = 0  # less than the plan's once memory was short; 0 while it is the plan's

    def share(self, plan: TrainingPlan) -> float:
        """Compute how much of it is done, 0 to 1."""
        by_steps = self.step / plan.steps if plan.steps else 0.0
        by_time = self.seconds / 60 / plan.minutes if plan.minutes else 0.0
        return max(by_steps, by_time)
