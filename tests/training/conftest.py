"""A small repository, a vocabulary for it, a corpus of it, and a model trained on that."""

import random
from collections.abc import Callable
from pathlib import Path

import pygit2
import pytest
import torch
from click.testing import CliRunner

from editcast.commands.train import train
from editcast_model.networks.config import NetworkConfig
from editcast_model.tokenizer import Tokenizer
from editcast_training.data.corpus import make_corpus
from editcast_training.pipeline import Recipe
from editcast_training.sources.registry import Origin

#: The folder of a name, and what fills it if it is not there yet.
MadeOnce = Callable[[str, Callable[[Path], object]], Path]


def _text(numbers: list[int]) -> str:
    return "".join(f"value_{n} = load({n})\n" for n in numbers)


def make_repository(path: Path, commits: int, *, seed: int = 0) -> Path:
    """A repository of Python files; each commit changes four lines of each of three of them."""
    draw = random.Random(seed)
    repository = pygit2.init_repository(str(path), bare=True)
    files = {f"{name}.py": list(range(30)) for name in "abc"}
    parents: list[pygit2.Oid] = []
    for time in range(commits):
        builder = repository.TreeBuilder()
        for name, numbers in files.items():
            for line in draw.sample(range(30), 4 if time else 0):
                numbers[line] = draw.randrange(100, 999)
            blob = repository.create_blob(_text(numbers).encode())
            builder.insert(name, blob, pygit2.enums.FileMode.BLOB)
        who = pygit2.Signature("A", "a@example.org", 1_700_000_000 + 3600 * time, 0)
        tree = builder.write()
        parents = [repository.create_commit("HEAD", who, who, "change", tree, parents)]
    return path


@pytest.fixture(scope="session")
def repository_maker() -> Callable[..., Path]:
    return make_repository


@pytest.fixture(scope="session")
def small_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("small") / "project", 120)


@pytest.fixture(scope="session")
def small_mirror(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of four repositories, and `list.toml`, which names them."""
    folder = tmp_path_factory.mktemp("small-mirror")
    for seed in range(4):
        make_repository(folder / f"me+{seed}", 120, seed=seed)
    (folder / "list.toml").write_text('train = ["me/0", "me/1", "me/2"]\ndev = ["me/3"]\n')
    return folder


@pytest.fixture(scope="session")
def young_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("young") / "project", 3)


@pytest.fixture(scope="session")
def small_tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("small-tokenizer") / "tokenizer.json"
    Tokenizer.train([_text(list(range(500)))], 300).save(path)
    return path


@pytest.fixture(scope="session")
def small_corpus(small_repository: Path, small_tokenizer: Path, made_once: MadeOnce) -> Path:
    origins = [Origin("project", "git", small_repository)]
    return made_once("small-corpus", lambda to: make_corpus(to, origins, tokenizer=small_tokenizer))


def _network(vocabulary: int) -> NetworkConfig:
    """The network that is exported fastest."""
    return NetworkConfig(vocabulary, 32, feed_forward=32)


@pytest.fixture(scope="session")
def trained(small_corpus: Path, made_once: MadeOnce) -> Path:
    """Return what `editcast train OUT --scratch` leaves, with the smallest network there is."""

    def make(folder: Path) -> None:
        arguments = [folder / "small", "--corpus", small_corpus, "--scratch", "--steps", 4]
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # as in the tests that compare with its losses
        result = CliRunner().invoke(train, list(map(str, arguments)), obj=Recipe(_network))
        torch.set_num_threads(threads)
        assert result.exit_code == 0, result.output
        assert "100 %, step 4" in result.output

    return made_once("trained", make) / "small"


@pytest.fixture(scope="session")
def small_bundle(trained: Path) -> Path:
    return trained / "bundle"
