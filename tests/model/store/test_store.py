"""The store: what was recorded comes back, for its owner only, until it is forgotten."""

import json
import os
import random
import stat
import tempfile
import time
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editcast_model.diff import Hunk, apply_hunks
from editcast_store.saves import MERGE_WINDOW_MS, Store, StoredSnapshot

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
        assert (file.path, file.language, file.saves) == (FILE, "python", 5)
        assert (file.first, file.last, file.bytes) == (0, 4 * MERGE_WINDOW_MS, 5 * 7)
        assert store.snapshots("/nowhere") == []


@settings(max_examples=30)
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
        (f"history.sqlite3{suffix}" for suffix in ("", "-wal", "-shm", ".lock")), 0o600
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


def test_a_name_in_a_folder_with_brackets_is_no_glob(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "[a]"
    folder.mkdir()
    (folder / "there.py").touch()
    monkeypatch.chdir(folder)
    with Store.open(path) as store:
        for name in ("[a]/stored.py", "a/there.py", "a/gone.py", "t/t[h]ere.py"):
            store.record(tmp_path / name, name, 0, "python")
        for pattern, count in (("gone.py", 0), ("there.py", 0), ("../t/t[h]ere.py", 1)):
            assert store.forget(pattern).files == count
        assert store.forget("stored.py").files == 1
        assert store.forget("*/a/*.py").files == 2


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
