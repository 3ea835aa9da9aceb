"""Benchmarks of everyday edits: what they ask, how they judge, and how two runs are compared."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from editcast_model.diff import Hunk

if TYPE_CHECKING:
    from everyday import Scenario

SUGGESTIONS = Path(__file__).parents[1] / "benchmarks" / "suggestions"
SET = """\
== a_name_is_changed
-- a.py
def {{1*:total=>count}}(xs):
    return len(xs)


print({{2:total=>count}}([]))
print({{3:total=>count}}([1]))
-- b.py
from a import {{4:total=>count}}
== nothing_follows
-- c.py
x = {{1*:1=>2}}
"""


@pytest.fixture
def scenarios(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, "Scenario"]]:
    monkeypatch.syspath_prepend(SUGGESTIONS)
    from everyday import read_scenarios

    (tmp_path / "python.txt").write_text(SET)
    return read_scenarios(tmp_path, "")


def offer(text: str, old: str, new: str, place: int = 0) -> list[Hunk]:
    start = -1
    for _ in range(place + 1):
        start = text.index(old, start + 1)
    return [Hunk(start, start + len(old), new)]


def test_offers_are_judged_by_the_steps_that_follow(
    scenarios: list[tuple[str, "Scenario"]],
) -> None:
    (language, renamed), _ = scenarios
    assert (language, renamed.name) == ("python", "a_name_is_changed")
    assert [step.number for step in renamed.following({1})] == [2, 3, 4]
    text = renamed.text("a.py", {1})
    assert text.startswith("def count(xs)") and text.count("total") == 2
    assert renamed.judge("a.py", offer(text, "total", "count"), {1}) == ("right", {2})
    assert renamed.judge("a.py", offer(text, "total", "count", 1), {1}) == ("right", {3})
    assert renamed.judge("a.py", offer(text, "total", "counts"), {1}) == ("near", set())
    assert renamed.judge("a.py", offer(text, "len", "sum"), {1}) == ("wrong", set())


def test_a_jump_is_right_to_a_file_with_a_step_that_follows(
    scenarios: list[tuple[str, "Scenario"]],
) -> None:
    (_, renamed), (_, silent) = scenarios
    assert renamed.judge_jump("a.py", ["b.py"], {1}) is None
    assert renamed.judge_jump("a.py", ["b.py", "c.py"], {1, 2, 3}) == "right"
    assert renamed.judge_jump("a.py", ["c.py", "b.py"], {1, 2, 3}) == "wrong"
    assert renamed.judge_jump("a.py", [], {1, 2, 3}) == "nothing"
    assert silent.judge_jump("c.py", [], {1}) is None


def test_it_is_replayed_and_compared(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    scenarios: list[tuple[str, "Scenario"]],
    tmp_path: Path,
) -> None:
    """The bundled model knows a name that changes, and is silent at a number."""
    import compare
    import everyday
    import replay

    monkeypatch.setattr(replay, "SCENARIOS", tmp_path)
    out = tmp_path / "after.json"
    monkeypatch.setattr(sys, "argv", ["replay.py", "own", "--json", str(out)])
    replay.main()
    renamed, silent = everyday.read_outcomes(out)
    assert [one.kind for one in renamed.opportunities] == ["right"] * 3 + ["nothing"]
    assert renamed.jumps == {"right": 1}
    assert [one.is_silence_right for one in silent.opportunities] == [True]
    assert "| all | 3 | 3 (100 %) |" in capsys.readouterr().out

    worse = json.loads(out.read_text())
    worse[0]["opportunities"][0]["kind"] = "near"
    (tmp_path / "before.json").write_text(json.dumps(worse))
    before = str(tmp_path / "before.json")
    monkeypatch.setattr(sys, "argv", ["compare.py", before, "--with", str(out)])
    compare.main()
    said = capsys.readouterr().out
    assert "python a_name_is_changed: right 2 -> 3, near 1 -> 0" in said
    assert "right: 66.7 -> 100.0 %, +33.3" in said
