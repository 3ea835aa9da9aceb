"""Loss of a training step, and scores of a trained network."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from editcast_papers.heads import Regularised
from editcast_papers.multi_head.corpus import Corpus, Part
from editcast_papers.multi_head.network import Translator, mean_disagreement
from editcast_papers.multi_head.search import translate
from editcast_papers.subwords import PAD

BEAM = 4
KINDS: tuple[Regularised, ...] = ("subspaces", "positions", "outputs")
SMOOTHING = 0.1
_WEIGHT = 1.0  # the paper's lambda
_AT_ONCE = 100  # sentences
_MORE = 20  # subwords that a translation may be longer than its source


def loss(
    network: Translator, source: Tensor, target: Tensor, regularised: Sequence[Regularised]
) -> Tensor:
    """Return the mean loss of a subword, less the disagreement of heads that is rewarded."""
    logits, memory = network(source, target)
    total = nn.functional.cross_entropy(
        logits.float().flatten(0, 1),
        target.flatten(),
        ignore_index=PAD,
        label_smoothing=SMOOTHING,
    )
    for kind in regularised:
        total = total - _WEIGHT * mean_disagreement(memory, kind)
    return total


@torch.no_grad()
def probability_of_subwords(network: Translator, part: Part) -> float:
    """Return the geometric mean of the probability of a subword, in percent."""
    network.eval()
    total, count = 0.0, 0
    for rows in part.in_batches(_AT_ONCE):
        source, target = part.batch(rows)
        logits, _ = network(source, target)
        total -= float(
            nn.functional.cross_entropy(
                logits.flatten(0, 1), target.flatten(), ignore_index=PAD, reduction="sum"
            )
        )
        count += sum(part.sizes[row][1] for row in rows)
    return 100 * float(torch.tensor(total / count).exp())


@torch.no_grad()
def disagreements(network: Translator, part: Part) -> dict[str, float]:
    """Return how much the encoder's heads disagree, by each measure."""
    network.eval()
    found = dict.fromkeys(KINDS, 0.0)
    for rows in part.in_batches(_AT_ONCE):
        memory = network.encode(part.batch(rows)[0])
        for kind in KINDS:
            found[kind] += float(mean_disagreement(memory, kind)) * len(rows) / len(part)
    return {kind: round(value, 4) for kind, value in found.items()}


class Translations(NamedTuple):
    """The translations of a part, and how many of them a second gives."""

    texts: list[str]
    speed: float


def translations(network: Translator, corpus: Corpus, part: Part) -> Translations:
    """Translate all sources of a part."""
    network.eval()
    texts = [""] * len(part)
    began = time.perf_counter()
    for rows in part.in_batches(_AT_ONCE):
        source, _ = part.batch(rows)
        found = translate(network, source, BEAM, source.shape[1] + _MORE)
        for row, ids in zip(rows, found.tolist(), strict=True):
            texts[row] = corpus.subwords.decode(ids)
    return Translations(texts, len(part) / (time.perf_counter() - began))
