"""Rows of a corpus that another source has as well: forks, copied files, saves kept twice.

A row stores, for each change that it teaches, a hash of the whole texts before and after it. No row
is trained on that teaches a held-out change. Else each change stays in the first source that has
it, held-out ones before the others, and a row is removed if all of its changes are elsewhere. The
result depends on the shards alone, not on the order in which they were made, and
a second run changes nothing.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from editcast_model.private_files import atomic_write
from editcast_training.sources.file_history import MADE_KINDS, FileHistory

#: The reason for leaving out a row.
REASON = "instance: in another source as well"
_BYTES = 8  # of a hash: one in a billion of 10,000 repositories' changes meets another


def changes_of(history: FileHistory, jumps: Iterable[int]) -> list[int]:
    """Return the hashes, ascending, of the changes that an instance of a history teaches."""
    numbers = {number for number in jumps if number}
    texts = [one.text for one in history.snapshots]
    found = {(texts[number - 1], texts[number]) for number in numbers}
    if history.kind in MADE_KINDS:  # drawn anew wherever the same file stands
        found = {(history.kind, texts[-1] if history.kind == "restored" else texts[0])}
    return sorted(_hash(*pair) for pair in found)


def drop_known(shards: Iterable[Path], row_group: int) -> dict[Path, int]:
    """Take out of shards the rows that others have; return how many rows each is left with.

    Shards are called SPLIT/NAME.parquet; one that names no changes is left alone.
    """
    found = [_Shard.read(path) for path in shards]
    found.sort(key=lambda one: (one.is_trained, *one.path.parts[-2:]))
    if not found:
        return {}
    held = np.concatenate([_NONE, *(one.changes for one in found if not one.is_trained)])
    for one in found:
        if one.is_trained:
            one.keep &= ~one.rows_with(np.isin(one.changes, held))
    stay = [one.of_kept_rows for one in found]
    sizes = [int(of.sum()) for of in stay]
    owners = np.repeat(np.arange(len(found), dtype=np.int32), sizes)
    _, first, same = np.unique(
        np.concatenate([one.changes[of] for one, of in zip(found, stay, strict=True)]),
        return_index=True,
        return_inverse=True,
    )
    is_own = np.split(owners[first][same] == owners, np.cumsum(sizes)[:-1])
    for one, of, own in zip(found, stay, is_own, strict=True):
        new = np.zeros(len(of), np.bool_)
        new[of] = own
        # A row without a change of its own teaches detours alone, and is nobody else's.
        one.keep &= one.rows_with(new) | (one.counts == 0)
        if not one.keep.all():
            _rewrite(one.path, one.keep, row_group)
    return {one.path: int(one.keep.sum()) for one in found}


_NONE = np.zeros(0, np.int64)


@dataclass
class _Shard:
    """The hashes of a shard's changes, how many of them each row has, and which rows stay."""

    path: Path
    changes: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    keep: npt.NDArray[np.bool_]

    @classmethod
    def read(cls, path: Path) -> "_Shard":
        """Read the changes of a shard."""
        with pq.ParquetFile(path) as file:
            rows = file.metadata.num_rows
            changes, counts = _NONE, np.zeros(rows, np.int64)
            if "changes" in file.schema_arrow.names:  # else an older version made it
                column: Any = file.read(["changes"])["changes"].combine_chunks()
                changes = column.flatten().to_numpy()
                counts = np.diff(column.offsets.to_numpy()).astype(np.int64)
        return cls(path, changes, counts, np.ones(rows, np.bool_))

    @property
    def is_trained(self) -> bool:
        """Tell whether the shard is trained on, rather than held out."""
        return self.path.parent.name == "train"

    @property
    def of_kept_rows(self) -> npt.NDArray[np.bool_]:
        """Tell of each change whether its row stays."""
        return np.repeat(self.keep, self.counts)

    def rows_with(self, some: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Tell of each row whether it has one of some changes."""
        rows = np.repeat(np.arange(len(self.counts)), self.counts)
        return np.bincount(rows, some, len(self.counts)) > 0


def _hash(*texts: str) -> int:
    digest = hashlib.blake2b(digest_size=_BYTES)
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8) + data)
    return int.from_bytes(digest.digest(), signed=True)


def _rewrite(path: Path, keep: npt.NDArray[np.bool_], row_group: int) -> None:
    table = pq.read_table(path).filter(pa.array(keep)).combine_chunks()
    with atomic_write(path) as partial:
        pq.write_table(table, partial, row_group_size=row_group, compression="zstd")
