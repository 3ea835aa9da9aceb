"""`editcast reproduce slides`: edits of repositories, training, going on, the report."""

import itertools
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import click
import pytest
import torch
from click.testing import CliRunner, Result

from editcast.__main__ import cli
from editcast.commands.reproduce import slides
from editcast_model.errors import ReproductionError
from editcast_papers.lines import append_line, read_lines
from editcast_papers.slides.corpus import PAD, collate, make_corpus
from editcast_papers.slides.edits import Edit, Edits, read_edits
from editcast_papers.slides.network import SHAPES
from editcast_papers.slides.report import write_report
from editcast_papers.slides.runs import BASELINE, TABLES, Job, Model, Run, writer
from editcast_papers.slides.scores import score
from editcast_papers.training import Config, update
from editcast_training.sources.registry import Origin, listed_repositories

pytestmark = pytest.mark.usefixtures("one_thread")

_MOST = {"train": 60, "dev": 10, "test": 20}
_SIZES = ["--hidden", "8", "--batch", "8", "--steps", "20"]
_SIZES += [word for name, count in _MOST.items() for word in (f"--{name}", str(count))]


@pytest.fixture
def listing(tmp_path: Path) -> Path:
    path = tmp_path / "list.toml"
    path.write_text('train = ["me/0", "me/1", "me/x"]\ndev = ["me/2"]\ntest = ["me/3"]\n')
    return path


def _origins(listing: Path, mirror: Path) -> list[Origin]:
    return listed_repositories(listing, mirror)[0]


# -- edits ---------------------------------------------------------------------------------------


def test_each_repository_gives_its_share_and_edits_are_read_once(
    listing: Path, small_mirror: Path, tmp_path: Path
) -> None:
    origins, scratch = _origins(listing, small_mirror), tmp_path / "scratch"
    found = read_edits(origins, _MOST, scratch)
    assert [len(part) for part in (found.train, found.dev, found.test)] == [60, 10, 20]
    every = {*found.train, *found.dev, *found.test}
    assert len(every) == 90
    assert 0 < len(found.files) <= 60
    assert all(one.after and not one.before for one in found.files)
    assert all(one.before != one.after for one in every)
    (kept,) = scratch.iterdir()
    text, changed = kept.read_text("utf-8"), kept.stat().st_mtime_ns
    assert read_edits(origins, _MOST, scratch) == found and kept.stat().st_mtime_ns == changed
    assert read_edits(origins, _MOST, tmp_path / "anew") == found
    halves = read_edits(origins, {**_MOST, "train": 30}, scratch)
    assert halves.identity != found.identity
    assert {*halves.train[:15]} <= {*found.train[:30]}
    for damaged in (text[:100], "[]", '{"train": [[1]], "dev": [], "test": [], "files": []}'):
        kept.write_text(damaged)
        with pytest.raises(ReproductionError, match="remove the file"):
            read_edits(origins, _MOST, scratch)


def test_a_split_without_edits_is_said(listing: Path, small_mirror: Path, tmp_path: Path) -> None:
    origins = [one for one in _origins(listing, small_mirror) if one.split != "dev"]
    with pytest.raises(ReproductionError, match="repositories for dev have no edit"):
        read_edits(origins, _MOST, tmp_path)


_LEARNERS = [replace(BASELINE, shape=shape) for shape in SHAPES]
_LEARNERS += [replace(BASELINE, joined="EM routing"), replace(BASELINE, parents=True)]


@pytest.mark.parametrize("model", _LEARNERS)
def test_what_is_shown_is_learned(model: Model) -> None:
    """The new word is that of the edit shown; the old one tells nothing."""
    words = ["red", "green", "blue", "white"]
    rows = [
        Edit(f"{old}\n", f"{new}\n", "", f"{other}\n", "", f"{new}\n")
        for old in words
        for new in words
        for other in words
    ]
    corpus = make_corpus(Edits(rows, rows, rows, "x"), 300)
    torch.manual_seed(0)
    network = writer(model, corpus, 32)
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    batch = collate(corpus.train)
    before = after = score(network, corpus.test)
    for _ in range(200):
        if (after := score(network, corpus.test)).exact > 95:
            break
        network.train()
        lost = torch.nn.functional.cross_entropy(
            network(batch).scores, batch.written[batch.written != PAD]
        )
        update(network, optimizer, lost)
    assert before.exact < 5 and after.exact > 95
    assert after.bits < 0.5 < 1 < before.bits


# -- the command ---------------------------------------------------------------------------------


def _arguments(folder: Path, *arguments: str) -> list[str]:
    where = ["--results", str(folder / "results"), "--scratch", str(folder / "scratch")]
    return ["reproduce", "slides", *arguments, *where]


def _command(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, _arguments(folder, *arguments), catch_exceptions=False)


