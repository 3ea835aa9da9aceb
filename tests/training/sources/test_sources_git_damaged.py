"""Repositories whose objects a crash, or somebody, has damaged: one sentence, and an end."""

import os
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


@pytest.mark.timeout(60)
@pytest.mark.parametrize("how", ["worktree", "clone"])
def test_an_object_that_is_cut_off_where_it_is_borrowed_from(tmp_path: Path, how: str) -> None:
    repository = _repository(tmp_path / "project")
    if how == "worktree":
        repository.add_worktree("other", str(tmp_path / "other"))
    else:
        pygit2.init_repository(str(tmp_path / "other"))
        git = tmp_path / "other" / ".git"
        (git / "objects/info/alternates").write_text(f"{repository.path}objects\n")
        (git / "HEAD").write_text(f"{repository.head.target}\n")
    assert list(read_files(tmp_path / "other", skipped=Counter()))
    tree = repository.head.peel(pygit2.Tree)
    file = _loose(repository, tree["a.py"].id)
    file.write_bytes(file.read_bytes()[:30])
    with pytest.raises(SourceError, match="truncated object"):
        list(read_files(tmp_path / "other", skipped=Counter()))


@pytest.mark.timeout(60)
@pytest.mark.skipif(os.name != "posix", reason="pipes are files on POSIX only")
def test_a_pipe_among_the_objects(tmp_path: Path) -> None:
    repository = _repository(tmp_path / "project")
    folder = Path(repository.path) / "objects" / "00"
    folder.mkdir(exist_ok=True)
    os.mkfifo(folder / ("0" * 38))
    assert list(read_files(tmp_path / "project", skipped=Counter()))


@pytest.mark.parametrize("time", [2**62, 2**63 - 1])
def test_a_commit_of_a_year_that_never_comes(tmp_path: Path, time: int) -> None:
    repository = _repository(tmp_path / "project")
    head = repository.head.peel(pygit2.Commit)
    blob = repository.create_blob(b"value = 3\n" * 50)
    builder = repository.TreeBuilder()
    builder.insert("a.py", blob, pygit2.enums.FileMode.BLOB)
    who = f"A <a@example.org> {time} +0000"
    text = f"tree {builder.write()}\nparent {head.id}\nauthor {who}\ncommitter {who}\n\nm\n"
    repository.set_head(repository.write(pygit2.enums.ObjectType.COMMIT, text.encode()))
    (history,) = read_git(tmp_path / "project", project="p", skipped=Counter())
    assert len(history.snapshots) == 3


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
