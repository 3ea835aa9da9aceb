"""Sources to a corpus: a folder of Parquet shards, one for each source and split.

    manifest.json               format, settings, what was made of each source and what was skipped
    tokenizer.json
    train/pallets+click.parquet

A shard is written under another name and renamed when it is complete, so what is there can be
read while the rest is being made. Making the same corpus again goes on where it stopped. At the
end what several sources have is left to one of them. What is in a shard depends on the sources, the
settings and the seed, not on how many processes worked.
"""

import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, fields
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from editcast_model.bundle import checksum_of
from editcast_model.errors import CorpusError, EditcastError, EmptyCorpusError, SourceError
from editcast_model.private_files import atomic_write, private_folder, write_text
from editcast_model.tokenizer import Tokenizer
from editcast_training.data import duplicates
from editcast_training.data.instances import Cutter, Instance
from editcast_training.disk import explained
from editcast_training.sources.file_history import FileHistory, Skipped, split_by_time
from editcast_training.sources.git import read_files
from editcast_training.sources.registry import Origin, reachable, read_origin, trained_on
from editcast_training.workers import worker_pool

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

_ROW_GROUP = 500
#: How much text a vocabulary is learned from, characters.
SAMPLE = 20_000_000
_KEPT = ("instances", "edits", "skipped")


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
    """One source to make shards of, in a folder that has the tokenizer."""

    origin: Origin
    folder: Path
    max_state: int
    seed: int
    order: str


#: Makes the shards of all tasks, in any order.
Work = Callable[[Sequence[Task]], Iterator[CorpusPart]]
_Add = Callable[[FileHistory, Instance], None]


@explained(CorpusError)
def make_corpus(
    folder: Path,
    origins: Sequence[Origin],
    *,
    tokenizer: Path | None = None,
    max_state: int = 4096,
    processes: int = 1,
    seed: int = 0,
    order: str = "",
    each: Callable[[CorpusPart], None] = lambda made: None,
    work: Work | None = None,
) -> list[CorpusPart]:
    """Make a corpus, or go on making it.

    Args:
        folder: Where; made if needed.
        origins: The sources; each becomes a shard a split.
        tokenizer: A `tokenizer.json`; without one a vocabulary is learned from the train split.
        max_state: Most subtokens of a window.
        processes: How many work at once.
        seed: Decides all that is drawn.
        order: In which hunks of commits are made, one of `edit_order.ORDERS`; drawn if empty.
        each: Called with each source's result, as they come; with those made earlier first.
        work: Makes the shards elsewhere, such as `cluster_shards.work`; None for processes here.

    Raises:
        CorpusError: There is nothing to make it of, the folder holds a corpus of other settings or
            cannot be written to, or a process was killed.
        BundleError: The tokenizer cannot be read.
    """
    _check_sources(origins)
    _settle_tokenizer(private_folder(folder), origins, tokenizer, seed)
    settings = {
        "format": FORMAT,
        "max_state": max_state,
        "seed": seed,
        "order": order,
        "tokenizer": checksum_of(folder / "tokenizer.json"),
    }
    done = _begun(folder, settings)
    for made in done.values():
        each(made)
    failed = []
    left = [origin for origin in origins if origin.name not in done]
    tasks = [Task(origin, folder, max_state, seed, order) for origin in left]
    for made in (work or partial(_work, processes=processes))(tasks):
        if made.failed:
            failed.append(made)
        else:
            done[made.name] = made
            _write_manifest(folder, settings, done)
        each(made)
    if not any(made.instances.total() for made in done.values()):
        why = failed[0].failed if failed else "No file changed often enough to learn from."
        raise EmptyCorpusError(f"The corpus would be empty. {why}")
    _drop_duplicates(folder, done)
    _write_manifest(folder, settings, done)
    return [*done.values(), *failed]


def _drop_duplicates(folder: Path, done: Mapping[str, CorpusPart]) -> None:
    """Leave to one source what several have; see `duplicates.py`."""
    shards = {
        _shard_of(folder, split, made.name): (split, made)
        for made in done.values()
        for split in made.instances
    }
    for path, count in duplicates.drop_known(shards, _ROW_GROUP).items():
        split, made = shards[path]
        if count < made.instances[split]:  # of a process that was killed before it wrote it, too
            made.skipped[duplicates.REASON] += made.instances[split] - count
            made.instances[split] = count
            made.edits[split] = len(pq.read_table(path)["contents"].combine_chunks().flatten())


def _shard_of(folder: Path, split: str, name: str) -> Path:
    return folder / split / f"{name.replace('/', '+')}.parquet"


def _check_sources(origins: Sequence[Origin]) -> None:
    if not origins:
        raise EmptyCorpusError(
            "There is no source to make a corpus of; name a repository or saves."
        )
    (name, count), *_ = Counter(origin.name for origin in origins).most_common(1)
    if count > 1:
        raise CorpusError(f"Two sources are called {name}; leave one of them out.")


def _work(tasks: Sequence[Task], processes: int) -> Iterator[CorpusPart]:
    if not tasks:
        return
    with worker_pool(min(processes, len(tasks))) as pool:
        futures: list[Future[CorpusPart]] = [pool.submit(make_shards, task) for task in tasks]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool as error:
            raise CorpusError(
                "A process that reads sources was killed, perhaps for want of memory; run the same "
                "command again, with fewer --processes, and it goes on."
            ) from error


