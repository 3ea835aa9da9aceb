"""The trainings, their lines of results, and what is still to be done."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor

from editcast_papers.indigo.networks.likelihood import of_orders
from editcast_papers.indigo.networks.network import DROPOUT, HEADS, Indigo
from editcast_papers.indigo.networks.positions import PAD
from editcast_papers.indigo.orders import ORDERS
from editcast_papers.indigo.scores import appended, decode_all, picture, score
from editcast_papers.indigo.searched import search_orders
from editcast_papers.indigo.tasks import (
    TASKS,
    Batch,
    Corpus,
    batch_of,
    random_order,
    read_task,
)
from editcast_papers.jobs import folder_of, train_job
from editcast_papers.lines import OfTraining
from editcast_papers.training import Config, Tell
from editcast_training.fit.trainer import autocast, pick_device

_FEW = 300  # examples of dev that choose the weights, and that show orders
_PICTURES = 8
#: The part of a training in which a searched order is not yet searched.
_BOOTSTRAP = 0.5


@dataclass(frozen=True)
class Variant:
    """A way to train.

    Attributes:
        order: One of `ORDERS`, or ``RND``: what is trained first, or all the time.
        searched: Whether orders are searched.
        bootstrap: Whether the first part of a training has `order` all the same.
        noise: Whether dropout is on in the search.
    """

    order: str
    searched: bool = False
    bootstrap: bool = True
    noise: bool = True


VARIANTS = {
    "L2R": Variant("L2R"),
    "RND": Variant("RND"),
    "SAO": Variant("L2R", searched=True),
    **{name: Variant(name) for name in ORDERS if name != "L2R"},
    "SAO, no bootstrap": Variant("L2R", searched=True, bootstrap=False),
    "SAO, no bootstrap, no noise": Variant("L2R", searched=True, bootstrap=False, noise=False),
    "SAO from R2L": Variant("R2L", searched=True),
    "SAO from SYN": Variant("SYN", searched=True),
}


@dataclass(frozen=True)
class Sizes:
    """Settings of a training beside its `Config`.

    Attributes:
        layers: Of the encoder, and of the decoder.
        orders: B, the orders of a text that are searched and trained; 0 in a line of a training
            that searches none.
        most: Examples of the test at most; 0 for all.
    """

    layers: int = 2
    orders: int = 4
    most: int = 0


@dataclass(frozen=True)
class Run(OfTraining):
    """One training, and what decoding found in the test examples.

    The score on dev is BLEU on some of dev, greedy; the time is of the last training steps.

    Attributes:
        task: Of `TASKS`.
        variant: Of `VARIANTS`.
        corpus: The digest of what was read.
        counts: Examples to train on, of dev, and of the test; words that can be written.
        steps: Steps trained.
        test_accuracy: BLEU of the widest beam, or the percentage of exact lines of Django.
        beams: By the beam, what `scores.score` gives.
        dev_beams: The same on some of dev.
        appended: The percentage of words written right behind the one written before.
        actions: The first test examples, with the step of each word; greedy.
    """

    kind: ClassVar[str] = "insertion"
    task: str
    variant: str
    corpus: str
    counts: Mapping[str, Any]
    steps: int
    test_accuracy: float
    beams: Mapping[str, Any]
    dev_beams: Mapping[str, Any]
    appended: float
    actions: Sequence[str]


@dataclass(frozen=True)
class Job:
    """One training that a table needs.

    Attributes:
        data: The folder that the task is read from.
        task: Of `TASKS`.
        variant: Of `VARIANTS`.
        seed: As in `Run`.
        config: As in `Run`.
        sizes: As in `Run`.
        beams: Of decoding.
        device: Where it runs.
        scratch: The folder of the checkpoints of all trainings.
    """

    data: Path
    task: str
    variant: str
    seed: int
    config: Config
    sizes: Sizes
    beams: Sequence[int]
    device: str
    scratch: Path

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.task}, {self.variant}, seed {self.seed}"

    @property
    def folder(self) -> Path:
        """Find where its checkpoints are: the name says what they are checkpoints of."""
        said = (self.task, self.variant, self.seed, *self._config().values())
        return folder_of(self.scratch, *said)

    def is_in(self, runs: Sequence[Run]) -> bool:
        """Tell whether there is a line of it, of whatever device."""
        mine = (self.task, self.variant, self.seed, self._config())
        return any((run.task, run.variant, run.seed, dict(run.config)) == mine for run in runs)

    def _config(self) -> dict[str, Any]:
        sizes = asdict(self.sizes)
        if not VARIANTS[self.variant].searched:
            sizes["orders"] = 0
        return {**self.config.to_json(), **sizes, "heads": HEADS, "dropout": DROPOUT}

    def make(self, tell: Tell = lambda name, step, accuracy: None) -> Run:
        """Train and test.

        Raises:
            ReproductionError: The data cannot be read.
            TrainingError: A checkpoint is damaged.
        """
        variant, device = VARIANTS[self.variant], pick_device(self.device)
        corpus = read_task(self.task, self.data, variant.order)
        torch.manual_seed(self.seed)
        network = Indigo(
            len(corpus.words),
            corpus.known,
            self.config.hidden,
            self.sizes.layers,
            ordered=TASKS[self.task].ordered,
        ).to(device)
        few = corpus.dev[:_FEW]
        progress = train_job(
            self,
            network,
            self.config,
            lambda step: self._loss(network, corpus, step, device),
            lambda: float(score(network, corpus, few, 1, device)["bleu"]),
            tell,
        )
        test = corpus.test[: self.sizes.most or None]
        beams = {str(beam): score(network, corpus, test, beam, device) for beam in self.beams}
        dev_beams = {str(beam): score(network, corpus, few, beam, device) for beam in self.beams}
        for one in dev_beams.values():
            del one["counts"]
        greedy = decode_all(network, test[:_FEW], 1, device)
        measure = "exact" if self.task == "django" else "bleu"
        parts = {"train": len(corpus.train), "dev": len(few), "test": len(test)}
        line = progress.in_line(network, device)
        line["seconds_per_step"] = round(progress.seconds[-1], 4)
        return Run(
            task=self.task,
            variant=self.variant,
            seed=self.seed,
            config=self._config(),
            corpus=corpus.identity,
            counts={**parts, "words": corpus.known},
            steps=progress.step,
            **line,
            test_accuracy=beams[str(max(self.beams))][measure],
            beams=beams,
            dev_beams=dev_beams,
            appended=appended(greedy),
            actions=[picture(corpus, one) for one in greedy[:_PICTURES]],
        )

    def _loss(self, network: Indigo, corpus: Corpus, step: int, device: torch.device) -> Tensor:
        batch = batch_of(corpus, self.seed, self.config.batch, step, device)
        first = step < int(_BOOTSTRAP * self.config.steps)
        with autocast(device):
            return loss_of(network, batch, VARIANTS[self.variant], self.sizes.orders, first)


def loss_of(
    network: Indigo, batch: Batch, variant: Variant, orders: int, bootstrapping: bool
) -> Tensor:
    """Return the mean loss of a word, with its place.

    Args:
        network: The network, in training.
        batch: The examples.
        variant: The way to train.
        orders: B.
        bootstrapping: Whether this is the first part of a training.
    """
    words = (batch.text != PAD).sum() + len(batch.text)
    if not variant.searched or (variant.bootstrap and bootstrapping):
        order = random_order(batch.text) if variant.order == "RND" else batch.order
        return -of_orders(network, batch.source, batch.text, order[:, None]).sum() / words
    network.train(variant.noise)
    found = search_orders(network, batch.source, batch.text, orders)
    network.train()
    there = (found.score > -torch.inf).float()
    weights = there / there.sum(1, keepdim=True)
    likelihoods = of_orders(network, batch.source, batch.text, found.order)
    return -(weights * likelihoods).sum() / words
