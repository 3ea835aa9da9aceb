"""`make bundled` makes a bundle of the recipe's repositories, and goes on where it was."""

import shutil
import subprocess
from pathlib import Path

import pytest

from editcast_model.bundle import Bundle

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(900)
def test_one_command_makes_the_bundle(short_repository: Path, tmp_path: Path) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('train = ["a/one"]\ndev = ["a/two"]\ntest = []\n')
    for name in ("one", "two"):
        shutil.copytree(short_repository, tmp_path / "mirror" / f"a+{name}")
    command = [
        *("make", "-o", ".venv/.all", "bundled", "STEPS=2"),
        *(f"RECIPE={recipe}", f"MIRROR={tmp_path / 'mirror'}"),
        *(f"WORK={tmp_path / 'work'}", f"BUNDLE={tmp_path / 'bundle'}"),
    ]
    (tmp_path / "bundle").mkdir()
    subprocess.run(command, cwd=ROOT, check=True)
    made = Bundle.open(tmp_path / "bundle")
    assert "a/one" in made.card.trained_on.sources
    again = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert "step 1" not in again.stdout
