"""The instances of a corpus in storage, read part by part while a training goes on.

A part consists of row groups drawn from all shards, so it is as mixed as the corpus. The seed of an
epoch decides which row groups are in which part. Only one part is in memory. Row groups that were
read are kept on the disk as long as there is room for them, so a small corpus is read from the
storage once. Shards are never copied as a whole.
"""

import os
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from editcast_model.errors import CorpusError
from editcast_model.private_files import private_folder
from editcast_training.data.corpus import MANIFEST, read_corpus
from editcast_training.data.dataset import COLUMNS, Dataset
from editcast_training.data.shards import ROW_GROUP, shard_of
from editcast_training.disk import explained
from editcast_training.sources.storage import opened_file

_GROUPS: Final = 64  # some 200 MB in memory
_SPLIT: Final = "train"


@dataclass(frozen=True)
class Stream:
    """The train split of a corpus in storage.

    Attributes:
        cache: A folder for row groups that were read.
        room: Bytes that these may take, and those of the part that is being read.
        groups: Most row groups of a part.
    """

    url: str
    cache: Path
    room: int
    groups: int = _GROUPS


class StreamedSplit:
    """Instances of a `Stream`; see `Dataset`, which is a part of it.

    The rest of the corpus, without this split, is on the disk.

    Raises:
        CorpusError: There are no instances, or no corpus.
    """

    def __init__(self, stream: Stream, corpus: Path) -> None:
        self._stream = stream
        counts = {
            shard_of(corpus, _SPLIT, name): made.instances[_SPLIT]
            for name, made in read_corpus(corpus).items()
        }
        self._groups = [
            (shard.name, number)
            for shard in sorted(counts)
            for number in range(-(-counts[shard] // ROW_GROUP))
        ]
        self._count = sum(counts.values())
        if not self._count:
            raise CorpusError(f"There are no instances in {stream.url}; make the corpus first.")
        # What is kept of another corpus at this address is never taken for this one's.
        self._mark = sha256((corpus / MANIFEST).read_bytes()).hexdigest()[:16]

    def __len__(self) -> int:
        return self._count

    def parts(self, seed: int) -> Sequence[Callable[[], Dataset]]:
        """Return what reads the parts of an epoch, in their order."""
        order = list(range(len(self._groups)))
        random.Random(seed).shuffle(order)
        count = -(-len(order) // self._stream.groups)
        return [partial(self._part, sorted(order[number::count])) for number in range(count)]

    @explained(CorpusError)
    def _part(self, numbers: Sequence[int]) -> Dataset:
        cache = private_folder(self._stream.cache)
        tables = [self._table(cache, *self._groups[number]) for number in numbers]
        _make_room(cache, self._stream.room)
        return Dataset.of(tables)

    def _table(self, cache: Path, shard: str, number: int) -> pa.Table:
        """Read a row group, and keep it."""
        kept = cache / f"{self._mark}-{number}-{shard}"
        with suppress(FileNotFoundError, pa.ArrowInvalid):  # damaged: it is read again
            table = pq.read_table(kept)
            os.utime(kept)
            return table
        url, name = self._stream.url, f"{_SPLIT}/{shard}"
        with opened_file(url, name) as file, pq.ParquetFile(file) as whole:
            if number >= whole.num_row_groups:
                raise CorpusError(
                    f"The shard {name} in {url} is not the one that the corpus was made of; upload "
                    "the corpus again."
                )
            table = whole.read_row_group(number, columns=COLUMNS)
        _keep(table, kept)
        return table


def _keep(table: pa.Table, place: Path) -> None:
    """Write a row group; several workers may write the same one, or remove it meanwhile."""
    fresh = place.with_name(f"{uuid4().hex}.parquet")
    with suppress(FileNotFoundError):
        fresh.touch(0o600)
        pq.write_table(table, fresh, compression="zstd")
        os.replace(fresh, place)


def _make_room(cache: Path, room: int) -> None:
    """Remove what was used least lately, until the rest takes no more than `room` bytes."""
    found = []
    for path in cache.glob("*.parquet"):
        with suppress(FileNotFoundError):  # another worker has removed it
            about = path.stat()
            found.append((about.st_mtime_ns, about.st_size, path))
    for _, size, path in sorted(found, reverse=True):
        room -= size
        if room < 0:
            path.unlink(missing_ok=True)
