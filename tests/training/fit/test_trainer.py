"""The training loop: resumed after kills, on several processes, stopped early, short of memory."""

import json
import math
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import editcast_training.fit.trainer as trainer
from editcast_model.errors import CorpusError, TrainingError
from editcast_model.networks.config import NetworkConfig
from editcast_model.networks.model import EditNetwork
from editcast_training.data.dataset import Dataset
from editcast_training.fit.checkpoints import read_checkpoint
from editcast_training.fit.trainer import TrainingPlan, learning_rate, train

pytestmark = pytest.mark.usefixtures("one_thread")

NETWORK = NetworkConfig(
    300,
    16,
    heads=2,
    state_layers=1,
    edit_layers=1,
    feed_forward=16,
    local=8,
    analogy=2,
    dropout=0.1,
)

# argv: the corpus, where to, the network, and Python that is run first.
PROGRAM = """
import json, os, signal, sys
from pathlib import Path
import torch
from editcast_model.networks.config import NetworkConfig
from editcast_training.fit import checkpoints
from editcast_training.fit import trainer
corpus, out, network, first = sys.argv[1:]
report = lambda line: None
exec(first)
network = NetworkConfig(**json.loads(network))
plan = trainer.TrainingPlan(
    Path(corpus), Path(out), network, steps=12, interval=4, budget=2000, device="cpu"
)
trainer.train(plan, lambda line: report(line))
"""
DIE = "os.kill(os.getpid(), signal.SIGKILL)"
KILLS = {
    "between two checkpoints": f"""
def report(line):
    if line["step"] == 6: {DIE}
""",
    "writing a checkpoint": f"""
from contextlib import contextmanager
write = checkpoints.atomic_write
@contextmanager
def atomic_write(path):
    with write(path) as partial:
        yield partial
        if path.name == "latest.safetensors" and rb'step\\": 8,' in partial.read_bytes():
            os.truncate(partial, partial.stat().st_size // 2)
            {DIE}
checkpoints.atomic_write = atomic_write
""",
    "after the best, before the latest": f"""
save = trainer.save_checkpoint
def save_checkpoint(path, network, optimizer, about):
    if path.name == "latest.safetensors" and about["progress"]["step"] == 8: {DIE}
    save(path, network, optimizer, about)
trainer.save_checkpoint = save_checkpoint
""",
}


@pytest.fixture(scope="module")
def plan(small_corpus: Path) -> TrainingPlan:
    return TrainingPlan(
        small_corpus, Path("unset"), NETWORK, steps=12, interval=4, budget=2000, device="cpu"
    )


@pytest.fixture(scope="module")
def uninterrupted(plan: TrainingPlan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    out = tmp_path_factory.mktemp("uninterrupted")
    train(replace(plan, out=out))
    torch.set_num_threads(threads)
    return out


def _log(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]


def _reported(out: Path) -> list[dict[str, Any]]:
    """The log without what depends on the machine's speed."""
    return [line | {"seconds": 0} for line in _log(out)]


def _equal(left: Path, right: Path) -> bool:
    """Tell whether weights and moments of two checkpoints are the same bits."""
    (weights, moments, _), (others, other_moments, _) = map(read_checkpoint, (left, right))
    return all(torch.equal(weights[name], others[name]) for name in weights) and all(
        torch.equal(value, other_moments[index][name])
        for index, state in moments.items()
        for name, value in state.items()
    )


@pytest.mark.parametrize("kill", KILLS)
def test_a_killed_training_ends_like_one_that_was_not(
    kill: str, plan: TrainingPlan, uninterrupted: Path, tmp_path: Path
) -> None:
    arguments = [plan.corpus, tmp_path, json.dumps(NETWORK.to_json()), KILLS[kill]]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert read_checkpoint(tmp_path / "latest.safetensors")[2]["progress"]["step"] == 4
    steps: list[int] = []
    train(replace(plan, out=tmp_path), lambda line: steps.append(line["step"]))
    assert sorted(set(steps)) == list(range(5, 13))
    for name in ("latest.safetensors", "best.safetensors"):
        assert _equal(tmp_path / name, uninterrupted / name)
    assert _reported(tmp_path) == _reported(uninterrupted)


def test_a_stopped_training_ends_like_one_that_was_not(
    plan: TrainingPlan, uninterrupted: Path, tmp_path: Path
) -> None:
    stop = """
from editcast_training.interrupts import interruptible
def report(line):
    if line["step"] == 6: os.kill(os.getpid(), signal.SIGTERM)
train = trainer.train
def stoppable(*arguments):
    with interruptible():
        train(*arguments)
trainer.train = stoppable
"""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, plan.corpus, tmp_path, json.dumps(NETWORK.to_json()), stop],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert "Interrupted" in done.stderr, done.stderr
    assert read_checkpoint(tmp_path / "latest.safetensors")[2]["progress"]["step"] == 6
    steps: list[int] = []
    train(replace(plan, out=tmp_path), lambda line: steps.append(line["step"]))
    assert sorted(set(steps)) == list(range(7, 13))
    for name in ("latest.safetensors", "best.safetensors"):
        assert _equal(tmp_path / name, uninterrupted / name)
    assert _reported(tmp_path) == _reported(uninterrupted)


