"""A prediction that nobody needs any longer ends before the next run of the network."""

from collections.abc import Callable
from typing import Any

import pytest

from editcast_model.bundle import bundled_path
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.forecasting.interface import PredictionOptions

LINES = "".join(f'total = storage.fetch(database, "{name}")\n' for name in ("a", "b", "c", "d"))
RUNS = ("advance", "point", "content")


def count_runs(forecaster: NeuralForecaster, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The runs of the network, by their graph, from now on."""
    runs: list[str] = []

    def counted(name: str, run: Callable[..., Any]) -> Callable[..., Any]:
        def run_and_count(*given: Any) -> Any:
            runs.append(name)
            return run(*given)

        return run_and_count

    for name in RUNS:
        monkeypatch.setattr(
            forecaster.network, name, counted(name, getattr(forecaster.network, name))
        )
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
    assert found and needed > 8
    for allowed in range(needed):
        session = opened()
        options = PredictionOptions(cancelled=lambda: len(runs) >= allowed)  # noqa: B023
        assert session.predict(1, options) == []
        assert len(runs) == allowed
        assert [one.hunks for one in session.predict()] == [one.hunks for one in found]
