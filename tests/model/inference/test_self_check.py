"""A bundle that cannot predict is refused when it is loaded."""

import json
import os
import resource
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import hostile_graphs
from editcast_model.bundle import WEIGHTS, Bundle, bundled_path, write_config
from editcast_model.errors import BundleError
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.inference.memory_limit import memory_limit
from editcast_model.inference.onnx_network import OnnxNetwork
from editcast_model.inference.self_check import self_check


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The bundled model, to spoil."""
    folder = tmp_path / "copy"
    shutil.copytree(bundled_path(), folder)
    return folder


def refused(path: Path) -> str:
    network = json.loads((path / "config.json").read_text("utf-8"))["network"]
    write_config(path, network)
    with pytest.raises(BundleError) as caught:
        NeuralForecaster.load(path, "cpu")
    said = str(caught.value)
    assert said.endswith("export the model again.") and "\n" not in said and str(path) in said
    return said


def test_graphs_that_never_end(copy: Path) -> None:
    hostile_graphs.endless(copy / "point.onnx")
    network = json.loads((copy / "config.json").read_text("utf-8"))["network"]
    write_config(copy, network)
    bundle = Bundle.open(copy)
    graphs = OnnxNetwork(bundle, "cpu")
    with pytest.raises(BundleError, match="terminate"):
        self_check(NeuralForecaster(bundle, graphs, "cpu").open, graphs, bundle, seconds=0.5)


@pytest.mark.parametrize("count", [2**40, 2**31])
def test_graphs_that_take_all_memory(copy: Path, count: int) -> None:
    hostile_graphs.as_large_as(copy / "point.onnx", count)
    assert "cannot predict" in refused(copy)


def test_weights_that_are_no_numbers(copy: Path) -> None:
    weights = {
        name: value * np.float32(np.nan) for name, value in load_file(copy / WEIGHTS).items()
    }
    save_file(weights, copy / WEIGHTS)
    assert "position is not a number" in refused(copy)


@pytest.mark.parametrize("location", ["../secret", "/dev/zero", "away", "pipe"])
def test_weights_outside_the_folder(copy: Path, location: str) -> None:
    (copy.parent / "secret").write_bytes(bytes(16))
    hostile_graphs.from_elsewhere(copy / "point.onnx", location)
    network = json.loads((copy / "config.json").read_text("utf-8"))["network"]
    write_config(copy, network)
    if location == "away":
        (copy / location).symlink_to("../secret")
    elif location == "pipe":
        os.mkfifo(copy / location)
    with pytest.raises(BundleError, match=r"ONNX Runtime cannot run .*point\.onnx"):
        NeuralForecaster.load(copy, "cpu")


def test_the_limit_ends_with_the_work() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with memory_limit(1 << 28, ()):
        with pytest.raises(MemoryError):
            bytearray(1 << 30)
        with memory_limit(1 << 27, ()), pytest.raises(MemoryError):
            bytearray(1 << 28)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
    assert len(bytearray(1 << 29)) == 1 << 29
