"""The experiment on real edits, over a corpus that `editcast corpus` made.

Instances have about 100 edits, and states up to a limit: a larger window is cut to what lies
around its edits. The paper has no end-of-save marks, so they are left out. There are two splits:
the paper's, in which any instance can be a test one (80/10/10 by instance, so that edits of one
file are on both sides), and the corpus' own, by repository.

Figure 4 d counts tokens. Those of a run of insertions are found as the tokenizer ends them; a
deletion is a token of its own. A token is right if every subtoken is, as it would be decoded
greedily; its confidence is the joint log probability of the best position and content of each
subtoken, given what truly came before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch

from editcast_model.edits import DELETE, SAVE, START, Edit
from editcast_model.errors import CorpusError
from editcast_model.networks.batch import Instance, collate
from editcast_model.tokenizer import Tokenizer
from editcast_papers.jobs import train_job
from editcast_papers.training import Config, Tell, order
from editcast_papers.zhao2019.networks.zoo import build
from editcast_papers.zhao2019.recipe import Judgements, edit_loss, judge, percent
from editcast_papers.zhao2019.runs import RealRun, Results
from editcast_papers.zhao2019.tasks import Split
from editcast_training.data.dataset import Dataset
from editcast_training.fit.trainer import pick_device

SplitName = Literal["random", "repository"]
SPLITS: tuple[SplitName, ...] = ("random", "repository")
#: What the paper compares, and ours.
MODELS = "E", "IR", "IA-ag", "IA+"
LEAST_EDITS = 50
_MOST_EDITS = 128  # of the corpus
#: Instances that are judged, and how often on dev: enough for a point, and bearable for E on a CPU.
_DEV, _TEST, _NOTES = 40, 300, 5
_POINTS = 20  # of the curve


@dataclass(frozen=True)
class RealJob:
    """One training on real edits."""

    corpus: Path
    model: str
    split: SplitName
    seed: int
    config: Config
    max_state: int
    scratch: Path
    device: str = "cpu"

    @property
    def name(self) -> str:
        """For people."""
        return f"real edits, split {self.split}, {self.model}, seed {self.seed}"

    @property
    def folder(self) -> Path:
        """Find where its checkpoints are."""
        said = (self.model, self.split, self.seed, *self._config().values())
        return self.scratch / "_".join(("real", *(str(one).replace(" ", "-") for one in said)))

    def _config(self) -> dict[str, Any]:
        return self.config.to_json() | {"max_state": self.max_state, "least_edits": LEAST_EDITS}

    def is_in(self, results: Results) -> bool:
        """Tell whether the results have a line of it."""
        mine = (self.model, self.split, self.seed, self._config())
        return any(
            (run.model, run.split, run.seed, dict(run.config)) == mine for run in results.real
        )

    def make(self, tell: Tell = lambda name, step, accuracy: None) -> RealRun:
        """Train and test.

        Raises:
            CorpusError: There is no corpus, or nothing in it that fits.
            ReproductionError: There is no such network.
            TrainingError: There is no such device, or a checkpoint is damaged.
        """
        place = pick_device(self.device)
        tokenizer = Tokenizer.load(self.corpus / "tokenizer.json")
        train, dev_part, test_part = instances(self.corpus, self.split, self.seed, self.max_state)
        dev, test = real_split(dev_part).to(place), real_split(test_part)
        torch.manual_seed(self.seed)
        items = self.max_state + _MOST_EDITS
        config = self.config
        network = build(self.model, len(tokenizer), config.hidden, items).to(place)

        def loss(step: int) -> torch.Tensor:
            chosen = order(self.seed, len(train), config.batch, step).tolist()
            return edit_loss(network, collate([train[index] for index in chosen]).to(place))

        def accuracy() -> float:
            judged = judge(network, dev, config.batch)
            return percent(judged.both, judged.scored)

        progress = train_job(self, network, config, loss, accuracy, tell, _NOTES)
        judged = judge(network, test.to(place), config.batch)
        sure, right = confident_tokens(test_part, judged, tokenizer)
        return RealRun(
            model=self.model,
            split=self.split,
            seed=self.seed,
            config=self._config(),
            steps=progress.step,
            **progress.in_line(network, place),
            test_accuracy=percent(judged.both, judged.scored),
            test_positions=percent(judged.position, judged.scored),
            test_contents=percent(judged.content, judged.scored),
            scored=int(judged.scored.sum()),
            curve=curve(sure, right),
            tokens=len(right),
        )


def plan_real(
    corpus: Path,
    models: Sequence[str],
    seeds: Sequence[int],
    configs: Sequence[Config],
    max_state: int,
    *,
    scratch: Path,
    device: str,
) -> list[RealJob]:
    """Every model on both splits."""
    return [
        RealJob(corpus, model, split, seed, config, max_state, scratch, device)
        for split in SPLITS
        for seed in seeds
        for config in configs
        for model in models
    ]


def instances(
    corpus: Path, split: SplitName, seed: int, max_state: int
) -> tuple[list[Instance], list[Instance], list[Instance]]:
    """Return the instances to train on, and samples to judge on dev and test, drawn by the seed.

    Raises:
        CorpusError: There is no corpus, or too little in it that fits.
    """
    parts = list(_parts(corpus, max_state))
    draw = np.random.default_rng(seed)
    if split == "random":
        pool = [instance for part in parts for instance in part]
        mixed = [pool[index] for index in draw.permutation(len(pool))]
        tenth = len(mixed) // 10
        parts = [mixed[2 * tenth :], mixed[:tenth], mixed[tenth : 2 * tenth]]
    train, dev, test = parts
    if not train or not dev or not test:
        raise CorpusError(
            f"Too few instances of {corpus} have at least {LEAST_EDITS} edits within {max_state} "
            "tokens; make a larger corpus, or give a larger --max-state."
        )
    return train, _sample(dev, _DEV, draw), _sample(test, _TEST, draw)


@cache
def _parts(corpus: Path, max_state: int) -> tuple[list[Instance], ...]:
    """Return what fits of the corpus' train, dev and test parts; read once in a process."""
    parts = ("train", "dev", "test")
    return tuple(fitting(Dataset.read(corpus / name), max_state) for name in parts)


