"""The training loop: from scratch or from a checkpoint, on one device or many.

Every step draws from its own seed and every epoch has its own order, so a training that was
killed goes on exactly as if it had not been. A step is of a number of batches that the plan fixes,
however many processes share them: these add up their gradients, so the losses are the same up to
rounding. The processes are those of `torchrun`, or of `cluster_training.py`.
"""

import json
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from editcast_model.edits import SAVE
from editcast_model.errors import TrainingError
from editcast_model.networks.batch import Batch, collate
from editcast_model.networks.model import EditNetwork
from editcast_model.private_files import append_text, private_folder, write_text
from editcast_training.data.dataset import Dataset
from editcast_training.data.loading import load
from editcast_training.data.streaming import StreamedSplit
from editcast_training.disk import explained
from editcast_training.fit.checkpoints import contribute, read_checkpoint, restore, save_checkpoint
from editcast_training.fit.loss import losses, score
from editcast_training.fit.plan import Progress, TrainingPlan
from editcast_training.fit.processes import add_up, divide, meeting, of_first
from editcast_training.interrupts import held

_WARM_UP = 0.03
# The first edit after a save is the hard one, and one in ten: it counts this many times.
_JUMP_WEIGHT = 3.0
_DEV_INSTANCES = 80
_PAUSE_S = 1.0
_LEAST_BUDGET = 500  # below it a batch is hardly an instance


def pick_device(wanted: str) -> torch.device:
    """Return the device named, or the best there is for `auto`."""
    if wanted == "auto":
        wanted = "cuda" if torch.cuda.is_available() else "cpu"
    if wanted == "cuda" and not torch.cuda.is_available():
        raise TrainingError("There is no CUDA device here; train with --device cpu.")
    return torch.device(wanted)


def autocast(device: torch.device) -> AbstractContextManager[Any]:
    """Return bf16 autocast where the hardware has it: emulated it is slower than fp32."""
    native = device.type == "cuda" or any(
        getattr(torch.cpu, name, lambda: False)()
        for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    )
    return torch.autocast(device.type, torch.bfloat16) if native else nullcontext()


def learning_rate(share: float, peak: float) -> float:
    """Compute the learning rate: linear warm-up, then a cosine down to a hundredth."""
    if share < _WARM_UP:
        return peak * (0.02 + 0.98 * share / _WARM_UP)
    rest = (share - _WARM_UP) / (1 - _WARM_UP)
    return peak * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(rest, 1.0))))


@explained(TrainingError)
def train(plan: TrainingPlan, report: Callable[[dict[str, Any]], None] = lambda line: None) -> Path:
    """Train until the plan ends, going on from the checkpoint in `plan.out` if there is one.

    Return the checkpoint with the lowest loss on dev. Interrupted between two steps, the training
    leaves a checkpoint. Weights that the plan begins from are evaluated before the first step, so
    that what is returned is never worse than they are. Where memory runs out, batches are halved.
    `report` is called after each step with its loss and progress, after each evaluation, and with a
    `message` for the user.

    Raises:
        TrainingError: The plan has no end, the checkpoint is of another network, or the memory
            does not hold the smallest batch, or a checkpoint cannot be written.
        CorpusError: The corpus has no training or no dev instances.
    """
    if not (plan.steps or plan.minutes):
        raise TrainingError("A training needs an end: give it steps or minutes.")
    with meeting(plan.meeting, pick_device(plan.device)) as (rank, world):
        return _Trainer(plan, rank, world, report).run()


def result_of(folder: Path) -> Path:
    """Name the checkpoint with the lowest loss on dev; the latest where none was evaluated."""
    best = folder / "best.safetensors"
    return best if best.exists() else folder / "latest.safetensors"


