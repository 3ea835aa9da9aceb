"""The trainings, their lines of results, and what is still to be done."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from statistics import mean
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from editcast_papers.jobs import folder_of, train_job
from editcast_papers.lines import OfTraining
from editcast_papers.slides.corpus import PAD, Corpus, Line, collate, make_corpus
from editcast_papers.slides.edits import Edits, read_edits
from editcast_papers.slides.network import (
    DROPOUT,
    HEADS,
    JOINED,
    LAYERS,
    SHAPES,
    Joined,
    Shape,
    Writer,
)
from editcast_papers.slides.positions import KINDS, Kind
from editcast_papers.slides.scores import score
from editcast_papers.training import Config, Tell, order_by_length
from editcast_training.fit.trainer import autocast, pick_device
from editcast_training.sources.registry import Origin

_WEIGHT = 1.0  # of disagreement, as in the paper
_FIRST = 0.4  # the part of the steps that pre-train


@dataclass(frozen=True)
class Model:
    """One of the compared models.

    Attributes:
        shape: Of its layers.
        positions: How it tells where words are.
        vocabulary: Most entries of it.
        joined: How heads are joined where it reads, or ``disagreement`` that is rewarded.
        parents: Whether what is read has the embeddings of its parents.
        pretrained: Whether the first part of the steps puts back lines left out of files.
    """

    shape: Shape = "encoder-decoder"
    positions: Kind = "relative"
    vocabulary: int = 4096
    joined: Joined = "linear"
    parents: bool = False
    pretrained: bool = False

    @property
    def words(self) -> str:
        """Name it."""
        parts = [self.shape, self.positions, f"{self.vocabulary:,}", self.joined]
        parts += [name for name in ("parents", "pretrained") if getattr(self, name)]
        return ", ".join(parts)


#: Each table changes one part of it.
BASELINE = Model()
TABLES: dict[str, Sequence[Model]] = {
    "vocabulary": [replace(BASELINE, vocabulary=1024 * size) for size in (2, 4, 8, 16)],
    "positions": [replace(BASELINE, positions=kind) for kind in KINDS],
    "network": [replace(BASELINE, shape=shape) for shape in SHAPES],
    "heads": [replace(BASELINE, joined=joined) for joined in JOINED],
    "parents": [replace(BASELINE, parents=parents) for parents in (False, True)],
    "pretraining": [replace(BASELINE, pretrained=pretrained) for pretrained in (False, True)],
}


@dataclass(frozen=True)
class Run(OfTraining):
    """One training, and its scores on the test edits.

    The score on dev is the mean probability of a character of dev, in percent.

    Attributes:
        model: Of `Model`.
        edits: The digest of the edits.
        counts: Edits of each part; entries of the vocabulary; the mean number of ids that are read
            of a test edit, and that are written; and the percentage of test edits that are written
            as the edit shown was.
        test_accuracy: Percent of the test edits that are exactly right.
        bits: Of a character of the test edits.
        right: A figure a test edit, 1 if it is right.
    """

    kind: ClassVar[str] = "edits"
    model: Mapping[str, Any]
    edits: str
    counts: Mapping[str, Any]
    test_accuracy: float
    bits: float
    right: str

    def is_of(self, model: Model) -> bool:
        """Tell whether it is a training of a model."""
        return dict(self.model) == asdict(model)


@dataclass(frozen=True)
class Job:
    """One training that a table needs.

    Attributes:
        origins: The repositories.
        most: Most edits of each split.
        model: As in `Run`.
        seed: As in `Run`.
        config: As in `Run`.
        scratch: The folder of the edits and of the checkpoints of all trainings.
        device: ``auto``, ``cpu`` or ``cuda``.
    """

    origins: tuple[Origin, ...]
    most: Mapping[str, int]
    model: Model
    seed: int
    config: Config
    scratch: Path
    device: str = "cpu"

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.model.words}, seed {self.seed}"

    @property
    def folder(self) -> Path:
        """Find where its checkpoints are: the name says what they are checkpoints of."""
        said = (*asdict(self.model).values(), self.seed, *self._config().values())
        return folder_of(self.scratch, *said)

    def is_in(self, runs: Sequence[Run]) -> bool:
        """Tell whether there is a line of it, of whatever device."""
        mine = (self.seed, self._config())
        return any(run.is_of(self.model) and (run.seed, dict(run.config)) == mine for run in runs)

    def make(self, tell: Tell = lambda name, step, accuracy: None) -> Run:
        """Train and test.

        Raises:
            ReproductionError: The edits cannot be made or read.
            CorpusError: The library that learns a vocabulary is not installed.
            TrainingError: There is no such device, or a checkpoint is damaged.
        """
        device, config = pick_device(self.device), self.config
        edits = _edits(self.origins, tuple(self.most.items()), self.scratch)
        corpus = make_corpus(edits, self.model.vocabulary)
        torch.manual_seed(self.seed)
        network = writer(self.model, corpus, config.hidden).to(device)
        pretrained = int(_FIRST * config.steps) if self.model.pretrained else 0
        lengths = [
            [len(line.read) + len(line.written) for line in part]
            for part in (corpus.files, corpus.train)
        ]

        def loss(step: int) -> Tensor:
            after = step >= pretrained
            places = order_by_length(lengths[after], self.seed, config.batch, step)
            part = corpus.train if after else corpus.files
            batch = collate(part[at] for at in places).to(device)
            with autocast(device):
                guess = network(batch)
            lost = cross_entropy(guess.scores.float(), batch.written[batch.written != PAD])
            return lost - _WEIGHT * guess.disagreement

        progress = train_job(
            self, network, config, loss, lambda: 100 * 2 ** -score(network, corpus.dev).bits, tell
        )
        found = score(network, corpus.test)
        return Run(
            model=asdict(self.model),
            seed=self.seed,
            config=self._config(),
            edits=edits.identity,
            counts=_counts(edits, corpus),
            **progress.in_line(network, device),
            test_accuracy=found.exact,
            bits=found.bits,
            right=found.right,
        )

    def _config(self) -> dict[str, Any]:
        sizes = {"layers": LAYERS, "heads": HEADS, "dropout": DROPOUT}
        return {**self.config.to_json(), **sizes, **self.most}


def writer(model: Model, corpus: Corpus, hidden: int) -> Writer:
    """Make a new network of a model."""
    return Writer(model.shape, model.positions, corpus, hidden, model.joined, parents=model.parents)


@lru_cache(maxsize=1)
def _edits(origins: tuple[Origin, ...], most: tuple[tuple[str, int], ...], scratch: Path) -> Edits:
    return read_edits(origins, dict(most), scratch)


def _counts(edits: Edits, corpus: Corpus) -> dict[str, Any]:
    def average(lines: Sequence[Line], side: str) -> float:
        return round(mean(len(getattr(line, side)) for line in lines), 2)

    parts = {"train": edits.train, "dev": edits.dev, "test": edits.test, "files": edits.files}
    same = mean(float(one.after == one.shown_after) for one in edits.test)
    return {
        **{name: len(part) for name, part in parts.items()},
        "ids": corpus.ids,
        "read": average(corpus.test, "read"),
        "written": average(corpus.test, "written"),
        "as_shown": round(100 * same, 2),
    }
