"""No source of training reads what usually holds secrets, nor what a link leads to."""

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pygit2
import pytest
from pygit2.enums import FileMode

from editcast_model.errors import SourceError
from editcast_store.saves import Store
from editcast_training.sources.file_history import FileHistory, Skipped
from editcast_training.sources.git import read_files, read_git
from editcast_training.sources.local_history import read_local_history
from editcast_training.sources.saves import read_saves, read_store

SECRETS = ".env.py id_rsa.py deploy/.aws/keys.py secrets.py .ssh/c.py local_settings.py".split()
COUNTED = {"file: usually holds secrets": len(SECRETS)}


def names(found: Iterator[FileHistory]) -> list[str]:
    return sorted({history.path for history in found})


def commit(repository: pygit2.Repository, files: dict[str, str]) -> None:
    index = pygit2.Index()
    for path, content in files.items():
        index.add(pygit2.IndexEntry(path, repository.create_blob(content.encode()), FileMode.BLOB))
    who = pygit2.Signature("A", "a@example.org", 1_700_000_000, 0)
    parents = [] if repository.head_is_unborn else [repository.head.target]
    tree = index.write_tree(repository)
    repository.create_commit("HEAD", who, who, "c", tree, parents)


def make(path: Path, *, bare: bool = False) -> Path:
    repository = pygit2.init_repository(str(path), bare=bare)
    for text in ("a = 1\n", "a = 2\n"):
        commit(repository, {name: text for name in ("a.py", *SECRETS)})
    return path


def test_commits(tmp_path: Path) -> None:
    repository = make(tmp_path / "project", bare=True)
    skipped: Skipped = Counter()
    assert names(read_git(repository, project="p", skipped=skipped)) == ["a.py"]
    assert skipped == COUNTED
    skipped = Counter()
    assert [name for name, _, _ in read_files(repository, skipped=skipped)] == ["a.py"]
    assert skipped == COUNTED


def test_a_git_file_or_link_that_leads_into_a_folder_of_secrets(tmp_path: Path) -> None:
    make(tmp_path / ".password-store")
    for name in ("by_file", "by_link"):
        (tmp_path / name).mkdir()
    (tmp_path / "by_file" / ".git").write_text(f"gitdir: {tmp_path}/.password-store/.git\n")
    (tmp_path / "by_link" / ".git").symlink_to(tmp_path / ".password-store" / ".git")
    (tmp_path / "link").symlink_to(".password-store")
    for name in ("by_file", "by_link", "link", ".password-store"):
        with pytest.raises(SourceError, match="folder of secrets.*name another"):
            list(read_git(tmp_path / name, project="p", skipped=Counter()))
    make(tmp_path / "plain")
    secret = tmp_path / ".password-store" / ".git"
    for name in ("borrowing", "by_common"):
        make(tmp_path / name)
    (tmp_path / "borrowing/.git/objects/info/alternates").write_text(f"{secret}/objects\n")
    (tmp_path / "by_common/.git/commondir").write_text(f"{secret}\n")
    for name in ("borrowing", "by_common"):
        with pytest.raises(SourceError, match="folder of secrets"):
            list(read_git(tmp_path / name, project="p", skipped=Counter()))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / ".git").write_text(f"gitdir: {tmp_path}/plain/.git\n")
    assert names(read_git(tmp_path / "elsewhere", project="p", skipped=Counter())) == ["a.py"]


def test_saves(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("")
    (tmp_path / "link.py").symlink_to(".env")
    lines = [
        {"path": path, "text0": "a", "changes": [{"time": 1, "edits": [[0, 1, "b"]]}]}
        for path in ("a.py", str(tmp_path / "link.py"), *SECRETS)
    ]
    file = tmp_path / "saves.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    skipped: Skipped = Counter()
    assert names(read_saves(file, skipped=skipped)) == ["a.py"]
    assert skipped == {"file: usually holds secrets": len(SECRETS) + 1}


def test_the_store_as_an_older_version_left_it(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    (tmp_path / ".env").write_text("")
    (tmp_path / "link.py").symlink_to(".env")
    wanted = [*(f"/project/{name}" for name in SECRETS), str(tmp_path / "link.py")]
    with Store.open(path) as store:
        for number in range(len(wanted) + 1):
            for time in (0, 100_000):
                store.record(f"/{number}.py", f"{time}", time, "python")
    with closing(sqlite3.connect(path)) as database:
        for number, name in enumerate(wanted, 1):
            database.execute("UPDATE files SET path = ? WHERE path = ?", (name, f"/{number}.py"))
        database.commit()
    skipped: Skipped = Counter()
    with Store.open(path) as store:
        assert names(read_store(store, skipped=skipped)) == ["/0.py"]
    assert skipped == {"file: usually holds secrets": len(wanted)}


# Local History


def entry(history: Path, name: str, resource: str) -> Path:
    """A file's folder with two versions."""
    folder = history / name
    folder.mkdir(parents=True)
    for number in (1, 2):
        (folder / f"{number}.py").write_text(f"version {number}")
    entries = [{"id": f"{number}.py", "timestamp": number} for number in (1, 2)]
    index = {"version": 1, "resource": resource, "entries": entries}
    (folder / "entries.json").write_text(json.dumps(index))
    return folder


def read(history: Path) -> tuple[list[FileHistory], Skipped]:
    skipped: Skipped = Counter()
    return list(read_local_history(history, skipped=skipped)), skipped


def test_local_history_of_a_link_to_a_secret(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("")
    (tmp_path / "link.py").symlink_to(".env")
    entry(tmp_path / "History", "1", (tmp_path / "link.py").as_uri())
    assert read(tmp_path / "History") == ([], {"file: usually holds secrets": 1})


def test_a_version_that_is_a_link_is_skipped(tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("must not be read")
    folder = entry(tmp_path / "History", "1", "file:///p/a.py")
    entries = json.loads((folder / "entries.json").read_text())
    for number, target in enumerate((str(outside), "/etc/passwd", "1.py"), 3):
        (folder / f"{number}.py").symlink_to(target)
        entries["entries"].append({"id": f"{number}.py", "timestamp": number})
    os.mkfifo(folder / "pipe.py")  # nobody waits for one
    entries["entries"].append({"id": "pipe.py", "timestamp": 9})
    (folder / "entries.json").write_text(json.dumps(entries))
    (found,), skipped = read(tmp_path / "History")
    assert [one.text for one in found.snapshots] == ["version 1", "version 2"]
    assert skipped == {"snapshot: its file is not a plain one": 4}


def test_folders_and_indexes_that_are_links_are_skipped(tmp_path: Path) -> None:
    outside = entry(tmp_path / "outside", "1", "file:///p/a.py")
    history = tmp_path / "History"
    entry(history, "good", "file:///p/good.py")
    (history / "folder").symlink_to(outside)
    linked = entry(history, "index", "file:///p/b.py")
    (linked / "entries.json").unlink()
    (linked / "entries.json").symlink_to(outside / "entries.json")
    piped = entry(history, "pipe", "file:///p/c.py")
    (piped / "entries.json").unlink()
    os.mkfifo(piped / "entries.json")
    found, skipped = read(history)
    assert [one.path for one in found] == ["/p/good.py"]
    assert skipped == {
        "file: its folder is a link": 1,
        "file: entries.json is not a plain file": 2,
    }
