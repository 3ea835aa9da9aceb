"""Private files: who may read them, whatever the umask, and that none is ever there by half."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from editcast_model.private_files import atomic_write, discard, fresh_folder, write_text

_WRITES = """
import os, sys
from pathlib import Path
from editcast_model.private_files import append_text, fresh_folder, private_folder, write_text
os.umask(int(sys.argv[1], 8))
home = private_folder(Path(sys.argv[2]) / "a" / "b")
write_text(home / "whole.json", "{}")
append_text(home / "log.jsonl", "1")
append_text(home / "log.jsonl", "2")
with fresh_folder(home / "bundle") as fresh:
    (fresh / "half").mkdir()
    (fresh / "half" / "graph").write_text("x")
"""


def modes(folder: Path) -> dict[str, int]:
    found = {path: path.stat().st_mode & 0o777 for path in (folder, *folder.rglob("*"))}
    return {path.relative_to(folder).as_posix(): mode for path, mode in found.items()}


@pytest.mark.parametrize("umask", ["0", "022"])
def test_only_the_owner_reads_what_is_written(umask: str, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", _WRITES, umask, str(tmp_path)], check=True)
    assert modes(tmp_path / "a") == {
        ".": 0o700,
        "b": 0o700,
        "b/whole.json": 0o600,
        "b/log.jsonl": 0o600,
        "b/bundle": 0o700,
        "b/bundle/half": 0o700,
        "b/bundle/half/graph": 0o600,
    }
    assert (tmp_path / "a" / "b" / "log.jsonl").read_text() == "12"


def test_a_file_that_cannot_be_finished_leaves_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_text(path, "one")
    path.chmod(0o644)
    with pytest.raises(ValueError, match="stop"), atomic_write(path) as partial:
        partial.write_text("tw")
        raise ValueError("stop")
    assert path.read_text() == "one" and list(tmp_path.iterdir()) == [path]
    (tmp_path / ".plan.json.partial").symlink_to(
        tmp_path / "elsewhere"
    )  # it is never written through
    write_text(path, "two")
    assert path.read_text() == "two" and list(tmp_path.iterdir()) == [path]
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(OSError, match="nowhere"):
        write_text(tmp_path / "nowhere" / "plan.json", "")


def test_a_folder_is_the_old_one_or_the_new_one(tmp_path: Path) -> None:
    place = tmp_path / "bundle"
    for text in ("one", "two"):
        with fresh_folder(place) as fresh:
            assert list(fresh.iterdir()) == []
            (fresh / "card").write_text(text)
        assert (place / "card").read_text() == text
    with pytest.raises(ValueError, match="stop"), fresh_folder(place) as fresh:
        (fresh / "card").write_text("three")
        raise ValueError("stop")
    assert (place / "card").read_text() == "two" and list(tmp_path.iterdir()) == [place]


def test_killed_between_the_renamings_the_next_one_puts_the_old_folder_back(tmp_path: Path) -> None:
    place = tmp_path / "bundle"
    with fresh_folder(place) as fresh:
        (fresh / "card").write_text("one")
    program = """
import os, signal, sys
from pathlib import Path
from editcast_model import private_files
rename = os.rename
def die(source, target):
    rename(source, target)
    os.kill(os.getpid(), signal.SIGKILL)
os.rename = die
with private_files.fresh_folder(Path(sys.argv[1])) as fresh:
    (fresh / "card").write_text("two")
"""
    done = subprocess.run([sys.executable, "-c", program, str(place)])
    assert done.returncode == -9 and not place.exists()
    with pytest.raises(ValueError, match="stop"), fresh_folder(place):
        assert (place / "card").read_text() == "one"
        raise ValueError("stop")
    assert (place / "card").read_text() == "one" and list(tmp_path.iterdir()) == [place]


def test_what_is_removed_is_gone_at_once(tmp_path: Path) -> None:
    place = tmp_path / "corpus"
    (place / "train").mkdir(parents=True)
    discard(place)
    discard(place)
    assert os.listdir(tmp_path) == []
