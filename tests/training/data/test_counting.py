"""One's own history counted before torch is there: saves, Local History, commits."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pygit2

from editcast_store.saves import Store

CODE = "def part(text):\n    return render(text, {})\n"
# What the extension installs before a training is asked for.
WITHOUT_TRAINING = """
import sys
for name in ("torch", "pyarrow", "pygit2", "onnx", "sklearn", "matplotlib"):
    sys.modules[name] = None
from editcast.__main__ import main
sys.argv = ["editcast", *sys.argv[1:]]
main()
"""


def count(home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_TRAINING, "history", "count", *arguments],
        capture_output=True,
        text=True,
        cwd=home,
        env=os.environ
        | {"EDITCAST_HOME": str(home), "HOME": str(home), "COLUMNS": "200"}
        | {"XDG_CONFIG_HOME": str(home / ".config"), "XDG_DATA_HOME": str(home / ".data")},
        timeout=120,
    )


def commit(repository: pygit2.Repository, text: str) -> None:
    (Path(repository.workdir) / "a.py").write_text(text)
    repository.index.add("a.py")
    tree, person = repository.index.write_tree(), pygit2.Signature("A", "a@example.org")
    parents = [] if repository.head_is_unborn else [repository.head.target]
    repository.create_commit("HEAD", person, person, "", tree, parents)


def test_saves_and_commits_are_counted_without_the_training_side(tmp_path: Path) -> None:
    with Store.open(tmp_path / "history.sqlite3") as store:
        for step in range(21):
            store.record("/project/a.py", CODE.format(step), step * 60_000, "python")
    repository = pygit2.init_repository(str(tmp_path / "project"))
    for step in range(3):
        commit(repository, CODE.format(step))
    ended = count(tmp_path, "--json", f"--workspace={tmp_path / 'project'}")
    assert ended.returncode == 0, ended.stderr
    counted = json.loads(ended.stdout)
    saves, commits = counted["sources"]
    assert counted["needed"] == 50
    assert (saves["kind"], saves["saves"], saves["files"]) == ("store", 20, 1)
    assert saves["edits"] >= 40  # a number goes and another comes
    assert saves["instances"] >= 1
    assert (commits["kind"], commits["name"]) == ("git", "Commits of project")
    assert (commits["commits"], commits["instances"], commits["files"]) == (3, 3, 1)

    table = count(tmp_path, f"--workspace={tmp_path / 'project'}").stdout
    assert "Commits of project" in table
    assert "A training needs 50." in table


def test_nothing_is_nothing(tmp_path: Path) -> None:
    assert json.loads(count(tmp_path, "--json").stdout)["sources"] == []
    (tmp_path / ".git").mkdir()  # no repository that git knows
    (source,) = json.loads(count(tmp_path, "--json").stdout)["sources"]
    assert source["commits"] is None


def test_a_repository_starts_no_program_of_its_own(tmp_path: Path) -> None:
    place, was_run = tmp_path / "project", tmp_path / "was-run"
    repository = pygit2.init_repository(str(place))
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {was_run}\n")
    program.chmod(0o755)
    for name in ("gpg.program", "core.fsmonitor", "core.pager", "core.sshCommand"):
        repository.config[name] = str(program)
    repository.config["log.showSignature"] = True
    builder = repository.TreeBuilder()
    builder.insert("a.py", repository.create_blob(b"x = 1\n"), pygit2.enums.FileMode.BLOB)
    who = pygit2.Signature("A", "a@example.org", 1_700_000_000)
    signed = repository.create_commit_string(who, who, "m", builder.write(), [])
    signature = "-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----\n"
    head = repository.create_commit_with_signature(str(signed), signature)
    repository.references.create("refs/heads/main", head)
    repository.set_head("refs/heads/main")
    (counted,) = json.loads(count(tmp_path, "--json", f"--workspace={place}").stdout)["sources"]
    assert (counted["commits"], counted["files"]) == (1, 1)
    assert not was_run.exists()
    subprocess.run(["git", "-C", str(place), "log", "-1"], check=True, capture_output=True)
    assert was_run.exists()  # without our settings one is started
