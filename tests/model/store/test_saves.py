"""Accidents of the store's file: several writers, kill -9, damage, a full disk."""

import random
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from editcast_model.errors import StoreError
from editcast_store import sqlite_file
from editcast_store.saves import MERGE_WINDOW_MS, Store

FILE = "/home/me/project/module.py"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "editcast" / "history.sqlite3"


def texts(store: Store, file: str = FILE) -> list[str]:
    return [snapshot.text for snapshot in store.snapshots(file)]


def noise(seed: int, size: int = 4000) -> str:
    """Text that does not compress."""
    rng = random.Random(seed)
    return "".join(chr(rng.randrange(0x4E00, 0x9FFF)) for _ in range(size))


# Several writers, and processes that end at once

WRITER = """
import sys
from pathlib import Path
from editcast_store.saves import Store
path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with Store.open(path) as store:
    for step in range(count):
        store.record(f"/{name}.py", f"{name} {step}", step * 10_000, "python")
        store.record("/both.py", f"{name} {step}", step * 10_000, "python")
        print(step, flush=True)
"""


def writer(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(count)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_that_make_and_write_the_store_at_once(path: Path) -> None:
    processes = [writer(path, name, 40) for name in ("one", "two", "three")]
    for process in processes:
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        assert out.split()[-1] == "39"
    with Store.open(path) as store:
        assert store.notices == []
        for name in ("one", "two", "three"):
            assert texts(store, f"/{name}.py") == [f"{name} {step}" for step in range(40)]
        assert texts(store, "/both.py")


def test_threads_share_a_store(path: Path) -> None:
    with Store.open(path) as store:

        def write(name: str) -> None:
            for step in range(20):
                store.record(f"/{name}.py", f"{step}", step * MERGE_WINDOW_MS, "python")

        threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for name in "abc":
            assert texts(store, f"/{name}.py") == [str(step) for step in range(20)]


def test_a_second_store_of_the_same_process_keeps_the_locks_of_the_first(path: Path) -> None:
    with Store.open(path) as first:
        first.record(FILE, "a", 0, "python")
        Store.open(path).close()
        process = writer(path, "other", 3)
        first.record(FILE, "b", 20_000, "python")
        process.communicate(timeout=60)
        assert process.returncode == 0
        first.record(FILE, "c", 40_000, "python")
        assert texts(first) == ["a", "b", "c"]
    with Store.open(path) as store:
        assert store.notices == []


@pytest.mark.parametrize("acknowledged", [1, 7, 60])
def test_a_killed_process_loses_nothing_that_was_acknowledged(
    path: Path, acknowledged: int
) -> None:
    with writer(path, "killed", 1_000_000) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) + 1 >= acknowledged:
                process.kill()
                break
        rest = process.stdout.read().split()
    last = int(rest[-1]) if rest else int(line)
    with Store.open(path) as store:
        assert store.notices == []
        kept = texts(store, "/killed.py")
        assert len(kept) > last
        assert kept == [f"killed {step}" for step in range(len(kept))]
        assert store.record("/killed.py", "goes on", 2**50, "python")


# Damage


def damaged(path: Path) -> list[Path]:
    return sorted(path.parent.glob("history.damaged-*"))


def fill(path: Path) -> None:
    with Store.open(path) as store:
        for step in range(30):
            store.record(FILE, noise(step), step * MERGE_WINDOW_MS, "python")


def check_set_aside(path: Path, evidence: bytes) -> None:
    with Store.open(path) as store:
        (notice,) = store.notices
        (kept,) = damaged(path)
        assert str(kept) in notice
        assert kept.read_bytes() == evidence
        assert store.files() == []
        assert store.record(FILE, "goes on", 0, "python")
    with Store.open(path) as store:
        assert store.notices == []
        assert texts(store) == ["goes on"]
    assert kept.read_bytes() == evidence


def test_a_file_that_is_no_database_is_set_aside(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database, but somebody's text" * 100)
    check_set_aside(path, path.read_bytes())


def test_a_malformed_store_is_set_aside(path: Path) -> None:
    fill(path)
    content = bytearray(path.read_bytes())
    content[4096 : 4096 * 8] = b"\xa5" * (4096 * 7)
    path.write_bytes(content)
    check_set_aside(path, bytes(content))


def test_a_truncated_store_is_set_aside(path: Path) -> None:
    fill(path)
    content = path.read_bytes()[: 4096 * 10]
    path.write_bytes(content)
    check_set_aside(path, content)


def test_a_damaged_store_keeps_its_log(path: Path) -> None:
    with writer(path, "killed", 1_000_000) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) > 50:
                process.kill()
                break
    log = path.with_name(path.name + "-wal")
    evidence = log.read_bytes()
    assert evidence
    path.write_bytes(b"")  # SQLite by itself would now delete the log
    with Store.open(path) as store:
        assert len(store.notices) == 1
        (kept,) = (found for found in damaged(path) if found.name.endswith("-wal"))
        assert kept.read_bytes() == evidence
        assert kept.with_name(kept.name.removesuffix("-wal")).exists()


