"""Continuations fitted to one person: taken in where their newest history shows a gain."""

import json
from pathlib import Path

import pytest

from editcast_training.evaluation.intervals import Interval
from editcast_training.personal import PersonalFit, fit_to_person
from editcast_training.sources.registry import Origin

_SILENT = (-20.0, *([0.0] * 12))


@pytest.fixture(scope="module")
def repeating(tmp_path_factory: pytest.TempPathFactory) -> Origin:
    """Recorded files of somebody who calls the same functions in each."""
    lines = []
    for file in range(8):
        text, changes = f"import shop_{file}\n", []
        for save in range(12):
            new = f"total = add(total, price_of({file}, {save}))\nshow_the_result_to(customer)\n"
            edit = [len(text), len(text), new]
            changes.append({"time": 1000 * (20 * save + file), "edits": [edit]})
            text += new
        about = {"id": str(file), "language": "python", "path": f"{file}.py", "origin": "shop"}
        begun = f"import shop_{file}\n"
        lines.append(json.dumps({**about, "license": "", "text0": begun, "changes": changes}))
    path = tmp_path_factory.mktemp("saves") / "own.jsonl"
    path.write_text("\n".join(lines))
    return Origin("own", "saves", path)


def test_what_somebody_repeats_is_offered_after_the_fit(repeating: Origin) -> None:
    found = fit_to_person([repeating], _SILENT, 0.2, 0)
    assert found.is_better and found.before == 0 < found.after and found.taken >= 45
    assert found.sentence == (
        f"Continuations fitted to your history would have typed {found.after:.0f} % of your last "
        f"{found.characters:,} characters for you, instead of 0 %."
    )
    again = fit_to_person([repeating], found.weights, 0.2, 0)
    assert again.weights == found.weights and again.before == again.after
    assert not again.is_better and again.sentence.startswith("Continuations stay as they are.")


def test_without_history_nothing_is_fitted(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    missing = Origin("missing", "saves", tmp_path / "missing.jsonl")
    found = fit_to_person([missing, Origin("empty", "saves", empty)], _SILENT, 0.2, 0)
    assert not found.weights and not found.is_better
    assert found.sentence.startswith("There is too little history")


def test_a_gain_by_chance_or_of_offers_that_are_not_taken_is_none() -> None:
    gain, chance = Interval(3, 1, 5), Interval(3, -1, 5)
    assert PersonalFit((), 3, 6, 60, gain, 100).is_better
    assert not PersonalFit((), 3, 6, 60, chance, 100).is_better
    assert not PersonalFit((), 3, 6, 30, gain, 100).is_better
