"""Shards made by the workers of a cluster, and written by this process alone.

The workers need the repositories at the same paths, as on a mounted share, and no other folder of
this machine's. What they run is what the processes of this machine run, so the bytes are the same.
A shard comes in pieces, so that neither side has all of it in memory.
"""

from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from editcast_model.errors import CorpusError
from editcast_model.private_files import atomic_write, private_folder
from editcast_training.cluster import streamed
from editcast_training.data.shards import CorpusPart, Task, make_shards
from editcast_training.disk import explained

_TOKENIZER = "tokenizer.json"
_PIECE: Final = 1 << 22  # bytes

#: The name of a shard and its next bytes; finally the counts of its source.
Piece = tuple[str, bytes] | CorpusPart


def work(tasks: Sequence[Task], address: str, processes: int) -> Generator[CorpusPart, None, None]:
    """Make the shards of all tasks; see `cluster.streamed`.

    Raises:
        ClusterError: The cluster cannot be used.
        CorpusError: A shard cannot be written.
    """
    if not tasks:
        return
    folder = tasks[0].folder
    make = Elsewhere((folder / _TOKENIZER).read_bytes())
    with ExitStack() as every:
        arriving: defaultdict[int, _Arriving] = defaultdict(
            lambda: every.enter_context(_Arriving(folder))
        )
        pieces = streamed(make, tasks, address, processes, max(task.memory for task in tasks))
        for number, piece in every.enter_context(closing(pieces)):
            if isinstance(piece, CorpusPart):
                arriving.pop(number, _Arriving(folder)).close()
                yield piece
            else:
                arriving[number].add(*piece)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Makes shards on a worker, which has this process' tokenizer and none of its folders."""

    tokenizer: bytes

    def __call__(self, task: Task) -> Iterator[Piece]:
        """Make the shards of a source; yield them in pieces, and then its counts."""
        with explained(CorpusError), TemporaryDirectory(prefix="editcast-") as name:
            folder = Path(name)
            (folder / _TOKENIZER).write_bytes(self.tokenizer)
            made = make_shards(replace(task, folder=folder))
            for path in sorted(folder.rglob("*.parquet")):
                with path.open("rb") as file:
                    while data := file.read(_PIECE):
                        yield path.relative_to(folder).as_posix(), data
        yield made


class _Arriving(ExitStack):
    """The shards of one source, which are in their places once it is closed without an error."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._partial: dict[str, Path] = {}

    def add(self, name: str, data: bytes) -> None:
        """Write the next bytes of a shard."""
        if name not in self._partial:
            private_folder((self._folder / name).parent)
            self._partial[name] = self.enter_context(atomic_write(self._folder / name))
        with self._partial[name].open("ab") as file:
            file.write(data)
