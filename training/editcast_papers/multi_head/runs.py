"""The trainings, their lines of results, and what is still to be done."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor

from editcast_papers.bleu import Counts, bleu, bleu_counts
from editcast_papers.jobs import folder_of, train_job
from editcast_papers.lines import OfTraining
from editcast_papers.multi_head.corpus import read_corpus
from editcast_papers.multi_head.network import Model, Sizes, Translator
from editcast_papers.multi_head.scores import (
    BEAM,
    disagreements,
    loss,
    probability_of_subwords,
    translations,
)
from editcast_papers.training import Config, Tell, order_by_length
from editcast_training.fit.trainer import autocast, pick_device

#: The most telling first: a training of each seed is done in this order.
MODELS = {
    "none": Model(),
    "outputs": Model(("outputs",)),
    "EM: encoder": Model(routed=("encoder",)),
    "simple: encoder": Model(rule="simple", routed=("encoder",)),
    "outputs; EM: encoder": Model(("outputs",), routed=("encoder",)),
    "subspaces": Model(("subspaces",)),
    "positions": Model(("positions",)),
    "subspaces, outputs": Model(("subspaces", "outputs")),
    "subspaces, positions": Model(("subspaces", "positions")),
    "positions, outputs": Model(("positions", "outputs")),
    "subspaces, positions, outputs": Model(("subspaces", "positions", "outputs")),
    "EM: encoder-decoder": Model(routed=("encoder-decoder",)),
    "EM: decoder": Model(routed=("decoder",)),
    "EM: encoder, encoder-decoder": Model(routed=("encoder", "encoder-decoder")),
    "EM: all": Model(routed=("encoder", "encoder-decoder", "decoder")),
    "EM: encoder, layer 1": Model(routed=("encoder",), layers=(0,)),
    "EM: encoder, layer 2": Model(routed=("encoder",), layers=(1,)),
}
_SHOWN = 3  # translations that a line keeps


@dataclass(frozen=True)
class Settings:
    """Sizes and the recipe of a training.

    Attributes:
        config: Width, learning rate, batch, steps and schedule.
        layers: Of the encoder, and of the decoder.
        heads: Of each attention.
        vocabulary: Most subwords.
        dropout: Everywhere.
    """

    config: Config
    layers: int
    heads: int
    vocabulary: int
    dropout: float = 0.1

    def to_json(self) -> dict[str, Any]:
        """As it stands in a line of results."""
        sizes = asdict(self)
        return {**sizes.pop("config"), **sizes, "beam": BEAM}


@dataclass(frozen=True)
class Run(OfTraining):
    """One training, and its translations of the test sentences.

    The score on dev is the mean probability of a subword of dev, in percent.

    Attributes:
        model: Of `MODELS`.
        corpus: The digest of what was read.
        counts: Pairs to train on, of dev, and of the test.
        sentences_per_second: Of beam search.
        bleu: Of the test's translations.
        sentences: What `bleu_counts` gives for each of them.
        disagreement: How much the encoder's heads disagree on dev, by each measure.
        shown: The first translations of the test.
    """

    kind: ClassVar[str] = "translating"
    model: str
    corpus: str
    counts: Mapping[str, Any]
    sentences_per_second: float
    bleu: float
    sentences: Sequence[Counts]
    disagreement: Mapping[str, Any]
    shown: Sequence[str]

    @property
    def test_accuracy(self) -> float:
        """BLEU."""
        return self.bleu


@dataclass(frozen=True)
class Job:
    """One training that a table needs.

    Attributes:
        data: A clone of `multi30k/dataset`.
        model: Of `MODELS`.
        seed: As in `Run`.
        settings: Of the training.
        device: As `pick_device` has it.
        scratch: The folder of the checkpoints of all trainings.
    """

    data: Path
    model: str
    seed: int
    settings: Settings
    device: str
    scratch: Path

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.model}, seed {self.seed}"

    @property
    def folder(self) -> Path:
        """Find where its checkpoints are: the name says what they are checkpoints of."""
        said = (self.model, self.seed, *self.settings.to_json().values())
        return folder_of(self.scratch, *said)

    def is_in(self, runs: Sequence[Run]) -> bool:
        """Tell whether there is a line of it, of whatever device."""
        mine = (self.model, self.seed, self.settings.to_json())
        return any((run.model, run.seed, dict(run.config)) == mine for run in runs)

    def make(self, tell: Tell = lambda name, step, score: None) -> Run:
        """Train and test.

        Raises:
            ReproductionError: The pairs cannot be read.
            TrainingError: There is no such device, or a checkpoint is damaged.
        """
        device, settings, model = pick_device(self.device), self.settings, MODELS[self.model]
        config = settings.config
        corpus = read_corpus(self.data, settings.vocabulary, device)
        sizes = Sizes(
            len(corpus.subwords), config.hidden, settings.layers, settings.heads, settings.dropout
        )
        torch.manual_seed(self.seed)
        network = Translator(sizes, model).to(device)
        lengths = [target for _, target in corpus.train.sizes]

        def step_loss(step: int) -> Tensor:
            rows = order_by_length(lengths, self.seed, config.batch, step)
            with autocast(device):
                return loss(network, *corpus.train.batch(rows), model.regularised)

        dev = partial(probability_of_subwords, network, corpus.dev)
        progress = train_job(self, network, config, step_loss, dev, tell)
        texts, speed = translations(network, corpus, corpus.test)
        sentences = bleu_counts(texts, corpus.test.references)
        return Run(
            model=self.model,
            seed=self.seed,
            config=settings.to_json(),
            **progress.in_line(network, device),
            corpus=corpus.identity,
            counts={
                "train": len(corpus.train),
                "dev": len(corpus.dev),
                "test": len(corpus.test),
            },
            sentences_per_second=round(speed, 1),
            bleu=round(bleu(sentences), 4),
            sentences=sentences,
            disagreement=disagreements(network, corpus.dev),
            shown=texts[:_SHOWN],
        )