def _settle_tokenizer(
    folder: Path, origins: Sequence[Origin], given: Path | None, seed: int
) -> None:
    """Put the tokenizer into the folder, unless one is there."""
    path = folder / "tokenizer.json"
    if path.exists() and given is None:
        return
    try:
        tokenizer = train_tokenizer(origins, seed=seed) if given is None else Tokenizer.load(given)
    except EditcastError:
        with suppress(OSError):  # there is something in it
            folder.rmdir()
        raise
    with atomic_write(path) as partial:
        tokenizer.save(partial)
        if path.exists() and path.read_bytes() != partial.read_bytes():
            raise CorpusError(f"{folder} was made with another tokenizer; name another folder.")


@lru_cache(maxsize=1)
def _tokenizer(path: Path) -> Tokenizer:
    return Tokenizer.load(path)


def make_shards(task: Task) -> CorpusPart:
    """Make the shards of one source; in a process of its own."""
    began = time.monotonic()
    origin = task.origin
    made = CorpusPart(origin.name)
    cutter = Cutter(
        _tokenizer(task.folder / "tokenizer.json"),
        max_state=task.max_state,
        seed=task.seed,
        skipped=made.skipped,
        order=task.order,
    )
    seen: set[bytes] = set()
    files: set[str] = set()
    shards: dict[str, _Add] = {}
    try:
        with ExitStack() as stack:
            for history in read_origin(origin, made.skipped):
                for split, part in split_by_time(history, origin.split):
                    for instance in cutter.instances(part):
                        digest = _digest(instance)
                        if digest in seen:
                            made.skipped["instance: seen before"] += 1
                            continue
                        seen.add(digest)
                        if split not in shards:
                            path = _shard_of(task.folder, split, origin.name)
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
        if len(rows) == _ROW_GROUP:
            write()

    with (
        atomic_write(path) as partial,
        pq.ParquetWriter(partial, schema, compression="zstd") as writer,
    ):
        yield add
        write()


def _begun(folder: Path, settings: Mapping[str, Any]) -> dict[str, CorpusPart]:
    """Find the sources that are done, by name; raise `CorpusError` if of other settings."""
    if not (folder / "manifest.json").exists():
        return {}
    stored, made = _read_manifest(folder)
    stored.setdefault("order", "")  # older ones name none
    if {key: stored.get(key) for key in settings} != settings:
        raise CorpusError(
            f"{folder} holds a corpus of other settings (format, max-state, seed, order or "
            "tokenizer); name another folder."
        )
    return made


def _write_manifest(
    folder: Path, settings: Mapping[str, Any], made: Mapping[str, CorpusPart]
) -> None:
    kept = ("files", *_KEPT)
    sources = {name: {key: getattr(made[name], key) for key in kept} for name in sorted(made)}
    write_text(folder / "manifest.json", json.dumps({**settings, "sources": sources}, indent=1))


def read_corpus(folder: Path) -> dict[str, CorpusPart]:
    """Read what became of each source of a corpus.

    Raises:
        CorpusError: There is none, it is damaged, or it is of another format version.
    """
    return _read_manifest(folder)[1]


def _read_manifest(folder: Path) -> tuple[dict[str, Any], dict[str, CorpusPart]]:
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text())
    except FileNotFoundError as error:
        raise CorpusError(
            f"{folder} holds no corpus; make one with: editcast corpus {folder} --git PATH"
        ) from error
    except (OSError, ValueError) as error:
        raise CorpusError(f"{path} cannot be read ({error}); make the corpus again.") from error
    if not isinstance(manifest, dict) or "sources" not in manifest:
        raise CorpusError(f"{path} is damaged; make the corpus again in another folder.")
    if manifest.get("format") != FORMAT:
        raise CorpusError(
            f"The corpus in {folder} has format version {manifest.get('format')}, this Editcast "
            f"reads {FORMAT}; make it again in another folder."
        )
    made = {}
    for name, entry in manifest.pop("sources").items():
        made[name] = CorpusPart(name, entry.get("files", 0))  # older ones name none
        for key in _KEPT:
            setattr(made[name], key, Counter(entry.get(key, {})))
    return manifest, made


def train_tokenizer(origins: Sequence[Origin], *, seed: int, vocabulary: int = 4096) -> Tokenizer:
    """Learn a vocabulary of the newest texts; every source of the train split has the same share.

    Raises:
        EmptyCorpusError: There is no text.
    """
    chosen = trained_on(origins)
    texts: list[str] = []
    failed: list[SourceError] = []
    for origin in chosen:
        try:
            texts += _sample(origin, SAMPLE // len(chosen), seed)
        except SourceError as error:  # reported again when its histories are read
            failed.append(error)
    if not texts and failed:
        raise EmptyCorpusError(f"There is no text to learn a vocabulary from. {failed[0]}")
    if not texts:
        raise EmptyCorpusError(
            "There is no text to learn a vocabulary from; name one with --tokenizer."
        )
    return Tokenizer.train(texts, vocabulary)


def _sample(origin: Origin, size: int, seed: int) -> list[str]:
    """Draw the newest texts of a source in random order, `size` characters."""
    texts = list(_newest(origin))
    random.Random(f"{seed}\0{origin.name}").shuffle(texts)
    out = []
    for text in texts:
        if size < len(text):
            continue
        size -= len(text)
        out.append(text)
    return out


def _newest(origin: Origin) -> Iterator[str]:
    if origin.kind == "git":
        with reachable(origin) as here:
            for _, _, text in read_files(here.path, skipped=Skipped(), languages=here.languages):
                yield text
    else:
        for history in read_origin(origin, Skipped()):
            yield history.snapshots[-1].text
