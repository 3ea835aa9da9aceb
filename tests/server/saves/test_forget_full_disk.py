"""Forgetting where the disk has no byte left: a small disk of its own, filled up."""

import os
import random
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from editcast_store.saves import Store


def noise(seed: int, size: int = 4000) -> str:
    """Text that does not compress, so that its bytes can be found in a file again."""
    rng = random.Random(seed)
    return "".join(chr(rng.randrange(0x4E00, 0x9FFF)) for _ in range(size))


def marks(*seeds: int) -> list[bytes]:
    return [zlib.compress(noise(seed).encode())[100:140] for seed in seeds]


def raw(home: Path) -> bytes:
    return b"".join(one.read_bytes() for one in sorted(home.glob("history*")))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes; where nobody may have one, a folder with room."""
    home = tmp_path / "disk"
    home.mkdir(mode=0o700)
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", str(home)]
    is_mounted = subprocess.run(mount, capture_output=True).returncode == 0
    yield home
    if is_mounted:
        subprocess.run(["umount", home], check=True)


def fill(disk: Path) -> None:
    """Take every byte that is left."""
    if not os.path.ismount(disk):
        return
    for size in (4096, 1):
        with (disk / "filler").open("ab", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"x" * size)


# An editor's server that is killed: what it kept is in the log, where the disk ended.
WRITER = """
import os, sys
from pathlib import Path
from editcast_model.errors import NoRoomError
from editcast_store.saves import Store
sys.path.insert(0, sys.argv[3])
from test_forget_full_disk import noise
store, kept = Store.open(Path(sys.argv[1])), 0
try:
    for kept in range(int(sys.argv[2])):
        store.record(f"/{kept % 5}.py", noise(kept), kept * 100_000, "python")
    kept += 1
except NoRoomError:
    pass
print(kept, flush=True)
os._exit(0)
"""


def record_and_die(disk: Path, most: int) -> int:
    """Saves of five files; how many were kept."""
    place = disk / "history.sqlite3"
    arguments = [sys.executable, "-c", WRITER, str(place), str(most), str(Path(__file__).parent)]
    ended = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=True)
    fill(disk)
    return int(ended.stdout)


def record(disk: Path, count: int) -> int:
    with Store.open(disk / "history.sqlite3") as store:
        for step in range(count):
            store.record(f"/{step % 5}.py", noise(step), step * 100_000, "python")
    fill(disk)
    return count


def forget(disk: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "editcast", "history", "forget", *arguments],
        capture_output=True,
        text=True,
        env=os.environ | {"EDITCAST_HOME": str(disk)},
        timeout=120,
    )


def check_forgotten(disk: Path, count: int) -> None:
    """Nothing is left of the second file, and everything of the others."""
    found = raw(disk)
    assert not any(mark in found for mark in marks(*range(1, count, 5)))
    assert any(mark in found for mark in marks(0))
    with Store.open(disk / "history.sqlite3") as store:
        assert store.notices == []
        assert [file.path for file in store.files()] == ["/0.py", "/2.py", "/3.py", "/4.py"]
        for file in store.files():
            first = int(file.path[1])
            kept = [one.text for one in store.snapshots(file.path)]
            assert kept == [noise(step) for step in range(first, count, 5)]
        (disk / "filler").unlink(missing_ok=True)
        assert store.record("/new.py", "goes on", 0, "python")


@pytest.mark.parametrize("is_killed", [True, False])
def test_forgetting_needs_some_room(disk: Path, is_killed: bool) -> None:
    count = record_and_die(disk, 30) if is_killed else record(disk, 30)
    ended = forget(disk, "/1.py")
    if ended.returncode:
        (sentence,) = ended.stderr.splitlines()
        assert ended.returncode == 2 and "the disk is full" in sentence
        (disk / "filler").unlink(missing_ok=True)
        ended = forget(disk, "/1.py")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "Forgot 6 saves of 1 files.\n"
    check_forgotten(disk, count)
