"""Costs of a corpus and a training of many repositories, extrapolated from 1, 2 and 4 workers.

    python benchmarks/growth.py OUT --repositories list.toml --mirror FOLDER --tokenizer FILE

Each number of workers is a Ray cluster of this machine. What is extrapolated is processor time: on
a busy machine, and with more workers than cores, the time on the wall says little. OUT/growth.json
has the measurements, and the table of docs/teams.md is printed.
"""

import json
import resource
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from editcast_model.networks.config import NetworkConfig
from editcast_model.tokenizer import Tokenizer
from editcast_training.cluster import HERE, mapped
from editcast_training.cluster_training import train_on_cluster
from editcast_training.data.cluster_shards import Elsewhere
from editcast_training.data.corpus import CorpusPart, Task, make_corpus
from editcast_training.data.dataset import Dataset
from editcast_training.fit.trainer import TrainingPlan
from editcast_training.sources.registry import generated_from, listed_repositories, size_of

_WORKERS = (1, 2, 4)
_MANY = (1_000, 10_000)
_STEPS = 3


@dataclass(frozen=True)
class Measured:
    """Makes shards on a worker, and says what that took."""

    make: Elsewhere

    def __call__(self, task: Task) -> tuple[Any, float, float]:
        """Make the shards; return what comes of it, processor seconds and memory in MB."""
        before = time.process_time()
        made = self.make(task)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # Linux: kB
        return made, time.process_time() - before, peak


def corpus(out: Path, origins: Any, tokenizer: Path, workers: int) -> dict[str, float]:
    """Make a corpus as `editcast corpus --ray` does, and measure its tasks."""
    took: list[tuple[float, float]] = []

    def work(tasks: Any) -> Any:
        measured = Measured(Elsewhere((tasks[0].folder / "tokenizer.json").read_bytes()))
        for (made, shards), seconds, peak in mapped(measured, tasks, HERE, workers):
            took.append((seconds, peak))
            for name, data in shards.items():
                (tasks[0].folder / name).parent.mkdir(exist_ok=True)
                (tasks[0].folder / name).write_bytes(data)
            yield made

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


@click.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--repositories", type=click.Path(path_type=Path), required=True)
@click.option("--mirror", type=click.Path(path_type=Path), required=True)
@click.option("--tokenizer", type=click.Path(path_type=Path), required=True)
def main(out: Path, repositories: Path, mirror: Path, tokenizer: Path) -> None:
    """Measure, and print what many repositories need."""
    origins, _ = listed_repositories(repositories, mirror)
    packed = sum(size_of(origin.path) for origin in origins) / 1e6
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
