"""Accuracy of a network, file by file and kind by kind."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from editcast_papers.pointer_mixture.labels import Task, answers, labels
from editcast_papers.pointer_mixture.network import Completer
from editcast_papers.pointer_mixture.streams import Segments

#: Files that are read at once.
_AT_ONCE = 64


@dataclass(frozen=True)
class Scores:
    """How often a network is right.

    Attributes:
        right: Nodes of each file that are predicted right.
        nodes: Nodes of each file that are to be predicted.
        shares: In percent: the kinds' shares of the nodes, and how many of each kind are right.
    """

    right: list[int]
    nodes: list[int]
    shares: dict[str, float]

    @property
    def accuracy(self) -> float:
        """In percent."""
        return 100 * sum(self.right) / sum(self.nodes)


@torch.no_grad()
def score(network: Completer, segments: Segments, task: Task) -> Scores:
    """Predict every node of every file, in the same order each time."""
    network.eval()
    torch.manual_seed(0)  # of pointers that are drawn
    files = len(segments.starts)
    counts = torch.zeros(files, 7, dtype=torch.int64, device=segments.device)
    longest_first = np.argsort(-segments.counts, kind="stable")
    for begin in range(0, files, _AT_ONCE):
        group = longest_first[begin : begin + _AT_ONCE]
        carry = network.nothing(len(group))
        starts = torch.from_numpy(segments.starts[group])
        for turn in range(int(segments.counts[group[0]])):
            there = int((segments.counts[group] > turn).sum())
            carry = type(carry)(carry.memory[:there], carry.cell[:there])
            batch = segments.at(starts[:there] + turn)
            right = labels(batch, task, network.sizes.classes)
            guess, carry = network(batch, carry)
            correct = answers(network, guess, right)
            unknown = (right.next >= 0) & (right.classes < 0)
            valued = batch.next_values > 0
            kinds = [right.next >= 0, correct, valued, correct & valued, unknown, correct & unknown]
            kinds.append(right.places >= 0)
            found = torch.stack([kind.sum(1) for kind in kinds], 1)
            counts[torch.from_numpy(group[:there]).to(counts.device)] += found
    return _summed(counts.cpu().numpy())


def _summed(counts: npt.NDArray[np.int64]) -> Scores:
    nodes, right, valued, right_valued, unknown, right_unknown, copyable = counts.T

    def share(part: npt.NDArray[np.int64], whole: npt.NDArray[np.int64]) -> float:
        return round(100 * float(part.sum()) / max(int(whole.sum()), 1), 3)

    shares = {
        "valued": share(valued, nodes),
        "valued_right": share(right_valued, valued),
        "unknown": share(unknown, nodes),
        "unknown_right": share(right_unknown, unknown),
        "copyable": share(copyable, nodes),
    }
    return Scores(right.tolist(), nodes.tolist(), shares)
