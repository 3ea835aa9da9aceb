"""The trainings, their lines of results, and what is still to be done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from editcast_papers.jobs import folder_of, train_job
from editcast_papers.lines import OfTraining
from editcast_papers.pointer_mixture.corpus import Amount, Corpus, read_corpus
from editcast_papers.pointer_mixture.labels import Task, labels, loss
from editcast_papers.pointer_mixture.network import Carry, Completer, Kind, Sizes
from editcast_papers.pointer_mixture.scores import score
from editcast_papers.pointer_mixture.streams import Segments, schedule
from editcast_papers.training import Config, Tell
from editcast_training.sources.registry import Origin

NETWORKS = {
    "vanilla LSTM": Kind(attention=False),
    "attention": Kind(attention=True),
    "pointer mixture": Kind(attention=True, pointer=True),
    "pointer random": Kind(attention=True, pointer=True, random=True),
}


@dataclass(frozen=True)
class Run(OfTraining):
    """One training, and what its network got right in the test files.

    The score on dev is the accuracy on dev, in percent.

    Attributes:
        language: Of the files.
        task: What is predicted: `value` or `type`.
        vocabulary: Values of it, at most.
        network: Of `NETWORKS`.
        corpus: The digest of the trees.
        counts: Nodes, files, types and values.
        steps: Steps trained.
        test_accuracy: In percent.
        shares: What `scores.Scores` has of the test files.
        right: Of each test file.
        nodes: Of each test file.
    """

    kind: ClassVar[str] = "completion"
    language: str
    task: str
    vocabulary: int
    network: str
    corpus: str
    counts: Mapping[str, Any]
    steps: int
    test_accuracy: float
    shares: Mapping[str, Any]
    right: Sequence[int]
    nodes: Sequence[int]


class Streams(nn.Module):
    """A network and what its streams carry, so that a checkpoint has both."""

    memory: Tensor
    cell: Tensor

    def __init__(self, network: Completer, streams: int) -> None:
        super().__init__()
        self.network = network
        memory, cell = network.nothing(streams)
        self.register_buffer("memory", memory)
        self.register_buffer("cell", cell)

    def loss(self, segments: Segments, numbers: Tensor, task: Task) -> Tensor:
        """Return the loss of a step, and go on to the next."""
        batch = segments.at(numbers)
        guess, carry = self.network(batch, Carry(self.memory, self.cell))
        self.memory, self.cell = carry
        return loss(self.network, guess, labels(batch, task, self.network.sizes.classes))


@dataclass(frozen=True)
class Job:
    """One training that a table needs.

    Attributes:
        origins: The repositories.
        amount: Nodes to read, at most.
        language: As in `Run`.
        task: As in `Run`.
        vocabulary: As in `Run`.
        network: As in `Run`.
        seed: As in `Run`.
        config: As in `Run`.
        device: `cpu` or `cuda`.
        scratch: The folder of the trees and of the checkpoints of all trainings.
    """

    origins: Sequence[Origin]
    amount: Amount
    language: str
    task: Task
    vocabulary: int
    network: str
    seed: int
    config: Config
    device: str
    scratch: Path

    @property
    def name(self) -> str:
        """For people."""
        what = f"{self.language}, {self.task}, {self.vocabulary:,}"
        return f"{what}, {self.network}, seed {self.seed}"

    @property
    def folder(self) -> Path:
        """Find where its checkpoints are: the name says what they are checkpoints of."""
        said = (self.language, self.task, self.vocabulary, self.network, self.seed)
        said += tuple(self._config().values())
        return folder_of(self.scratch, *said)

    def is_in(self, runs: Sequence[Run]) -> bool:
        """Tell whether there is a line of it, of whatever device."""
        mine = (self.language, self.task, self.vocabulary, self.network, self.seed, self._config())
        return any(
            (run.language, run.task, run.vocabulary, run.network, run.seed, dict(run.config))
            == mine
            for run in runs
        )

    def make(self, tell: Tell = lambda name, step, accuracy: None) -> Run:
        """Train and test.

        Raises:
            ReproductionError: The trees cannot be made or read.
            TrainingError: A checkpoint is damaged.
        """
        corpus = read_corpus(self.origins, self.amount, self.scratch)
        sizes = self._sizes(corpus)
        torch.manual_seed(self.seed)
        network = Completer(NETWORKS[self.network], sizes)
        streams = Streams(network, self.config.batch).to(self.device)
        train, dev, test = (
            Segments(part, self.device) for part in (corpus.train, corpus.dev, corpus.test)
        )
        numbers = schedule(train, self.config.batch, self.config.steps, self.seed)
        progress = train_job(
            self,
            streams,
            self.config,
            lambda step: streams.loss(train, numbers[step], self.task),
            lambda: score(network, dev, self.task).accuracy,
            tell,
        )
        found = score(network, test, self.task)
        return Run(
            language=self.language,
            task=self.task,
            vocabulary=self.vocabulary,
            network=self.network,
            seed=self.seed,
            config=self._config(),
            corpus=corpus.identity,
            counts=_counts(corpus),
            steps=progress.step,
            **progress.in_line(network, torch.device(self.device)),
            test_accuracy=round(found.accuracy, 3),
            shares=found.shares,
            right=found.right,
            nodes=found.nodes,
        )

    def _sizes(self, corpus: Corpus) -> Sizes:
        values = min(self.vocabulary, corpus.values)
        classes = values if self.task == "value" else corpus.types
        return Sizes(corpus.types + 1, values, classes, self.config.hidden)

    def _config(self) -> dict[str, Any]:
        nodes = {"train": self.amount.train, "test": self.amount.test}
        return {**self.config.to_json(), **nodes}


def _counts(corpus: Corpus) -> dict[str, int]:
    parts = {"train": corpus.train, "dev": corpus.dev, "test": corpus.test}
    nodes = {name: len(part.types) for name, part in parts.items()}
    files = {f"{name}_files": len(part.ends) for name, part in parts.items()}
    return {**nodes, **files, "types": corpus.types, "values": corpus.values}
