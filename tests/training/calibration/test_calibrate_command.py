"""`editcast calibrate` on a repository."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from editcast.__main__ import cli
from editcast_model.bundle import Bundle
from editcast_training.calibration import weights


def test_the_weight_of_the_project_memory_is_fitted_to_commits(
    small_bundle: Path, small_repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITCAST_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(weights, "LEAST_INSERTED", 100)
    given = Bundle.open(small_bundle).card.calibration

    def calibrated(*options: str) -> Bundle:
        out = str(tmp_path / "-".join(("out", *options)))
        command = ["calibrate", str(small_bundle), f"--git=dev={small_repository}", "--out", out]
        result = CliRunner().invoke(cli, [*command, "--commits=10", *options])
        assert result.exit_code == 0, result.output
        return Bundle.open(Path(out))

    fitted = calibrated().card.calibration
    assert fitted.next_tokens and fitted.next_tokens != given.next_tokens
    assert fitted.continuation == given.continuation  # too few to fit to
    kept = calibrated("--keep=next-tokens").card.calibration
    assert kept.next_tokens == given.next_tokens