class _Trainer:
    def __init__(
        self, plan: TrainingPlan, rank: int, world: int, report: Callable[[dict[str, Any]], None]
    ) -> None:
        self.plan, self.rank, self.world, self.report = plan, rank, world, report
        self.device = pick_device(plan.device)
        if self.device.type == "cuda" and world > 1:
            self.device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.manual_seed(plan.seed)
        self.sharded = plan.sharded and world > 1
        self.network = EditNetwork(plan.network)
        if plan.weights is not None:
            self.network.load_state_dict(plan.weights)
        if self.sharded:
            divide(self.network, self.device, world)
        self.network.to(self.device)
        self.optimizer = torch.optim.AdamW(self._groups(), lr=plan.learning_rate, betas=(0.9, 0.98))
        self.progress = Progress()
        self.latest = plan.out / "latest.safetensors"
        self.best = plan.out / "best.safetensors"
        if self.latest.exists():
            weights, moments, about = read_checkpoint(self.latest)
            restore(self.network, self.optimizer, weights, moments)
            self.progress = Progress(**about["progress"])
        is_gpu = self.device.type == "cuda"
        self.progress.device = torch.cuda.get_device_name(self.device) if is_gpu else "cpu"
        self.saved = self.progress.step  # the step of the checkpoint, if there is one
        self.is_whole = False  # whether the network is as a step left it
        self.clock = time.perf_counter()
        dev = Dataset.read(plan.corpus / "dev")
        spread = range(0, len(dev), max(1, len(dev) // _DEV_INSTANCES))
        sample = sorted(
            (dev.instance(index, (1024, 1024)) for index in spread), key=lambda one: len(one.state)
        )
        self.dev = [sample[start : start + 8] for start in range(0, len(sample), 8)]

    def _groups(self) -> list[dict[str, Any]]:
        """Group the parameters: matrices decay, vectors do not."""
        parameters = list(self.network.parameters())
        return [
            {"params": [one for one in parameters if one.dim() > 1], "weight_decay": 0.01},
            {"params": [one for one in parameters if one.dim() <= 1], "weight_decay": 0.0},
        ]

    def run(self) -> Path:
        private_folder(self.plan.out)
        self._forget_later_lines()
        self.clock = time.perf_counter()
        try:
            if self.plan.weights is not None and not self.latest.exists():
                self._evaluate()
            self.is_whole = True
            while self.progress.share(self.plan) < 1 and not self._stalled():
                self._epoch()
        except KeyboardInterrupt:
            is_new = self.is_whole and self.progress.step > self.saved
            if is_new and not self.rank and not self.sharded:  # all have parts of a sharded one
                self._save(self.latest)
            raise
        return result_of(self.plan.out)

    def _forget_later_lines(self) -> None:
        """Take out of the log what a killed training did after its last checkpoint."""
        path = self.plan.out / "log.jsonl"
        if self.rank or not path.exists():
            return
        lines = path.read_text("utf-8").splitlines(keepends=True)
        kept = [line for line in lines if _step_of(line) <= self.progress.step]
        if len(kept) < len(lines):
            write_text(path, "".join(kept))

    def _stalled(self) -> bool:
        return bool(self.plan.patience) and self.progress.stale >= self.plan.patience

    def _epoch(self) -> None:
        plan, progress = self.plan, self.progress
        stream = plan.stream
        data = StreamedSplit(stream, plan.corpus) if stream else Dataset.read(plan.corpus / "train")
        if progress.corpus != len(data):  # the corpus grew since the checkpoint: begin an epoch
            progress.corpus, progress.part, progress.batch = len(data), 0, 0
        begun = None if progress.part or progress.batch else progress.step
        seed = plan.seed * 10_007 + progress.epoch
        for number, read in enumerate(data.parts(seed)):
            if number < progress.part:
                continue
            for batches in self._shares(read(), seed + (number << 40)):
                self._wait()
                with held():
                    self.is_whole = False
                    try:
                        self._advance(batches)
                    except torch.OutOfMemoryError as error:
                        self._halve_batches(error)
                        return
                    self.is_whole = True
                if progress.share(plan) >= 1 or self._stalled():
                    return
            progress.part, progress.batch = number + 1, 0
        if progress.step == begun:
            raise TrainingError(
                f"The corpus has too few instances for a step of {plan.batches:,} batches; train "
                "with fewer --batches or --workers, or with more history."
            )
        progress.epoch, progress.part = progress.epoch + 1, 0

    def _wait(self) -> None:
        """Wait while there is a reason to; that time is none of the training's."""
        said = ""
        while self.world == 1 and (reason := self.plan.reason_to_wait()):
            if reason != said:
                self.report({"message": f"The training waits: {reason}."})
            said = reason
            time.sleep(_PAUSE_S)
        if said:
            self.clock = time.perf_counter()
            self.report({"message": "The training continues."})

    def _advance(self, batches: Mapping[int, Batch]) -> None:
        """Make a step, and evaluate where it is time to."""
        progress = self.progress
        loss, edits = self._step(batches)
        progress.step += 1
        progress.batch += 1
        progress.edits += edits
        self._tick()
        average = progress.average
        progress.average = loss if average is None else 0.98 * average + 0.02 * loss
        share = progress.share(self.plan)
        self.report(
            {"step": progress.step, "share": share, "loss": progress.average, "edits": edits}
        )
        if progress.step % self.plan.interval == 0 or share >= 1:
            self._evaluate()

    def _shares(self, data: Dataset, seed: int) -> Iterator[dict[int, Batch]]:
        """Yield this process' batches of each step left of a part, by their number in it.

        Where the network is divided all processes have as many; some have one of no weight.
        """
        size = self.plan.batches
        budget, folder = self.progress.budget or self.plan.budget, self.plan.out / "batches"
        every = load(data, seed, budget, folder, self.plan.loaders)
        steps = zip(*[every] * size, strict=False)  # an incomplete last one is left out
        end = -(-size // self.world) * self.world if self.sharded else size
        for groups in islice(steps, self.progress.batch, None):
            mine = range(self.rank, end, self.world)
            yield {number: groups[number % size]().to(self.device) for number in mine}

    def _halve_batches(self, error: Exception) -> None:
        """Begin another epoch with batches of half the size."""
        progress = self.progress
        budget = (progress.budget or self.plan.budget) // 2
        if budget < _LEAST_BUDGET:
            raise TrainingError(
                "The memory of the device does not hold the smallest batch; close what else uses "
                "it, or train with --device cpu."
            ) from error
        if self.world > 1:  # the others wait for this process' gradients
            raise TrainingError(
                "The memory of a device ran out; train with fewer processes on it, or on one."
            ) from error
        self.optimizer.zero_grad(set_to_none=True)
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
        progress.budget, progress.part, progress.batch = budget, 0, 0
        progress.epoch += 1
        self.report(
            {"message": f"The memory ran out; continuing with batches of {budget:,} subtokens."}
        )

    def _step(self, batches: Mapping[int, Batch]) -> tuple[float, int]:
        plan, progress = self.plan, self.progress
        rate = learning_rate(progress.share(plan), plan.learning_rate)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.network.train()
        self.optimizer.zero_grad(set_to_none=True)
        loss, edits = 0.0, 0
        for number, batch in batches.items():
            torch.manual_seed((plan.seed * 1_000_003 + progress.step) * plan.batches + number)
            is_extra = number >= plan.batches
            mean = self._loss(batch) / plan.batches * (0 if is_extra else 1)
            # The gradients of a network that is divided are a mean, and have to be a sum.
            torch.autograd.backward(mean * self.world if self.sharded else mean)
            loss += mean.item()
            edits += 0 if is_extra else int(batch.scored.sum())
        if self.world > 1:  # the gradients of a network that is divided are added up already
            whole = [] if self.sharded else list(self.network.parameters())
            loss, edits = add_up(whole, loss, edits, self.device)
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        return loss, edits

    def _loss(self, batch: Batch) -> Tensor:
        with autocast(self.device):
            loss = losses(self.network, batch)
        jump = batch.contents[:, :-1] == SAVE
        weight = batch.scored * torch.where(jump, _JUMP_WEIGHT, 1.0)
        return (loss.edits * weight).sum() / weight.sum()

    def _tick(self) -> None:
        """Count the time since the last tick; of several processes the clock of the first decides.

        So all end at the same step. Who gives it minutes waits for the evaluations, too.
        """
        now = time.perf_counter()
        self.progress.seconds += now - self.clock
        self.clock = now
        if self.world > 1 and self.plan.minutes:
            self.progress.seconds = of_first(self.progress.seconds, self.device)

    def _evaluate(self) -> None:
        """Score dev, note it in the log, and write the checkpoint."""
        progress = self.progress
        shares: dict[str, float] = {}
        if self.sharded or not self.rank:
            with autocast(self.device):
                batches = (collate(group).to(self.device) for group in self.dev)
                shares = score(self.network, batches).shares()
        if self.world > 1:  # so that all stop at the same evaluation
            shares["loss"] = of_first(shares.get("loss", 0.0), self.device)
        self._tick()
        better = shares["loss"] < progress.best
        progress.best = min(progress.best, shares["loss"])
        progress.stale = 0 if better else progress.stale + 1
        line = {
            "step": progress.step,
            "epoch": progress.epoch,
            "seconds": round(progress.seconds, 1),
            "edits": progress.edits,
            "train_loss": round(progress.average or 0.0, 4),
            "dev": shares,
        }
        if not self.rank:
            append_text(self.plan.out / "log.jsonl", json.dumps(line) + "\n")
        elif not self.sharded:
            return
        # In this order: killed between the two, a training does this interval again, and the same.
        if better:
            self._save(self.best)
        self._save(self.latest)
        if not self.rank:
            self.report(line)

    def _save(self, path: Path) -> None:
        about = {"network": self.plan.network.to_json(), "progress": vars(self.progress)}
        if self.rank:
            contribute(self.network, self.optimizer)
        else:
            save_checkpoint(path, self.network, self.optimizer, about)
        self.saved = self.progress.step


def _step_of(line: str) -> float:
    """Read the step of a line of the log; infinity for a line that a power loss cut short."""
    try:
        return int(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError):
        return math.inf
