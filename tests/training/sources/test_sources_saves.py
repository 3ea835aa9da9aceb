"""JSON lines and the store: what was saved comes back as it was, what is broken is named."""

import gzip
import json
import os
import tempfile
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editcast_model.errors import SourceError
from editcast_store.saves import MERGE_WINDOW_MS, Store
from editcast_training.sources.file_history import FileHistory, Skipped, Snapshot
from editcast_training.sources.saves import read_saves, read_store

LINE = {
    "id": "1",
    "language": "python",
    "path": "src/a.py",
    "license": "MIT",
    "origin": "owner/name",
    "text0": "ab\U0001f600c\n",
    "changes": [
        {"time": 5, "edits": [[4, 4, "d"], [0, 1, "xyz"]]},
        {"time": None, "edits": [[2, 5, ""]]},
    ],
}


def read(path: Path) -> tuple[list[FileHistory], Skipped]:
    skipped: Skipped = Counter()
    return list(read_saves(path, skipped=skipped)), skipped


@pytest.mark.parametrize("name", ["saves.jsonl", "saves.jsonl.gz"])
def test_edits_are_simultaneous_and_count_code_points(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    content = (json.dumps(LINE) + "\n\n" + json.dumps(LINE | {"time0": 2}) + "\n").encode()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    (first, second), skipped = read(path)
    assert first == FileHistory(
        "owner/name",
        "src/a.py",
        "python",
        "saves",
        (
            Snapshot("ab\U0001f600c\n", None),
            Snapshot("xyzb\U0001f600cd\n", 5),
            Snapshot("xycd\n", None),
        ),
    )
    assert second.snapshots[0].time == 2
    assert not skipped


def test_broken_lines_are_named_and_the_others_read(tmp_path: Path) -> None:
    broken = [
        b"{",
        b"[]",
        b'{"path": "a.py"}',
        b"\xff\xfe",
        json.dumps(LINE | {"text0": 1}).encode(),
        json.dumps(LINE | {"changes": [{"time": 1, "edits": [[0, 99, ""]]}]}).encode(),
        json.dumps(LINE | {"changes": [{"time": 1, "edits": [[0, 2, ""], [1, 3, ""]]}]}).encode(),
        json.dumps(LINE | {"changes": [{"time": 1, "edits": [[-1, 0, ""]]}]}).encode(),
        json.dumps(LINE | {"changes": [{"time": "x", "edits": []}]}).encode(),
        json.dumps(LINE | {"changes": [{"time": 1, "edits": [[0, 1]]}]}).encode(),
        json.dumps(LINE | {"changes": None}).encode(),
        json.dumps(LINE | {"time0": 10**30}).encode(),
        b"[" * 100_000,
    ]
    path = tmp_path / "saves.jsonl"
    good = json.dumps(LINE).encode()
    path.write_bytes(b"\n".join([good, *broken, good]))
    found, skipped = read(path)
    assert len(found) == 2
    assert [reason.split(":")[0] for reason in skipped] == [
        f"line {number}" for number in range(2, 2 + len(broken))
    ]


def test_a_history_without_a_change_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "saves.jsonl"
    path.write_text(json.dumps(LINE | {"changes": [{"time": 1, "edits": []}]}))
    assert read(path) == ([], {"file: fewer than 2 snapshots": 1})


def test_missing_names_have_substitutes(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(LINE | {"origin": None, "language": None}))
    ((history,), _) = read(path)
    assert (history.project, history.language) == ("mine.jsonl", "python")


def test_names_that_are_no_unicode_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(LINE | {"origin": "\ud800", "language": "\udfff"}))
    ((history,), _) = read(path)
    assert (history.project, history.language) == ("\\ud800", "\\udfff")


def test_the_texts_of_a_file_are_not_all_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "saves.jsonl"
    changes = [{"time": time, "edits": [[0, 1, "ab"[time % 2]]]} for time in range(1000)]
    path.write_text(json.dumps(LINE | {"text0": "_" * 1_000_000, "changes": changes}))
    tracemalloc.start()
    try:
        count = sum(len(found.snapshots) - 1 for found in read_saves(path, skipped=Counter()))
        assert tracemalloc.get_traced_memory()[1] < 400_000_000
    finally:
        tracemalloc.stop()
    assert count == 1000


def test_a_file_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "saves.jsonl.gz"
    lines = [json.dumps(LINE | {"text0": os.urandom(500).hex()}) for _ in range(50)]
    packed = gzip.compress("\n".join(lines).encode())
    path.write_bytes(packed[: len(packed) // 2])
    found, skipped = read(path)
    assert 0 < len(found) < 50
    assert skipped == {f"line {len(found) + 1}: unreadable, and all after it": 1}


def test_no_file(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.jsonl", tmp_path):
        with pytest.raises(SourceError, match="name a .jsonl"):
            read(path)


# The store


@settings(max_examples=25)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=[]) | st.sampled_from("a ()\r\n\U0001f600")),
        min_size=2,
        max_size=5,
    )
)
def test_what_the_store_exports_is_what_it_holds(texts: list[str]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.open(Path(folder) / "history.sqlite3") as store,
    ):
        for step, text in enumerate(texts):
            store.record("/p/a.py", text, step * MERGE_WINDOW_MS, "python")
        path = Path(folder) / "saves.jsonl"
        path.write_text("".join(line + "\n" for line in store.export()))
        held_skipped: Skipped = Counter()
        held = list(read_store(store, skipped=held_skipped))
        assert read(path) == (held, held_skipped)
        distinct = [
            text for text, before in zip(texts, [None, *texts], strict=False) if text != before
        ]
        if len(distinct) > 1:
            assert [snapshot.text for snapshot in held[0].snapshots] == distinct


def test_the_store_s_files_by_language_and_project(tmp_path: Path) -> None:
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    inside = tmp_path / "repository" / "src" / "a.py"
    with Store.open(tmp_path / "store" / "history.sqlite3") as store:
        files = {
            inside: "python",
            tmp_path / "alone" / "b.py": "python",
            tmp_path / "repository" / "node_modules" / "d.py": "python",
        }
        for path, language in files.items():
            for step in range(2):
                store.record(path, f"{path} {step}", step * MERGE_WINDOW_MS, language)
        store.record(tmp_path / "once.py", "once", 0, "python")
        skipped: Skipped = Counter()
        found = {h.path: h for h in read_store(store, skipped=skipped)}
    assert {path: history.project for path, history in found.items()} == {
        str(inside): str(tmp_path / "repository"),
        str(tmp_path / "alone" / "b.py"): str(tmp_path / "alone"),
    }
    assert found[str(inside)].kind == "saves"
    assert found[str(inside)].snapshots[1] == Snapshot(f"{inside} 1", MERGE_WINDOW_MS)
    assert skipped == {
        "file: vendored": 1,
        "file: fewer than 2 snapshots": 1,
    }
