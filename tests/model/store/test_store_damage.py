"""A store that lost what it held, or whose tables make no sense, is set aside and said."""

import os
import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from editcast_model.errors import StoreError
from editcast_store.saves import MERGE_WINDOW_MS, Store

FILE = "/home/me/project/module.py"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with three saves of two files."""
    path = tmp_path / "editcast" / "history.sqlite3"
    fill(path)
    return path


def fill(path: Path) -> None:
    with Store.open(path) as store:
        for step in range(3):
            store.record(FILE, f"{step}", step * MERGE_WINDOW_MS, "python")
        store.record("/b.py", "b", 0, "python")


def check_set_aside(path: Path) -> None:
    before = path.read_bytes()
    with Store.open(path) as store:
        (notice,) = store.notices
        (kept,) = path.parent.glob("history.damaged-*")
        assert str(kept) in notice
        assert kept.read_bytes() == before
        assert store.files() == []
        assert store.record(FILE, "goes on", 0, "python")
    with Store.open(path) as store:
        assert store.notices == []
        assert [one.text for one in store.snapshots(FILE)] == ["goes on"]


@pytest.mark.parametrize("age", [0, 90_000])
def test_an_empty_file_is_one_that_lost_what_it_held(path: Path, age: int) -> None:
    path.write_bytes(b"")
    os.utime(path, (time.time() - age,) * 2)
    check_set_aside(path)


@pytest.mark.parametrize(
    "damage",
    [
        "PRAGMA user_version = 0",
        "PRAGMA user_version = -7",
        "PRAGMA application_id = 0",
        "PRAGMA application_id = 1164208501",
        "DROP TABLE outcomes",
        "DROP TABLE snapshots",
        "DROP TABLE files",
        "ALTER TABLE files DROP COLUMN language",
        "ALTER TABLE snapshots RENAME COLUMN time TO tame",
        "ALTER TABLE texts RENAME TO test",
    ],
)
def test_a_schema_that_is_damaged(path: Path, damage: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA foreign_keys = OFF")
        database.execute(damage)
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    check_set_aside(path)


def test_a_schema_whose_words_make_no_sense(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_master SET sql = 'CREATE x' WHERE name = 'texts'")
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    check_set_aside(path)


MAKE = """
import sys
from pathlib import Path
from editcast_store.saves import Store
path, name = Path(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
with Store.open(path) as store:
    store.record(f"/{name}.py", name, 0, "python")
    print(*store.notices)
"""


def test_a_table_whose_name_is_not_utf_8(path: Path) -> None:
    content = path.read_bytes()
    assert b"CREATE TABLE files" in content
    path.write_bytes(content.replace(b"tablefilesfiles", b"table\xfailesfiles"))
    assert path.read_bytes() != content
    check_set_aside(path)


@pytest.mark.parametrize("is_empty", [False, True])
def test_eight_processes_that_begin_at_once(tmp_path: Path, is_empty: bool) -> None:
    path = tmp_path / "history.sqlite3"
    if is_empty:
        path.touch()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", MAKE, str(path), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(8)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    said = [process.communicate(timeout=120)[0].strip() for process in processes]
    assert [process.returncode for process in processes] == [0] * 8
    assert len([one for one in said if one]) == is_empty
    assert len(list(tmp_path.glob("history.damaged-*"))) == is_empty
    with Store.open(path) as store:
        assert sorted(file.path for file in store.files()) == [f"/{n}.py" for n in range(8)]


def test_a_file_that_another_window_sets_aside_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "history.sqlite3"
    path.touch()
    exists = Path.exists

    def exists_no_longer(self: Path) -> bool:
        """Answer, and only then let another window set the file aside."""
        answer = exists(self)
        if self == path and answer:
            path.rename(tmp_path / "history.damaged-1.sqlite3")
        return answer

    monkeypatch.setattr(Path, "exists", exists_no_longer)
    with Store.open(path) as store:
        assert store.notices == []  # the other window has said it
    assert len(list(tmp_path.glob("history.damaged-*"))) == 1


def test_what_a_killed_maker_left_is_no_hindrance(tmp_path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        (tmp_path / f"history.sqlite3.new{suffix}").write_bytes(b"half")
    with Store.open(tmp_path / "history.sqlite3") as store:
        assert store.notices == []
        assert store.record(FILE, "a", 0, "python")
    assert not list(tmp_path.glob("*.new*"))


def test_a_path_that_is_not_utf_8(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE files SET path = CAST(x'2f61ff2e7079' AS TEXT) WHERE id = 1")
        database.execute(
            "UPDATE files SET language = CAST(x'ff' AS TEXT), path = x'ff' WHERE id = 2"
        )
        database.commit()
    with Store.open(path) as store:
        assert [file.path for file in store.files()] == [r"/a\xff.py", r"\xff"]
        assert list(store.export()) == []
        assert store.snapshots(r"/a\xff.py") == []
        assert store.forget(r"/a\xff.py").snapshots == 3
        assert [file.path for file in store.files()] == [r"\xff"]
        assert store.forget(None).files == 1


def test_flipped_bits_raise_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    fill(path)
    whole, rng = path.read_bytes(), random.Random(5)
    for _ in range(150):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        for one in tmp_path.iterdir():
            one.unlink()
        path.write_bytes(damaged)
        try:
            with Store.open(path) as store:
                store.record(FILE, "more", 2**40, "python")
                store.outcomes()
                for file in store.files():
                    store.snapshots(file.path)
                list(store.export())
                store.forget(FILE)
        except StoreError as error:
            assert str(error).endswith(".")
