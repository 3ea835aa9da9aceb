"""Work on a Ray cluster: the results are those of this machine, whoever is killed meanwhile."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from editcast_model.errors import ClusterError
from editcast_training import cluster as of_ray
from editcast_training.evaluation.results import Evaluation

NEEDS_RAY = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")
Environment = dict[str, str]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Environment of processes that use Ray: on this machine alone, and started fast."""
    folder = tmp_path_factory.mktemp("environment")
    # A library of ours for lists of builds brings this one; Ray's jsonschema would take seconds to
    # import it in each process.
    (folder / "rfc3987_syntax.py").write_text("raise ImportError")
    own = {"PYTHONPATH": str(folder), "EDITCAST_HOME": str(folder / "home")}
    return os.environ | own | {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}


@dataclass
class Corpus:
    """Corpus of four repositories, and the command that makes it."""

    mirror: Path
    tokenizer: Path
    environment: Environment

    def command(self, out: Path, *options: str, begin: str = "") -> "subprocess.Popen[str]":
        listing = ("--repositories", str(self.mirror / "list.toml"), "--mirror", str(self.mirror))
        given = ("corpus", str(out), *listing, "--tokenizer", str(self.tokenizer), *options)
        return subprocess.Popen(
            [sys.executable, *(("-c", begin) if begin else ("-m", "editcast")), *given],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def make(self, out: Path, *options: str, begin: str = "") -> tuple[int, str]:
        """Exit code, and what stderr said."""
        process = self.command(out, *options, begin=begin)
        said = process.communicate()[1]
        return process.returncode, said


@pytest.fixture(scope="module")
def corpus(small_mirror: Path, small_tokenizer: Path, environment: Environment) -> Corpus:
    return Corpus(small_mirror, small_tokenizer, environment)


@pytest.fixture(scope="module")
def local(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Files of the corpus as the command makes it without Ray, by name."""
    out = tmp_path_factory.mktemp("local") / "corpus"
    assert corpus.make(out)[0] == 0
    made = contents(out)
    assert len(made) > 8
    return made


@dataclass
class Nodes:
    """Two nodes on this machine."""

    address: str
    process: "subprocess.Popen[str]"

    def more(self) -> None:
        """Add a node, and wait until it is there."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline().strip() == self.address

    def kill_one(self, is_meant: Callable[[str], bool]) -> bool:
        """Kill the newest process of the cluster of which it holds."""
        found = [pid for pid, name in descendants(self.process.pid) if is_meant(name)]
        if found:
            os.kill(max(found), signal.SIGKILL)
        return bool(found)


@pytest.fixture(scope="module")
def nodes(environment: Environment) -> Iterator[Nodes]:
    program = Path(__file__).with_name("cluster_of_two.py")
    for _ in range(3):  # Ray gives a node half a minute to start, which a busy machine may not
        process = subprocess.Popen(
            [sys.executable, program],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdin and process.stdout
        if address := process.stdout.readline().strip():
            break
        process.communicate()
    assert address
    yield Nodes(address, process)
    process.communicate()


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def descendants(pid: int) -> Iterator[tuple[int, str]]:
    """The processes below one, and their names."""
    parents: dict[int, tuple[int, str]] = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            name = (path / "cmdline").read_text().replace("\0", " ")
            parents[int(path.name)] = (
                int((path / "stat").read_text().rpartition(")")[2].split()[1]),
                name,
            )
        except (OSError, ValueError):
            continue  # it has ended
    for one, (_, name) in parents.items():
        above = one
        while above in parents and above != pid:
            above = parents[above][0]
        if above == pid and one != pid:
            yield one, name


def is_task(name: str) -> bool:
    return name.startswith("ray::_call")


def is_node(name: str) -> bool:
    return "/raylet/raylet" in name


@NEEDS_RAY
def test_a_worker_that_is_killed_changes_no_byte(
    corpus: Corpus, nodes: Nodes, local: dict[str, bytes], tmp_path: Path
) -> None:
    process = corpus.command(tmp_path / "out", "--ray", nodes.address)
    while process.poll() is None and not nodes.kill_one(is_task):
        pass
    assert process.poll() is None, process.communicate()
    said = process.communicate()
    assert process.returncode == 0, said
    assert contents(tmp_path / "out") == local


@NEEDS_RAY
def test_it_goes_on_after_its_own_death_and_that_of_a_node(
    corpus: Corpus, nodes: Nodes, local: dict[str, bytes], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    for number, code in ((signal.SIGTERM, 143), (signal.SIGKILL, -9)):
        process = corpus.command(out, "--ray", nodes.address)
        assert process.stdout
        process.stdout.readline()  # the first source is done
        process.send_signal(number)
        said = process.communicate()[1]
        assert process.returncode == code, said
        assert number == signal.SIGKILL or "goes on where it was" in said
    assert nodes.kill_one(is_node)
    code, said = corpus.make(out, "--ray", nodes.address)
    assert code == 0, said
    assert contents(out) == local
    nodes.more()


# argv: the corpus, where to, and how many workers of which cluster; 0 for none.
_TRAINING = """
import sys
from pathlib import Path
from editcast_model.networks.config import NetworkConfig
from editcast_training.cluster_training import train_on_cluster
from editcast_training.fit.trainer import TrainingPlan, train
corpus, out, workers, address = sys.argv[1:]
network = NetworkConfig(
    300, 16, heads=2, state_layers=1, edit_layers=1, feed_forward=16, local=8, analogy=2
)
plan = TrainingPlan(
    Path(corpus), Path(out), network, steps=12, interval=2, budget=2000, batches=2, device="cpu"
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

    def begin(self, out: Path, workers: int, address: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-c", _TRAINING, self.corpus, out, str(workers), address],
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
@pytest.mark.parametrize("lost", ["worker", "node"])
def test_a_training_that_loses_a_worker_or_a_node_has_the_losses_of_one_process(
    lost: str, training: Training, nodes: Nodes, undisturbed: list[float], tmp_path: Path
) -> None:
    process = training.begin(tmp_path, 2, nodes.address)
    assert process.stdout
    while process.stdout.readline() != "4\n":  # in the middle of it
        assert process.poll() is None, process.communicate()
    assert nodes.kill_one({"worker": is_task, "node": is_node}[lost])
    said = process.communicate()
    assert process.returncode == 0, said
    assert said[0].split() == ["6", "8", "10", "12"]
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


@NEEDS_RAY
def test_sessions_replayed_on_a_cluster_are_those_replayed_here(
    corpus: Corpus, nodes: Nodes, tmp_path: Path
) -> None:
    evaluations = []
    for name, options in (("here", ()), ("there", ("--ray", nodes.address))):
        listing = ("--repositories", corpus.mirror / "list.toml", "--mirror", corpus.mirror)
        given = ("--split", "train", "--commits", "12", "--model", "repeat-best", *options)
        ended = subprocess.run(
            [sys.executable, "-m", "editcast", "evaluate", *listing, *given, "--out", name],
            env=corpus.environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert ended.returncode == 0, ended.stderr
        evaluations.append(Evaluation.read(tmp_path / name / "repeat-best.json"))
    here, there = (
        [replace(row, milliseconds=0.0) for row in evaluation.rows] for evaluation in evaluations
    )
    assert here == there and len({row.session for row in here}) > 40


@NEEDS_RAY
def test_a_folder_that_cannot_be_written_to_is_said(
    corpus: Corpus, nodes: Nodes, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "train").write_text("a file where a folder must be")
    code, said = corpus.make(out, "--ray", nodes.address)
    assert code == 2 and "cannot be read or written" in said and said.count("\n") == 1


@NEEDS_RAY
def test_storage_that_is_full_is_said_and_gone_on_with(
    corpus: Corpus, nodes: Nodes, local: dict[str, bytes], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    size = max(map(len, local.values())) - 1
    begin = ["import resource, runpy; from resource import RLIMIT_FSIZE as kind"]
    begin += [
        f"resource.setrlimit(kind, ({size}, {size})); runpy.run_module('editcast', run_name='__main__')"
    ]
    code, said = corpus.make(out, "--ray", nodes.address, begin="; ".join(begin))
    assert code == 2 and "has no room left" in said and said.count("\n") == 1
    assert corpus.make(out, "--ray", nodes.address)[0] == 0
    assert contents(out) == local


_HERE = """
import os, sys, time
from editcast_training.cluster import HERE, mapped
print([*sorted(mapped(abs, range(-9, 0), HERE, 2))])
from ray._common.usage.usage_lib import usage_stats_enabled
print(usage_stats_enabled())
os.environ["RAY_memory_usage_threshold"] = "0.001"  # less than anything takes
try:
    [*mapped(time.sleep, [600], HERE, 1)]
except Exception as error:
    print(type(error).__name__, error)
"""


@NEEDS_RAY
def test_a_cluster_of_this_machine_is_silent_and_ends_and_says_when_memory_is_short(
    environment: Environment,
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _HERE],
        env=environment | {"RAY_USAGE_STATS_ENABLED": "1"},  # whatever the user has set
        capture_output=True,
        text=True,
    )
    lines = ended.stdout.splitlines()
    assert lines[:2] == [str([*range(1, 10)]), "False"], ended.stderr
    assert lines[2:] == [
        "ClusterError A worker of the cluster was out of memory; add nodes with more, and run the "
        "same command again, and it goes on."
    ]


_THERE = """
import os, sys
from editcast_training import cluster
try:
    [*cluster.mapped(os._exit, [1], sys.argv[1], 1)]
except Exception as error:
    print(type(error).__name__, error)
cluster.MEMORY = 1 << 50
try:
    [*cluster.mapped(abs, [1], sys.argv[1], 1)]
except Exception as error:
    print(type(error).__name__, error)
"""


@NEEDS_RAY
def test_workers_that_die_and_nodes_that_are_too_small_are_said(
    environment: Environment, nodes: Nodes
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _THERE, nodes.address],
        env=environment,
        capture_output=True,
        text=True,
    )
    killed, small = ended.stdout.splitlines()
    assert killed.startswith("ClusterError A worker of the cluster was killed again and again")
    assert small.startswith("ClusterError No node of the cluster has 1,125,899,906,842,624 bytes")


@NEEDS_RAY
def test_a_node_with_other_libraries_is_said() -> None:
    wanted = of_ray._versions() | {"pyarrow": "1.0"}
    with pytest.raises(ClusterError, match=r"has other versions \(pyarrow \d"):
        of_ray._call((abs, wanted), -1)


@pytest.mark.parametrize("address", ["127.0.0.1:9", "nowhere", "127.0.0.1:99999"])
def test_an_address_where_nothing_answers_is_said_at_once(
    address: str, corpus: Corpus, tmp_path: Path
) -> None:
    code, said = corpus.make(tmp_path / "out", "--ray", address)
    assert code == 2 and said.startswith(f"Nothing answers at {address}") and said.count("\n") == 1


def test_nothing_of_ray_is_imported_unless_asked_for(corpus: Corpus, tmp_path: Path) -> None:
    program = (
        "import sys; from editcast.__main__ import cli; cli(standalone_mode=False);"
        "print([name for name in sys.modules if name.partition('.')[0] == 'ray'])"
    )
    given = ["corpus", str(tmp_path / "out"), "--git", str(corpus.mirror / "me+3")]
    ended = subprocess.run(
        [sys.executable, "-c", program, *given, "--tokenizer", str(corpus.tokenizer)],
        env=corpus.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.splitlines()[-1] == "[]"
