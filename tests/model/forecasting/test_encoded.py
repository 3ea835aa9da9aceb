"""Encoded states of open files: their bound, the first to go, and equal predictions."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editcast_model.bundle import Bundle, bundled_path
from editcast_model.edits import START
from editcast_model.forecasting import forecaster as forecasting
from editcast_model.forecasting.forecaster import MOST_BYTES, NeuralForecaster, NeuralSession
from editcast_model.inference import onnx_network
from editcast_model.inference.onnx_network import OnnxNetwork

SOURCE = Path(forecasting.__file__).read_text(encoding="utf-8")[:9000]
RENAMED = SOURCE.replace("session", "meeting", 1)


@pytest.fixture(scope="module")
def forecaster() -> NeuralForecaster:
    return NeuralForecaster.load(bundled_path(), "cpu")


def bounded(forecaster: NeuralForecaster, most_bytes: int) -> NeuralForecaster:
    made = NeuralForecaster(forecaster.bundle, forecaster.network, "cpu")
    made.most_bytes = most_bytes
    return made


def encoded(sessions: list[NeuralSession]) -> list[bool]:
    return [one._sequence is not None for one in sessions]


def test_many_open_files_stay_within_the_bound(forecaster: NeuralForecaster) -> None:
    first = forecaster.open(SOURCE)
    first.update(RENAMED, saved=True)
    found = first.predict(3)
    sessions = [first, *(forecaster.open(f"{SOURCE}\n# {number}") for number in range(29))]
    kept = encoded(sessions)
    assert not kept[0] and kept[-1] and 10 < sum(kept) < 30
    assert MOST_BYTES / 2 < sum(one.nbytes for one in sessions) <= MOST_BYTES
    again = first.predict(3)
    assert [one.hunk for one in again] == [one.hunk for one in found]
    assert np.allclose([one.confidence for one in again], [one.confidence for one in found])
    assert sum(one.nbytes for one in sessions) <= MOST_BYTES


def test_what_was_not_used_for_the_longest_goes_first(
    forecaster: NeuralForecaster,
) -> None:
    forecaster = bounded(forecaster, 2 * forecaster.open(SOURCE).nbytes)
    first = forecaster.open(SOURCE)
    first.update(RENAMED, saved=True)
    found = first.predict()
    others = [forecaster.open(SOURCE) for _ in range(2)]
    assert encoded([first, *others]) == [False, True, True]
    first.update(RENAMED, saved=False)
    assert first.predict() == found
    assert encoded([first, *others]) == [True, False, True]
    del others
    assert forecaster.open(SOURCE).nbytes == first.nbytes
    assert encoded([first]) == [True]


def test_a_file_that_is_larger_than_the_bound_is_used_all_the_same(
    forecaster: NeuralForecaster,
) -> None:
    forecaster = bounded(forecaster, 1)
    sessions = [forecaster.open(SOURCE) for _ in range(2)]
    assert encoded(sessions) == [False, True]
    sessions[0].update(RENAMED, saved=True)
    assert sessions[0].predict()
    assert encoded(sessions) == [True, False]


def test_what_the_network_said_of_another_file_is_forgotten(forecaster: NeuralForecaster) -> None:
    first = forecaster.open(SOURCE)
    first.update(RENAMED, saved=True)
    first.predict()
    sequence = first._sequence
    assert sequence is not None and any(sequence._answers)
    forecaster.open(SOURCE)
    assert first._sequence is sequence and not any(sequence._answers)
    assert sequence.rows > 1


@pytest.mark.parametrize("size", (2, 31, 512, 700, 705, 1025, 2000))
def test_a_state_that_is_encoded_in_parts_is_the_same(size: int) -> None:
    network = OnnxNetwork(Bundle.open(bundled_path()), "cpu")
    tokenizer = Bundle.open(bundled_path()).tokenizer
    tokens = np.array([START, *tokenizer.ids(SOURCE)][:size], np.int64)
    assert len(tokens) == size
    whole, parts = network._encoded(tokens), network.encode(tokens)
    for name in ("hidden", "vectors"):
        assert np.allclose(whole[name].numpy(), parts[name].numpy(), atol=1e-5, rtol=0)


def test_a_run_never_encodes_more_than_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = Bundle.open(bundled_path())
    network = OnnxNetwork(bundle, "cpu")
    runs: list[int] = []
    encode = network._encoded

    def counted(part: Any) -> Any:
        runs.append(len(part))
        return encode(part)

    monkeypatch.setattr(network, "_encoded", counted)
    network.encode(np.full(4096, 7, np.int64))
    assert len(runs) > 1 and max(runs) <= onnx_network._AT_ONCE + 2 * network._margin
