"""Costs of work on a cluster: corpus and training of many repositories, and what Ray itself adds.

    python benchmarks/speed/growth.py many OUT --repositories LIST --mirror FOLDER --tokenizer FILE
    python benchmarks/speed/growth.py local OUT --repositories LIST --mirror FOLDER --tokenizer FILE
    python benchmarks/speed/growth.py memory --repositories LIST --mirror FOLDER --tokenizer FILE
    python benchmarks/speed/growth.py nodes

`many` extrapolates from 1, 2 and 4 workers, each a Ray cluster of this machine. What is
extrapolated is processor time: on a busy machine, and with more workers than cores, the time on the
wall says little. OUT/growth.json has the measurements, and the table of docs/teams.md is printed.
`local` times the same corpus with two processes of this machine and with two workers of Ray, part
by part and by turns, so that whatever else the machine does meets both alike; `--commits` bounds
what is read of each repository. Stopped, it goes on with the parts that are missing.
`memory` prints the most memory that a worker takes for each source. `nodes` times tasks that only
wait on clusters of one, two and four nodes.
"""

import json
import multiprocessing
import os
import resource
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from editcast_model.networks.config import NetworkConfig
from editcast_model.private_files import discard
from editcast_model.tokenizer import Tokenizer
from editcast_training.cluster import HERE, streamed
from editcast_training.cluster_training import train_on_cluster
from editcast_training.data.corpus import make_corpus
from editcast_training.data.dataset import Dataset
from editcast_training.data.shards import CorpusPart, Piece, Task, make_elsewhere, make_on_cluster
from editcast_training.fit.plan import TrainingPlan
from editcast_training.sources.registry import (
    Origin,
    generated_from,
    listed_repositories,
    size_of,
)

_WORKERS = (1, 2, 4)
_MANY = (1_000, 10_000)
_STEPS = 3
_WAITS = 24
_WAIT = 2.0  # seconds
_NODE = {"num_cpus": 1, "memory": 2 << 30, "object_store_memory": 1 << 27}


@dataclass(frozen=True)
class Measured:
    """Makes shards on a worker, and says what that took."""

    tokenizer: bytes

    def __call__(self, task: Task) -> Iterator[tuple[Piece, float, float]]:
        """Make the shards; yield what comes of it, processor seconds and memory in MB."""
        before = time.process_time()
        for piece in make_elsewhere(self.tokenizer, task):
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # Linux: kB
            yield piece, time.process_time() - before, peak


def corpus(out: Path, origins: Any, tokenizer: Path, workers: int) -> dict[str, float]:
    """Make a corpus as `editcast corpus --ray` does, and measure its tasks."""
    took: list[tuple[float, float]] = []

    def work(tasks: Any) -> Any:
        folder = tasks[0].folder
        measured = Measured((folder / "tokenizer.json").read_bytes())
        for _, (piece, seconds, peak) in streamed(measured, tasks, HERE, workers):
            if isinstance(piece, CorpusPart):
                took.append((seconds, peak))
                yield piece
            else:
                name, data = piece
                (folder / name).parent.mkdir(exist_ok=True)
                with (folder / name).open("ab") as file:
                    file.write(data)

    began = time.perf_counter()
    parts: list[CorpusPart] = make_corpus(out, origins, tokenizer=tokenizer, work=work)
    return {
        "workers": workers,
        "seconds": round(time.perf_counter() - began, 1),
        "processor seconds": round(sum(seconds for seconds, _ in took), 1),
        "most memory, MB": round(max(peak for _, peak in took)),
        "instances": sum(part.instances.total() for part in parts),
        "edits": sum(part.edits.total() for part in parts),
        "MB": round(sum(path.stat().st_size for path in out.rglob("*.parquet")) / 1e6, 2),
    }


def training(out: Path, folder: Path, workers: int) -> dict[str, float]:
    """Train some steps of four small batches; measure them, an evaluation included."""
    vocabulary = len(Tokenizer.load(folder / "tokenizer.json"))
    network = NetworkConfig(vocabulary)
    plan = TrainingPlan(
        folder, out, network, steps=_STEPS, interval=_STEPS, batches=4, budget=2000, device="cpu"
    )
    lines: list[dict[str, Any]] = []
    train_on_cluster(plan, HERE, workers, lines.append)
    last = lines[-1]
    return {"workers": workers, "seconds": last["seconds"], "edits": last["edits"]}


@click.group()
def main() -> None:
    """Measure work on a cluster."""


