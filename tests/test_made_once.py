"""The folders that all processes of a run share."""

from collections.abc import Callable
from pathlib import Path

import pytest


def test_a_folder_is_filled_once(
    made_once: Callable[[str, Callable[[Path], object]], Path],
) -> None:
    made: list[Path] = []

    def make(folder: Path) -> None:
        assert list(folder.iterdir()) == []
        (folder / "file").touch()
        made.append(folder)
        if len(made) == 1:
            raise OSError("failed")

    with pytest.raises(OSError, match="failed"):
        made_once("filled", make)
    assert made_once("filled", make) == made_once("filled", make) == made[0]
    assert len(made) == 2 and (made[0] / "file").exists()
