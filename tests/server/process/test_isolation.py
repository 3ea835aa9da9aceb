"""Nothing that lies in a workspace is ever executed: not by a training, nor by a replay."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pygit2
import pytest

from editcast.replay_client import ReplayClient

HOSTILE = (
    "random.py",
    "pickle.py",
    "threading.py",
    "sitecustomize.py",
    "usercustomize.py",
    "click.py",
    "multiprocessing/__init__.py",
    "torch/__init__.py",
    "numpy/__init__.py",
    "editcast/__init__.py",
    "editcast/__main__.py",
    "editcast_training/__init__.py",
)

#: The end of a training that read a repository with too short a past.
READ = "No file changed often enough to learn from."


@pytest.fixture
def make_hostile(tmp_path: Path) -> Callable[[Path], Callable[[], list[str]]]:
    """Puts modules into a folder that leave a mark when one is executed; returns who left one."""
    marks = tmp_path / "marks"

    def make(folder: Path) -> Callable[[], list[str]]:
        for name in HOSTILE:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(
                f"with open({str(marks)!r}, 'a') as file:\n    file.write({name + chr(10)!r})\n"
            )
        return lambda: marks.read_text().splitlines() if marks.exists() else []

    return make


def commit(folder: Path, times: int) -> None:
    """A repository of the folder, in which a file changes from commit to commit."""
    repository = pygit2.init_repository(str(folder))
    parents: list[Any] = []
    for number in range(times):
        text = "".join(f"value_{n} = load({(number + n) % 7})\n" for n in range(40))
        tree = repository.TreeBuilder()
        blob = repository.create_blob(text.encode())
        tree.insert("module.py", blob, pygit2.enums.FileMode.BLOB)
        who = pygit2.Signature("A", "a@example.org", 1_700_000_000 + 3600 * number, 0)
        parents = [repository.create_commit("HEAD", who, who, "m", tree.write(), parents)]


def test_the_modules_do_leave_their_mark(make_hostile: Any, tmp_path: Path) -> None:
    marks = make_hostile(tmp_path / "workspace")
    subprocess.run([sys.executable, "-m", "editcast"], cwd=tmp_path / "workspace", check=True)
    assert "editcast/__main__.py" in marks()


async def test_a_training_reads_the_workspace_and_runs_nothing_of_it(
    start: Any, make_hostile: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As many have it, by `PYTHONPATH=$PYTHONPATH:/more`: an empty entry is the working directory.
    monkeypatch.setenv("PYTHONPATH", os.pathsep)
    workspace = tmp_path / "project"
    marks = make_hostile(workspace)
    commit(workspace, 3)
    async with start() as editor:
        await editor.command("editcast.train")
        await editor.until(lambda: any(READ in one for one in editor.messages))
    assert marks() == []


def test_a_training_on_the_command_line_runs_nothing_of_the_folder_either(
    make_hostile: Any, tmp_path: Path
) -> None:
    workspace = tmp_path / "workspace"
    marks = make_hostile(workspace)
    commit(workspace, 3)
    command = Path(sys.executable).with_name("editcast")
    done = subprocess.run(
        [command, "train"],
        cwd=workspace,
        env=os.environ | {"EDITCAST_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
    )
    assert READ in done.stderr
    assert (done.returncode, marks()) == (2, [])


def test_a_replay_runs_nothing_of_the_folder(
    make_hostile: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = make_hostile(tmp_path / "workspace")
    monkeypatch.chdir(tmp_path / "workspace")
    with ReplayClient({"modelPath": "repeat-best"}, home=tmp_path) as client:
        assert client.name == "repeat-best"
    assert marks() == []
