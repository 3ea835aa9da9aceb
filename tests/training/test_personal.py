"""A training for one person, whose continuations are fitted first."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from editcast.commands.train import train
from editcast_model.bundle import Bundle, write_card
from editcast_model.errors import TrainingError
from editcast_store.models import Active, install
from editcast_training import personal, pipeline
from editcast_training.evaluation.intervals import Interval
from editcast_training.personal import PersonalFit
from editcast_training.pipeline import Recipe

_WEIGHTS = tuple(float(number) for number in range(13))


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, home: Path, gain: Interval) -> list[str]:
    """Train in a folder with a network that learns nothing; the fit is what it is said to be."""
    fitted = PersonalFit(_WEIGHTS, 3, 9, 60, gain, 1200)
    monkeypatch.setattr(personal, "fit_to_person", lambda *_: fitted)
    monkeypatch.setenv("EDITCAST_HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "no-editor"))
    monkeypatch.chdir(folder)
    recipe = Recipe(fine_tuning_rate=30.0)  # it diverges
    result = CliRunner().invoke(train, ["--steps", "4", "--processes", "1"], obj=recipe)
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (home / "training").iterdir()) == [".lock"]
    return result.output.splitlines()


def test_a_fit_that_gains_is_kept_where_the_network_learns_nothing(
    small_bundle: Path, small_repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(small_bundle, tmp_path / "copy")
    compared: dict[str, Any] = {"comparison": {"before": [None], "after": [None]}}
    write_card(tmp_path / "copy", {**Bundle.open(small_bundle).card.written, **compared})
    install(tmp_path / "copy", tmp_path / "home" / "models")
    said = run(monkeypatch, small_repository, tmp_path / "home", Interval(6, 2, 9))
    sentence = "would have typed 9 % of your last 1,200 characters for you, instead of 3 %."
    assert f"Continuations fitted to your history {sentence}" in said
    assert any(line.endswith("of your history; the old one stays.") for line in said)
    active = Active.of(tmp_path / "home" / "models")
    assert active.current is not None and active.previous is not None
    card, base = Bundle.open(active.current).card, Bundle.open(active.previous).card
    assert card.continuation == _WEIGHTS != base.continuation
    assert card.written["name"].startswith("yours-") and card.written["base"] == "small"
    assert "comparison" not in card.written and "comparison" in base.written
    assert json.dumps(card.written["calibration"]["weights"]) == json.dumps(
        base.written["calibration"]["weights"]
    )


def test_a_training_that_fails_for_a_while_goes_on_with_another_fit(
    small_bundle: Path, small_repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    shutil.copytree(small_bundle, tmp_path / "copy")
    install(tmp_path / "copy", home / "models")
    monkeypatch.setenv("EDITCAST_HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "no-editor"))
    monkeypatch.chdir(small_repository)

    def trained(weight: float) -> Result:
        fitted = PersonalFit((weight,) * 13, 3, 9, 60, Interval(6, 2, 9), 1200)
        monkeypatch.setattr(personal, "fit_to_person", lambda *_: fitted)
        return CliRunner().invoke(train, ["--steps", "2", "--processes", "1"])

    def full(*arguments: object, **options: object) -> None:
        raise TrainingError("The disk has no space left; free some.")

    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "finish", full)
        failed = trained(1.0)
    assert str(failed.exception) == "The disk has no space left; free some."
    assert (home / "training" / "run" / "latest.safetensors").exists()
    first = Active.of(home / "models").current
    # Saves that came since change the fit, and not what the network learns.
    done = trained(2.0)
    assert done.exit_code == 0, done.output
    assert "Continuing the interrupted training" in done.output
    active = Active.of(home / "models")
    assert active.current is not None and active.previous == first != active.current
    assert Bundle.open(active.current).card.continuation == (2.0,) * 13


def test_a_fit_that_gains_nothing_changes_nothing(
    small_bundle: Path, small_repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(small_bundle, tmp_path / "copy")
    install(tmp_path / "copy", tmp_path / "home" / "models")
    said = run(monkeypatch, small_repository, tmp_path / "home", Interval(6, -2, 9))
    assert any(line.startswith("Continuations stay as they are") for line in said)
    assert said[-1].endswith("of your history; the old one stays.")
    current = Active.of(tmp_path / "home" / "models").current
    assert current is not None and Bundle.open(current).name == "small"
