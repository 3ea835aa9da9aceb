"""`editcast reproduce pointer-mixture`: trees of repositories, training, resuming, the report."""

import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pygit2
import pytest
from click.testing import CliRunner, Result

from editcast.__main__ import cli
from editcast_model.errors import EditcastError, ReproductionError
from editcast_papers.lines import append_line, read_lines
from editcast_papers.pointer_mixture.corpus import Amount, read_corpus
from editcast_papers.pointer_mixture.differences import compared
from editcast_papers.pointer_mixture.reproduction import LANGUAGES, LISTS
from editcast_papers.pointer_mixture.runs import NETWORKS, Job, Run
from editcast_papers.training import Config
from editcast_training.sources.registry import Origin, listed_repositories

pytestmark = pytest.mark.usefixtures("one_thread")


def _text(seed: int) -> str:
    draw = random.Random(seed)
    names = [f"name_{draw.randrange(1000)}" for _ in range(3)]
    return "".join(
        f"{draw.choice(names)} = call({draw.choice(names)}, 1)\n"
        for _ in range(draw.randint(9, 30))
    )


def _repository(folder: Path, texts: Sequence[str], suffix: str) -> None:
    repository = pygit2.init_repository(str(folder), bare=True)
    builder = repository.TreeBuilder()
    for number, text in enumerate(texts):
        blob = repository.create_blob(text.encode())
        builder.insert(f"file{number}.{suffix}", blob, pygit2.enums.FileMode.BLOB)
    who = pygit2.Signature("somebody", "somebody@example.org", 1_600_000_000, 0)
    repository.create_commit("HEAD", who, who, "all", builder.write(), [])


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of repositories, and lists of them; what is in test is also in a training file."""
    folder = tmp_path_factory.mktemp("mirror")
    for suffix, end in (("py", "\n"), ("js", ";\n")):
        for at, name in enumerate(("one", "two", "dev", "test")):
            texts = [_text(10 * at + seed).replace("\n", end) for seed in range(5)]
            extra = [_text(30).replace("\n", end)] if name == "one" else []
            _repository(folder / f"{suffix}+{name}", [*texts, *extra, "x = 1\n"], suffix)
        lists = f'train = ["{suffix}/one", "{suffix}/two", "{suffix}/three"]\n'
        lists += f'dev = ["{suffix}/dev"]\ntest = ["{suffix}/test"]\n'
        (folder / f"{suffix}.toml").write_text(lists)
    with (folder / "js.toml").open("a") as file:
        file.write('languages = ["javascript"]\n')
    return folder


def _origins(mirror: Path, suffix: str = "py") -> list[Origin]:
    return listed_repositories(mirror / f"{suffix}.toml", mirror)[0]


# -- the trees -----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["py", "js"])
def test_values_are_ranked_by_how_often_training_has_them(
    mirror: Path, tmp_path: Path, suffix: str
) -> None:
    corpus = read_corpus(_origins(mirror, suffix), Amount(), tmp_path)
    counts = [int((corpus.train.values == value).sum()) for value in range(corpus.values)]
    assert counts[1:] == sorted(counts[1:], reverse=True) and counts[-1] > 0
    assert int(corpus.test.values.max()) >= corpus.values  # its own names
    assert int(corpus.test.types.max()) < corpus.types
    assert [len(part.ends) for part in (corpus.train, corpus.dev, corpus.test)] == [10, 5, 5]
    for part in (corpus.train, corpus.dev, corpus.test):
        assert part.ends[-1] == len(part.types) == len(part.values) == len(part.parents)


def test_each_repository_gives_its_share_and_trees_are_made_once(
    mirror: Path, tmp_path: Path
) -> None:
    origins = _origins(mirror)
    corpus = read_corpus(origins, Amount(400, 10_000), tmp_path)
    assert 2 <= len(corpus.train.ends) < 10
    (kept,) = tmp_path.iterdir()
    written = kept.stat().st_mtime_ns
    again = read_corpus(origins, Amount(400, 10_000), tmp_path)
    assert again.identity == corpus.identity and kept.stat().st_mtime_ns == written
    anew = read_corpus(origins, Amount(400, 10_000), tmp_path / "anew")
    assert anew.identity == corpus.identity
    other = read_corpus(origins, Amount(), tmp_path)
    assert other.identity != corpus.identity
    kept.write_bytes(b"{}")
    with pytest.raises(ReproductionError, match="remove the file"):
        read_corpus(origins, Amount(400, 10_000), tmp_path)


def test_a_part_without_files_is_said(mirror: Path, tmp_path: Path) -> None:
    origins = [origin for origin in _origins(mirror) if origin.split != "dev"]
    with pytest.raises(ReproductionError, match="No file of the repositories for dev"):
        read_corpus(origins, Amount(), tmp_path)


def test_the_lists_of_the_papers_languages_are_there() -> None:
    assert set(LISTS) == set(LANGUAGES)
    for path in LISTS.values():
        _, missing = listed_repositories(path, Path("nowhere"))
        assert len(missing) > 10


# -- the command ---------------------------------------------------------------------------------

_SIZES = ["--hidden", "8", "--batch", "2", "--steps", "20", "--nodes", "3000", "--test", "400"]


def _arguments(folder: Path, *arguments: str) -> list[str]:
    where = ["--results", str(folder / "results"), "--scratch", str(folder / "scratch")]
    return ["reproduce", "pointer-mixture", *arguments, "--device", "cpu", *where]


def _command(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, _arguments(folder, *arguments), catch_exceptions=False)


def _page(folder: Path) -> str:
    _command(folder)
    return (folder / "results" / "REPORT.md").read_text("utf-8")


def _given(mirror: Path, suffix: str = "py") -> list[str]:
    return ["--mirror", str(mirror), "--repositories", str(mirror / f"{suffix}.toml"), *_SIZES]


def test_killed_and_run_again_it_ends_as_if_it_had_not_been(mirror: Path, tmp_path: Path) -> None:
    arguments = [*_given(mirror), "--network", "pointer random", "--vocabulary", "10"]
    command = [sys.executable, "-m", "editcast", *_arguments(tmp_path, *arguments)]
    process = subprocess.Popen(command)
    while not list((tmp_path / "scratch").glob("*/latest.safetensors")):
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert not (tmp_path / "results" / "runs.jsonl").exists()

    result = _command(tmp_path, *arguments)
    assert result.exit_code == 0, result.output
    assert "1 of 5 repositories for python are not in" in result.output
    (run,), problems = read_lines(tmp_path / "results", [Run])
    assert not problems and not list((tmp_path / "scratch").glob("*/"))
    job = Job(
        _origins(mirror),
        Amount(3000, 400),
        "python",
        "value",
        10,
        "pointer random",
        0,
        Config(8, 0.002, 2, 20),
        "cpu",
        tmp_path / "whole",
    )
    whole = job.make()
    assert job.is_in([run])
    assert (run.dev, run.right, run.nodes, run.shares) == (
        whole.dev,
        whole.right,
        whole.nodes,
        whole.shares,
    )
    assert run.corpus == whole.corpus and run.test_accuracy == whole.test_accuracy


def test_all_networks_and_their_report(mirror: Path, tmp_path: Path) -> None:
    arguments = [*_given(mirror), "--seed", "0", "--seed", "1", "--task", "value", "--task", "type"]
    result = _command(tmp_path, *arguments)
    assert result.exit_code == 0, result.output
    results = tmp_path / "results"
    runs, _ = read_lines(results, [Run])
    types = ["vanilla LSTM", "attention"]
    wanted = [("value", name) for name in NETWORKS] + [("type", name) for name in types]
    assert [(run.seed, run.task, run.network) for run in runs] == [
        (seed, *one) for seed in (0, 1) for one in wanted
    ]
    assert "in the results" in _command(tmp_path, *arguments).output
    javascript = [*_given(mirror, "js"), "--language", "javascript", "--network", "attention"]
    assert _command(tmp_path, *javascript).exit_code == 0
    (results / "NOTES.md").write_text("## Notes\n\nWhat was tried.\n")
    (results / "broken.jsonl").write_text("{\n")
    report = _command(tmp_path)
    assert "this needs --mirror" in report.output and "broken.jsonl, line 1" in report.output
    page = (results / "REPORT.md").read_text("utf-8")
    mean = (runs[1].test_accuracy + runs[7].test_accuracy) / 2
    row = next(line for line in page.splitlines() if line.startswith("| Python, attention |"))
    assert f"64.9 / {mean:.1f} ±" in row and row.endswith("69.8 / not run |")
    rate = runs[0].shares["unknown"]
    assert f"| Python, out of the vocabulary | 24 / {rate:.1f} |" in page
    gap = compared([runs[0], runs[6]], [runs[1], runs[7]])
    assert f"| Python, attention above vanilla LSTM | +1.3 / {gap} |" in page
    assert "| JavaScript, vanilla LSTM | 69.9 / not run | 75.8 / not run |" in page
    assert f"| Python, 1,000 | {runs[0].counts['types']} |" in page
    assert "broken.jsonl, line 1" in page
    assert page.endswith("## Notes\n\nWhat was tried.\n")


def test_a_column_has_runs_of_one_size(mirror: Path, tmp_path: Path) -> None:
    given = _given(mirror)
    for network in ("vanilla LSTM", "attention"):
        assert _command(tmp_path, *given, "--network", network).exit_code == 0
    (before, after), _ = read_lines(tmp_path / "results", [Run])
    alone = replace(before, config={**before.config, "hidden": 512}, test_accuracy=99.0)
    append_line(tmp_path / "results" / "runs.jsonl", alone)
    page = _page(tmp_path)
    assert f"| Python, vanilla LSTM | 63.6 / {before.test_accuracy:.1f} |" in page
    both = [replace(one, config=alone.config) for one in (after, replace(after, network="new"))]
    for one in both:
        append_line(tmp_path / "results" / "runs.jsonl", one)
    page = _page(tmp_path)
    assert "| Python, vanilla LSTM | 63.6 / 99.0 |" in page


def test_differences_are_of_the_same_seeds_and_files() -> None:
    one = Run(
        0,
        {},
        0,
        "",
        0.0,
        (),
        "python",
        "value",
        1000,
        "attention",
        "",
        {},
        0,
        0.0,
        {},
        [5, 5],
        [9, 9],
    )
    other = replace(one, right=[6, 6])
    assert compared([one], [other]) == "+11.1 [+11.1, +11.1]"
    assert compared([one], [replace(other, seed=1)]) is None
    assert compared([one, replace(other, seed=1)], [other, replace(one, seed=2)]) == (
        "+11.1 [+11.1, +11.1]"
    )


def test_unknown_networks_are_told_the_known(tmp_path: Path) -> None:
    with pytest.raises(EditcastError, match="no network GPT; there are vanilla LSTM, attention"):
        _command(tmp_path, "--network", "GPT")
    assert not list(tmp_path.iterdir())