def _given(mirror: Path, listing: Path) -> list[str]:
    return ["--mirror", str(mirror), "--repositories", str(listing), *_SIZES]


def test_the_command_knows_all_tables() -> None:
    (option,) = (one for one in slides.params if one.name == "tables")
    assert isinstance(option.type, click.Choice) and list(option.type.choices) == list(TABLES)


def test_killed_and_run_again_it_ends_as_if_it_had_not_been(
    listing: Path, small_mirror: Path, tmp_path: Path
) -> None:
    arguments = [*_given(small_mirror, listing), "--table", "network"]
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
    runs, problems = read_lines(tmp_path / "results", [Run])
    assert not problems and [run.model["shape"] for run in runs] == list(SHAPES)
    assert [path.suffix for path in (tmp_path / "scratch").iterdir()] == [".json"]
    origins = tuple(_origins(listing, small_mirror))
    config = Config(8, 0.001, 8, 20)
    whole = Job(origins, _MOST, BASELINE, 0, config, tmp_path / "whole").make()
    first = runs[0]
    assert list(first.dev) == whole.dev and first.config == whole.config
    assert (first.right, first.bits, first.counts) == (whole.right, whole.bits, whole.counts)


def test_the_first_steps_of_a_pretraining_put_lines_back(
    listing: Path, small_mirror: Path, tmp_path: Path
) -> None:
    origins = tuple(_origins(listing, small_mirror))
    found = []
    for pretrained, steps in itertools.product((False, True), (2, 5)):
        model = replace(BASELINE, pretrained=pretrained)
        job = Job(origins, _MOST, model, 0, Config(8, 0.01, 8, steps), tmp_path / f"{steps}")
        found.append(job.make())
    # Two fifths of two steps are none: only the longer training differs.
    assert found[0].bits == found[2].bits and found[1].bits != found[3].bits
    assert found[0].counts["files"] > 8


def test_a_model_of_two_tables_is_trained_once(
    listing: Path, small_mirror: Path, tmp_path: Path
) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "NOTES.md").write_text("## Notes\n\nWhat was tried.\n")
    (tmp_path / "results" / "broken.jsonl").write_text("{\n")
    arguments = [*_given(small_mirror, listing), "--table", "positions", "--table", "network"]
    result = _command(tmp_path, *arguments)
    assert "1 of 5 repositories are not in" in result.output
    assert "6 of 6 trainings to do" in result.output
    assert "in the results" in _command(tmp_path, *arguments).output
    report = _command(tmp_path)
    assert "Nothing was trained" in report.output and "broken.jsonl, line 1" in report.output
    page = (tmp_path / "results" / "REPORT.md").read_text("utf-8")
    assert "## Hidden 8, rate 0.001, batch 8, 20 steps" in page
    assert "60 edits to train on, 10 of dev, 20 of the test. 0.0 % of the test" in page
    assert "| 16,384 | not run | not run | not run | not run | not run | not run |" in page
    assert "broken.jsonl, line 1" in page and page.endswith("## Notes\n\nWhat was tried.\n")


def test_the_report_compares_seed_by_seed(tmp_path: Path) -> None:
    counts = {"train": 9, "dev": 2, "test": 4, "ids": 4103, "read": 100.4, "written": 9.26}
    config = {"hidden": 8, "rate": 0.1, "batch": 2, "steps": 1200}
    about = Run(
        0,
        config,
        1_500_000,
        "a processor",
        0.25,
        [[1, 3.0]],
        {},
        "x",
        {**counts, "as_shown": 7.5},
        0,
        1.5,
        "",
    )
    rows: Sequence[tuple[Model, int, str]] = (
        (BASELINE, 0, "1000"),
        (BASELINE, 1, "1100"),
        (replace(BASELINE, positions="linear"), 0, "1110"),
        (replace(BASELINE, positions="linear"), 2, "0000"),
        (replace(BASELINE, vocabulary=2048), 1, "1100"),
    )
    for model, seed, right in rows:
        exact = 25.0 * right.count("1")
        line = replace(about, model=asdict(model), seed=seed, right=right, test_accuracy=exact)
        append_line(tmp_path / "runs.jsonl", line)
    runs, problems = read_lines(tmp_path, [Run])
    page = write_report(runs, problems, tmp_path).read_text("utf-8")
    assert "7.5 % of the test edits write what the edit shown wrote" in page
    assert "| relative | 37.5 ± 17.7 | – | 1.500 ± 0.000 | 100 | 9.3 | 1.50 | 0.250" in page
    assert "| linear | 37.5 ± 53.0 | +50.0 [+0.0, +100.0] |" in page
    assert "| 2,048 | 50.0 | +0.0 [+0.0, +0.0] | 1.500 |" in page
    assert "The rest is encoder-decoder, 4,096, linear." in page
