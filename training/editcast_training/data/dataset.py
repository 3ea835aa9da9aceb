"""Instances of a corpus, in memory as flat arrays, and the batches of an epoch.

A corpus' windows are as wide as files are; most of their text is far from every edit. A batch has
all that is near an edit, and of the rest pieces, drawn by the seed, that stand for all of it: in
the pointer's normaliser each of their tokens counts as often as one of them was left out, so what
is learned is to find the place in the whole window, at the cost of a small one.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from editcast_model.edits import Edit
from editcast_model.errors import CorpusError
from editcast_model.networks.batch import Instance

# Subtokens kept before and after each edit, drawn between the two; a tenfold margin is as likely
# anywhere.
_MARGINS = 32, 128
# Of the text beyond, pieces of so many subtokens, about so many subtokens together.
_PIECE, _FAR = 128, 256
# How often an instance is in an epoch. Recorded saves are what the model is for, and few beside
# commits.
_TIMES = {"saves": 4}
_NUMBERS = ["state", "positions", "contents", "jumps"]
#: The columns that are read from a shard.
COLUMNS = [*_NUMBERS, "kind"]
# Instances that are sorted by length together: for about so many batches, and no fewer than that.
_CHUNK, _LEAST_CHUNK = 16, 512


@dataclass(frozen=True)
class Column:
    """Lists of integers: `values`, and where each begins, int64 (count + 1,)."""

    values: npt.NDArray[np.integer[Any]]
    starts: npt.NDArray[np.int64]

    def __getitem__(self, index: int) -> npt.NDArray[np.integer[Any]]:
        return self.values[self.starts[index] : self.starts[index + 1]]


@dataclass(frozen=True)
class Dataset:
    """The instances of one split; `kinds` are those of their histories, str (count,)."""

    states: Column
    positions: Column
    contents: Column
    jumps: Column
    kinds: npt.NDArray[np.str_]

    @classmethod
    def read(cls, folder: Path) -> "Dataset":
        """Return the finished shards of a split's folder, in the order of their names.

        Raises:
            CorpusError: There is no instance.
        """
        paths = sorted(folder.glob("*.parquet"))
        tables = [pq.read_table(path, columns=COLUMNS) for path in paths]
        if not any(table.num_rows for table in tables):
            raise CorpusError(f"There are no instances in {folder}; make the corpus first.")
        return cls.of(tables)

    @classmethod
    def of(cls, tables: Iterable[pa.Table]) -> "Dataset":
        """Return the instances of tables with `COLUMNS`, of which some must have rows."""
        tables = [table for table in tables if table.num_rows]

        def column(name: str) -> Column:
            chunks = [chunk for table in tables for chunk in table[name].chunks]
            values = [chunk.flatten().to_numpy() for chunk in chunks]
            sizes = [np.diff(chunk.offsets.to_numpy()) for chunk in chunks]
            starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
            return Column(np.concatenate(values), starts.astype(np.int64))

        kinds = np.concatenate([table["kind"].to_numpy() for table in tables]).astype(np.str_)
        state, positions, contents, jumps = map(column, _NUMBERS)
        return cls(state, positions, contents, jumps, kinds)

    def __len__(self) -> int:
        return len(self.states.starts) - 1

    def parts(self, seed: int) -> "Sequence[Callable[[], Dataset]]":
        """Return what gives the parts of an epoch; here there is one."""
        return [lambda: self]

    def instance(
        self, index: int, margins: tuple[int, int] | None = None, draw: random.Random | None = None
    ) -> Instance:
        """Read one instance, whole or cropped.

        Args:
            index: Its number.
            margins: Most subtokens kept before and after its edits; None for all.
            draw: Crops each edit's neighbourhood instead, and draws pieces of what lies beyond.
        """
        state, positions = self.states[index], self.positions[index]
        size = len(state)
        own = positions[(positions > 0) & (positions < size)]
        stands = np.ones(size, np.float32)
        kept = np.ones(size, np.bool_)
        if margins is not None and len(own):
            low, high = np.maximum(own - margins[0], 1), np.minimum(own + 1 + margins[1], size)
            near = np.zeros(size + 1, np.int64)
            if draw is None:
                near[low.min()], near[high.max()] = 1, -1
            else:
                np.add.at(near, low, 1)
                np.add.at(near, high, -1)
            kept = np.cumsum(near)[:-1] > 0
            kept[0] = True
            if draw is not None:
                _draw_far(kept, stands, draw)
        cropped = state[kept]
        places = np.cumsum(kept) - 1
        inside = np.minimum(positions, size - 1)
        moved = np.where(positions >= size, positions - size + len(cropped), places[inside])
        pairs = zip(moved.tolist(), self.contents[index].tolist(), strict=True)
        return Instance(
            cropped.tolist(),
            [Edit(position, content) for position, content in pairs],
            jumps=self.jumps[index].tolist(),
            left_out=(np.arange(size) - places)[kept].tolist(),
            stands=stands[kept].tolist(),
        )

    def chunks(self, seed: int, budget: int) -> list[tuple[int, list[int]]]:
        """Draw the order of an epoch: every instance once, or as `_TIMES` says of its kind.

        The instances, by their number, are in chunks whose batches are made together, each with the
        seed that decides on these.
        """
        times = [_TIMES.get(kind, 1) for kind in self.kinds]
        order = np.repeat(np.arange(len(self)), times).tolist()
        random.Random(seed).shuffle(order)
        size = max(_LEAST_CHUNK, _CHUNK * budget // 1000)
        starts = enumerate(range(0, len(order), size))
        return [(seed * 1_000_003 + number, order[at : at + size]) for number, at in starts]

    def batches_of(self, chunk: tuple[int, Sequence[int]], budget: int) -> list[list[Instance]]:
        """Make the batches of a chunk, each of alike lengths."""
        draw = random.Random(chunk[0])
        cropped = [self.instance(index, (_margin(draw), _margin(draw)), draw) for index in chunk[1]]
        return _pack(cropped, budget, draw)

    def batches(self, seed: int, budget: int) -> Iterator[list[Instance]]:
        """Yield the batches of an epoch.

        The budget is the most subtokens of a batch, padding included; edits count four times, since
        they pass through more layers than the state.
        """
        for chunk in self.chunks(seed, budget):
            yield from self.batches_of(chunk, budget)


def _margin(draw: random.Random) -> int:
    least, most = _MARGINS
    return int(least * (most / least) ** draw.random())


def _draw_far(
    kept: npt.NDArray[np.bool_], stands: npt.NDArray[np.float32], draw: random.Random
) -> None:
    """Keep pieces of what is not kept yet, and note how many tokens each of theirs stands for."""
    far = ~kept
    total = int(far.sum())
    rate = min(1.0, _FAR / max(total, 1))
    shift = draw.randrange(_PIECE)
    for start in range(-shift, len(kept), _PIECE):
        piece = slice(max(start, 0), start + _PIECE)
        if far[piece].any() and draw.random() < rate:
            stands[piece][far[piece]] = 1 / rate
            kept[piece] = True


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