def test_training_lowers_the_loss_and_is_done_when_it_is_done(
    plan: TrainingPlan, uninterrupted: Path
) -> None:
    losses = [line["dev"]["loss"] for line in _log(uninterrupted)]
    assert losses == sorted(losses, reverse=True) and losses[0] > losses[-1]
    steps: list[Any] = []
    assert train(replace(plan, out=uninterrupted), steps.append) == (
        uninterrupted / "best.safetensors"
    )
    assert steps == []


def test_two_processes_end_together_and_agree(small_corpus: Path, tmp_path: Path) -> None:
    data = Dataset.read(small_corpus / "train")
    counts = {size: len(list(data.batches(0, size))) for size in range(14_000, 24_000, 1000)}
    budget = next(size for size, count in counts.items() if count % 2)  # one process gets more
    assert counts[budget] // 2 < 6  # more than an epoch
    first = """
class Noted(trainer.EditNetwork):
    def __init__(self, config):
        super().__init__(config)
        Noted.last = self
trainer.EditNetwork = Noted
"""
    last = """
weights = torch.cat([value.flatten() for _, value in sorted(Noted.last.state_dict().items())])
torch.save(weights, f"{out}/{os.environ['RANK']}.pt")
"""
    program = tmp_path / "program.py"
    changed = PROGRAM.replace("budget=2000", f"budget={budget}").replace(
        "steps=12", "batches=2, steps=6"
    )
    program.write_text(changed + last)
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    arguments = [program, small_corpus, tmp_path, json.dumps(NETWORK.to_json()), first]
    done = subprocess.run(
        [sys.executable, *launch, *map(str, arguments)],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    one, two = (torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in range(2))
    assert torch.equal(one, two)
    weights, _, about = read_checkpoint(tmp_path / "latest.safetensors")
    assert torch.equal(torch.cat([value.flatten() for _, value in sorted(weights.items())]), one)
    assert about["progress"]["step"] == 6 and about["progress"]["epoch"] >= 1


def test_a_divided_network_has_the_losses_of_a_whole_one_and_goes_on_as_one(
    plan: TrainingPlan, tmp_path: Path
) -> None:
    whole = replace(plan, batches=3, steps=8, interval=2)
    train(replace(whole, out=tmp_path / "whole"))
    first = """
divide = trainer.divide
def noting(network, *others):
    total = sum(one.numel() for one in network.parameters())
    divide(network, *others)
    own = sum(one.to_local().numel() for one in network.parameters())
    Path(f"{out}.{os.environ['RANK']}").write_text(str(own / total))
trainer.divide = noting
def report(line):
    if line["step"] == 7: os.kill(os.getpid(), signal.SIGKILL)
"""
    program = tmp_path / "program.py"
    changed = "steps=8, batches=3, sharded=True, interval=2"
    program.write_text(PROGRAM.replace("steps=12, interval=4", changed))
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    out = tmp_path / "divided"
    arguments = [program, plan.corpus, out, json.dumps(NETWORK.to_json()), first]
    done = subprocess.run(
        [sys.executable, *launch, *map(str, arguments)],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "SIGKILL" in done.stderr, done.stderr
    shares = [float(Path(f"{out}.{rank}").read_text()) for rank in range(2)]
    assert sum(shares) == pytest.approx(1) and max(shares) < 0.55
    assert read_checkpoint(out / "latest.safetensors")[2]["progress"]["step"] == 6
    train(replace(whole, out=out))  # the last steps, by one process
    assert _losses(out) == pytest.approx(_losses(tmp_path / "whole"), abs=2e-4)
    assert len(_losses(out)) == 8


def test_however_many_processes_share_a_step_the_losses_are_the_same(
    plan: TrainingPlan, tmp_path: Path
) -> None:
    train(replace(plan, out=tmp_path / "one", batches=4, steps=6, interval=3))
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("steps=12, interval=4", "batches=4, steps=6, interval=3"))
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "4"]
    arguments = [program, plan.corpus, tmp_path / "four", json.dumps(NETWORK.to_json()), ""]
    done = subprocess.run(
        [sys.executable, *launch, *map(str, arguments)],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    one, four = _losses(tmp_path / "one"), _losses(tmp_path / "four")
    assert len(one) == 4 and four == pytest.approx(one, abs=2e-4)


def _losses(out: Path) -> list[float]:
    return [value for line in _log(out) for value in (line["train_loss"], line["dev"]["loss"])]


def test_it_stops_when_nothing_improves(plan: TrainingPlan, tmp_path: Path) -> None:
    steps: list[int] = []
    still = replace(plan, out=tmp_path, learning_rate=0.0, interval=1, patience=2)
    train(still, lambda line: steps.append(line["step"]))
    assert max(steps) == 3
    train(still, lambda line: steps.append(line["step"]))
    assert max(steps) == 3


@pytest.mark.timeout(60)
def test_a_corpus_with_too_few_batches_for_a_step_is_refused(
    plan: TrainingPlan, tmp_path: Path
) -> None:
    with pytest.raises(TrainingError, match="too few instances for a step of 4,?000 batches"):
        train(replace(plan, out=tmp_path / "out", batches=4000))


def test_it_waits_between_steps_and_says_so(plan: TrainingPlan, tmp_path: Path) -> None:
    reasons = iter(["", "it thunders", "it thunders", "", *[""] * 20])
    said: list[Any] = []
    waiting = replace(plan, out=tmp_path, steps=3, reason_to_wait=lambda: next(reasons))
    train(waiting, lambda line: said.append(line.get("message") or line["step"]))
    assert said[:4] == [1, "The training waits: it thunders.", "The training continues.", 2]
    _, _, about = read_checkpoint(tmp_path / "latest.safetensors")
    assert about["progress"]["step"] == 3


def test_the_weights_it_began_with_count_as_a_result(plan: TrainingPlan, tmp_path: Path) -> None:
    torch.manual_seed(5)
    weights = dict(EditNetwork(NETWORK).state_dict())
    lines: list[dict[str, Any]] = []
    bad = replace(plan, out=tmp_path, weights=weights, steps=2, learning_rate=30.0, interval=1)
    best = train(bad, lines.append)
    found, _, about = read_checkpoint(best)
    assert about["progress"]["step"] == 0
    assert all(torch.equal(found[name], value) for name, value in weights.items())
    assert lines[0]["step"] == 0 and "dev" in lines[0]


def test_short_of_memory_it_halves_the_batches(
    plan: TrainingPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def losses(network: Any, batch: Any) -> Any:
        sizes.append(len(batch.state))
        if len(batch.state) > 4:
            raise torch.OutOfMemoryError("short")
        return real(network, batch)

    real = trainer.losses
    monkeypatch.setattr(trainer, "losses", losses)
    lines: list[dict[str, Any]] = []
    greedy = replace(plan, out=tmp_path, steps=4, interval=2, budget=9600)
    train(greedy, lines.append)
    said = [line["message"] for line in lines if "message" in line]
    assert said and all("batches of" in sentence for sentence in said)
    about = read_checkpoint(tmp_path / "latest.safetensors")[2]
    assert about["progress"]["step"] == 4
    assert about["progress"]["budget"] == 9600 // 2 ** len(said)
    lines.clear()
    train(replace(greedy, steps=6), lines.append)  # it does not try the large ones again
    assert not any("message" in line for line in lines)
    monkeypatch.setattr(trainer, "losses", _never)
    with pytest.raises(TrainingError, match="smallest batch"):
        train(replace(greedy, out=tmp_path / "none"))


def _never(network: Any, batch: Any) -> Any:
    raise torch.OutOfMemoryError("short")


def test_the_learning_rate_warms_up_and_decays() -> None:
    rates = [learning_rate(share / 100, 1.0) for share in range(101)]
    top = rates.index(max(rates))
    assert 0 < rates[0] < 0.1 and top == 3 and math.isclose(rates[3], 1.0)
    assert rates[:4] == sorted(rates[:4]) and rates[3:] == sorted(rates[3:], reverse=True)
    assert math.isclose(rates[100], 0.01)


def test_what_cannot_be_trained_is_refused(plan: TrainingPlan, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="steps or minutes"):
        train(replace(plan, steps=None))
    with pytest.raises(CorpusError, match="no instances"):
        train(replace(plan, corpus=tmp_path, out=tmp_path))
    if not torch.cuda.is_available():
        with pytest.raises(TrainingError, match="no CUDA device"):
            train(replace(plan, device="cuda"))


def test_a_checkpoint_of_another_network_is_not_trained_on(
    plan: TrainingPlan, uninterrupted: Path
) -> None:
    wider = replace(plan, out=uninterrupted, network=replace(NETWORK, feed_forward=24))
    with pytest.raises(TrainingError, match="another network"):
        train(wider)


def test_batches_that_others_make_train_the_same_network(
    plan: TrainingPlan, uninterrupted: Path, tmp_path: Path
) -> None:
    train(replace(plan, out=tmp_path, loaders=2))
    assert _equal(tmp_path / "latest.safetensors", uninterrupted / "latest.safetensors")
