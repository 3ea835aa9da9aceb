"""Repositories whose objects a crash, or somebody, has damaged: one sentence, and an end."""

from collections import Counter
from pathlib import Path

import pygit2
import pytest

from editcast_model.errors import SourceError
from editcast_training.sources.git import read_files, read_git


def _repository(path: Path) -> pygit2.Repository:
    repository = pygit2.init_repository(str(path), bare=True)
    who = pygit2.Signature("A", "a@example.org", 1_700_000_000, 0)
    parents: list[pygit2.Oid] = []
    for number in range(2):
        builder = repository.TreeBuilder()
        blob = repository.create_blob(f"value = {number}\n".encode() * 50)
        builder.insert("a.py", blob, pygit2.enums.FileMode.BLOB)
        parents = [repository.create_commit("HEAD", who, who, "m", builder.write(), parents)]
    return repository


def _loose(repository: pygit2.Repository, oid: object) -> Path:
    name = str(oid)
    file = Path(repository.path) / "objects" / name[:2] / name[2:]
    file.chmod(0o600)
    return file


@pytest.mark.timeout(60)
@pytest.mark.parametrize("left", [4, 30])
def test_an_object_that_is_cut_off(tmp_path: Path, left: int) -> None:
    repository = _repository(tmp_path / "project")
    tree = repository.head.peel(pygit2.Tree)
    file = _loose(repository, tree["a.py"].id)
    file.write_bytes(file.read_bytes()[:left])
    for read in (
        lambda: list(read_git(tmp_path / "project", project="p", skipped=Counter())),
        lambda: list(read_files(tmp_path / "project", skipped=Counter())),
    ):
        with pytest.raises(SourceError, match="truncated object"):
            read()


@pytest.mark.parametrize("data", [b"no object at all", None])
def test_a_tree_that_cannot_be_read(tmp_path: Path, data: bytes | None) -> None:
    repository = _repository(tmp_path / "project")
    file = _loose(repository, repository.head.peel(pygit2.Tree).id)
    if data is None:
        file.unlink()
    else:
        file.write_bytes(data)
    with pytest.raises(SourceError, match="cannot be read"):
        list(read_files(tmp_path / "project", skipped=Counter()))
