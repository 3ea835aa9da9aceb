"""The trainings, their lines of results, and what is still to be done."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor

from editcast_papers.jobs import folder_of, train_job
from editcast_papers.lines import OfTraining
from editcast_papers.pretrained_encoder.corpus import Corpus, Line, collate, read_corpus
from editcast_papers.pretrained_encoder.encoder import DROPOUT, LAYERS
from editcast_papers.pretrained_encoder.network import Kind, Writer
from editcast_papers.pretrained_encoder.pretraining import load_encoder
from editcast_papers.pretrained_encoder.scores import BEAM, probability, score, written
from editcast_papers.training import Config, Tell, order_by_length
from editcast_training.fit.trainer import pick_device

_SHOWN = 8  # lines whose code is written down


@dataclass(frozen=True)
class Model:
    """One of the compared models.

    Attributes:
        encoder: Whether it is trained from scratch, or pre-trained, and then trained or not.
        decoder: An LSTM or a Transformer.
        copying: Whether words of the description can be copied.
    """

    encoder: Literal["scratch", "fine-tuned", "frozen"]
    decoder: Kind = "LSTM"
    copying: bool = True


#: In the order in which they tell most.
MODELS = {
    "from scratch": Model("scratch"),
    "from scratch, without copying": Model("scratch", copying=False),
    "fine-tuned": Model("fine-tuned"),
    "frozen": Model("frozen"),
    "fine-tuned, Transformer": Model("fine-tuned", "Transformer"),
    "fine-tuned, without copying": Model("fine-tuned", copying=False),
    "from scratch, Transformer": Model("scratch", "Transformer"),
}


@dataclass(frozen=True)
class Run(OfTraining):
    """One training, and what its searches found in the test lines.

    The score on dev is the mean probability of a word of dev, in percent.

    Attributes:
        model: Of `MODELS`.
        data: The digest of Django.
        text: The digest of what the encoder was pre-trained on; empty if it was not.
        counts: Lines to train on, of dev, and of the test; and words that can be generated.
        reachable: Percent of the test lines all of whose words can be written.
        steps: Steps trained.
        test_accuracy: Of ``beam``, in percent.
        searches: By ``greedy`` and ``beam``, percent of lines that are right (``exact``), ``bleu``,
            and a figure a line, 1 if it is right (``right``).
        written: What the beam finds for the first test lines.
    """

    kind: ClassVar[str] = "writing"
    model: str
    data: str
    text: str
    counts: Mapping[str, Any]
    reachable: float
    steps: int
    test_accuracy: float
    searches: Mapping[str, Any]
    written: Sequence[str]


@dataclass(frozen=True)
class Job:
    """One training that the table needs.

    Attributes:
        data: The folder of Django.
        encoder: The pre-trained encoder; not read by a model from scratch.
        model: Of `MODELS`.
        seed: As in `Run`.
        config: As in `Run`.
        scratch: The folder of the checkpoints of all trainings.
        device: ``auto``, ``cpu`` or ``cuda``.
    """

    data: Path
    encoder: Path
    model: str
    seed: int
    config: Config
    scratch: Path
    device: str = "cpu"

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.model}, seed {self.seed}"

    @property
    def pretrained(self) -> bool:
        """Tell whether its encoder is pre-trained."""
        return MODELS[self.model].encoder != "scratch"

    @property
    def folder(self) -> Path:
        """Find where its checkpoints are: the name says what they are checkpoints of."""
        said = (self.model, self.seed, *asdict(self.config).values())
        return folder_of(self.scratch, *said)

    def is_in(self, runs: Sequence[Run]) -> bool:
        """Tell whether there is a line of it, of whatever device."""
        mine = (self.model, self.seed, self._config())
        return any((run.model, run.seed, dict(run.config)) == mine for run in runs)

    def make(self, tell: Tell = lambda name, step, accuracy: None) -> Run:
        """Train and test.

        Raises:
            ReproductionError: Django or the encoder cannot be read.
            TrainingError: There is no such device, or a checkpoint is damaged.
        """
        device, model, config = pick_device(self.device), MODELS[self.model], self.config
        corpus = read_corpus(self.data)
        torch.manual_seed(self.seed)
        network = Writer(
            len(corpus.subwords),
            corpus.known,
            config.hidden,
            model.decoder,
            copying=model.copying,
        )
        text = load_encoder(network.encoder, self.encoder) if self.pretrained else ""
        network.encoder.requires_grad_(model.encoder != "frozen")
        network.to(device)
        lengths = [len(line.pieces) + len(line.code) for line in corpus.train]

        def loss(step: int) -> Tensor:
            places = order_by_length(lengths, self.seed, config.batch, step)
            return -network(collate(corpus.train[at] for at in places).to(device)).mean()

        dev = partial(probability, network, corpus.dev)
        progress = train_job(self, network, config, loss, dev, tell)
        found = {
            name: score(network, corpus, corpus.test, corpus.examples[1], beam)
            for name, beam in (("greedy", 1), ("beam", BEAM))
        }
        parts = {"train": corpus.train, "dev": corpus.dev, "test": corpus.test}
        shown = written(network, corpus.test[:_SHOWN], corpus.words, BEAM)
        return Run(
            model=self.model,
            seed=self.seed,
            config=self._config(),
            data=corpus.identity,
            text=text,
            counts={name: len(part) for name, part in parts.items()} | {"words": corpus.known},
            reachable=_reachable(corpus, copying=model.copying),
            steps=progress.step,
            **progress.in_line(network, device),
            test_accuracy=found["beam"].exact,
            searches={name: asdict(one) for name, one in found.items()},
            written=[
                example.write(words)
                for example, words in zip(corpus.examples[1], shown, strict=False)
            ],
        )

    def _config(self) -> dict[str, Any]:
        return {**self.config.to_json(), "layers": LAYERS, "dropout": DROPOUT}


def _reachable(corpus: Corpus, *, copying: bool) -> float:
    def can(line: Line) -> bool:
        copied = set(line.words) if copying else set()
        return all(word < corpus.known or word in copied for word in line.code)

    return round(100 * sum(map(can, corpus.test)) / max(len(corpus.test), 1), 2)
