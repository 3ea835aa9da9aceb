"""A network trained on a task, and judged: which of its edits are right."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from editcast_model.networks.batch import Batch
from editcast_model.networks.heads import mix
from editcast_papers.training import Config, Training, order
from editcast_papers.zhao2019.networks.zoo import build
from editcast_papers.zhao2019.runs import Run
from editcast_papers.zhao2019.synthetic import VOCABULARY, Diff
from editcast_papers.zhao2019.tasks import Split, load
from editcast_training.fit.loss import losses
from editcast_training.fit.trainer import autocast, pick_device


def edit_loss(network: nn.Module, batch: Batch) -> Tensor:
    """Return the mean loss of the scored edits."""
    with autocast(batch.state.device):
        loss = losses(network, batch).edits
    return (loss * batch.scored).sum() / batch.scored.sum().clamp(min=1)


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
    diff: Diff = "canonical",
    tell: Callable[[int, float], None] = lambda step, accuracy: None,
) -> Run:
    """Train a network on a task and test it; its checkpoints are in `folder`.

    Raises:
        ReproductionError: There is no such task or network.
        TrainingError: There is no such device, or a checkpoint is damaged.
    """
    place = pick_device(device)
    parts = {part: load(task, part, diff=diff) for part in ("train", "dev", "test")}
    train, dev, test = (parts[part].to(place) for part in ("train", "dev", "test"))
    torch.manual_seed(seed)
    items = max(part.items for part in parts.values())
    network = build(model, VOCABULARY, config.hidden, items).to(place)

    def accuracy() -> float:
        judged = judge(network, dev)
        return percent(judged.both, judged.scored)

    def loss(step: int) -> Tensor:
        rows = train.rows(order(seed, len(train), config.batch, step).to(place))
        return edit_loss(network, rows)

    progress = Training(network, config, seed, loss, accuracy, folder, tell).run()
    judged = judge(network, test)
    jumps = judged.scored & test.jumps.cpu()
    others = judged.scored & ~jumps
    return Run(
        task=task,
        model=model,
        seed=seed,
        config=config.to_json(),
        steps=progress.step,
        **progress.in_line(network, place),
        test_accuracy=percent(judged.both, judged.scored),
        test_modulo_twins=percent(judged.twin & judged.content, judged.scored),
        test_jumps=percent(judged.both, jumps),
        test_rest=percent(judged.both, others) if others.any() else None,
        test_contents=percent(judged.content, judged.scored),
        test_positions=percent(judged.position, judged.scored),
        by_step=by_number(judged.both, judged.scored),
        scored=int(judged.scored.sum()),
        diff=diff,
    )
