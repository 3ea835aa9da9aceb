"""The network runs no more often than somebody needs: predictions that are cancelled, or unsure."""

from typing import Any

import pytest

from editcast_model.bundle import bundled_path
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.forecasting.interface import PredictionOptions
from editcast_model.inference.sequence import Stage

LINES = "".join(f'total = storage.fetch(database, "{name}")\n' for name in ("a", "b", "c", "d"))


def count_runs(forecaster: NeuralForecaster, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The runs of the network, by their stage, from now on."""
    runs: list[str] = []
    run = forecaster.network.run

    def run_and_count(stage: Stage, state: Any, **given: Any) -> Any:
        runs.append(stage)
        return run(stage, state, **given)

    monkeypatch.setattr(forecaster.network, "run", run_and_count)
    return runs


def test_no_run_begins_once_it_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    forecaster = NeuralForecaster.load(bundled_path(), "cpu")
    runs = count_runs(forecaster, monkeypatch)
    changed = LINES.replace("total", "amount", 1)

    def opened() -> Any:
        session = forecaster.open(LINES)
        session.update(changed, saved=True)
        runs.clear()
        return session

    found = opened().predict()
    needed = len(runs)
    assert found and needed > 4
    for allowed in range(needed):
        session = opened()
        options = PredictionOptions(cancelled=lambda: len(runs) >= allowed)  # noqa: B023
        assert session.predict(1, options) == []
        assert len(runs) == allowed
        assert [one.hunk for one in session.predict()] == [one.hunk for one in found]


def test_nothing_is_decoded_that_is_not_confident_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    forecaster = NeuralForecaster.load(bundled_path(), "cpu")
    runs = count_runs(forecaster, monkeypatch)

    def predicted(text: str, least: float) -> tuple[Any, int]:
        session = forecaster.open(LINES)
        session.update(text, saved=True)
        runs.clear()
        found = session.predict(1, PredictionOptions(least_confidence=least))
        return found, len(runs)

    unsure, likely = LINES + "\nimport json\n", LINES.replace("total", "amount", 1)
    (guess,), usual = predicted(unsure, 0.0)
    assert guess.source == "decoded"
    found, fewer = predicted(unsure, guess.confidence + 0.3)
    assert fewer < usual and all(one.confidence < guess.confidence for one in found)
    assert predicted(unsure, guess.confidence - 0.01)[0] == [guess]
    (sure,), _ = predicted(likely, 0.0)
    assert predicted(likely, sure.confidence - 0.01)[0] == [sure]
