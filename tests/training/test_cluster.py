"""A corpus made on a Ray cluster: the bytes of the local one, whoever is killed meanwhile."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from editcast_model.errors import CorpusError
from editcast_training import cluster as of_ray

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

    def command(self, out: Path, *options: str) -> "subprocess.Popen[str]":
        listing = ("--repositories", str(self.mirror / "list.toml"), "--mirror", str(self.mirror))
        given = ("corpus", str(out), *listing, "--tokenizer", str(self.tokenizer), *options)
        return subprocess.Popen(
            [sys.executable, "-m", "editcast", *given],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def make(self, out: Path, *options: str) -> tuple[int, str]:
        """Exit code, and what stderr said."""
        process = self.command(out, *options)
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
    pid: int


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
    yield Nodes(address, process.pid)
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


def kill_one(nodes: Nodes, is_meant: Callable[[str], bool]) -> bool:
    """Kill the newest process of the cluster of which it holds."""
    found = [pid for pid, name in descendants(nodes.pid) if is_meant(name)]
    if found:
        os.kill(max(found), signal.SIGKILL)
    return bool(found)


@NEEDS_RAY
def test_a_worker_that_is_killed_changes_no_byte(
    corpus: Corpus, nodes: Nodes, local: dict[str, bytes], tmp_path: Path
) -> None:
    process = corpus.command(tmp_path / "out", "--ray", nodes.address)
    while process.poll() is None and not kill_one(
        nodes, lambda name: name.startswith("ray::_call")
    ):
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
    assert kill_one(nodes, lambda name: "/raylet/raylet" in name)
    code, said = corpus.make(out, "--ray", nodes.address)
    assert code == 0, said
    assert contents(out) == local


@NEEDS_RAY
def test_a_folder_that_cannot_be_written_to_is_said(
    corpus: Corpus, nodes: Nodes, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "train").write_text("a file where a folder must be")
    code, said = corpus.make(out, "--ray", nodes.address)
    assert code == 2 and "cannot be read or written" in said and said.count("\n") == 1


_HERE = """
import os, sys
from editcast_training.cluster import HERE, mapped
print([*sorted(mapped(abs, range(-9, 0), HERE, 2))])
from ray._common.usage.usage_lib import usage_stats_enabled
print(usage_stats_enabled())
try:
    [*mapped(os._exit, [1], HERE, 1)]
except Exception as error:
    print(type(error).__name__, error)
"""


@NEEDS_RAY
def test_a_cluster_of_this_machine_is_silent_and_ends(environment: Environment) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _HERE],
        env=environment | {"RAY_USAGE_STATS_ENABLED": "1"},  # whatever the user has set
        capture_output=True,
        text=True,
    )
    lines = ended.stdout.splitlines()
    assert lines[:2] == [str([*range(1, 10)]), "False"], ended.stderr
    # Ray itself has said before that a worker died.
    assert lines[-1].startswith("CorpusError A worker of the cluster was killed again and again")


@NEEDS_RAY
def test_a_node_with_other_libraries_is_said() -> None:
    wanted = of_ray._versions() | {"pyarrow": "1.0"}
    with pytest.raises(CorpusError, match=r"has other versions \(pyarrow \d"):
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
