"""Sources to a corpus: a folder of Parquet shards, one for each source and split.

    manifest.json               format, settings, what was made of each source and what was skipped
    tokenizer.json
    train/pallets+click.parquet

A shard is written under another name and renamed when it is complete, so what is there can be
read while the rest is being made. Making the same corpus again goes on where it stopped. At the
end what several sources have is left to one of them. What is in a shard depends on the sources, the
settings and the seed, not on how many processes worked.
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from editcast_model.bundle import checksum_of
from editcast_model.errors import CorpusError, EditcastError, EmptyCorpusError, SourceError
from editcast_model.private_files import atomic_write, private_folder, write_text
from editcast_model.tokenizer import Tokenizer
from editcast_training.data import duplicates
from editcast_training.data.instances import MAX_STATE
from editcast_training.data.shards import FORMAT, ROW_GROUP, CorpusPart, Task, make_shards, shard_of
from editcast_training.disk import explained
from editcast_training.interrupts import held
from editcast_training.memory_limit import MOST
from editcast_training.sources.file_history import Skipped
from editcast_training.sources.git import read_files
from editcast_training.sources.registry import Origin, reachable, read_origin, trained_on
from editcast_training.workers import as_ended, worker_pool

#: The number of characters from which a vocabulary is learned.
SAMPLE = 20_000_000
_VOCABULARY = 4096  # subtokens
#: The file that lists the shards and counts of each source.
MANIFEST = "manifest.json"
_KEPT = ("instances", "edits", "skipped")

#: Makes the shards of all tasks, in any order.
Work = Callable[[Sequence[Task]], Generator[CorpusPart, None, None]]


@explained(CorpusError)
def make_corpus(
    folder: Path,
    origins: Sequence[Origin],
    *,
    tokenizer: Path | None = None,
    max_state: int = MAX_STATE,
    processes: int = 1,
    seed: int = 0,
    each: Callable[[CorpusPart], None] = lambda made: None,
    work: Work | None = None,
    memory: int = MOST,
) -> list[CorpusPart]:
    """Make a corpus, or go on making it.

    Args:
        folder: Where; made if needed.
        origins: The sources; each becomes a shard a split.
        tokenizer: A `tokenizer.json`; without one a vocabulary is learned from the train split.
        max_state: Most subtokens of a window.
        processes: How many work at once.
        seed: Decides all that is drawn.
        each: Called with each source's result, as they come; with those made earlier first.
        work: Makes the shards elsewhere, such as `shards.make_on_cluster`; None for processes here.
        memory: Most that a process may take to read a source, bytes.

    Raises:
        CorpusError: There is nothing to make it of, the folder holds a corpus of other settings or
            cannot be written to, or a process was killed.
        BundleError: The tokenizer cannot be read.
    """
    _check_sources(origins)
    _settle_tokenizer(private_folder(folder), origins, tokenizer, seed)
    tokens = checksum_of(folder / "tokenizer.json")
    settings = {"format": FORMAT, "max_state": max_state, "seed": seed, "tokenizer": tokens}
    done = _begun(folder, settings)
    _check_splits(folder, origins, done)
    for made in done.values():
        each(made)
    left = [origin for origin in origins if origin.name not in done]
    tasks = [Task(origin, folder, max_state, seed, memory) for origin in left]
    failed = []
    with closing((work or partial(_work, processes=processes))(tasks)) as making:
        for made in making:
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
        shard_of(folder, split, made.name): (split, made)
        for made in done.values()
        for split in made.instances
    }
    for path, count in duplicates.drop_known(shards, ROW_GROUP).items():
        split, made = shards[path]
        if count < made.instances[split]:  # of a process that was killed before it wrote it, too
            made.skipped[duplicates.REASON] += made.instances[split] - count
            made.instances[split] = count
            made.edits[split] = len(pq.read_table(path)["contents"].combine_chunks().flatten())


def _check_sources(origins: Sequence[Origin]) -> None:
    if not origins:
        raise EmptyCorpusError("There is no source for a corpus; name a repository or saves.")
    # By their shards: me/project and me+project have the same ones.
    shards = [shard_of(Path(), "", origin.name).stem.casefold() for origin in origins]
    for origin, shard in zip(origins, shards, strict=True):
        if shards.count(shard) > 1:
            raise CorpusError(f"Two sources are called {origin.name}; leave one of them out.")


def _check_splits(folder: Path, origins: Sequence[Origin], made: Mapping[str, CorpusPart]) -> None:
    """Raise `CorpusError` if a source was put into another split before than it is to be in."""
    for origin in origins:
        wanted = {origin.split} if origin.split else {"train", "dev"}
        if origin.name in made and (wrong := made[origin.name].instances.keys() - wanted):
            raise CorpusError(
                f"In the corpus {folder}, {origin.name} is in the split {min(wrong)}; name another "
                "folder, or the split that it is in."
            )


def _work(tasks: Sequence[Task], processes: int) -> Generator[CorpusPart, None, None]:
    if not tasks:
        return
    with worker_pool(min(processes, len(tasks))) as pool:
        with held():  # a process whose start is interrupted ends with a traceback, or never
            futures: list[Future[CorpusPart]] = [pool.submit(make_shards, task) for task in tasks]
        try:
            for future in as_ended(futures):
                yield future.result()
        except BrokenProcessPool as error:
            raise CorpusError(
                "A process that reads sources was killed, perhaps for lack of memory; run the same "
                "command again with fewer --processes to continue."
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


def _begun(folder: Path, settings: Mapping[str, Any]) -> dict[str, CorpusPart]:
    """Find the sources that are done, by name; raise `CorpusError` if of other settings."""
    if not (folder / MANIFEST).exists():
        return {}
    stored, made = _read_manifest(folder)
    if {key: stored.get(key) for key in settings} != settings:
        raise CorpusError(
            f"{folder} holds a corpus of other settings (format, max-state, seed or tokenizer); "
            "name another folder."
        )
    return made


def _write_manifest(
    folder: Path, settings: Mapping[str, Any], made: Mapping[str, CorpusPart]
) -> None:
    kept = ("files", *_KEPT)
    sources = {name: {key: getattr(made[name], key) for key in kept} for name in sorted(made)}
    write_text(folder / MANIFEST, json.dumps({**settings, "sources": sources}, indent=1))


def read_corpus(folder: Path) -> dict[str, CorpusPart]:
    """Read what became of each source of a corpus.

    Raises:
        CorpusError: There is none, it is damaged, or it is of another format version.
    """
    return _read_manifest(folder)[1]


def _read_manifest(folder: Path) -> tuple[dict[str, Any], dict[str, CorpusPart]]:
    path = folder / MANIFEST
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


def train_tokenizer(origins: Sequence[Origin], *, seed: int) -> Tokenizer:
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
    if not texts:
        why = f". {failed[0]}" if failed else "; name one with --tokenizer."
        raise EmptyCorpusError(f"There is no text to learn a vocabulary from{why}")
    return Tokenizer.train(texts, _VOCABULARY)


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
