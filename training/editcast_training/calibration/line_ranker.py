"""Fits the line head (`forecasting.line_ranker`) on sessions, once the network is trained.

The loss of a step is how improbable its right lines are, all of them together: of a commit every
remaining hunk counts, of recorded saves the next one. Commits and recorded saves weigh the same.

    L  lines that are looked at    F  features    H  hidden units
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.forecasting.line_ranker import FEATURES, Floats, LineHead
from editcast_training.evaluation.intervals import grouped
from editcast_training.evaluation.metrics import Judge
from editcast_training.evaluation.sessions import EditingSession

_HIDDEN = 16
_STEPS, _BATCH = 1_500, 64
_LEARNING_RATE, _DECAY = 3e-3, 1e-2
_MOST_LINES = 10_000  # of a file: reading it takes longer than it teaches
_MASKED = -1e9


@dataclass(frozen=True, slots=True)
class Example:
    """One step.

    Attributes:
        kind: Of its session.
        features: (L, F).
        right: Whether a line is touched next, (L,); of one at least.
    """

    kind: str
    features: Floats
    right: npt.NDArray[np.bool_]


def examples(forecaster: NeuralForecaster, sessions: Iterable[EditingSession]) -> Iterator[Example]:
    """Yield the features of each step at which a right line is among the candidates."""
    for replayed in sessions:
        if replayed.texts[0].count("\n") > _MOST_LINES:
            continue
        session = forecaster.open(replayed.texts[0])
        for _, step in replayed.replay(partial(session.update, saved=True), session.add_other_save):
            found = session.line_features()
            if found is None:
                continue
            touched = Judge(step).touched
            right = np.array([line in touched for line in found.lines.tolist()], np.bool_)
            if right.any():
                yield Example(replayed.kind, found.features, right)


def fit(known: Sequence[Example], *, seed: int = 0) -> LineHead | None:
    """Fit the head that finds the right lines of these steps; None if there are none."""
    if not known:
        return None
    torch.manual_seed(seed)
    generator = random.Random(seed)
    groups = grouped(known, "kind").values()
    table = np.concatenate([example.features for example in known])
    mean, spread = table.mean(0), table.std(0) + 1e-3
    hidden, out = nn.Linear(FEATURES, _HIDDEN), nn.Linear(_HIDDEN, 1, bias=False)
    parameters = [*hidden.parameters(), *out.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=_LEARNING_RATE, weight_decay=_DECAY)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, _STEPS)
    for _ in range(_STEPS):
        batch = [one for group in groups for one in generator.choices(group, k=_BATCH)]
        features, right, there = _padded(batch, mean, spread)
        logits = out(torch.relu(hidden(features)))[..., 0].masked_fill(~there, _MASKED)
        log_probability = torch.log_softmax(logits, dim=1).masked_fill(~right, _MASKED)
        loss = -torch.logsumexp(log_probability, dim=1).mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
    with torch.no_grad():  # the scaling becomes part of the weights
        weight = (hidden.weight / torch.from_numpy(spread)).T
        bias = hidden.bias - torch.from_numpy(mean) @ weight
        folded = torch.cat([weight, bias[None]]).numpy()
        return LineHead(folded.round(5), out.weight[0].numpy().round(5))


def _padded(
    batch: Sequence[Example], mean: Floats, spread: Floats
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return scaled features (B, L, F), the right lines (B, L), and those that exist."""
    features = [torch.from_numpy((example.features - mean) / spread) for example in batch]
    right = [torch.from_numpy(example.right) for example in batch]
    padded = (pad_sequence(one, True) for one in (features, right, [*map(torch.ones_like, right)]))
    return next(padded), next(padded), next(padded)
