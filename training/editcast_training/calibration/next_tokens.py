"""Fits the weight of the project memory for contents, on the text that people wrote next.

Histories are cut into instances by the rules of the corpus, and the network is asked for each
content as the edits before it were made. The gate maximizes the likelihood of what was inserted
under the mixture. Commits and recorded saves weigh the same.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from editcast_model.bundle import Bundle
from editcast_model.edits import DELETE, SAVE
from editcast_model.export import load_network
from editcast_model.memory.next_tokens import SURE, gate_features
from editcast_training.calibration.logistic import kind_weights
from editcast_training.evaluation.known_files import FilesOf
from editcast_training.evaluation.sessions import EditingSession
from editcast_training.evaluation.token_accuracy import forced_contents

_LEAST = 1e-6  # a probability
_DECAY = 1e-3
_STEPS = 300


class Example(NamedTuple):
    """A subtoken that was inserted.

    Attributes:
        kind: Of its session.
        features: As `gate_features` gives them, (F,).
        likelihoods: Of the subtoken, given that one is inserted: by the network, the file, the
            project, (3,).
        is_known: Which of these expect anything, bool (3,).
    """

    kind: str
    features: npt.NDArray[np.float64]
    likelihoods: tuple[float, float, float]
    is_known: tuple[bool, bool, bool]


def examples(
    bundle: Bundle, sessions: Iterable[EditingSession], files: FilesOf
) -> Iterator[Example]:
    """Yield what was inserted in sessions where the memory expects something."""
    network_of = load_network(bundle).eval()
    for session in sessions:
        for forced in forced_contents(bundle, network_of, session, files):
            token = forced.content
            expected = forced.expected
            if token in (DELETE, SAVE) or not any(one.shares for one in expected):
                continue
            if float(forced.network.max()) > SURE:
                continue
            network = np.exp(forced.network.astype(np.float64))
            inserted = max(1 - float(network[[DELETE, SAVE]].sum()), _LEAST)
            own, others = (one.shares.get(token, 0.0) for one in expected)
            yield Example(
                session.kind,
                gate_features(network, expected),
                (min(float(network[token]) / inserted, 1.0), own, others),
                (True, bool(expected[0].shares), bool(expected[1].shares)),
            )


def fit(known: Iterable[Example]) -> tuple[float, ...]:
    """Fit the weights of a gate to examples; empty where there are none."""
    found = list(known)
    if not found:
        return ()
    counted = kind_weights(one.kind for one in found)
    weights = torch.tensor([counted[one.kind] / len(found) for one in found])
    features = torch.tensor(np.array([one.features for one in found]), dtype=torch.float32)
    likelihoods = torch.tensor([one.likelihoods for one in found])
    hidden = (torch.tensor([one.is_known for one in found]).logical_not()) * -1e9
    gate = torch.zeros(features.shape[1], 2, requires_grad=True)
    optimizer = torch.optim.LBFGS([gate], max_iter=_STEPS, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        logits = torch.cat([torch.zeros(len(found), 1), features @ gate], 1) + hidden
        mixed = (logits.softmax(1) * likelihoods).sum(1).clamp_min(_LEAST)
        value: torch.Tensor = -(weights * mixed.log()).sum() + _DECAY * (gate**2).sum()
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimizer.step(loss)  # type: ignore[no-untyped-call]
    return tuple(round(float(one), 4) for one in gate.detach().flatten())
