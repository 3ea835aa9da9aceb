"""Instances of a corpus, in memory as flat arrays, and the batches of an epoch.

A corpus' windows are as wide as the largest state; most of their text is far from every edit.
Batches crop it to the edits' neighbourhood, with margins drawn by the seed, so that a step is
spent on what there is to learn.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from editcast_model.edits import START, Edit
from editcast_model.errors import CorpusError
from editcast_model.networks.batch import Instance

# Subtokens kept before and after the edits, drawn between the two; a tenfold margin is as likely
# anywhere, so that some instances have as much to look through as a file has.
_MARGINS = 16, 512
# Recorded saves are what the model is for, and few beside commits.
_SAVES_TIMES = 4
_COLUMNS = ["state", "positions", "contents", "jumps"]
_CHUNK = 64  # batches that are sorted by length together


@dataclass(frozen=True)
class Column:
    """Lists of integers: `values`, and where each begins, int64 (count + 1,)."""

    values: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]

    def __getitem__(self, index: int) -> npt.NDArray[np.int32]:
        return self.values[self.starts[index] : self.starts[index + 1]]


@dataclass(frozen=True)
class Dataset:
    """The instances of one split; is_recorded tells saves from commits, bool (count,)."""

    states: Column
    positions: Column
    contents: Column
    jumps: Column
    is_recorded: npt.NDArray[np.bool_]

    @classmethod
    def read(cls, folder: Path) -> "Dataset":
        """The finished shards of a split's folder, in the order of their names.

        Raises:
            CorpusError: There is no instance.
        """
        paths = sorted(folder.glob("*.parquet"))
        tables = [pq.read_table(path, columns=[*_COLUMNS, "kind"]) for path in paths]
        tables = [table for table in tables if table.num_rows]
        if not tables:
            raise CorpusError(f"There are no instances in {folder}; make the corpus first.")

        def column(name: str) -> Column:
            chunks = [chunk for table in tables for chunk in table[name].chunks]
            values = [chunk.flatten().to_numpy().astype(np.int32) for chunk in chunks]
            sizes = [np.diff(chunk.offsets.to_numpy()) for chunk in chunks]
            starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
            return Column(np.concatenate(values), starts.astype(np.int64))

        kinds = np.concatenate([table["kind"].to_numpy() for table in tables])
        state, positions, contents, jumps = map(column, _COLUMNS)
        return cls(state, positions, contents, jumps, kinds == "saves")

    def __len__(self) -> int:
        return len(self.states.starts) - 1

    @property
    def edits(self) -> int:
        """How many edits there are."""
        return len(self.positions.values)

    def instance(self, index: int, margins: tuple[int, int] | None = None) -> Instance:
        """One instance, with at most so many subtokens before and after its edits."""
        state, positions = self.states[index], self.positions[index]
        own = positions[(positions > 0) & (positions < len(state))]
        if margins is None or not len(own):
            low, high = 1, len(state)
        else:
            low = max(1, int(own.min()) - margins[0])
            high = min(len(state), int(own.max()) + 1 + margins[1])
        cropped = [START, *state[low:high].tolist()]
        shift = len(state) - len(cropped)
        moved = np.where(positions >= len(state), positions - shift, positions - low + 1)
        moved[positions == 0] = 0
        pairs = zip(moved.tolist(), self.contents[index].tolist(), strict=True)
        edits = [Edit(position, content) for position, content in pairs]
        return Instance(cropped, edits, jumps=self.jumps[index].tolist())

    def batches(self, seed: int, budget: int) -> Iterator[list[Instance]]:
        """One epoch: every instance once, or `_SAVES_TIMES` if it was recorded.

        Batches are of alike lengths, and `seed` decides on them.

        Args:
            seed: Of the epoch.
            budget: Most subtokens of a batch, padding included; edits count four times, since
                they pass through more layers than the state.
        """
        draw = random.Random(seed)
        order = np.repeat(
            np.arange(len(self)), np.where(self.is_recorded, _SAVES_TIMES, 1)
        ).tolist()
        draw.shuffle(order)
        pending: list[Instance] = []
        cost = 0
        for index in order:
            instance = self.instance(index, (_margin(draw), _margin(draw)))
            pending.append(instance)
            cost += _cost(instance)
            if cost > budget * _CHUNK:
                yield from _pack(pending, budget, draw)
                pending, cost = [], 0
        yield from _pack(pending, budget, draw)


def _margin(draw: random.Random) -> int:
    least, most = _MARGINS
    return int(least * (most / least) ** draw.random())


def _cost(instance: Instance) -> int:
    return len(instance.state) + 4 * len(instance.edits)


def _pack(instances: list[Instance], budget: int, draw: random.Random) -> list[list[Instance]]:
    """Sort by length, cut where padding would go over the budget, and shuffle."""
    batches: list[list[Instance]] = [[]]
    widest = longest = 0
    for instance in sorted(instances, key=lambda one: (len(one.state) // 96, len(one.edits))):
        widest = max(widest, len(instance.state))
        longest = max(longest, len(instance.edits))
        if batches[-1] and (widest + 4 * longest) * (len(batches[-1]) + 1) > budget:
            batches.append([])
            widest, longest = len(instance.state), len(instance.edits)
        batches[-1].append(instance)
    draw.shuffle(batches)
    return [batch for batch in batches if batch]