def listed(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a corpus."""
    for name in ("--tokenizer", "--mirror", "--repositories"):
        command = click.option(name, type=click.Path(path_type=Path), required=True)(command)
    return command


@main.command()
@click.argument("out", type=click.Path(path_type=Path))
@listed
def many(out: Path, repositories: Path, mirror: Path, tokenizer: Path) -> None:
    """Measure, and print what many repositories need."""
    origins, _ = listed_repositories(repositories, mirror)
    packed = sum(origin.size for origin in origins) / 1e6
    tasks = [*origins, *generated_from(origins)]
    result = out / "growth.json"
    found: dict[str, Any] = json.loads(result.read_text()) if result.exists() else {}
    if not found:  # a command that was stopped goes on
        made = [corpus(out / f"corpus-{count}", tasks, tokenizer, count) for count in _WORKERS]
        found = {"repositories": len(origins), "packed, MB": round(packed, 1), "corpus": made}
        result.write_text(json.dumps(found, indent=1))
    sizes = [size_of(folder) for folder in mirror.iterdir() if folder.is_dir()]
    found["mean of the mirror, MB"] = round(sum(sizes) / len(sizes) / 1e6, 1)
    data = Dataset.read(out / "corpus-1" / "train")
    arrays = (data.states, data.positions, data.contents, data.jumps)
    found["MB to train on, in memory"] = round(
        sum(one.values.nbytes + one.starts.nbytes for one in arrays) / 1e6, 1
    )
    found["training"] = [
        training(out / f"run-{count}", out / "corpus-1", count) for count in _WORKERS
    ]
    result.write_text(json.dumps(found, indent=1))
    click.echo(json.dumps(found, indent=1))
    table(found)


@main.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--commits", type=int, help="Only the newest so many commits of each.")
@click.option("--parts", default=1, help="Parts of the repositories that are made by turns.")
@click.option("--without", default="", help="A kind of generated histories to leave out.")
@listed
def local(
    out: Path,
    commits: int | None,
    parts: int,
    without: str,
    repositories: Path,
    mirror: Path,
    tokenizer: Path,
) -> None:
    """Make a corpus with two processes and with two workers of Ray, by turns; print the seconds."""
    origins = listed_repositories(repositories, mirror)[0]
    if commits:
        clones = (shallow(origin, out / "mirror", commits) for origin in origins)
        origins = [origin for origin in clones if origin is not None]
    result = out / "local.json"
    found: dict[str, list[float]] = json.loads(result.read_text()) if result.exists() else {}
    ways: dict[str, Any] = {
        "processes": None,
        "ray": partial(make_on_cluster, address=HERE, processes=2),
    }
    for number in range(parts):
        some = origins[number::parts]
        tasks = [*some, *(one for one in generated_from(some) if one.kind != without)]
        for name in sorted(ways, reverse=bool(number % 2)):
            key = f"{name}-{number}"
            if key in found:
                continue
            discard(out / key)
            with Processors() as used:
                began = time.perf_counter()
                make_corpus(out / key, tasks, tokenizer=tokenizer, processes=2, work=ways[name])
                found[key] = [round(time.perf_counter() - began, 1), round(used.seconds(), 1)]
            result.write_text(json.dumps(found, indent=1))
            said = "{:.1f} s, {:.1f} s of processors".format(*found[key])
            click.echo(f"{len(some)} repositories, {key}: {said}")
    files = [path.relative_to(out) for path in out.glob("ray-*/**/*.parquet")]
    same = all(
        (out / name).read_bytes() == (out / str(name).replace("ray", "processes", 1)).read_bytes()
        for name in files
    )
    sums = {
        name: [sum(found[f"{name}-{number}"][kind] for number in range(parts)) for kind in (0, 1)]
        for name in ways
    }
    for kind, unit in enumerate(("seconds", "processor seconds")):
        one, other = sums["processes"][kind], sums["ray"][kind]
        click.echo(f"{unit}: {one:.0f} and {other:.0f} with Ray, ratio {other / one:.3f}")
    click.echo(f"{len(origins)} repositories, {len(files)} shards, same bytes: {same}")


def shallow(origin: Origin, folder: Path, commits: int) -> Origin | None:
    """Clone the newest commits of a repository into a folder; None where objects are missing."""
    place = folder / origin.name.replace("/", "+")
    if not (place / "HEAD").exists():
        discard(place)
        partial = place.with_suffix(".partial")
        discard(partial)
        git = ["git", "clone", "--quiet", "--bare", "--depth", str(commits), "--single-branch"]
        if subprocess.run([*git, origin.path.resolve().as_uri(), partial]).returncode:
            return None
        partial.rename(place)
    return replace(origin, path=place)


class Processors:
    """Counts the processor seconds of this process and all that it has begun, Ray's among them."""

    def __init__(self) -> None:
        self._before = time.process_time()
        self._of: dict[tuple[int, int], float] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Processors":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def seconds(self) -> float:
        """Return those of this process, and of the others as they were last seen."""
        return time.process_time() - self._before + sum(self._of.values())

    def _watch(self) -> None:
        ticks = os.sysconf("SC_CLK_TCK")
        while not self._ended.wait(0.5):
            parents: dict[int, tuple[int, int, float]] = {}
            for path in Path("/proc").glob("[0-9]*/stat"):
                with suppress(OSError):
                    values = path.read_text().rpartition(")")[2].split()
                    took = (int(values[11]) + int(values[12])) / ticks
                    parents[int(path.parent.name)] = int(values[1]), int(values[19]), took
            for one, (_, began, took) in parents.items():
                above = one
                while above in parents and above != os.getpid():
                    above = parents[above][0]
                if above == os.getpid() != one:
                    self._of[one, began] = took


@main.command()
@listed
def memory(repositories: Path, mirror: Path, tokenizer: Path) -> None:
    """Print the most memory that a worker takes, a new process of this machine for each source.

    A worker of Ray takes some 70 MB more.
    """
    origins, _ = listed_repositories(repositories, mirror)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn, max_tasks_per_child=1) as pool:
        tasks = [Task(origin, Path(), 4096, 0) for origin in origins]
        for task, (made, seconds, peak) in zip(
            tasks, pool.map(partial(made_alone, tokenizer.read_bytes()), tasks), strict=True
        ):
            size, count = task.origin.size / 1e6, made.instances.total()
            line = f"{task.origin.name}: {size:.0f} MB packed, {count:,} instances"
            click.echo(f"{line}, {seconds:.0f} s of a processor, {peak:.0f} MB {made.failed}")


