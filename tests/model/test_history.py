"""The store: what is acknowledged is kept, what is forgotten is gone, damage is set aside."""

import json
import os
import random
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editcast_model.diff import Hunk, apply_hunks
from editcast_model.errors import StoreError
from editcast_model.history import MERGE_WINDOW_MS, Store, StoredSnapshot, is_secret

FILE = "/home/me/project/module.py"
DAY_MS = 86_400_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "editcast" / "history.sqlite3"


def texts(store: Store, file: str = FILE) -> list[str]:
    return [snapshot.text for snapshot in store.snapshots(file)]


def noise(seed: int, size: int = 4000) -> str:
    """Text that does not compress, so that its bytes can be found in a file again."""
    rng = random.Random(seed)
    return "".join(chr(rng.randrange(0x4E00, 0x9FFF)) for _ in range(size))


def raw(path: Path) -> bytes:
    """Everything that the store's files hold."""
    return b"".join(found.read_bytes() for found in sorted(path.parent.iterdir()))


# Keeping


def test_snapshots_come_back_in_time_order_after_reopening(path: Path) -> None:
    with Store.open(path) as store:
        for step in range(5):
            assert store.record(FILE, f"x = {step}\r\n", step * MERGE_WINDOW_MS, "python")
        assert store.notices == []
    with Store.open(path) as store:
        assert store.snapshots(FILE) == [
            StoredSnapshot(step * MERGE_WINDOW_MS, f"x = {step}\r\n") for step in range(5)
        ]
        (file,) = store.files()
        assert (file.path, file.language, file.snapshots) == (FILE, "python", 5)
        assert (file.first, file.last, file.size) == (0, 4 * MERGE_WINDOW_MS, 5 * 7)
        assert store.snapshots("/nowhere") == []


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=[])), min_size=1, max_size=6))
def test_any_text_comes_back(written: list[str]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.open(Path(folder) / "history.sqlite3") as store,
    ):
        kept: list[str] = []
        for step, text in enumerate(written):
            changed = not kept or kept[-1] != text
            assert store.record(FILE, text, step * MERGE_WINDOW_MS, "python") is changed
            if changed:
                kept.append(text)
        assert texts(store) == kept


def test_saves_within_the_window_replace_the_newest_snapshot(path: Path) -> None:
    with Store.open(path) as store:
        store.record(FILE, "a", 0, "python")
        store.record(FILE, "ab", MERGE_WINDOW_MS, "python")
        store.record(FILE, "abc", MERGE_WINDOW_MS + 9_999, "python")
        # The window counts from the snapshot that the last save became.
        store.record(FILE, "abcd", MERGE_WINDOW_MS + 19_998, "python")
        assert store.snapshots(FILE) == [
            StoredSnapshot(0, "a"),
            StoredSnapshot(MERGE_WINDOW_MS + 19_998, "abcd"),
        ]
        # Another file's saves have nothing to do with it.
        store.record("/other.py", "abcd", MERGE_WINDOW_MS + 19_999, "python")
        assert texts(store) == ["a", "abcd"]


def test_a_save_that_goes_back_within_the_window_leaves_no_equal_neighbours(path: Path) -> None:
    with Store.open(path) as store:
        store.record(FILE, "a", 0, "python")
        store.record(FILE, "b", 20_000, "python")
        assert store.record(FILE, "a", 25_000, "python")
        assert store.snapshots(FILE) == [StoredSnapshot(0, "a")]
        store.record(FILE, "c", 26_000, "python")
        assert texts(store) == ["a", "c"]


def test_a_clock_set_back_loses_nothing(path: Path) -> None:
    with Store.open(path) as store:
        store.record(FILE, "a", 10 * DAY_MS, "python")
        store.record(FILE, "b", 9 * DAY_MS, "python")
        assert store.snapshots(FILE) == [
            StoredSnapshot(10 * DAY_MS, "a"),
            StoredSnapshot(10 * DAY_MS, "b"),
        ]


