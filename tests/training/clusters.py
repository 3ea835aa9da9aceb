"""A Ray cluster of two nodes, for the tests of a file, and what kills its processes."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

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
    # Ray's workers would wait for all that others do on a busy machine.
    ours = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_worker_niceness": "0"}
    return os.environ | own | ours


@dataclass
class Nodes:
    """Two nodes on this machine."""

    address: str
    process: "subprocess.Popen[str]"

    def more(self, path: str = "") -> None:
        """Add a node, with this PYTHONPATH if any, and wait until it is there."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline().strip() == self.address

    def kill_one(self, is_meant: Callable[[str], bool]) -> bool:
        """Kill the newest process of the cluster of which it holds."""
        found = [pid for pid, name in descendants(self.process.pid) if is_meant(name)]
        if found:
            os.kill(max(found, key=start_time), signal.SIGKILL)
        return bool(found)


@pytest.fixture(scope="module")
def nodes(environment: Environment) -> Iterator[Nodes]:
    with started(environment) as made:
        yield made


@contextmanager
def started(environment: Environment) -> Iterator[Nodes]:
    """A cluster of two nodes, for as long as the block."""
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


def start_time(pid: int) -> int:
    """When a process started, in ticks; numbers of processes begin anew. 0 for one that ended."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except OSError:
        return 0


def is_task(name: str) -> bool:
    return name.startswith(("ray::_call", "ray::_stream"))


def is_node(name: str) -> bool:
    return "/raylet/raylet" in name
