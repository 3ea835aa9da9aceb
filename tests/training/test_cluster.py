"""Work on a Ray cluster: the results are those of this machine, whoever is killed meanwhile."""

import signal
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from clusters import NEEDS_RAY, Environment, Nodes, environment, is_node, is_task, nodes, started
from editcast_training.evaluation.results import Evaluation

__all__ = ["environment", "nodes"]


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


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


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
        assert number == signal.SIGKILL or "run the same command to continue" in said
    assert nodes.kill_one(is_node)
    code, said = corpus.make(out, "--ray", nodes.address)
    assert code == 0, said
    assert contents(out) == local
    nodes.more()


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
@pytest.mark.parametrize("where", ["a file in the way", "/proc/read-only"])
def test_a_folder_that_cannot_be_written_to_is_said(
    where: str, corpus: Corpus, nodes: Nodes, tmp_path: Path
) -> None:
    out = Path(where) if where.startswith("/") else tmp_path / "out"
    if not where.startswith("/"):
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
    begin += [f"resource.setrlimit(kind, ({size}, {size}))"]
    begin += ["runpy.run_module('editcast', run_name='__main__')"]
    code, said = corpus.make(out, "--ray", nodes.address, begin="; ".join(begin))
    assert code == 2 and "has no space left" in said and said.count("\n") == 1
    assert corpus.make(out, "--ray", nodes.address)[0] == 0
    assert contents(out) == local


_HERE = """
import os, sys, time
from editcast_training.cluster import HERE, streamed
def counted(most):
    for number in range(most):
        yield number
print(sorted(streamed(counted, [2, 1], HERE, 2)))
from ray._common.usage.usage_lib import usage_stats_enabled
print(usage_stats_enabled())
for _ in streamed(counted, [1], HERE, 1):
    os.write(2, b"an error of Ray's core")
    print("a sentence of ours", file=sys.stderr)
os.environ["RAY_memory_usage_threshold"] = "0.001"  # less than anything takes
try:
    [*streamed(time.sleep, [600], HERE, 1)]
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
    assert lines[:2] == ["[(0, 0), (0, 1), (1, 0)]", "False"], ended.stderr
    assert lines[2:] == [
        "ClusterError A worker of the cluster was out of memory; add nodes with more, and run the "
        "same command again to continue."
    ]
    assert ended.stderr == "a sentence of ours\n"


_THERE = """
import os, sys
from editcast_training import cluster
try:
    [*cluster.streamed(os._exit, [1], sys.argv[1], 1)]
except Exception as error:
    print(type(error).__name__, error)
try:
    [*cluster.streamed(iter, [[1]], sys.argv[1], 1, 1 << 50)]
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
    assert killed.startswith("ClusterError A worker of the cluster was killed repeatedly")
    assert small.startswith("ClusterError No node of the cluster has 1,125,899,906,842,624 bytes")


@NEEDS_RAY
def test_nodes_whose_workers_have_no_memory_left_are_said_and_gone_on_without(
    corpus: Corpus, nodes: Nodes, local: dict[str, bytes], tmp_path: Path
) -> None:
    short = corpus.environment | {"RAY_memory_usage_threshold": "0.001"}  # less than is in use
    with started(short) as others:
        code, said = corpus.make(tmp_path / "out", "--ray", others.address)
    assert code == 2 and said.startswith("A worker of the cluster was out of memory; add nodes")
    assert said.count("\n") == 1
    assert corpus.make(tmp_path / "out", "--ray", nodes.address)[0] == 0
    assert contents(tmp_path / "out") == local


_STREAMED = """
import os, signal, sys
from pathlib import Path
from editcast_training.cluster import streamed
def pieces(folder):
    begun = Path(folder, "begun")
    is_first = not begun.exists()
    begun.touch()
    for number in range(9):
        yield number
        if number == 6 and is_first:
            os.kill(os.getpid(), signal.SIGKILL)
print([*streamed(pieces, [sys.argv[2]], sys.argv[1], 1)])
"""


@NEEDS_RAY
def test_what_a_worker_yielded_before_it_was_killed_does_not_come_again(
    environment: Environment, nodes: Nodes, tmp_path: Path
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _STREAMED, nodes.address, tmp_path],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ended.stdout == f"{[(0, number) for number in range(9)]}\n", ended.stderr
    assert ended.stderr == ""


_OTHER_RAY = """
import sys, ray
from editcast_training import cluster
ray.__version__ = "2.0.0"
try:
    [*cluster.streamed(range, [1], sys.argv[1], 1)]
except Exception as error:
    print(type(error).__name__, error)
"""


@NEEDS_RAY
def test_a_cluster_with_another_ray_is_said(environment: Environment, nodes: Nodes) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _OTHER_RAY, nodes.address],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    said = "ClusterError The cluster has another version of Ray or of Python: Version mismatch"
    assert ended.stdout.startswith(said)


@NEEDS_RAY
def test_a_node_with_other_libraries_is_said_and_gone_on_without(
    corpus: Corpus, nodes: Nodes, local: dict[str, bytes], tmp_path: Path
) -> None:
    older = tmp_path / "older"
    (older / "pyarrow-1.0.dist-info").mkdir(parents=True)
    about = "Metadata-Version: 2.1\nName: pyarrow\nVersion: 1.0\n"
    (older / "pyarrow-1.0.dist-info" / "METADATA").write_text(about)
    nodes.more(f"{older}:{corpus.environment['PYTHONPATH']}")
    code, said = corpus.make(tmp_path / "out", "--ray", nodes.address)
    assert code == 2 and "has other versions (pyarrow 1.0); install the same" in said
    assert said.count("\n") == 1
    assert nodes.kill_one(is_node)
    assert corpus.make(tmp_path / "out", "--ray", nodes.address)[0] == 0
    assert contents(tmp_path / "out") == local


@NEEDS_RAY
def test_of_several_tasks_that_fail_at_once_one_is_said(
    environment: Environment, tmp_path: Path
) -> None:
    (tmp_path / "failing.py").write_text(
        "from editcast_model.errors import EditcastError\n"
        "def fail(_):\n"
        "    yield 1\n"
        "    raise EditcastError('It failed.')\n"
    )
    (tmp_path / "program.py").write_text(
        "import sys\n"
        "import ray\n"
        "from editcast_training.cluster import HERE, streamed\n"
        "from failing import fail\n"
        "try:\n"
        "    for _ in streamed(fail, range(4), HERE, 4):\n"
        "        while ray.available_resources().get('CPU') != 4:  # until all have failed\n"
        "            pass\n"
        "except Exception as error:\n"
        "    print(error, file=sys.stderr)\n"
    )
    ended = subprocess.run(
        [sys.executable, str(tmp_path / "program.py")],
        env={**environment, "PYTHONPATH": f"{tmp_path}:{environment['PYTHONPATH']}"},
        capture_output=True,
        text=True,
    )
    assert ended.stderr == "It failed.\n"


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
