"""Training on a Ray cluster: the losses are those of one process, whoever is killed meanwhile."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from clusters import NEEDS_RAY, Environment, Nodes, environment, is_node, is_task, nodes

__all__ = ["environment", "nodes"]


# argv: the corpus, where to, how many workers of which cluster, 0 for none, and whether divided.
_TRAINING = """
import sys
from pathlib import Path
from editcast_model.networks.config import NetworkConfig
from editcast_training.cluster_training import train_on_cluster
from editcast_training.fit.trainer import TrainingPlan, train
corpus, out, workers, address, sharded = sys.argv[1:]
network = NetworkConfig(
    300, 16, heads=2, state_layers=1, edit_layers=1, feed_forward=16, local=8, analogy=2
)
plan = TrainingPlan(
    Path(corpus), Path(out), network, steps=12, interval=2, budget=2000, batches=2, device="cpu",
    sharded=bool(sharded),
)
def report(line):
    if "dev" in line: print(line["step"], flush=True)
if int(workers):
    train_on_cluster(plan, address, int(workers), report)
else:
    train(plan)
"""


@dataclass
class Training:
    """Training of a corpus, and what one process made of it."""

    corpus: Path
    environment: Environment

    def begin(
        self, out: Path, workers: int, address: str, sharded: str = ""
    ) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-c", _TRAINING, self.corpus, out, str(workers), address, sharded],
            env=self.environment | {"OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def losses(out: Path) -> list[float]:
    lines = map(json.loads, (out / "log.jsonl").read_text().splitlines())
    return [value for line in lines for value in (line["train_loss"], line["dev"]["loss"])]


@pytest.fixture(scope="module")
def training(small_corpus: Path, environment: Environment) -> Training:
    return Training(small_corpus, environment)


@pytest.fixture(scope="module")
def undisturbed(training: Training, tmp_path_factory: pytest.TempPathFactory) -> list[float]:
    out = tmp_path_factory.mktemp("undisturbed")
    process = training.begin(out, 0, "")
    assert process.communicate()[1] == "" and process.returncode == 0
    found = losses(out)
    assert len(found) == 12 and found[0] > found[-2] and found[1] > found[-1]
    return found


@NEEDS_RAY
@pytest.mark.parametrize(("lost", "sharded"), [("worker", ""), ("worker", "sharded"), ("node", "")])
def test_a_training_that_loses_a_worker_or_a_node_has_the_losses_of_one_process(
    lost: str,
    sharded: str,
    training: Training,
    nodes: Nodes,
    undisturbed: list[float],
    tmp_path: Path,
) -> None:
    process = training.begin(tmp_path, 2, nodes.address, sharded)
    assert process.stdout
    while process.stdout.readline() != "4\n":  # in the middle of it
        assert process.poll() is None, process.communicate()
    assert nodes.kill_one({"worker": is_task, "node": is_node}[lost])
    # The stream may hold the next lines already, which `communicate` would lose.
    reported = process.stdout.read()
    said = process.communicate()[1]
    assert process.returncode == 0, said
    assert reported.split() == ["6", "8", "10", "12"]
    assert losses(tmp_path) == pytest.approx(undisturbed, abs=2e-4)
    assert {path.name for path in tmp_path.iterdir()} == {
        "best.safetensors",
        "latest.safetensors",
        "log.jsonl",
    }
    if lost == "node":
        nodes.more()


@NEEDS_RAY
def test_what_a_worker_of_a_training_says_is_said(
    training: Training, nodes: Nodes, tmp_path: Path
) -> None:
    gone = Training(tmp_path / "gone", training.environment)
    said = gone.begin(tmp_path / "out", 2, nodes.address).communicate()[1]
    assert said.splitlines()[-1].startswith("editcast_model.errors.ClusterError: There are no")


def test_the_command_trains_on_the_cluster_that_is_named(
    training: Training, tmp_path: Path
) -> None:
    given = ("--corpus", training.corpus, "--scratch", "--steps", "2", "--ray", "127.0.0.1:9")
    ended = subprocess.run(
        [sys.executable, "-m", "editcast", "train", tmp_path / "out", *given],
        env=training.environment,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 2 and ended.stderr.count("\n") == 1
    assert ended.stderr.startswith("Nothing answers at 127.0.0.1:9")