def test_equal_texts_are_kept_once_and_replaced_ones_not_at_all(path: Path) -> None:
    text = noise(1)
    with Store.open(path) as store:
        store.record(FILE, text, 0, "python")
        before = store.size()
        for copy in range(20):
            store.record(f"/copy{copy}.py", text, 0, "python")
        assert store.size() < before + 3 * 4096
        for step in range(20):
            store.record(FILE, noise(step + 2), 20_000 + step, "python")
        assert texts(store) == [text, noise(21)]
        assert store.size() < before + 2 * len(zlib.compress(text.encode())) + 8 * 4096


def test_a_path_that_is_not_unicode(path: Path) -> None:
    odd = os.fsdecode(b"/caf\xe9/a.py")
    with Store.open(path) as store:
        assert store.record(odd, "a", 0, "python")
        assert texts(store, odd) == ["a"]


@pytest.mark.parametrize(
    "secret",
    [".env", "/a/.env.local", "C:\\keys\\Server.PEM", "/a/id_rsa", "/a/.ssh/config", "b.key"]
    + ["/a/.dev.vars", "/a/secrets.yml", "/a/.netrc", "/p/infra/prod.tfvars", "/a/x.crt"],
)
def test_secrets_are_refused(path: Path, secret: str) -> None:
    assert is_secret(secret)
    with Store.open(path) as store:
        assert not store.record(secret, "TOKEN=very-secret-text", 0, "plaintext")
        assert store.files() == []
    assert b"very-secret-text" not in raw(path)


@pytest.mark.parametrize("harmless", ["/a/env.py", "/.env/lib/a.py", "/a/keys.py", "/a/x.py", ""])
def test_other_files_are_no_secrets(harmless: str) -> None:
    assert not is_secret(harmless)


def test_outcomes(path: Path) -> None:
    with Store.open(path) as store:
        for what in ("shown", "accepted"):
            store.record_outcome(
                "s1",
                what,
                path=FILE,
                confidence=0.75,
                time_ms=5,
                model="first",
                language="python",
            )
    with Store.open(path) as store:
        shown, accepted = store.outcomes()
        assert (shown.what, accepted.what) == ("shown", "accepted")
        assert (shown.suggestion, shown.path, shown.confidence) == ("s1", FILE, 0.75)
        assert (shown.time, shown.model, shown.language) == (5, "first", "python")


# Several writers, and processes that end at once

