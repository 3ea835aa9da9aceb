"""The table of `benchmarks/suggestions/mechanisms.py`, on a tiny sample."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from click.testing import CliRunner

from editcast_model.diff import Hunk
from editcast_model.forecasting.candidates import Candidate
from editcast_model.forecasting.forecaster import SOURCES
from editcast_model.forecasting.ranker import FEATURES
from editcast_training.calibration.collected import Collected
from editcast_training.evaluation.metrics import Score
from editcast_training.evaluation.results import Row

GOOD, BAD = Score(1, True, True, True, 1.0), Score(1, False, False, False, -1.0)


@pytest.fixture()
def candidates(tmp_path: Path) -> Path:
    """Steps at which the network knows which of its own edits are right, and copies are wrong."""
    path = tmp_path / "candidates.jsonl"
    with path.open("w") as file:
        for number in range(24):
            project = f"project{number % 3}"
            steps = []
            for step in range(4):
                is_right = step % 2 == 0
                found = (
                    Candidate(Hunk(0, 1, "a"), "decoded", 1, 1, -0.1 if is_right else -3.0),
                    Candidate(Hunk(5, 6, "b"), "repeated", 1, 1, -2.0),
                )
                row = Row(project, "a.py", "python", "commits", number, step, 1.0)
                scores = (GOOD if is_right else BAD, BAD)
                steps.append(Collected(row, found, scores))
            file.write(json.dumps([asdict(one) for one in steps]) + "\n")
    return path


def test_every_mechanism_is_switched_off_in_turn(
    candidates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[3] / "benchmarks" / "suggestions")
    import mechanisms

    done = CliRunner().invoke(
        mechanisms.main, [str(candidates), "--samples", "20"], catch_exceptions=False
    )
    del sys.modules["mechanisms"]
    lines = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    heads = [line.split(" | ")[0].removeprefix("| ") for line in lines[1:]]
    sources = [f"without {one.name} edits" for one in SOURCES]
    features = [f"without {name}" for name in FEATURES]
    assert heads == ["all", *sources, "without the network's scores", *features]
    cells = dict(zip(heads, (line.split(" | ")[1:] for line in lines[1:]), strict=True))
    assert cells["all"][0] == "50.0"
    assert cells["without decoded edits"][0] == "**-50.0 (-50.0, -50.0)**"
    assert cells["without repeated edits"][0] == "+0.0 (0.0, 0.0)"
