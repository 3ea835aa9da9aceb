"""Rows of a corpus that another source has as well: forks, copied files, saves kept twice.

A row stores, for each change that it teaches, a hash of the whole texts before and after it. Each
change stays in the first source that has it, and a row is removed if all of its changes are
elsewhere. Held-out sources come before those that are trained on, so no copy of a held-out change
is trained on. The result depends on the shards alone, not on the order in which they were made, and
a second run changes nothing.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from editcast_model.private_files import atomic_write
from editcast_training.sources.file_history import MADE_KINDS, FileHistory

#: Why a row was left out.
REASON = "instance: in another source as well"
_BYTES = 8  # of a hash: one in a billion of 10,000 repositories' changes meets another


def changes_of(history: FileHistory, jumps: Iterable[int]) -> list[int]:
    """Return the hashes of the changes that an instance teaches, ascending.

    Args:
        history: What it was cut from.
        jumps: The instance's numbers of snapshots.
    """
    numbers = {number for number in jumps if number}
    texts = [one.text for one in history.snapshots]
    found = {(texts[number - 1], texts[number]) for number in numbers}
    if history.kind in MADE_KINDS:  # drawn anew wherever the same file stands
        found = {(history.kind, texts[-1] if history.kind == "restored" else texts[0])}
    return sorted(_hash(*pair) for pair in found)


def drop_known(shards: Iterable[Path], row_group: int) -> dict[Path, int]:
    """Take out of shards the rows that others have; return how many rows each is left with.

    Args:
        shards: SPLIT/NAME.parquet; one that names no changes is left alone.
        row_group: Rows of a group.
    """
    order = sorted(shards, key=lambda path: (path.parent.name == "train", *path.parts[-2:]))
    columns = [_changes(path) for path in order]
    if not columns:
        return {}
    sizes = [len(values) for values, _ in columns]
    owners = np.repeat(np.arange(len(order), dtype=np.int32), sizes)
    _, first, same = np.unique(
        np.concatenate([values for values, _ in columns]), return_index=True, return_inverse=True
    )
    is_new = np.split(owners[first][same] == owners, np.cumsum(sizes)[:-1])
    left: dict[Path, int] = {}
    for path, (_, counts), new in zip(order, columns, is_new, strict=True):
        # A row without a change of its own teaches detours alone, and is nobody else's.
        rows = np.repeat(np.arange(len(counts)), counts)
        keep = (np.bincount(rows, new, len(counts)) > 0) | (counts == 0)
        if not keep.all():
            _rewrite(path, keep, row_group)
        left[path] = int(keep.sum())
    return left


def _hash(*texts: str) -> int:
    digest = hashlib.blake2b(digest_size=_BYTES)
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8) + data)
    return int.from_bytes(digest.digest(), signed=True)


def _changes(path: Path) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Read the hashes of a shard, and how many each row has."""
    with pq.ParquetFile(path) as file:
        if "changes" not in file.schema_arrow.names:  # an older version made it
            return np.zeros(0, np.int64), np.zeros(file.metadata.num_rows, np.int64)
        column: Any = file.read(["changes"])["changes"].combine_chunks()
    return column.flatten().to_numpy(), np.diff(column.offsets.to_numpy()).astype(np.int64)


def _rewrite(path: Path, keep: npt.NDArray[np.bool_], row_group: int) -> None:
    table = pq.read_table(path).filter(pa.array(keep)).combine_chunks()
    with atomic_write(path) as partial:
        pq.write_table(table, partial, row_group_size=row_group, compression="zstd")