def test_processes_that_find_the_same_damage_set_it_aside_once(path: Path) -> None:
    fill(path)
    content = b"damaged" * 10_000
    path.write_bytes(content)
    processes = [writer(path, name, 20) for name in ("one", "two", "three", "four")]
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    (kept,) = damaged(path)
    assert kept.read_bytes() == content
    with Store.open(path) as store:
        for name in ("one", "two", "three", "four"):
            assert texts(store, f"/{name}.py") == [f"{name} {step}" for step in range(20)]


def test_a_store_that_another_window_makes_meanwhile_is_no_other_program_s(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as database:  # as far as the other window came by now
        database.execute("PRAGMA journal_mode = WAL")
    connect = sqlite3.connect
    threads: list[threading.Thread] = []

    class Slow(sqlite3.Connection):
        """Once it knows whose file it is, another window goes on."""

        def execute(self, sql: str, *given: object) -> sqlite3.Cursor:
            found = super().execute(sql, *given)  # type: ignore[arg-type]
            if sql == "PRAGMA application_id" and not threads:
                monkeypatch.setattr(sqlite3, "connect", connect)
                threads.append(threading.Thread(target=make))
                threads[0].start()
                threads[0].join(timeout=60)
            return found

    def make() -> None:
        sqlite_file._connect(path).close()

    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, factory=Slow, **k))
    assert sqlite_file._examine(path) is None
    assert threads and not threads[0].is_alive()
    assert sqlite_file._examine(path) is None


def test_two_damaged_stores_within_a_second_are_both_kept(path: Path) -> None:
    path.parent.mkdir()
    for content in (b"first" * 1000, b"second" * 1000, b"third" * 1000):
        path.write_bytes(content)
        Store.open(path).close()
    assert {found.read_bytes()[:5] for found in damaged(path)} == {b"first", b"secon", b"third"}


def test_forgetting_and_damaged_stores(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"damaged" * 1000)
    with Store.open(path) as store:
        assert store.forget(FILE).damaged_left == damaged(path)
        assert damaged(path)
        assert store.forget(None).damaged_left == []
        assert not damaged(path)


def test_one_damaged_text_does_not_hide_the_others(path: Path) -> None:
    with Store.open(path) as store:
        for step in range(3):
            store.record(FILE, f"text {step}", step * MERGE_WINDOW_MS, "python")
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE texts SET data = x'00' WHERE id = 2")
        database.commit()
    with Store.open(path) as store:
        assert texts(store) == ["text 0", "text 2"]
        (notice,) = store.notices
        assert FILE in notice


def test_a_newer_store_is_refused_and_untouched(path: Path) -> None:
    fill(path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 2")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer Editcast.*update Editcast"):
        Store.open(path)
    assert path.read_bytes() == before
    assert not damaged(path)


def test_another_programs_database_is_refused_and_untouched(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE bookmarks (url TEXT)")
        database.commit()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        Store.open(path)
    assert path.read_bytes() == before


def test_a_full_disk_says_so_and_loses_nothing(path: Path) -> None:
    with Store.open(path) as store:
        store.record(FILE, "first", 0, "python")
        store.record(FILE, "second", 20_000, "python")
        limit = store.size() // 4096 + 2
        store._database.execute(f"PRAGMA max_page_count = {limit}")
        for name in (FILE, "/new.py"):  # the first would replace "second"
            with pytest.raises(StoreError, match="disk is full.*free some space"):
                store.record(name, noise(1, 40_000), 21_000, "python")
        assert texts(store) == ["first", "second"]
        assert [file.path for file in store.files()] == [FILE]
        store.record(FILE, "third", 40_000, "python")  # what fits is still kept
    with Store.open(path) as store:
        assert store.notices == []
        assert texts(store) == ["first", "second", "third"]
        assert store.record(FILE, noise(1), 60_000, "python")


def test_a_store_that_another_program_holds(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_file, "_WAIT", 0.1)
    with Store.open(path) as store, closing(sqlite3.connect(path)) as other:
        store.record(FILE, "a", 0, "python")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="in use by another program"):
            store.record(FILE, "b", 20_000, "python")
        assert texts(store) == ["a"]  # reading goes on
        other.rollback()
        assert store.record(FILE, "b", 20_000, "python")
        assert texts(store) == ["a", "b"]
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="in use by another program"):
            Store.open(path)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="check its permissions"):
        Store.open(tmp_path / "file" / "history.sqlite3")
    (tmp_path / "folder.sqlite3").mkdir()
    with pytest.raises(StoreError, match="check its permissions"):
        Store.open(tmp_path / "folder.sqlite3")


def test_damage_while_in_use_is_an_error_that_says_what_to_do(path: Path) -> None:
    fill(path)
    with Store.open(path) as store:
        path.write_bytes(b"\xa5" * path.stat().st_size)
        with pytest.raises(StoreError, match="is damaged.*restart"):
            store.snapshots(FILE)


def test_a_mistake_in_the_program_stays_one(path: Path) -> None:
    store = Store.open(path)
    store.close()
    with pytest.raises(sqlite3.ProgrammingError):
        store.files()
