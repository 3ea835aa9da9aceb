"""The paper's training: Adam, gradients clipped at global norm 1, batches of 64.

Its learning rate is constant; the default here falls linearly, since budgets are short. Each
epoch has its own order and each step its own seed, so that a training that was killed goes on
exactly as if it had not been.
"""

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Literal

import torch
from torch import Tensor, nn

from editcast_model.networks.batch import Batch
from editcast_model.networks.heads import mix
from editcast_model.private_files import private_folder
from editcast_papers.zhao2019.runs import Run
from editcast_papers.zhao2019.synthetic import VOCABULARY
from editcast_papers.zhao2019.tasks import Split, load
from editcast_papers.zhao2019.zoo import build
from editcast_training.evaluation.results import processor
from editcast_training.fit.checkpoints import read_checkpoint, restore, save_checkpoint
from editcast_training.fit.loss import losses
from editcast_training.fit.trainer import autocast, pick_device

Schedule = Literal["linear", "constant"]
#: Called with a training's name, the step, and the accuracy on dev after it.
Tell = Callable[[str, int, float], None]
_CLIP = 1.0
_WARM_UP = 100  # steps
NOTES = 20  # evaluations on dev in a training


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


@dataclass(frozen=True)
class Training:
    """A network on its way, whatever the data.

    Attributes:
        network: The network, on its device.
        config: The recipe's settings.
        seed: Of what is drawn in a step.
        batch: The batch of a step, counted from 0, on the network's device.
        dev: The score of the network, the higher the better; in percent.
        folder: Where its checkpoints are.
        tell: Called with the step and the score after each evaluation.
        notes: How many evaluations there are.
    """

    network: nn.Module
    config: Config
    seed: int
    batch: Callable[[int], Batch]
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
        config, network, progress = self.config, self.network, Progress()
        latest, best = self.folder / "latest.safetensors", self.folder / "best.safetensors"
        private_folder(self.folder)
        optimizer = torch.optim.Adam(network.parameters(), lr=config.rate)
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
        batch = self.batch(step)
        began = time.perf_counter()
        torch.manual_seed(self.seed * 1_000_003 + step)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(self.config, step)
        train_step(self.network, optimizer, batch)
        if batch.state.is_cuda:
            torch.cuda.synchronize()
        return time.perf_counter() - began


def train_step(network: nn.Module, optimizer: torch.optim.Optimizer, batch: Batch) -> None:
    """Forward, backward and an update, on the mean loss of the scored edits."""
    network.train()
    with autocast(batch.state.device) if batch.state.is_cuda else nullcontext():
        loss = losses(network, batch).edits
    mean = (loss * batch.scored).sum() / batch.scored.sum().clamp(min=1)
    optimizer.zero_grad(set_to_none=True)
    torch.autograd.backward(mean)
    nn.utils.clip_grad_norm_(network.parameters(), _CLIP)
    optimizer.step()


def order(seed: int, count: int, batch: int, step: int) -> Tensor:
    """Return the instances of a step: an epoch's permutation, without an incomplete batch."""
    every = max(count // batch, 1)
    epoch, place = divmod(step, every)
    generator = torch.Generator().manual_seed(seed * 10_007 + epoch)
    return torch.randperm(count, generator=generator)[place * batch : (place + 1) * batch]


@dataclass(frozen=True)
class Judgements:
    """Right and wrong edits of a part, each bool (B, T) on the CPU; unscored edits count nowhere.

    `confidence`, float (B, T), is the log probability of the best position and the best content.
    """

    scored: Tensor
    position: Tensor
    twin: Tensor
    content: Tensor
    confidence: Tensor

    @property
    def both(self) -> Tensor:
        """Position and content right."""
        return self.position & self.content


def percent(right: Tensor, of: Tensor) -> float:
    """Return the share of the marked, in percent, to two decimals; 0 of none."""
    return round(100 * int((right & of).sum()) / max(int(of.sum()), 1), 2)


def judge(network: nn.Module, data: Split, batch: int = 64) -> Judgements:
    """Judge every edit of a part, teacher-forced; contents given the true position."""
    network.eval()
    by_length = torch.argsort(data.lengths, stable=True)
    shape = data.batch.scored.shape
    position, twin, content = (torch.zeros(shape, dtype=torch.bool) for _ in range(3))
    confidence = torch.zeros(shape)
    with torch.no_grad():
        for index in torch.split(by_length, batch):
            rows = data.rows(index)
            with autocast(rows.state.device) if rows.state.is_cuda else nullcontext():
                where, vocabulary, weights, *_ = network(rows)
            steps, places = where.shape[1], index.cpu()
            at, found = where.max(-1)
            position[places, :steps] = (found == rows.positions[:, 1:]).cpu()
            surest, what = mix(vocabulary, weights, rows.tokens).max(-1)
            content[places, :steps] = (what == rows.contents[:, 1:]).cpu()
            confidence[places, :steps] = (at + surest).float().cpu()
            if data.twins is not None:
                twins = data.twins[index, :steps, : where.shape[2]]
                twin[places, :steps] = twins.gather(-1, found[..., None]).squeeze(-1).cpu()
    return Judgements(data.batch.scored.cpu(), position, twin, content, confidence)


def by_number(right: Tensor, scored: Tensor) -> list[float]:
    """Accuracy of the first scored edit of all instances, of the second, and so on."""
    number = scored.cumsum(1)
    most = int(number.max())
    return [percent(right, scored & (number == one)) for one in range(1, most + 1)]


def train_on_task(
    task: str,
    model: str,
    seed: int,
    config: Config,
    folder: Path,
    *,
    device: str = "cpu",
    tell: Callable[[int, float], None] = lambda step, accuracy: None,
) -> Run:
    """Train a network on a task and test it; its checkpoints are in `folder`.

    Raises:
        ReproductionError: There is no such task or network.
        TrainingError: There is no such device, or a checkpoint is damaged.
    """
    place = pick_device(device)
    parts = {part: load(task, part) for part in ("train", "dev", "test")}
    train, dev, test = (parts[part].to(place) for part in ("train", "dev", "test"))
    torch.manual_seed(seed)
    items = max(part.items for part in parts.values())
    network = build(model, VOCABULARY, config.hidden, items).to(place)

    def accuracy() -> float:
        judged = judge(network, dev)
        return percent(judged.both, judged.scored)

    def batch(step: int) -> Batch:
        return train.rows(order(seed, len(train), config.batch, step).to(place))

    progress = Training(network, config, seed, batch, accuracy, folder, tell).run()
    judged = judge(network, test)
    jumps = judged.scored & test.jumps.cpu()
    others = judged.scored & ~jumps
    return Run(
        task=task,
        model=model,
        seed=seed,
        config=config.to_json(),
        parameters=sum(one.numel() for one in network.parameters()),
        device=device_words(place),
        seconds_per_step=round(median(progress.seconds), 4),
        steps=progress.step,
        dev=progress.dev,
        test_accuracy=percent(judged.both, judged.scored),
        test_modulo_twins=percent(judged.twin & judged.content, judged.scored),
        test_jumps=percent(judged.both, jumps),
        test_rest=percent(judged.both, others) if others.any() else None,
        test_contents=percent(judged.content, judged.scored),
        test_positions=percent(judged.position, judged.scored),
        by_step=by_number(judged.both, judged.scored),
        scored=int(judged.scored.sum()),
    )
