"""Shards of one source: Parquet files with its instances, one for each split.

They are made a row group at a time, in a process of its own, whose memory is limited: here, or on
a worker of a cluster, which needs the repositories at the same paths, as on a mounted share, and no
other folder of this machine's. Then they come in pieces, so that neither side has all of a shard in
memory, and this process alone writes them. The bytes are the same.
"""

import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from editcast_model.errors import CorpusError, SourceError
from editcast_model.private_files import atomic_write, private_folder
from editcast_model.tokenizer import Tokenizer
from editcast_training.cluster import streamed
from editcast_training.data import duplicates
from editcast_training.data.instances import Cutter, Instance
from editcast_training.disk import explained
from editcast_training.memory_limit import MOST, check, limited
from editcast_training.sources.file_history import FileHistory, split_by_time
from editcast_training.sources.registry import Origin, read_origin

FORMAT = 2

SCHEMA = pa.schema(
    [
        ("project", pa.string()),
        ("path", pa.string()),
        ("language", pa.string()),
        ("kind", pa.string()),
        ("time", pa.int64()),
        ("state", pa.list_(pa.uint16())),
        ("positions", pa.list_(pa.int32())),
        ("contents", pa.list_(pa.int32())),
        ("jumps", pa.list_(pa.int32())),
        ("changes", pa.list_(pa.int64())),  # see `duplicates.py`
    ]
)

#: The number of rows of a row group; the last one of a shard has fewer.
ROW_GROUP = 500
_TOKENIZER = "tokenizer.json"
_PIECE: Final = 1 << 22  # bytes
_tokenizer = lru_cache(maxsize=1)(Tokenizer.load)
_Add = Callable[[FileHistory, Instance], None]


@dataclass(slots=True)
class CorpusPart:
    """Counts of one source: by split, and of what was left out by reason.

    Attributes:
        files: Those that instances were cut from, also such as another source has.
        failed: Why nothing was made of it.
        seconds: What that took just now; 0 where it was made before.
    """

    name: str
    files: int = 0
    instances: Counter[str] = field(default_factory=Counter)
    edits: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    failed: str = ""
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Task:
    """One source to make shards of, in a folder that has the tokenizer.

    Attributes:
        memory: Most that a process may take for it, bytes.
    """

    origin: Origin
    folder: Path
    max_state: int
    seed: int
    memory: int = MOST


def shard_of(folder: Path, split: str, name: str) -> Path:
    """Name the shard of a source in the folder of a corpus."""
    return folder / split / f"{name.replace('/', '+')}.parquet"


def make_shards(task: Task) -> CorpusPart:
    """Make the shards of one source; in a process of its own."""
    began = time.monotonic()
    origin = task.origin
    made = CorpusPart(origin.name)
    cutter = Cutter(
        _tokenizer(task.folder / _TOKENIZER),
        max_state=task.max_state,
        seed=task.seed,
        skipped=made.skipped,
    )
    seen: set[bytes] = set()
    files: set[str] = set()
    shards: dict[str, _Add] = {}
    try:
        with limited(task.memory), ExitStack() as stack:
            for history in read_origin(origin, made.skipped):
                for split, part in split_by_time(history, origin.split):
                    for instance in cutter.instances(part):
                        check()
                        digest = _digest(instance)
                        if digest in seen:
                            made.skipped["instance: seen before"] += 1
                            continue
                        seen.add(digest)
                        if split not in shards:
                            path = shard_of(task.folder, split, origin.name)
                            shards[split] = stack.enter_context(_shard(path))
                        shards[split](part, instance)
                        files.add(part.path)
                        made.instances[split] += 1
                        made.edits[split] += len(instance.positions)
    except SourceError as error:
        made = CorpusPart(origin.name, skipped=made.skipped, failed=str(error))
    made.files = len(files)
    made.seconds = time.monotonic() - began
    return made


def _digest(instance: Instance) -> bytes:
    data = (instance.state, instance.positions, instance.contents)
    return hashlib.blake2b(repr(data).encode(), digest_size=16).digest()


@contextmanager
def _shard(path: Path) -> Iterator[_Add]:
    """Yield what adds an instance to a Parquet file, which is there once the block has ended."""
    private_folder(path.parent)
    schema = SCHEMA.with_metadata({"editcast.format": str(FORMAT)})
    rows: list[dict[str, Any]] = []

    def write() -> None:
        if rows:
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
            rows.clear()

    def add(history: FileHistory, instance: Instance) -> None:
        row = {name: getattr(history, name) for name in ("project", "path", "language", "kind")}
        row |= {each.name: getattr(instance, each.name) for each in fields(Instance)}
        rows.append(row | {"changes": duplicates.changes_of(history, instance.jumps)})
        if len(rows) == ROW_GROUP:
            write()

    with (
        atomic_write(path) as partial,
        pq.ParquetWriter(partial, schema, compression="zstd") as writer,
    ):
        yield add
        write()


#: The name of a shard and its next bytes; finally the counts of its source.
Piece = tuple[str, bytes] | CorpusPart


def make_on_cluster(
    tasks: Sequence[Task], address: str, processes: int
) -> Generator[CorpusPart, None, None]:
    """Make the shards of all tasks; see `cluster.streamed`.

    Raises:
        ClusterError: The cluster cannot be used.
        CorpusError: A shard cannot be written.
    """
    if not tasks:
        return
    folder = tasks[0].folder
    make = partial(make_elsewhere, (folder / _TOKENIZER).read_bytes())
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


def make_elsewhere(tokenizer: bytes, task: Task) -> Iterator[Piece]:
    """Make the shards of a source on a worker; yield them in pieces, and then its counts.

    The worker has the tokenizer of the process that begins it, and none of its folders.
    """
    with explained(CorpusError), TemporaryDirectory(prefix="editcast-") as name:
        folder = Path(name)
        (folder / _TOKENIZER).write_bytes(tokenizer)
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
