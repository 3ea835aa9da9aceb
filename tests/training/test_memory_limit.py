"""The limit of the memory that a process takes while it reads a source."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pygit2
import pytest

from clusters import NEEDS_RAY, Environment, Nodes, environment, nodes

__all__ = ["environment", "nodes"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what is resident")

_LIMIT = "0.3"  # GiB: more than a small repository takes, less than the texts of the large one
_VERSIONS = 75


def _large_repository(path: Path) -> Path:
    """A repository of one file, of whose versions 250 MB stand in memory at once."""
    repository = pygit2.init_repository(str(path), bare=True)
    wide = "\N{ROCKET}"  # four bytes a character
    rows = [f"row_{number} = '{wide}{'x' * 800}'\n" for number in range(1100)]
    parents: list[pygit2.Oid] = []
    for version in range(_VERSIONS):
        rows[14 * version] = f"changed_{version} = {version}\n"
        builder = repository.TreeBuilder()
        blob = repository.create_blob("".join(rows).encode())
        builder.insert("large.py", blob, pygit2.enums.FileMode.BLOB)
        who = pygit2.Signature("A", "a@example.org", 1_700_000_000 + 3600 * version, 0)
        tree = builder.write()
        parents = [repository.create_commit("HEAD", who, who, "change", tree, parents)]
    return path


@dataclass
class Corpus:
    """Corpus of a large and a small repository, and the command that makes it."""

    listing: tuple[str, ...]
    environment: Environment

    def make(self, out: Path, *options: str) -> str:
        """Return what it prints."""
        ended = subprocess.run(
            [sys.executable, "-m", "editcast", "corpus", out, *self.listing, *options],
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert ended.returncode == 0 and ended.stderr == "", ended.stderr
        return " ".join(ended.stdout.split())


@pytest.fixture(scope="module")
def corpus(
    tmp_path_factory: pytest.TempPathFactory,
    repository_maker: Callable[..., Path],
    small_tokenizer: Path,
    environment: Environment,
) -> Corpus:
    mirror = tmp_path_factory.mktemp("mirror")
    _large_repository(mirror / "me+large")
    repository_maker(mirror / "me+small", 20)
    (mirror / "list.toml").write_text('train = ["me/small"]\ndev = ["me/large"]\n')
    listing = ("--repositories", str(mirror / "list.toml"), "--mirror", str(mirror))
    return Corpus((*listing, "--tokenizer", str(small_tokenizer)), environment)


@pytest.fixture(scope="module")
def unlimited(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("unlimited") / "corpus"
    assert "skipped." not in corpus.make(out)
    return contents(out)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def _is_left_out_and_gone_on_with(
    corpus: Corpus, unlimited: dict[str, bytes], out: Path, *options: str
) -> None:
    said = corpus.make(out, "--memory", _LIMIT, *options)
    assert (
        "me/large: skipped. Reading it takes more than 0.26 GiB of memory; give more with" in said
    )
    assert said.count("skipped.") == 1
    made = contents(out)
    shard = str(Path("dev", "me+large.parquet"))
    assert made.keys() == unlimited.keys() - {shard}
    corpus.make(out, *options)
    assert contents(out) == unlimited


def test_a_source_that_takes_too_much_memory_is_left_out_and_gone_on_with(
    corpus: Corpus, unlimited: dict[str, bytes], tmp_path: Path
) -> None:
    _is_left_out_and_gone_on_with(corpus, unlimited, tmp_path / "out")


@NEEDS_RAY
def test_so_it_is_on_a_cluster(
    corpus: Corpus, unlimited: dict[str, bytes], nodes: Nodes, tmp_path: Path
) -> None:
    _is_left_out_and_gone_on_with(corpus, unlimited, tmp_path / "out", "--ray", nodes.address)


_LIMITED = """
import sys, time
from editcast_training.memory_limit import check, limited, resident
most = resident() + (1 << 28)
taken = []
with limited(most):
    check()
    print("begun", flush=True)
    {then}
"""

# It stays between near the limit and the limit until that is seen, however late the thread looks.
_BY_AND_BY = """
    while True:
        check()
        if resident() < 15 / 16 * most:
            taken.append(bytes([1]) * (1 << 20))
        else:
            time.sleep(0.001)
"""

_AT_ONCE = """
    taken.append(bytes([1]) * (1 << 29))
    while True:
        time.sleep(1)
"""


@pytest.mark.parametrize(
    ("then", "code"), [(_BY_AND_BY, 1), (_AT_ONCE, 137)], ids=["by and by", "at once"]
)
def test_near_the_limit_it_is_said_and_at_the_limit_the_process_ends(then: str, code: int) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _LIMITED.format(then=then.strip())], capture_output=True, text=True
    )
    assert ended.stdout == "begun\n"
    assert ended.returncode == code, ended.stderr
    assert (code == 1) == ("Reading it takes more than" in ended.stderr)
