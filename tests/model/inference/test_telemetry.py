"""ONNX Runtime must not would send telemetry; a fresh home shows whether it prepares to."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from editcast_model.errors import BundleError
from editcast_model.inference import telemetry

#: Variables that switch telemetry off by themselves, so that a test with them would show nothing.
HIDING = {*telemetry.VARIABLES, "CI", "GITHUB_ACTIONS", "TF_BUILD", "ORT_RUNNING_UNIT_TESTS"}


def run(code: str, home: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    plain = {name: value for name, value in os.environ.items() if name not in HIDING}
    plain |= {"HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache"), **variables}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=plain,
        capture_output=True,
        text=True,
        timeout=240,
    )


def left_in(home: Path) -> list[Path]:
    return [path for path in home.rglob("*") if path.is_file()]


PREDICT = """
from editcast_model.bundle import bundled_path
from editcast_model.forecasting.forecaster import NeuralForecaster
session = NeuralForecaster.load(bundled_path(), "cpu").open("a = 1\\nb = a\\n")
session.update("c = 1\\nb = a\\n", saved=True)
print(len(session.predict(1)))
"""


def test_a_prediction_leaves_nothing_in_the_users_caches(tmp_path: Path) -> None:
    ended = run(PREDICT, tmp_path)
    assert ended.stdout.strip().isdecimal(), ended.stderr
    assert left_in(tmp_path) == []


def test_the_library_alone_would_leave_its_device_id(tmp_path: Path) -> None:
    """Without our switch the files are there, so their absence above means something."""
    ended = run("import onnxruntime", tmp_path)
    assert ended.returncode == 0, ended.stderr
    names = {path.name for path in left_in(tmp_path)}
    if sys.platform == "linux":
        assert "deviceid" in names


@pytest.mark.parametrize("package", ["editcast", "editcast_model", "editcast_training.packaging"])
def test_every_package_switches_it_off_for_its_children_too(package: str, tmp_path: Path) -> None:
    code = f"import {package}, os; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    ended = run(f"{code}\nimport editcast_model", tmp_path)
    if package == "editcast":  # only its commands load anything
        ended = run(f"import editcast.__main__, {code.removeprefix('import ')}", tmp_path)
    assert ended.stdout.strip() == "1", ended.stderr


def test_no_prediction_where_the_library_was_loaded_first(tmp_path: Path) -> None:
    ended = run("import onnxruntime\nimport editcast_model.inference.onnx_network", tmp_path)
    assert "BundleError" in ended.stderr
    assert "ORT_DISABLE_TELEMETRY=1" in ended.stderr


def test_no_prediction_where_the_variable_was_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY")
    with pytest.raises(BundleError, match="would send telemetry"):
        telemetry.load_onnxruntime()


def test_the_events_of_windows_are_switched_off_before_the_network_is_there(tmp_path: Path) -> None:
    """Windows takes them into its own trace, whatever the variable; only the call can be seen."""
    code = """
import editcast_model, onnxruntime
called = []
onnxruntime.disable_telemetry_events = lambda: called.append(True)
import editcast_model.inference.onnx_network
print(called)
"""
    assert run(code, tmp_path).stdout == "[True]\n"


def test_the_server_goes_on_without_the_network_then(tmp_path: Path) -> None:
    code = """
import onnxruntime
from editcast_server.prediction import model_loader
found = model_loader.load(model_loader.Choice())
print(found.forecaster.name, found.problem)
"""
    ended = run(code, tmp_path, EDITCAST_HOME=str(tmp_path / "editcast"))
    assert ended.stdout.startswith("repeat-best"), ended.stderr
    assert "ORT_DISABLE_TELEMETRY=1" in ended.stdout


def test_what_was_left_before_is_removed_once(tmp_path: Path) -> None:
    home, cache = tmp_path / "home", tmp_path / "cache"
    folder = cache / "Microsoft" / "DeveloperTools" / ".onnxruntime"
    names = ("deviceid", "onnxruntime.db", "onnxruntime.db-wal")
    home.mkdir()
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_text("x")
    assert {path.name for path in telemetry.remove_traces(home, [cache])} == set(names)
    assert not (cache / "Microsoft").exists()
    assert cache.exists()

    folder.mkdir(parents=True)
    (folder / "deviceid").write_text("another program's")
    assert telemetry.remove_traces(home, [cache]) == []
    assert (folder / "deviceid").exists()


def test_what_others_keep_beside_it_stays(tmp_path: Path) -> None:
    folder = tmp_path / "Microsoft" / "DeveloperTools" / ".onnxruntime"
    folder.mkdir(parents=True)
    (folder / "deviceid").write_text("x")
    (folder.parent / "other").write_text("x")
    (path,) = telemetry.remove_traces(tmp_path, [tmp_path])
    assert path.name == "deviceid"
    assert (folder.parent / "other").exists()