WRITER = """
import sys
from pathlib import Path
from editcast_model.history import Store
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


# Owner only


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_only_the_owner_can_read(path: Path, umask: int) -> None:
    old = os.umask(umask)
    try:
        with Store.open(path) as store:
            store.record(FILE, "a", 0, "python")
            modes = {
                found.name: stat.S_IMODE(found.stat().st_mode) for found in os.scandir(path.parent)
            }
    finally:
        os.umask(old)
    assert modes == dict.fromkeys(
        ("history.sqlite3", "history.sqlite3-wal", "history.sqlite3-shm"), 0o600
    )
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_store_that_others_could_read_is_closed_to_them(path: Path) -> None:
    with Store.open(path) as store:
        store.record(FILE, "a", 0, "python")
    path.chmod(0o644)
    with Store.open(path) as store:
        store.record(FILE, "b", 20_000, "python")
        for found in path.parent.iterdir():
            assert stat.S_IMODE(found.stat().st_mode) == 0o600


# Letting go


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("/p/a.py", ["/p/sub/b.py", "/q/[c].py"]),
        ("/p", ["/q/[c].py"]),
        ("/p/", ["/q/[c].py"]),
        ("*/sub/*", ["/p/a.py", "/q/[c].py"]),
        ("/q/[c].py", ["/p/a.py", "/p/sub/b.py"]),
        ("/nothing", ["/p/a.py", "/p/sub/b.py", "/q/[c].py"]),
        (None, []),
    ],
)
def test_what_forget_removes(path: Path, pattern: str | None, left: list[str]) -> None:
    with Store.open(path) as store:
        for file in ("/p/a.py", "/p/sub/b.py", "/q/[c].py"):
            for step in range(2):
                store.record(file, f"{file}{step}", step * MERGE_WINDOW_MS, "python")
            store.record_outcome(
                "s", "shown", path=file, confidence=1, time_ms=0, model="m", language="python"
            )
        forgotten = store.forget(pattern)
        assert [file.path for file in store.files()] == left
        assert [outcome.path for outcome in store.outcomes()] == left
        assert (forgotten.files, forgotten.snapshots) == (3 - len(left), 2 * (3 - len(left)))
        for file in left:
            assert texts(store, file) == [f"{file}0", f"{file}1"]


def test_forgotten_bytes_leave_the_disk(path: Path) -> None:
    secret, kept = noise(1), noise(2)
    marks = [zlib.compress(secret.encode())[100:140], b"hidden-name"]
    with Store.open(path) as store:
        store.record("/hidden-name.py", secret, 0, "python")
        store.record(FILE, kept, 0, "python")
        assert all(mark in raw(path) for mark in marks)
        before = store.size()
        store.forget("/hidden-name.py")
        assert path.stat().st_size == store.size()
        assert not any(mark in raw(path) for mark in marks)
        assert store.size() < before - 8_000
        assert texts(store) == [kept]
    assert not any(mark in raw(path) for mark in marks)


def test_a_text_that_another_file_has_stays(path: Path) -> None:
    with Store.open(path) as store:
        store.record("/a.py", "shared", 0, "python")
        store.record("/b.py", "shared", 0, "python")
        store.forget("/a.py")
        assert texts(store, "/b.py") == ["shared"]


def test_prune_by_days(path: Path) -> None:
    now = int(time.time() * 1000)
    with Store.open(path) as store:
        for days in (100, 50, 1, 0):
            store.record(FILE, f"{days} days ago", now - days * DAY_MS, "python")
        store.record("/old.py", "old", now - 99 * DAY_MS, "python")
        assert store.prune(days=90, max_bytes=10**9) == 2
        assert texts(store) == ["50 days ago", "1 days ago", "0 days ago"]
        assert [file.path for file in store.files()] == [FILE]
        assert store.prune(days=90, max_bytes=10**9) == 0


def test_prune_by_bytes_removes_the_oldest(path: Path) -> None:
    now = int(time.time() * 1000)
    with Store.open(path) as store:
        for step in range(60):
            store.record(FILE, noise(step), now + step * MERGE_WINDOW_MS, "python")
        full = store.size()
        removed = store.prune(days=1, max_bytes=full // 2)
        assert 20 < removed < 40
        assert store.size() <= full // 2
        assert texts(store) == [noise(step) for step in range(removed, 60)]
        store.prune(days=1, max_bytes=0)  # even an impossible bound ends
        assert store.files() == []


def test_export_is_the_format_of_save_histories(path: Path) -> None:
    versions = ["a = 1\nb = 1\n", "a = 2\nb = 1\n", "a = 2\nb = '\U0001f600'\nc\n", ""]
    with Store.open(path) as store:
        for step, text in enumerate(versions):
            store.record(FILE, text, step * MERGE_WINDOW_MS, "python")
        store.record("/other.rs", "x", 0, "rust")
        assert len(list(store.export())) == 2
        assert list(store.export("/nothing")) == []
        (line,) = store.export(FILE)
    found = json.loads(line)
    assert (found["path"], found["language"], found["time0"]) == (FILE, "python", 0)
    text = found["text0"]
    for change, (step, expected) in zip(found["changes"], enumerate(versions[1:], 1), strict=True):
        assert change["time"] == step * MERGE_WINDOW_MS
        text = apply_hunks(text, [Hunk(*edit) for edit in change["edits"]])
        assert text == expected


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
        assert store.forget(FILE).damaged_left == tuple(damaged(path))
        assert damaged(path)
        assert store.forget(None).damaged_left == ()
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
