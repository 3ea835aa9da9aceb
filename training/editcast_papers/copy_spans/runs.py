"""The trainings, their lines of results, and what is still to be done."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor

from editcast_papers.copy_spans.likelihood import text_likelihoods
from editcast_papers.copy_spans.network import DROPOUT, Copier
from editcast_papers.copy_spans.pairs import PAD, Corpus, Size, batch_of, read_corpus
from editcast_papers.copy_spans.scores import (
    BEAM,
    LONGEST,
    named,
    probability_of_words,
    score,
    spans_of,
    transfers,
)
from editcast_papers.jobs import folder_of, train_job
from editcast_papers.lines import OfTraining
from editcast_papers.training import Config, Tell

_PICTURES = 6  # pairs whose actions are written down
_FEW = 5  # rays of a transfer


@dataclass(frozen=True)
class Model:
    """One of the paper's models.

    Attributes:
        spans: Whether it copies spans, or single words.
        forced: Whether it is trained to copy the longest span at each place.
    """

    spans: bool
    forced: bool


MODELS = {
    "SeqCopySpan": Model(spans=True, forced=False),
    "Copy+Seq2Seq": Model(spans=False, forced=False),
    "force copy longest": Model(spans=True, forced=True),
}


@dataclass(frozen=True)
class Run(OfTraining):
    """One training, and what its searches found in the test pairs.

    The score on dev is the mean probability of a word of dev, in percent.

    Attributes:
        size: Of the pairs.
        model: Of `MODELS`.
        corpus: The digest of what was read.
        counts: Pairs to train on, of dev, and of the test.
        steps: Steps trained.
        test_accuracy: Of ``beam``, in percent.
        searches: By ``beam``, ``greedy`` and ``merged at the end``, what `scores.score` gives.
        lengths: How often greedy decoding copies a span of a length.
        actions: What greedy decoding does to the first test pairs.
        transfers: What `scores.transfers` gives; of edits only.
    """

    kind: ClassVar[str] = "copying"
    size: str
    model: str
    corpus: str
    counts: Mapping[str, Any]
    steps: int
    test_accuracy: float
    searches: Mapping[str, Any]
    lengths: Mapping[str, Any]
    actions: Sequence[str]
    transfers: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """One training that a table needs.

    Attributes:
        pairs: The folder that the pairs are read from.
        size: Of the pairs.
        model: Of `MODELS`.
        seed: As in `Run`.
        config: As in `Run`.
        most: Test pairs at most; 0 for all.
        scratch: The folder of the checkpoints of all trainings.
    """

    pairs: Path
    size: Size
    model: str
    seed: int
    config: Config
    most: int
    scratch: Path

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.size}, {self.model}, seed {self.seed}"

    @property
    def folder(self) -> Path:
        """Find where its checkpoints are: the name says what they are checkpoints of."""
        said = (self.size, self.model, self.seed, *asdict(self.config).values())
        return folder_of(self.scratch, *said)

    def is_in(self, runs: Sequence[Run]) -> bool:
        """Tell whether there is a line of it, of whatever device."""
        mine = (self.size, self.model, self.seed, self._config())
        return any((run.size, run.model, run.seed, dict(run.config)) == mine for run in runs)

    def make(self, tell: Tell = lambda name, step, accuracy: None) -> Run:
        """Train and test.

        Raises:
            ReproductionError: The pairs cannot be read.
            TrainingError: A checkpoint is damaged.
        """
        corpus = read_corpus(self.pairs, self.size)
        model, config = MODELS[self.model], self.config
        torch.manual_seed(self.seed)
        network = Copier(
            corpus.known,
            config.hidden,
            spans=model.spans,
            embedding=self._embedding,
            edit=self._edit,
        )

        def loss(step: int) -> Tensor:
            batch = batch_of(corpus.train, self.seed, config.batch, step)
            total = text_likelihoods(network, batch, forced=model.forced).sum()
            return -total / (batch.after != PAD).sum()

        progress = train_job(
            self,
            network,
            config,
            loss,
            lambda: probability_of_words(network, corpus.dev, forced=model.forced),
            tell,
        )
        about = Run(
            size=self.size,
            model=self.model,
            seed=self.seed,
            config=self._config(),
            corpus=corpus.identity,
            counts={"train": len(corpus.train), "dev": len(corpus.dev)},
            steps=progress.step,
            **progress.in_line(network, torch.device("cpu")),
            test_accuracy=0.0,
            searches={},
            lengths={},
            actions=(),
        )
        return self._tested(network, corpus, about)

    def _tested(self, network: Copier, corpus: Corpus, about: Run) -> Run:
        test = corpus.test[: self.most or None]
        longest = LONGEST[self.size]
        searches = {
            "beam": score(network, corpus, test, longest, BEAM, "always"),
            "greedy": score(network, corpus, test, longest, 1, "never"),
        }
        if MODELS[self.model] == MODELS["SeqCopySpan"]:
            searches["merged at the end"] = score(network, corpus, test, longest, BEAM, "end")
        lengths, actions = spans_of(network, test, longest)
        transferred = transfers(network, corpus, longest, _FEW)
        return replace(
            about,
            counts={**about.counts, "test": len(test)},
            test_accuracy=searches["beam"]["accuracy"],
            searches=searches,
            lengths={str(length): count for length, count in sorted(lengths.items())},
            actions=[
                f"{len(test[place].before)} words: {named(actions[place], corpus.words)}"
                for place in range(min(_PICTURES, len(test)))
            ],
            transfers=transferred,
        )

    def _config(self) -> dict[str, Any]:
        sizes = {"embedding": self._embedding, "dropout": DROPOUT, "test": self.most}
        return {**self.config.to_json(), **sizes, **({"edit": self._edit} if self._edit else {})}

    @property
    def _embedding(self) -> int:
        return 64 if self.size == "edits" else 32

    @property
    def _edit(self) -> int:
        """Return the width of an edit's representation: as wide as the encoder of edits."""
        return self.config.hidden if self.size == "edits" else 0
