"""`editcast reproduce zhao2019` and its parts: data, scores, killing, resuming, the report."""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from torch import Tensor, nn

from editcast.__main__ import cli
from editcast_model.edits import DELETE, Edit
from editcast_model.errors import ReproductionError
from editcast_model.networks.batch import Batch, Instance, collate
from editcast_model.tokenizer import Tokenizer
from editcast_papers.training import Config, learning_rate, order
from editcast_papers.zhao2019.edit_sequence import EditSequence
from editcast_papers.zhao2019.grid import POMP, plan
from editcast_papers.zhao2019.real_data import (
    LEAST_EDITS,
    curve,
    fitting,
    tokens,
    without_saves,
)
from editcast_papers.zhao2019.recipe import by_number, judge, percent, train_on_task
from editcast_papers.zhao2019.runs import read_runs
from editcast_papers.zhao2019.synthetic import VOCABULARY
from editcast_papers.zhao2019.tasks import examples, load, split
from editcast_papers.zhao2019.timing import ngram_examples
from editcast_training.data.dataset import Dataset


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    """The command chooses how many; what runs after these tests shall not be told."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


# -- data and scores -----------------------------------------------------------------------------


def test_rows_are_what_collating_them_alone_gives() -> None:
    found = examples("MultiTask", "test", 40)
    data = split(found)
    for index in ([3], [5, 17, 2], list(range(40))):
        rows = data.rows(torch.tensor(index))
        alone = collate(
            [Instance(one.sequence.initial, one.sequence.edits, one.given) for one in found]
            if len(index) == 40
            else [
                Instance(found[i].sequence.initial, found[i].sequence.edits, found[i].given)
                for i in index
            ]
        )
        for name, tensor in vars(alone).items():
            assert torch.equal(getattr(rows, name), tensor), name


def test_the_parts_share_no_string() -> None:
    parts = [
        {one.sequence.initial for one in examples("Append1", part, 500)}
        for part in ("train", "dev", "test")
    ]
    assert len(set.union(*parts)) == sum(map(len, parts)) == 1500


class _Teller(nn.Module):
    """Knows the truth, or in its place the last twin; certain of it."""

    def __init__(self, twins: Tensor | None = None) -> None:
        super().__init__()
        self.twins = twins

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor, None]:
        where = batch.positions[:, 1:]
        if self.twins is not None:
            items = torch.arange(self.twins.shape[-1])
            where = torch.where(self.twins, items, -1).max(-1).values.clamp(min=0)
        size = batch.live.shape[-1]
        position = torch.log(nn.functional.one_hot(where, size).float() + 1e-9)
        contents = nn.functional.one_hot(batch.contents[:, 1:], VOCABULARY).float() * 40
        return position, contents, None


def test_scores_of_a_network_that_knows() -> None:
    judged = judge(_Teller(), load("MetaReplace2", "test", 30))
    assert judged.both[judged.scored].all()
    assert judged.twin[judged.scored].all()
    assert judged.confidence[judged.scored].exp().min() > 0.99


def test_twins_are_right_modulo_twins_only() -> None:
    data = load("MetaReplace2", "test", 1)  # one, so that the order of judging is no matter
    judged = judge(_Teller(data.twins), data)
    assert percent(judged.twin & judged.content, judged.scored) == 100
    assert percent(judged.both, judged.scored) < 100


def test_accuracy_by_number_counts_scored_edits_only() -> None:
    scored = torch.tensor([[False, True, True, True], [True, True, False, False]])
    right = torch.tensor([[True, True, False, True], [False, True, True, True]])
    assert by_number(right & scored, scored) == [50.0, 50.0, 100.0]


def test_an_epoch_takes_each_instance_once_and_the_rate_ends_low() -> None:
    steps = [order(7, 100, 10, step) for step in range(10)]
    assert sorted(torch.cat(steps).tolist()) == list(range(100))
    assert not torch.equal(steps[0], order(7, 100, 10, 10))
    assert not torch.equal(steps[0], order(8, 100, 10, 0))
    config = Config(rate=1.0, steps=1000)
    rates = [learning_rate(config, step) for step in range(1000)]
    assert max(rates) == rates[99] == pytest.approx(1.0)
    assert rates[0] == pytest.approx(0.01)
    assert rates[-1] == pytest.approx(1 / 900)
    assert learning_rate(Config(rate=1.0, schedule="constant"), 0) == 1.0


def test_ngram_data_inserts_behind_one_letter() -> None:
    once, again = ngram_examples(20, 5, seed=1), ngram_examples(20, 5, seed=1)
    assert once == again
    for sequence in once:
        assert len(sequence.edits) == 20
        text, after = sequence.initial, sequence.final()
        place = text.index(4)
        assert text.count(4) == after.count(4) == 1
        assert after[: place + 1] == list(text[: place + 1])
        assert after[place + 1 :][:20] == [edit.content for edit in sequence.edits]
        assert after[place + 21 :] == list(text[place + 1 :])


# -- real edits ----------------------------------------------------------------------------------


def test_real_instances_lose_marks_and_far_text_only(small_corpus: Path) -> None:
    data = Dataset.read(small_corpus / "train")
    most = 600
    found = fitting(data, most)
    assert found
    wanted = []
    for index in range(len(data)):
        state, edits = data.states[index], data.instance(index).edits
        whole = EditSequence(tuple(state.tolist()), tuple(edits))
        positions, contents = without_saves(len(state), data.positions[index], data.contents[index])
        pairs = zip(positions.tolist(), contents.tolist(), strict=True)
        bare = EditSequence(whole.initial, tuple(Edit(*pair) for pair in pairs))
        assert bare.final() == whole.final()
        if len(bare.edits) >= LEAST_EDITS:
            wanted.append(bare)
    cut = [EditSequence(tuple(one.state), tuple(one.edits)) for one in found]
    left = iter(wanted)
    for own in cut:
        assert len(own.initial) <= most
        # The same edits, and the text around them as it was and as it becomes.
        whole = next(
            one for one in left if [e.content for e in one.edits] == [e.content for e in own.edits]
        )
        assert _contains(whole.initial[1:], own.initial[1:])
        assert _contains(tuple(whole.final()[1:]), tuple(own.final()[1:]))


def _contains(text: tuple[int, ...], part: tuple[int, ...]) -> bool:
    return any(text[at : at + len(part)] == part for at in range(len(text) - len(part) + 1))


def test_tokens_of_a_run_are_the_tokenizers(small_tokenizer: Path) -> None:
    tokenizer = Tokenizer.load(small_tokenizer)
    encoding = tokenizer.encode("value_12 = zebra(7)")
    ids = encoding.ids.tolist()
    state = [1, *tokenizer.ids("x = 1")]
    edits = [Edit(2, DELETE), Edit(1, ids[0])]
    edits += [Edit(len(state) + at, token) for at, token in enumerate(ids[1:], 1)]
    edits += [Edit(0, ids[0])]
    found = tokens(Instance(state, edits), tokenizer)
    assert found[0] == (0, 1)
    assert found[-1][1] == len(edits)
    assert all(end == start for (_, end), (start, _) in zip(found, found[1:], strict=False))
    ends = [at + 2 for at, last in enumerate(encoding.ends_token.tolist()) if last]
    assert [end for _, end in found[1:-1]] == ends
    assert len(ends) < len(ids)  # some token has several subtokens


def test_the_curve_leaves_out_the_least_confident() -> None:
    sure = np.linspace(-5, 0, 100)
    points = curve(sure, sure > -2.5)
    assert points[0] == [0.0, 50.0]
    assert points[-1] == [95.0, 100.0]
    assert [y for _, y in points] == sorted(y for _, y in points)


# -- the command ---------------------------------------------------------------------------------

_OPTIONS = ["--model", "IR", "--hidden", "16", "--steps", "12", "--device", "cpu"]


def _command(folder: Path, *arguments: str) -> list[str]:
    where = ["--results", str(folder / "results"), "--scratch", str(folder / "scratch")]
    return ["reproduce", "zhao2019", *arguments, *where]


def test_killed_and_run_again_it_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    arguments = ["tables", "--task", "Append1", "--seed", "0", "--seed", "1", *_OPTIONS]
    command = [sys.executable, "-m", "editcast", *_command(tmp_path, *arguments)]
    process = subprocess.Popen(
        [*command, "--processes", "2"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert process.stdout is not None
    while not list((tmp_path / "scratch").glob("*/latest.safetensors")):
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    # Its trainings hold the other end: this returns once they, too, are gone.
    process.stdout.read()
    process.stdout.close()
    process.wait()
    assert not read_runs(tmp_path / "results")[0].runs

    result = CliRunner().invoke(cli, _command(tmp_path, *arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    runs = {run.seed: run for run in read_runs(tmp_path / "results")[0].runs}
    assert set(runs) == {0, 1}
    assert not list((tmp_path / "scratch").iterdir())
    config = Config(hidden=16, steps=12)
    whole = train_on_task("Append1", "IR", 0, config, tmp_path / "whole")
    assert runs[0].test_accuracy == whole.test_accuracy
    assert list(runs[0].dev) == whole.dev
    assert runs[0].by_step == whole.by_step
    assert runs[0].config == whole.config

    again = CliRunner().invoke(cli, _command(tmp_path, *arguments), catch_exceptions=False)
    assert "in the results" in again.output
    assert len(read_runs(tmp_path / "results")[0].runs) == 2


def test_every_part_of_it_small(tmp_path: Path, small_corpus: Path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    (results / "NOTES.md").write_text("## Notes\n\nWhat was tried.\n")
    (results / "broken.jsonl").write_text("{\n")
    corpus = tmp_path / "corpus"
    shutil.copytree(small_corpus, corpus)
    shutil.copytree(corpus / "dev", corpus / "test")  # one repository has no test projects
    small = ["--model", "POMP", "--model", "IA-ag", "--task", "Append1", "--hidden", "8"]
    small += ["--steps", "2", "--batch", "2", "--device", "cpu", "--insertions", "3"]
    small += ["--limit", "0.01", "--corpus", str(corpus), "--max-state", "256"]
    result = CliRunner().invoke(cli, _command(tmp_path, *small), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "broken.jsonl, line 1" in result.output
    found, _ = read_runs(results)
    assert [(run.model, run.task) for run in found.runs] == [
        (POMP, "Append1"),
        ("IA-ag", "Append1"),
    ]
    assert found.runs[0].test_accuracy == 100
    assert [(run.model, run.split) for run in found.real] == [
        ("IA-ag", "random"),
        ("IA-ag", "repository"),
    ]
    assert [(one.model, one.hidden, one.insertions) for one in found.timings] == [("IA-ag", 8, 3)]
    assert found.timings[0].steps >= 3
    assert [(one.task, one.model, one.hidden) for one in found.steps] == [("Append1", "IA-ag", 8)]
    assert found.statistics[0].edits_per_replacement == 1
    page = (results / "REPORT.md").read_text("utf-8")
    line = next(line for line in page.splitlines() if line.startswith("| Append1 | 100.0 / 100.0"))
    assert f"99.9 / {found.runs[1].test_accuracy:.1f} / " in line
    assert "100.0 / not run" in line
    assert "broken.jsonl, line 1" in page
    assert page.endswith("## Notes\n\nWhat was tried.\n")
    pictures = {path.name: path.read_bytes() for path in results.glob("*.png")}
    assert set(pictures) == {"figure4.png", "figure5.png", "real.png"}
    report = _command(tmp_path, "report")
    assert CliRunner().invoke(cli, report, catch_exceptions=False).exit_code == 0
    assert {path.name: path.read_bytes() for path in results.glob("*.png")} == pictures
    assert (results / "REPORT.md").read_text("utf-8") == page


def test_a_report_of_nothing_says_so(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, _command(tmp_path, "report"), catch_exceptions=False)
    assert result.exit_code == 0
    page = (tmp_path / "results" / "REPORT.md").read_text("utf-8")
    assert "| MultiTask | – | 50.0 / not run | 43.2 / not run | 53.7 / not run | not run |" in page


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--task", "Append2"], "There is no task Append2; there are Append1, .*MultiTask"),
        (["--model", "GPT"], "There is no network GPT; there are POMP, E, IR, IA-v"),
    ],
)
def test_unknown_names_are_told_the_known(tmp_path: Path, arguments: list[str], said: str) -> None:
    with pytest.raises(ReproductionError, match=said):
        CliRunner().invoke(cli, _command(tmp_path, *arguments), catch_exceptions=False)
    assert not list(tmp_path.iterdir())


def test_real_edits_need_a_corpus(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, _command(tmp_path, "real"))
    assert result.exit_code == 2
    assert "--corpus" in result.output


def test_a_plan_is_the_product_and_pomp_is_asked_once(tmp_path: Path) -> None:
    jobs = plan(
        ["Append1", "MultiTask"],
        [POMP, "E"],
        [0, 1],
        [Config(rate=0.1), Config(rate=0.2)],
        scratch=tmp_path,
        device="cpu",
    )
    assert [job.model for job in jobs].count(POMP) == 1
    assert len(jobs) == 1 + 2 * 2 * 2
    assert len({job.folder for job in jobs}) == len(jobs)