def made_alone(tokenizer: bytes, task: Task) -> tuple[CorpusPart, float, float]:
    """Make the shards of a source, as the first one of a process; return what that took."""
    for piece, seconds, peak in Measured(tokenizer)(task):
        if isinstance(piece, CorpusPart):
            return piece, seconds, peak
    raise AssertionError  # the counts come last


@main.command()
def nodes() -> None:
    """Time tasks that only wait, as those on slow storage do, on one, two and four nodes."""
    for count in _WORKERS:
        cluster = started(count)
        # The first ones end when the workers of this connection have begun.
        things = [0.1] * 4 * count + [_WAIT] * _WAITS
        ended = [found for _, found in streamed(waited, things, cluster.address, 1)]
        times = [(began, end) for began, end in ended if end - began >= _WAIT]
        took = max(end for _, end in times) - min(began for began, _ in times)
        click.echo(f"{count} nodes: {_WAITS} waits of {_WAIT:.0f} s in {took:.1f} s")
        cluster.shutdown()


def waited(seconds: float) -> Iterator[tuple[float, float]]:
    """Wait, and yield when that began and ended."""
    began = time.time()
    time.sleep(seconds)
    yield began, time.time()


def started(count: int, tries: int = 9) -> Any:
    """Start a cluster; Ray gives a node half a minute, which a busy machine may not have."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    os.environ["RAY_worker_niceness"] = "0"
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    try:
        cluster.add_node(**_NODE, include_dashboard=False)
        for _ in range(count - 1):
            cluster.add_node(**_NODE)
    except Exception:  # a bare one
        cluster.shutdown()
        if tries == 1:
            raise
        return started(count, tries - 1)
    return cluster


def table(found: dict[str, Any]) -> None:
    """Print what many repositories of the mirror's mean size need."""
    one = found["corpus"][0]
    click.echo(
        "| repositories | processor hours | corpus, GB | in memory, GB | million instances |"
    )
    click.echo("|---|---|---|---|---|")
    for many in _MANY:
        times = many * found["mean of the mirror, MB"] / found["packed, MB"]
        hours = times * one["processor seconds"] / 3600
        memory = times * found["MB to train on, in memory"] / 1000
        cells = (hours, times * one["MB"] / 1000, memory, times * one["instances"] / 1e6)
        click.echo(f"| {many:,} | " + " | ".join(f"{cell:,.1f}" for cell in cells) + " |")


if __name__ == "__main__":
    main()
