import tracemalloc
from pathlib import Path

import pygit2
import pytest

from editcast_training.sources import generated
from editcast_training.sources.file_history import Skipped
from editcast_training.sources.generated import read_generated


def _paths(repository: Path, skipped: Skipped) -> set[str]:
    made = read_generated(repository, "restored", project="me/project", skipped=skipped)
    return {history.path for history in made}


def test_of_a_large_repository_some_files_are_drawn(
    small_repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = _paths(small_repository, skipped := Skipped())
    assert every == {"a.py", "b.py", "c.py"} and not skipped
    monkeypatch.setattr(generated, "_MOST_FILES", 2)
    some = _paths(small_repository, skipped)
    assert len(some) == 2 and some < every
    assert skipped.total() == 1
    assert _paths(small_repository, skipped) == some


def test_the_files_of_a_large_repository_are_not_all_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generated, "_MOST_FILES", 10)
    repository = pygit2.init_repository(str(tmp_path / "project"), bare=True)
    builder = repository.TreeBuilder()
    for number in range(70):
        text = f"value_{number} = 0\n" + "# " + "x" * 500_000 + "\n"
        blob = repository.create_blob(text.encode())
        builder.insert(f"{number}.py", blob, pygit2.enums.FileMode.BLOB)
    who = pygit2.Signature("A", "a@example.org", 1_700_000_000, 0)
    repository.create_commit("HEAD", who, who, "m", builder.write(), [])
    tracemalloc.start()
    try:
        next(read_generated(tmp_path / "project", "restored", project="p", skipped=Skipped()))
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