def _sample(part: list[Instance], count: int, draw: np.random.Generator) -> list[Instance]:
    return [part[index] for index in draw.permutation(len(part))[:count]]


def fitting(data: Dataset, max_state: int) -> list[Instance]:
    """Return the instances with enough edits, without end-of-save marks, whose state fits."""
    found = []
    is_long = np.diff(data.positions.starts) >= LEAST_EDITS
    for index in np.flatnonzero(is_long & (data.kinds == "commits")).tolist():
        state = data.states[index]
        positions, contents = without_saves(len(state), data.positions[index], data.contents[index])
        if len(positions) < LEAST_EDITS:
            continue
        own = positions[positions < len(state)]  # at least the first edit's
        low, high = max(1, int(own.min())), int(own.max()) + 1
        spare = max_state - 1 - (high - low)
        if spare < 0:
            continue
        low = max(1, low - spare // 2)
        high = min(len(state), low + max_state - 1)
        low = max(1, high - (max_state - 1))
        cut = [START, *state[low:high].tolist()]
        inside = np.where(positions == 0, 0, positions - low + 1)
        moved = np.where(positions >= len(state), positions - len(state) + len(cut), inside)
        edits = [Edit(*pair) for pair in zip(moved.tolist(), contents.tolist(), strict=True)]
        found.append(Instance(cut, edits))
    return found


def without_saves(
    size: int, positions: npt.NDArray[np.integer[Any]], contents: npt.NDArray[np.integer[Any]]
) -> tuple[npt.NDArray[np.integer[Any]], npt.NDArray[np.integer[Any]]]:
    """Edits without the marks; a mark's item is gone, so later items are counted anew.

    Args:
        size: Tokens of the state.
        positions: Items (T,).
        contents: (T,).
    """
    kept = contents != SAVE
    before = np.concatenate([[0], np.cumsum(~kept)])  # marks before each edit
    edit = np.clip(positions - size, 0, len(positions))
    moved = np.where(positions >= size, positions - before[edit], positions)
    return moved[kept].astype(np.int32), contents[kept]


def real_split(part: list[Instance]) -> Split:
    """Instances as one part of `judge`; there are no jumps or twins."""
    batch = collate(part)
    lengths = torch.tensor([len(instance.edits) for instance in part])
    return Split(batch, lengths, torch.zeros_like(batch.scored))


def confident_tokens(
    part: list[Instance], judged: Judgements, tokenizer: Tokenizer
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the joint log probability of each token's prediction, and whether it was right."""
    sure, right = [], []
    for row, instance in enumerate(part):
        for start, end in tokens(instance, tokenizer):
            sure.append(float(judged.confidence[row, start:end].sum()))
            right.append(bool(judged.both[row, start:end].all()))
    return np.array(sure), np.array(right)


def tokens(instance: Instance, tokenizer: Tokenizer) -> list[tuple[int, int]]:
    """Return the edits of each token: index of its first, and behind its last."""
    size, edits = len(instance.state), instance.edits
    found: list[tuple[int, int]] = []
    start = 0
    while start < len(edits):
        end = start + 1
        if edits[start].content == DELETE:
            found.append((start, end))
            start = end
            continue
        # An insertion after the token that the edit before inserted is of the same run.
        while end < len(edits) and edits[end].content != DELETE:
            if edits[end].position != size + end - 1:
                break
            end += 1
        ids = [edit.content for edit in edits[start:end]]
        encoding = tokenizer.encode(tokenizer.decode(ids))
        if encoding.ids.tolist() == ids:
            ends = np.flatnonzero(encoding.ends_token) + 1 + start
        else:  # a piece of a token: what it is a piece of is not in the run
            ends = np.arange(start, end) + 1
        found.extend(zip([start, *ends[:-1].tolist()], ends.tolist(), strict=True))
        start = end
    return found


def curve(sure: npt.NDArray[np.float64], right: npt.NDArray[np.bool_]) -> list[list[float]]:
    """Figure 4 d: without the least confident x %, the accuracy of the others, in percent."""
    ranked = right[np.argsort(-sure, kind="stable")]
    points = []
    for left_out in range(0, 100, 100 // _POINTS):
        kept = max(1, round(len(ranked) * (100 - left_out) / 100))
        points.append([float(left_out), round(100 * float(ranked[:kept].mean()), 2)])
    return points
