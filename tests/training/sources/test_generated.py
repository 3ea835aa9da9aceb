from pathlib import Path

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
