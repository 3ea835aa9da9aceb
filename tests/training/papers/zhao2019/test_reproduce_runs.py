"""Lines of results: written, read, broken; and what a table takes of them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from editcast_papers.lines import append_line
from editcast_papers.training import Config
from editcast_papers.zhao2019.grid import plan
from editcast_papers.zhao2019.reporting import paper
from editcast_papers.zhao2019.reporting.claims import example_of, most_confident, scalability
from editcast_papers.zhao2019.reporting.report import write_report
from editcast_papers.zhao2019.reporting.tables import choose, compared, costs, like
from editcast_papers.zhao2019.runs import (
    RealRun,
    Results,
    Run,
    Statistics,
    StepTime,
    Timing,
    read_runs,
)
from editcast_papers.zhao2019.synthetic import PLAIN, Task
from editcast_papers.zhao2019.tasks import average_displacement, examples


def _run(**changes: object) -> Run:
    given = {
        "task": "Append1",
        "model": "IA-ag",
        "test_accuracy": 90.0,
        "config": {"hidden": 128, "rate": 0.001, "batch": 64},
        "seconds_per_step": 0.2,
        "dev": [[10, 50.0], [20, 91.0]],
        "by_step": [99.0, 81.0],
    }
    return Run(**(given | changes))  # type: ignore[arg-type]


_LINES = (
    _run(),
    Statistics("MultiTask", 6.5, None, 4000, 20.5),
    Timing("E", 128, 100, 12.5, 3, 16, "a processor"),
    RealRun(0, {}, 5, "a GPU", 0.1, [[9, 1.0]], "E", "random", 9, 50.0, 60.0, 70.0, 8, [], 4),
)


def test_lines_are_read_as_written(tmp_path: Path) -> None:
    for line in _LINES:
        append_line(tmp_path / "deep" / "all.jsonl", line)
    results, problems = read_runs(tmp_path / "deep")
    assert not problems
    read = (*results.runs, *results.statistics, *results.timings, *results.real)
    assert read == _LINES


def test_a_line_without_a_kind_is_a_training_and_unknown_keys_are_left(tmp_path: Path) -> None:
    line = {"task": "Append1", "model": "X", "test_accuracy": 9, "mood": "good"}
    (tmp_path / "others.jsonl").write_text(json.dumps(line) + "\n\n")
    results, problems = read_runs(tmp_path)
    assert results.runs == [Run("Append1", "X", 9)]
    assert not problems


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ('{"task": "Append1", "model"', "Expecting"),
        ("[]", "no JSON object"),
        ('{"task": "Append1", "model": "E"}', "no test_accuracy"),
        ('{"task": "Append1", "model": "E", "test_accuracy": "high"}', 'cannot be "high"'),
        ('{"task": "Append1", "model": "E", "test_accuracy": NaN}', "cannot be NaN"),
        ('{"task": "Append1", "model": "E", "test_accuracy": 1, "seed": true}', "cannot be true"),
        ('{"task": "Append1", "model": "E", "test_accuracy": 1, "dev": [3]}', "dev cannot be"),
        ('{"kind": "gossip"}', "no kind 'gossip'"),
        ("\udcff".encode("utf-8", "surrogateescape"), "Expecting"),
    ],
)
def test_a_broken_line_is_reported_and_skipped(
    tmp_path: Path, broken: str | bytes, reason: str
) -> None:
    path = tmp_path / "tables.jsonl"
    append_line(path, _run(seed=1))
    with path.open("ab") as file:
        file.write((broken if isinstance(broken, bytes) else broken.encode()) + b"\n")
    append_line(path, _run(seed=2))
    results, problems = read_runs(tmp_path)
    assert [run.seed for run in results.runs] == [1, 2]
    assert len(problems) == 1
    assert problems[0].startswith("tables.jsonl, line 2,")
    assert reason in problems[0]


def test_a_line_cut_short_does_not_swallow_the_next(tmp_path: Path) -> None:
    path = tmp_path / "tables.jsonl"
    path.write_text('{"task": "Appe')
    append_line(path, _run())
    results, problems = read_runs(tmp_path)
    assert results.runs == [_run()]
    assert len(problems) == 1


def test_a_table_shows_the_best_on_dev_of_each_seed() -> None:
    runs = [
        _run(seed=0, test_accuracy=80.0),
        _run(seed=0, test_accuracy=99.0, dev=[[10, 90.9]]),  # better on test does not count
        _run(seed=1, test_accuracy=84.0),
    ]
    cells = choose(runs)
    cell = cells["Append1", "IA-ag"]
    assert [run.test_accuracy for run in cell.runs] == [80.0, 84.0]
    assert cell.words == "82.0 ± 2.8"
    assert compared(cells, "Append1", "IA-ag") == "99.9 / 82.0 ± 2.8 / -17.9"
    assert compared(cells, "Append1", "E") == "100.0 / not run"
    assert compared(cells, "Append1", "IA+") == "not run"


def test_costs_are_compared_on_one_device_only() -> None:
    def step(model: str, seconds: float, device: str) -> StepTime:
        return StepTime("Append1", model, 128, seconds, 40, 64, device)

    here = [step("IA-ag", 0.2, "here"), step("IA+", 0.5, "here")]
    assert costs(here) == [["Append1", "128", "–", "–", "0.200", "0.500", "2.50", "here"]]
    assert [row[-2] for row in costs([here[0], step("IA+", 0.5, "there")])] == ["–", "–"]


def test_an_ablation_is_compared_with_the_whole_at_equal_terms() -> None:
    short = _run(model="IA+", config={"steps": 400})
    long = _run(model="IA+", config={"steps": 800})
    part = _run(model="IA+ without scanning", config={"steps": 400})
    assert like([long, short, part], part) is short
    assert like([long, part], part) is None
    assert like([_run(model="IA+", config={"steps": 400}, seed=1), part], part) is None


def test_the_papers_tables_are_whole() -> None:
    assert len(paper.TABLE_1) == 29
    assert len(paper.TABLE_3) == 29
    differ = [
        task
        for task, row in paper.TABLE_3.items()
        if "IA-ag" in paper.TABLE_1.get(task, {}) and row["IA-ag"] != paper.TABLE_1[task]["IA-ag"]
    ]
    assert not differ
    assert paper.accuracy("MetaFlip11", "IA-vg") == 48.1
    assert paper.accuracy("Append1", "IA+") is None


@pytest.mark.parametrize("task", PLAIN, ids=lambda task: task.name)
def test_displacement_is_the_papers(task: Task) -> None:
    assert average_displacement(task.name) == task.displacement


def _timing(model: str, seconds: float, insertions: int = 10) -> Timing:
    return Timing(model, 128, insertions, seconds, 3, 16, "a processor")


def test_what_the_paper_says_of_speed_is_checked() -> None:
    assert scalability([_timing("IR", 2.0)]) == ""
    slow = [_timing("IR", 2.0), _timing("IA-ag", 3.0), _timing("E", 20.0)]
    slow += [_timing("IR", 4.0, 50), _timing("IA-ag", 10.0, 50)]
    said = scalability(slow)
    assert "IA-ag takes 1.5 to 2.5 times as long as IR: the claim does not hold" in said
    assert "E takes 10 to 10 times as long as IR" in said
    assert "the claim holds." in scalability([_timing("IR", 2.0), _timing("IA-ag", 1.0)])


def test_where_ia_is_not_the_best_is_said() -> None:
    about = next(line for line in _LINES if isinstance(line, RealRun))
    curves = {"IA-ag": [50.0, 60.0, 90.0], "IR": [40.0, 61.0, 90.0], "IA+": [99.0] * 3}
    runs = {
        ("random", model): replace(about, curve=[*map(list, zip((0, 45, 90), curve, strict=True))])
        for model, curve in curves.items()
    }
    assert most_confident(runs).endswith("left out. On the split `random` it is not at 45 % here.")
    del runs["random", "IR"]
    assert most_confident(runs) == ""


def test_an_example_is_shown_edit_by_edit() -> None:
    text = example_of("MetaDelete2")
    (example,) = examples("MetaDelete2", "test", 1)
    rows = [line.strip() for line in text.splitlines()[2:]]
    assert len(rows) == 1 + min(len(example.sequence.edits), 10)
    assert all(row.count("-") == 2 for row in rows[1:])
    inserted = example_of("MetaFlip11").splitlines()
    assert "the first 2 given" in inserted[0]
    before, after = (inserted[at].strip() for at in (2, 3))
    place = after.index("[")
    assert before == after[:place] + after[place + 3 :]


def test_what_departs_from_the_tables_stands_apart(tmp_path: Path) -> None:
    runs = [
        _run(),
        _run(test_accuracy=70.0, dev=[[20, 99.0]], diff="longest-block"),
        _run(test_accuracy=60.0, model="IA-ag untied"),
        _run(test_accuracy=50.0, model="POMP", diff="longest-block", dev=[]),
        _run(test_accuracy=40.0, model="IA+", task="MetaFlip11", diff="longest-block"),
    ]
    page = write_report(Results(runs=runs), [], tmp_path).read_text("utf-8")
    assert "| Append1 | 100.0 / not run | 100.0 / not run | 100.0 / not run | 99.9 / 90.0 /" in page
    assert "| Append1, IA-ag | 99.9 | 90.0 | 70.0 | 60.0 |" in page
    assert "| MetaFlip11, IA+ | – | not run | 40.0 | not run |" in page
    assert "POMP |" not in page.split("## Departures")[1].split("\n## ")[0]


def test_a_job_under_another_diff_is_another_job(tmp_path: Path) -> None:
    config = Config(16, 0.001, 64, 30)
    results = Results(runs=[_run(config=config.to_json())])
    ours, theirs = (
        plan(["Append1"], ["IA-ag"], [0], [config], scratch=tmp_path, device="cpu", diff=diff)[0]
        for diff in ("canonical", "longest-block")
    )
    assert ours.is_in(results) and not theirs.is_in(results)
    assert ours.folder != theirs.folder and "longest-block" in theirs.name
