"""Forgetting where the disk has no byte left: a small disk of its own, filled up."""

import os
import random
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from editcast_model.errors import StoreError
from editcast_store.forgetting_without_room import forget_without_room
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
    """A disk of two megabytes; where nobody may have one, a folder, and its store is held small."""
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


def has_no_room(editor: Any) -> bool:
    return any("the disk is full" in message for message in editor.messages)


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


def test_where_all_is_in_the_log(disk: Path) -> None:
    count = record_and_die(disk, 400 if os.path.ismount(disk) else 40)
    ended = forget(disk, "/1.py")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == f"Forgot {len(range(1, count, 5))} saves of 1 file.\n"
    check_forgotten(disk, count)


def test_where_the_store_was_closed(disk: Path) -> None:
    count = record(disk, 20)
    ended = forget(disk, "/1.py")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "Forgot 4 saves of 1 file.\n"
    check_forgotten(disk, count)


@pytest.mark.parametrize("is_killed", [True, False])
def test_everything(disk: Path, is_killed: bool) -> None:
    count = record_and_die(disk, 30) if is_killed else record(disk, 30)
    ended = forget(disk, "--all")
    assert ended.stdout == "Forgot 30 saves of 5 files.\n", ended.stderr
    assert not any(mark in raw(disk) for mark in marks(*range(count)))
    with Store.open(disk / "history.sqlite3") as store:
        assert store.notices == []
        assert store.files() == []


def test_a_store_that_an_editor_has_open_is_said_and_kept(disk: Path) -> None:
    path = disk / "history.sqlite3"
    record(disk, 20)
    (disk / "filler").unlink(missing_ok=True)
    with Store.open(path) as store:
        assert len(store.files()) == 5
        fill(disk)
        ended = forget(disk, "/1.py")
        if ended.returncode:
            (sentence,) = ended.stderr.splitlines()
            assert "close the others" in sentence
            assert len(store.files()) == 5
        else:  # its log had room
            assert len(store.files()) == 4
        fill(disk)
    assert "Forgot" in forget(disk, "--all").stdout


async def test_an_editor_whose_server_has_the_store_open(start: Any, disk: Path) -> None:
    async with start(home=disk) as editor:
        count = 0
        while count < (400 if os.path.ismount(disk) else 20) and not has_no_room(editor):
            uri = editor.open(f"{count}.py", noise(count))
            editor.save(uri)
            editor.close(uri)
            count += 1
            if count % 10 == 0:
                await editor.command("editcast.history")  # all of them are written, or it is said
        fill(disk)
        told = len(editor.messages)
        secret = str(disk / "project" / "1.py")
        said = await editor.command("editcast.forget", [secret], None, None)
        assert said == "Forgot 1 save of 1 file.", editor.messages[told:]
        found = raw(disk)
        assert not any(mark in found for mark in marks(1))
        assert any(mark in found for mark in marks(0))
        (disk / "filler").unlink(missing_ok=True)
        editor.save(editor.open("new.py", "goes on"))
        names = [file["path"] for file in (await editor.command("editcast.history"))["files"]]
        assert str(disk / "project" / "new.py") in names and secret not in names
        assert len(editor.messages) == told


# The same on any disk


@pytest.mark.parametrize("is_killed", [True, False])
def test_in_place(tmp_path: Path, is_killed: bool) -> None:
    count = record_and_die(tmp_path, 30) if is_killed else record(tmp_path, 30)
    path = tmp_path / "history.sqlite3"
    assert forget_without_room(path, "/1.py") == (1, 6)
    check_forgotten(tmp_path, count)


def test_in_place_while_it_is_open(tmp_path: Path) -> None:
    record(tmp_path, 10)
    path = tmp_path / "history.sqlite3"
    with Store.open(path) as store:
        store.files()
        with pytest.raises(StoreError, match="close the others.*Nothing was forgotten"):
            forget_without_room(path, None)
        assert len(store.files()) == 5
        assert store.record("/more.py", "goes on", 0, "python")
