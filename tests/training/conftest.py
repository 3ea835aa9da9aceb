"""A small repository, a corpus of it, and a bundle of a network that is small enough to export."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pygit2
import pytest
import torch

from editcast_model.export import export
from editcast_model.networks.implicit_attention import ImplicitAttention, NetworkConfig
from editcast_model.tokens import Tokenizer
from editcast_training.corpus import make_corpus
from editcast_training.origins import Origin


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


def small_network(vocabulary: int) -> NetworkConfig:
    """The bundled model's parts, as narrow as they go."""
    return NetworkConfig(
        vocabulary,
        width=16,
        heads=2,
        aggregate="residual",
        decoder="edits",
        feed_forward=16,
        local=8,
        analogy=2,
        distance=True,
        copy=True,
        dropout=0.05,
    )


def editcast(*arguments: object, home: Path) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "editcast", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment(home),
    )


def environment(home: Path) -> dict[str, str]:
    """Of a process that is to write only below `home`, and to leave the other cores alone."""
    return {
        **os.environ,
        "EDITCAST_HOME": str(home),
        "PYTHONIOENCODING": "utf-8",
        "OMP_NUM_THREADS": "1",
    }


@pytest.fixture(scope="session")
def small_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("small") / "project", 120)


@pytest.fixture(scope="session")
def small_tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("small-tokenizer") / "tokenizer.json"
    Tokenizer.train([_text(list(range(500)))], 300).save(path)
    return path


@pytest.fixture(scope="session")
def small_corpus(
    small_repository: Path, small_tokenizer: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("small-corpus")
    make_corpus(folder, [Origin("project", "git", small_repository)], tokenizer=small_tokenizer)
    return folder


@pytest.fixture(scope="session")
def small_bundle(small_tokenizer: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    tokenizer = Tokenizer.load(small_tokenizer)
    torch.manual_seed(0)
    network = ImplicitAttention(small_network(len(tokenizer)))
    return export(network, tokenizer, {"name": "small"}, tmp_path_factory.mktemp("b") / "b").path
