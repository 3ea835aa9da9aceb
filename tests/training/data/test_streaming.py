"""A corpus in storage that is trained on part by part: every instance once, whoever is killed."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import fsspec
import numpy as np
import pytest
import torch
from click.testing import CliRunner

from clusters import NEEDS_RAY, Environment, Nodes, environment, nodes
from editcast.commands.train import train as command
from editcast_model.errors import CorpusError
from editcast_model.networks.config import NetworkConfig
from editcast_training.data.corpus import make_corpus
from editcast_training.data.dataset import Dataset
from editcast_training.data.streaming import Stream, StreamedSplit
from editcast_training.fit.checkpoints import read_checkpoint
from editcast_training.fit.plan import TrainingPlan
from editcast_training.fit.trainer import train
from editcast_training.pipeline import Recipe
from editcast_training.sources.registry import generated_from, listed_repositories
from editcast_training.sources.storage import download, upload

__all__ = ["environment", "nodes"]

pytestmark = pytest.mark.usefixtures("one_thread")

_ROOM = 1 << 30


@pytest.fixture(scope="module")
def corpus(
    small_mirror: Path, small_tokenizer: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A corpus of eight shards to train on."""
    folder = tmp_path_factory.mktemp("corpus")
    origins, _ = listed_repositories(small_mirror / "list.toml", small_mirror)
    make_corpus(folder, [*origins, *generated_from(origins)], tokenizer=small_tokenizer)
    assert len(list((folder / "train").iterdir())) == 8
    return folder


@pytest.fixture
def bucket(corpus: Path) -> Iterator[str]:
    url = "memory://corpus"
    upload(corpus, url)
    yield url
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    memory.pseudo_dirs[:] = [""]


@pytest.fixture
def here(bucket: str, tmp_path: Path) -> Path:
    """The parts of the corpus that are copied."""
    download(bucket, tmp_path / "here", without="train")
    assert not (tmp_path / "here" / "train").exists()
    return tmp_path / "here"


def _states(data: Dataset) -> Counter[bytes]:
    """Instances, by what is in them."""
    columns = (data.states, data.positions, data.contents, data.jumps)
    return Counter(
        b"|".join(column[index].tobytes() for column in columns) for index in range(len(data))
    )


def test_parts_of_an_epoch_have_every_instance_once_and_the_seed_decides(
    bucket: str, here: Path, corpus: Path, tmp_path: Path
) -> None:
    split = StreamedSplit(Stream(bucket, tmp_path / "cache", _ROOM, groups=2), here)
    whole = Dataset.read(corpus / "train")
    epochs = [[_states(read()) for read in split.parts(seed)] for seed in (0, 0, 1)]
    for parts in epochs:
        assert len(parts) == 4
        assert sum(parts, Counter()) == _states(whole)
    assert epochs[0] == epochs[1] != epochs[2]
    assert len(split) == len(whole)


def test_what_fits_into_one_part_is_the_corpus_as_it_is_read_from_the_disk(
    bucket: str, here: Path, corpus: Path, tmp_path: Path
) -> None:
    (read,) = StreamedSplit(Stream(bucket, tmp_path / "cache", _ROOM), here).parts(3)
    streamed, whole = read(), Dataset.read(corpus / "train")
    for name in ("states", "positions", "contents", "jumps"):
        one, other = getattr(streamed, name), getattr(whole, name)
        assert np.array_equal(one.values, other.values)
        assert np.array_equal(one.starts, other.starts)
    assert list(streamed.kinds) == list(whole.kinds)


def test_what_was_read_is_kept_as_long_as_there_is_room(
    bucket: str, here: Path, tmp_path: Path
) -> None:
    stream = Stream(bucket, tmp_path / "cache", _ROOM, groups=3)
    first = [_states(read()) for read in StreamedSplit(stream, here).parts(0)]
    kept = {path: path.stat().st_size for path in (tmp_path / "cache").iterdir()}
    assert len(kept) == 8
    damaged = next(iter(kept))
    damaged.write_bytes(damaged.read_bytes()[:-9])
    assert [_states(read()) for read in StreamedSplit(stream, here).parts(0)] == first
    fsspec.filesystem("memory").rm("/corpus/train", recursive=True)
    assert [_states(read()) for read in StreamedSplit(stream, here).parts(0)] == first
    room = sum(kept.values()) - 1
    parts = StreamedSplit(replace(stream, room=room), here).parts(0)
    parts[0]()
    left = [path.stat().st_size for path in (tmp_path / "cache").iterdir()]
    assert 0 < len(left) < len(kept) and sum(left) <= room
    with pytest.raises(CorpusError, match="The storage memory://corpus cannot be used"):
        [read() for read in parts]


