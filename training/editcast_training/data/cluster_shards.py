"""Shards made by the workers of a cluster, and written by this process alone.

The workers need the repositories at the same paths, as on a mounted share, and no other folder of
this machine's. What they run is what the processes of this machine run, so the bytes are the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from editcast_model.errors import CorpusError
from editcast_model.inference.memory_limit import memory_limit
from editcast_model.private_files import atomic_write, private_folder
from editcast_training.cluster import MEMORY, mapped
from editcast_training.data.corpus import CorpusPart, Task, make_shards
from editcast_training.disk import explained

_TOKENIZER = "tokenizer.json"
#: Bytes that a task may take beside what its worker has before it: 200 MB.
_HEADROOM = MEMORY - (1 << 28)


def work(tasks: Sequence[Task], address: str, processes: int) -> Iterator[CorpusPart]:
    """Make the shards of all tasks; see `cluster.mapped`.

    Raises:
        ClusterError: The cluster cannot be used.
        CorpusError: A shard cannot be written.
    """
    if not tasks:
        return
    folder = tasks[0].folder
    make = Elsewhere((folder / _TOKENIZER).read_bytes())
    for made, shards in mapped(make, tasks, address, processes):
        for name, data in shards.items():
            private_folder((folder / name).parent)
            with atomic_write(folder / name) as partial:
                partial.write_bytes(data)
        yield made


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Makes shards on a worker, which has this process' tokenizer and none of its folders."""

    tokenizer: bytes

    @explained(CorpusError)
    def __call__(self, task: Task) -> tuple[CorpusPart, dict[str, bytes]]:
        """Make the shards of a source; return its counts, and the shards by their names."""
        with TemporaryDirectory(prefix="editcast-") as name:
            folder = Path(name)
            (folder / _TOKENIZER).write_bytes(self.tokenizer)
            try:
                with memory_limit(_HEADROOM):
                    made = make_shards(replace(task, folder=folder))
            except MemoryError:
                why = f"It needs more memory than {MEMORY:,} bytes, which a worker has."
                return CorpusPart(task.origin.name, failed=why), {}
            shards = folder.rglob("*.parquet")
            return made, {path.relative_to(folder).as_posix(): path.read_bytes() for path in shards}
