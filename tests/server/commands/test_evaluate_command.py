"""`editcast evaluate` as a user runs it: real server processes on a real repository and saves."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pygit2
import pytest

import command_line
from editcast_model.bundle import bundled_path
from editcast_server.prediction.policy import default_threshold
from editcast_training.evaluation.results import Evaluation

CALLS = "".join(f"value_{n} = load(path)\n\n\n" for n in range(5))
# Even in a terminal this narrow nothing is cut.
editcast = partial(command_line.editcast, columns=30)
TEXTS = [CALLS.replace("load", "read", times) for times in range(6)]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose second commit renames five calls, one line hunk each."""
    folder = tmp_path_factory.mktemp("renaming")
    made = pygit2.init_repository(str(folder), initial_head="main")
    for time, text in enumerate((TEXTS[0], TEXTS[-1])):
        (folder / "calls.py").write_text(text, "utf-8")
        made.index.add("calls.py")
        made.index.write()
        author = pygit2.Signature("A. Uthor", "a@example.org", 1_700_000_000 + time, 0)
        parents = [] if made.head_is_unborn else [made.head.target]
        made.create_commit("HEAD", author, author, "Change", made.index.write_tree(), parents)
    return folder


@pytest.fixture(scope="module")
def saves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the same renaming as six saves of one file."""
    changes = []
    for text in TEXTS[:-1]:
        start = text.index("load")
        changes.append({"time": None, "edits": [[start, start + 4, "read"]]})
    line = {
        "id": "project:calls.py",
        "language": "python",
        "path": "calls.py",
        "license": "MIT",
        "origin": "project",
        "text0": CALLS,
        "changes": changes,
    }
    path = tmp_path_factory.mktemp("saves") / "recorded.jsonl"
    path.write_text(json.dumps(line) + "\n", "utf-8")
    return path


def test_both_baselines_are_measured_on_commits_and_saves(
    repository: Path, saves: Path, tmp_path: Path
) -> None:
    out = tmp_path / "new" / "out"
    done = editcast(
        "evaluate", "--git", repository, "--saves", saves, "--out", out,
        "--model", "repeat-best", "--model", "repeat-last",
        home=tmp_path / "home",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "100.0" in done.stdout and str(out) in done.stdout and "…" not in done.stdout
    for name in ("repeat-best", "repeat-last"):
        evaluation = Evaluation.read(out / f"{name}.json")
        assert evaluation.name == name
        assert list(evaluation.kinds) == ["commits", "project-commits", "saves"]
        for of_kind in evaluation.kinds.values():
            rows = [row for row in of_kind if row.step]
            assert len(rows) == 4
            assert all(row.score and row.score.exact for row in rows)
        assert len(evaluation.kinds["project-commits"]) == 5  # one when it was opened
        assert "--model repeat-last" in evaluation.command
    assert {path.name for path in out.iterdir()} == {"repeat-best.json", "repeat-last.json"}


def test_a_bundle_is_measured_token_by_token_too(saves: Path, tmp_path: Path) -> None:
    done = editcast(
        "evaluate", "--saves", saves, "--model", bundled_path(), "--out", tmp_path / "out",
        home=tmp_path / "home",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (result,) = (tmp_path / "out").glob("*.json")
    evaluation = Evaluation.read(result)
    assert len(evaluation.rows) == 4
    # Five saves, each the deletion of a name and the insertion of another.
    assert evaluation.tokens["edits"] >= 10
    best = min(evaluation.tokens["position"], evaluation.tokens["content"])
    assert 0 < evaluation.tokens["both"] <= best


def test_models_of_one_name_have_a_column_and_a_result_each(saves: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    common = ("evaluate", "--saves", saves, "--out", out, "--model", "repeat-best")
    assert editcast(*common, home=tmp_path / "home").returncode == 0
    earlier = (out / "repeat-best.json").read_bytes()
    more = ("--model", "repeat-best", "--compare", out / "repeat-best.json")
    done = editcast(*common, *more, home=tmp_path / "home")
    assert done.returncode == 0, done.stderr
    assert any(line.split() == ["repeat-best"] * 3 for line in done.stdout.splitlines())
    assert (out / "repeat-best.json").read_bytes() == earlier
    names = ["repeat-best-2.json", "repeat-best-3.json", "repeat-best.json"]
    assert sorted(path.name for path in out.iterdir()) == names


def test_with_a_pause_before_a_save_what_is_shown_is_the_same(saves: Path, tmp_path: Path) -> None:
    found = []
    for pause in ([], ["--pause", "0.2"]):
        out = tmp_path / str(len(pause))
        done = editcast(
            "evaluate", "--saves", saves, "--model", "repeat-best", "--out", out, *pause,
            home=tmp_path / "home",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        rows = Evaluation.read(out / "repeat-best.json").rows
        shown = [row for row in rows if (row.confidence or 0) >= default_threshold(None)]
        found.append([replace(row, milliseconds=0) for row in shown])
    assert found[0] and found[0] == found[1]
    assert len(shown) == sum(row.confidence is not None for row in rows)

    done = editcast(
        "evaluate", "--saves", saves, "--typing", "--pause", "1", home=tmp_path / "home"
    )
    assert done.returncode == 2 and "--pause works without --typing" in done.stderr


def test_sessions_are_typed_and_what_is_offered_is_measured(
    repository: Path, saves: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = editcast(
        "evaluate", "--typing", "--git", repository, "--saves", saves, "--out", out,
        "--model", bundled_path(), "--model", "repeat-best",
        home=tmp_path / "home",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "repeat-best, saves" in done.stdout and "medium, on save" in done.stdout
    found = {path.name: json.loads(path.read_text("utf-8")) for path in out.iterdir()}
    assert len(found) == 2 and "repeat-best-typing.json" in found
    for document in found.values():
        assert sorted(document["intervals"]) == ["commits", "saves"]
        # The first of five is shown; of the others each is a deletion and a word of four letters.
        assert [row["characters"] for row in document["rows"]] == [20] * 6
        high = document["intervals"]["commits"]["high"]
        assert high["both: taken"]["value"] > 50 and high["both: spared"]["value"] > 20


def test_an_earlier_result_is_compared_and_nothing_is_kept(saves: Path, tmp_path: Path) -> None:
    home, first, second = (tmp_path / name for name in ("home", "first", "second"))
    done = editcast(
        "evaluate", "--saves", saves, "--model", "repeat-last", "--out", first, home=home
    )
    assert done.returncode == 0, done.stderr
    done = editcast(
        "evaluate", "--saves", saves, "--model", "repeat-best", "--out", second, "--held-out",
        "--compare", first / "repeat-last.json", home=home,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "repeat-last" in done.stdout and "repeat-best" in done.stdout
    assert len(Evaluation.read(second / "repeat-best.json").rows) == 1  # of five changes, the last
    assert not (home / "history.sqlite3").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "There is nothing to evaluate on"),
        (("--git", "{empty}"), "is not a git repository"),
        (("--saves", "{empty}/no.jsonl"), "check the path that --saves names"),
        (("--saves", "{saves}", "--model", "{empty}"), "cannot use the bundle"),
        (("--saves", "{saves}", "--compare", "{saves}"), "is not a result of editcast evaluate"),
    ],
    ids=["no source", "no repository", "no saves", "no bundle", "no result"],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    arguments: tuple[str, ...], sentence: str, saves: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    given = [argument.format(empty=empty, saves=saves) for argument in arguments]
    done = editcast("evaluate", *given, "--out", tmp_path / "out", home=tmp_path / "home")
    assert done.returncode == 2
    assert sentence in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