def test_a_shard_that_is_not_the_corpus_own_is_said(
    bucket: str, here: Path, corpus: Path, tmp_path: Path
) -> None:
    manifest = json.loads((here / "manifest.json").read_text())
    name = next(name for name, made in manifest["sources"].items() if "train" in made["instances"])
    manifest["sources"][name]["instances"]["train"] += 500
    (here / "manifest.json").write_text(json.dumps(manifest))
    parts = StreamedSplit(Stream(bucket, tmp_path / "cache", _ROOM), here).parts(0)
    with pytest.raises(CorpusError, match="is not the one that the corpus was made of"):
        [read() for read in parts]


def losses(out: Path) -> list[float]:
    lines = map(json.loads, (out / "log.jsonl").read_text().splitlines())
    return [value for line in lines for value in (line["train_loss"], line["dev"]["loss"])]


# argv: the corpus but for the shards, their storage, and where to.
_TRAINING = """
import os, signal, sys
from pathlib import Path
from test_streaming import plan_of
from editcast_training.fit.trainer import train
def report(line):
    if line["step"] == 17: os.kill(os.getpid(), signal.SIGKILL)
train(plan_of(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])), report)
"""

# Where a process of its own finds this file, and the clusters that it imports.
_PATH = os.pathsep.join(map(str, Path(__file__).parents[:2]))


def plan_of(corpus: Path, url: str, out: Path) -> TrainingPlan:
    network = NetworkConfig(
        300, 16, heads=2, state_layers=1, edit_layers=1, feed_forward=16, local=8, analogy=2
    )
    return TrainingPlan(
        corpus,
        out,
        network,
        steps=24,
        interval=5,
        budget=12_000,
        batches=2,
        device="cpu",
        stream=Stream(url, out.parent / "cache", 0, groups=2),
    )


def test_a_training_that_is_killed_between_parts_ends_like_one_that_was_not(
    corpus: Path, tmp_path: Path
) -> None:
    url = (tmp_path / "bucket").as_uri()
    upload(corpus, url)
    download(url, tmp_path / "here", without="train")
    plan = plan_of(tmp_path / "here", url, tmp_path / "undisturbed")
    train(plan)
    arguments = [tmp_path / "here", url, tmp_path / "out"]
    done = subprocess.run(
        [sys.executable, "-c", _TRAINING, *map(str, arguments)],
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": _PATH},
        capture_output=True,
        text=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    about = read_checkpoint(tmp_path / "out" / "latest.safetensors")[2]
    assert about["progress"]["step"] == 15 and about["progress"]["part"]
    train(replace(plan, out=tmp_path / "out"))
    one, other = (
        read_checkpoint(tmp_path / name / "latest.safetensors") for name in ("out", "undisturbed")
    )
    assert all(torch.equal(one[0][name], other[0][name]) for name in other[0])
    assert one[2]["progress"] | {"seconds": 0} == other[2]["progress"] | {"seconds": 0}


@pytest.mark.usefixtures("one_thread")
def test_the_command_trains_from_storage_as_from_a_folder(
    trained: Path, small_corpus: Path, tmp_path: Path
) -> None:
    url = (tmp_path / "bucket").as_uri()
    upload(small_corpus, url)
    out = tmp_path / "small"
    arguments = [out, "--corpus", url, "--scratch", "--steps", 4]
    recipe = Recipe(lambda vocabulary: NetworkConfig(vocabulary, 32, feed_forward=32))
    result = CliRunner().invoke(command, list(map(str, arguments)), obj=recipe)
    assert result.exit_code == 0, result.output
    assert losses(out / "run") == pytest.approx(losses(trained / "run"), abs=2e-4)
    assert not (out / "downloaded" / "train").exists()
    assert (out / "bundle" / "config.json").exists() and len(list((out / "cache").iterdir())) == 1


@NEEDS_RAY
def test_on_a_cluster_the_losses_are_those_of_one_process(
    corpus: Path, nodes: Nodes, environment: Environment, tmp_path: Path
) -> None:
    url = (tmp_path / "bucket").as_uri()
    upload(corpus, url)
    download(url, tmp_path / "here", without="train")
    program = _TRAINING.replace("fit.trainer import train", "cluster_training import *")
    program = program.replace("17", "0").replace("train(plan_of(", "train_on_cluster(plan_of(")
    program = program.replace(", report)", f", {nodes.address!r}, 2, report)")
    train(plan_of(tmp_path / "here", url, tmp_path / "undisturbed"))
    path = f"{_PATH}{os.pathsep}{environment['PYTHONPATH']}"
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "here", url, tmp_path / "out"],
        env=environment | {"OMP_NUM_THREADS": "1", "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = losses(tmp_path / "out")
    assert len(found) == 10
    assert found == pytest.approx(losses(tmp_path / "undisturbed"), abs=2e-4)
