"""Output of the commands: for the owner alone, whatever the umask."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

_COMMAND = """
import os, sys
os.umask(int(sys.argv.pop(1), 8))
from editcast.__main__ import main
main()
"""


def editcast(umask: str, *arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    home = cwd / "home"
    return subprocess.run(
        [sys.executable, "-P", "-c", _COMMAND, umask, *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
        env={
            **os.environ,
            "EDITCAST_HOME": str(home),
            "XDG_CONFIG_HOME": str(home / "no-editor"),
            "PYTHONIOENCODING": "utf-8",
            "OMP_NUM_THREADS": "1",
        },
    )


def readable(folder: Path) -> list[str]:
    """Return what others than the owner may read, write or enter."""
    return [
        f"{path.relative_to(folder)} {path.lstat().st_mode & 0o777:o}"
        for path in (folder, *folder.rglob("*"))
        if not path.is_symlink() and path.stat().st_mode & 0o077
    ]


@pytest.mark.parametrize("umask", ["0", "022"])
def test_nobody_else_may_read_it(
    umask: str, small_bundle: Path, small_repository: Path, trained: Path, tmp_path: Path
) -> None:
    history = ("--git", small_repository)
    tokenizer = small_bundle / "tokenizer.json"
    commands = (
        ("corpus", "below/corpus", *history, "--tokenizer", tokenizer, "--processes", 1),
        ("train", "out", "--corpus", "below/corpus", "--from", small_bundle, "--steps", 2),
        ("evaluate", *history, "--model", "repeat-best", "--commits", 2, "--out", "evaluation"),
        ("train", *history, "--from", small_bundle, "--steps", 2, "--processes", 1),
    )
    for command in commands:
        done = editcast(umask, *command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "load(" not in done.stdout + done.stderr  # nothing of the files' texts
    made = ("below", "out", "evaluation", "home")
    assert [readable(tmp_path / name) for name in made] == [[], [], [], []]
    assert (tmp_path / "below" / "corpus" / "train" / "project.parquet").exists()
    assert (tmp_path / "out" / "run" / "log.jsonl").exists()
    assert (tmp_path / "out" / "bundle" / "encode.onnx").exists()
    assert (tmp_path / "evaluation" / "repeat-best.json").exists()
    assert readable(trained) == []  # from scratch: an export of its own


def test_a_bundle_that_others_could_read_is_private_once_it_is_in_use(
    small_bundle: Path, tmp_path: Path
) -> None:
    program = """
import os, shutil, sys
from pathlib import Path
from editcast_store.models import install
os.umask(0)
for file in Path(sys.argv[1]).iterdir():
    os.makedirs("copy", exist_ok=True)
    shutil.copyfile(file, Path("copy") / file.name)
install(Path("copy"), Path("models"))
"""
    command = [sys.executable, "-P", "-c", program, str(small_bundle)]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert readable(tmp_path / "models") == []


def test_of_what_nobody_expected_the_message_is_left_out(
    small_repository: Path, tmp_path: Path
) -> None:
    """It may quote the user's files."""
    program = """
import editcast_training.data.corpus as corpus
def fail(origins, *, seed):
    for text in corpus._newest(origins[0]):
        raise ValueError("hunter2 " + text)
corpus.train_tokenizer = fail
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", program + _COMMAND, "022", "corpus", "out"]
        + ["--git", str(small_repository)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 1 and "hunter2" not in said and "value_" not in said
    assert done.stderr.endswith(
        "Editcast has a defect here (ValueError); please report these lines.\n"
    )
