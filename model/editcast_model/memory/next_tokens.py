"""Contents that the project memory expects, mixed into those of the network.

A network of this size knows little of what one project says. The units before a place are looked
for in the file and in the rest of the project; what follows them there is a distribution over
subtokens for each of the two. A gate mixes both with the network's, by how long they agree, how
often, and how sure the network is, as the nested caches of Hellendoorn and Devanbu (2017) do with
fixed weights. What deletes and what ends a save is left to the network.

Dimensions:

    V  vocabulary    F  features of a gate, as many as `GATE_FEATURES`
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from editcast_model.edits import DELETE, SAVE, Timeline
from editcast_model.memory.project_memory import LONGEST, Places, ProjectMemory, own_places
from editcast_model.memory.units import END, Ids, LineUnits, begun
from editcast_model.tokenizer import Tokenizer

Floats = npt.NDArray[np.float64]

#: The log probability above which the network counts as sure of a content.
SURE: Final = math.log(0.9)
_CONTEXT: Final = 64  # subtokens before a place that are read
_BEHIND: Final = 32  # subtokens behind it, which tell the place itself from others
_COMPARED: Final = 12  # units behind a place that tell it from others
_GROWTH: Final = 2.0  # how much more a place counts for each unit before it that agrees
_FEATURES: Final = 5  # of a gate for each memory
_NEVER: Final = -1e9


@dataclass(frozen=True, slots=True)
class Expected:
    """Subtokens that follow at places that read alike.

    Attributes:
        shares: Of the votes, by subtoken; they sum up to one, or there are none.
        length: How many units before the best place agree, of `LONGEST`.
        count: How many places there are.
    """

    shares: dict[int, float]
    length: int = 0
    count: int = 0

    @property
    def best(self) -> int | None:
        """Return the subtoken with most votes."""
        return max(self.shares, key=self.shares.__getitem__, default=None)

    def features(self, top: int) -> tuple[float, ...]:
        """Describe it to a gate, beside the subtoken that the network finds most probable."""
        best = self.best
        if best is None:
            return (0.0,) * _FEATURES
        agrees = float(best == top)
        return 1.0, self.length / LONGEST, self.shares[best], math.log(min(self.count, 5)), agrees


class NextTokens:
    """The subtokens that follow in one file by what its project says.

    Args:
        memory: Of the project.
        file: What the file is called there.
        tokenizer: The network's.
        gate: Two weights for each of `GATE_FEATURES`, for the file and for the project.

    Attributes:
        memory: Of the project.
    """

    def __init__(
        self, memory: ProjectMemory, file: str, tokenizer: Tokenizer, gate: Sequence[float]
    ) -> None:
        self.memory, self._file, self._tokenizer = memory, file, tokenizer
        self._gate = np.reshape(gate, (-1, 2))
        self._lines = LineUnits(memory.vocabulary)
        self._own: Ids = self._lines.ids("")[0]

    def read(self, text: str) -> None:
        """Take in the file's text as it is now."""
        if self._lines.vocabulary is not self.memory.vocabulary:  # all was forgotten
            self._lines = LineUnits(self.memory.vocabulary)
        (self._own,) = self._lines.ids(text)

    def mixed(
        self, timeline: Timeline, item: int, contents: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.float32]:
        """Mix what is expected behind an item into the network's log probabilities, (V,).

        Where the network is sure they stay as they are: the memory would hardly change them.
        """
        if float(contents.max()) > SURE:
            return contents
        expected = self.expected(timeline, item)
        if not any(one.shares for one in expected):
            return contents
        network = np.exp(contents.astype(np.float64))
        shares = gate_shares(gate_features(network, expected), expected, self._gate)
        kept = network[[DELETE, SAVE]]
        mixed = network * shares[0]
        inserted = 1.0 - float(kept.sum())
        for one, share in zip(expected, shares[1:], strict=True):
            for token, of_votes in one.shares.items():
                mixed[token] += share * inserted * of_votes
        mixed[[DELETE, SAVE]] = kept
        out: npt.NDArray[np.float32] = np.log(mixed + 1e-30).astype(np.float32)
        return out

    def expected(self, timeline: Timeline, item: int) -> tuple[Expected, Expected]:
        """Return what follows at places of the file that read alike, and of other files."""
        tokens = timeline.tokens()
        place = int(timeline.rank[item]) + 1
        text = self._tokenizer.decode(tokens[max(place - _CONTEXT, 0) : place].tolist())
        complete, partial = begun(text)
        before = self._lines.vocabulary.known_ids(complete)[-LONGEST:]
        behind = self._tokenizer.decode(tokens[place : place + _BEHIND].tolist())
        itself: list[int] = self._lines.vocabulary.known_ids(partial + behind).tolist()
        ends_text = place + _BEHIND >= len(tokens)
        itself = [*itself, END] if ends_text else itself[:-1]  # which may be half a unit
        own = own_places(self._own, self._own[:0], before)
        others = self.memory.occurrences(before, self._file)
        return self._votes(own, partial, itself[:_COMPARED]), self._votes(others, partial, [])

    def _votes(self, places: Places, partial: str, itself: list[int]) -> Expected:
        """Count the votes of places, but for the place itself, which these units are behind."""
        text_of, votes = self._lines.vocabulary.text, dict[int, float]()
        begun_ids = self._tokenizer.ids(partial)
        known: dict[tuple[int, int], int | None] = {}
        length = count = 0
        for ahead, agrees in zip(places.ahead.tolist(), places.length.tolist(), strict=True):
            if itself and ahead[: len(itself)] == itself:
                continue
            key = ahead[0], ahead[1]
            if key not in known:
                known[key] = self._next(text_of(key[0]), text_of(key[1]), partial, begun_ids)
            token = known[key]
            if token is not None:
                votes[token] = votes.get(token, 0.0) + _GROWTH**agrees
                length, count = max(length, agrees), count + 1
        total = sum(votes.values())
        return Expected({token: vote / total for token, vote in votes.items()}, length, count)

    def _next(self, unit: str, following: str, partial: str, begun_ids: list[int]) -> int | None:
        """Return the subtoken behind what is begun of a unit, or None for another unit."""
        if not unit.startswith(partial):
            return None
        ids = self._tokenizer.ids(unit)
        size = len(begun_ids)
        if ids[:size] != begun_ids:
            return None
        if len(ids) > size:
            return ids[size]
        return self._tokenizer.ids(following)[0] if following else None


def gate_features(network: Floats, expected: Sequence[Expected]) -> Floats:
    """Describe a content to be mixed: the network's probabilities (V,) and what is expected, (F,).

    The last feature tells whether both memories expect the same.
    """
    top = int(network.argmax())
    own, others = expected
    same = float(own.best is not None and own.best == others.best)
    return np.array(
        [
            1.0,
            math.log(float(network[top]) + 1e-6),
            float(top in (DELETE, SAVE)),
            *own.features(top),
            *others.features(top),
            same,
        ]
    )


def gate_shares(features: Floats, expected: Sequence[Expected], gate: Floats) -> Floats:
    """Return what the network, the file and the project count in a mixture, (3,)."""
    logits = np.array([0.0, *(features @ gate)])
    logits[1:][[not one.shares for one in expected]] = _NEVER
    weights = np.exp(logits - logits.max())
    shares: Floats = weights / weights.sum()
    return shares
