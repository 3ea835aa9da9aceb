"""`editcast reproduce multi-head`: pairs, scores, training, going on, the report."""

import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

from editcast.__main__ import cli
from editcast_model.errors import ReproductionError
from editcast_papers.bleu import bleu, bleu_counts
from editcast_papers.lines import append_line, read_lines
from editcast_papers.multi_head.corpus import Corpus, read_corpus
from editcast_papers.multi_head.network import Model, Sizes, Translator
from editcast_papers.multi_head.report import write_report
from editcast_papers.multi_head.runs import MODELS, Job, Run, Settings
from editcast_papers.multi_head.scores import (
    disagreements,
    loss,
    probability_of_subwords,
    translations,
)
from editcast_papers.subwords import END, PAD
from editcast_papers.training import Config, update

pytestmark = pytest.mark.usefixtures("one_thread")

_WORDS = {"ein": "a", "hund": "dog", "mann": "man", "rot": "red", "läuft": "runs", ".": "."}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Sentences of a language that is English word by word."""
    place = tmp_path / "dataset" / "data" / "task1" / "tok"
    place.mkdir(parents=True)
    draw = random.Random(0)
    for part, size in (("train", 48), ("val", 8), ("test_2016_flickr", 6)):
        lines = [draw.choices(list(_WORDS), k=draw.randint(2, 6)) for _ in range(size)]
        for language in ("de", "en"):
            texts = [
                " ".join(word if language == "de" else _WORDS[word] for word in line)
                for line in lines
            ]
            name = f"{part}.lc.norm.tok.{language}"
            (place / name).write_text("\n".join(texts) + "\n", "utf-8")
    return tmp_path / "dataset"


@pytest.fixture
def corpus(data: Path) -> Corpus:
    return read_corpus(data, 100, torch.device("cpu"))


# -- pairs and scores ----------------------------------------------------------------------------


def test_batches_hold_every_pair_once_and_are_no_wider_than_need_be(corpus: Corpus) -> None:
    part = corpus.train
    rows = [row for batch in part.in_batches(7) for row in batch]
    assert sorted(rows) == list(range(48))
    for batch in part.in_batches(7):
        for side, found in enumerate(part.batch(batch)):
            assert found.shape == (len(batch), max(part.sizes[row][side] for row in batch))
            assert (found != PAD).sum(1).tolist() == [part.sizes[row][side] for row in batch]
    _, target = part.batch(range(48))
    assert [corpus.subwords.decode(ids) for ids in target.tolist()] == list(part.references)
    assert ((target == END).sum(1) == 1).all()


def test_a_language_that_is_learned_is_translated(corpus: Corpus) -> None:
    model = MODELS["outputs; EM: encoder"]
    torch.manual_seed(0)
    network = Translator(Sizes(len(corpus.subwords), 32, 1, 4, 0.0), model)
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    before = probability_of_subwords(network, corpus.train)
    for _ in range(100):
        network.train()
        pairs = corpus.train.batch(range(48))
        update(network, optimizer, loss(network, *pairs, model.regularised))
    assert probability_of_subwords(network, corpus.train) > 70 > 10 > before
    texts, speed = translations(network, corpus, corpus.train)
    assert speed > 0 and bleu(bleu_counts(texts, corpus.train.references)) > 90
    assert all(-1 <= found <= 0 for found in disagreements(network, corpus.dev).values())


def test_a_translation_does_not_depend_on_what_stands_beside_it(corpus: Corpus) -> None:
    torch.manual_seed(0)
    network = Translator(Sizes(len(corpus.subwords), 16, 1, 2, 0.0), Model())
    together = translations(network, corpus, corpus.train).texts
    reverse = replace(
        corpus.train,
        source=corpus.train.source.flip(0)[:20],
        target=corpus.train.target.flip(0)[:20],
        sizes=corpus.train.sizes[::-1][:20],
        references=corpus.train.references[::-1][:20],
    )
    assert translations(network, corpus, reverse).texts[:20] == together[::-1][:20]


# -- the command ---------------------------------------------------------------------------------

_OPTIONS = ["--hidden", "8", "--layers", "1", "--heads", "2", "--vocabulary", "100"]
_OPTIONS += ["--batch", "8", "--steps", "20"]


def _command(folder: Path, *arguments: str) -> list[str]:
    where = ["--results", str(folder / "results"), "--scratch", str(folder / "scratch")]
    return ["reproduce", "multi-head", "--device", "cpu", *arguments, *where]


def test_killed_and_run_again_it_ends_as_if_it_had_not_been(tmp_path: Path, data: Path) -> None:
    arguments = ["--data", str(data), "--model", "EM: encoder", *_OPTIONS]
    process = subprocess.Popen([sys.executable, "-m", "editcast", *_command(tmp_path, *arguments)])
    while not list((tmp_path / "scratch").glob("*/latest.safetensors")):
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert not (tmp_path / "results" / "runs.jsonl").exists()

    result = CliRunner().invoke(cli, _command(tmp_path, *arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    (run,), problems = read_lines(tmp_path / "results", [Run])
    assert not problems and not list((tmp_path / "scratch").iterdir())
    settings = Settings(Config(8, 0.002, 8, 20), 1, 2, 100)
    whole = Job(data, "EM: encoder", 0, settings, "cpu", tmp_path / "whole").make()
    assert list(run.dev) == whole.dev
    assert (run.sentences, run.shown, run.config) == (whole.sentences, whole.shown, whole.config)
    assert run.disagreement == whole.disagreement


def test_models_and_their_report(tmp_path: Path, data: Path) -> None:
    names = ("none", "outputs", "EM: encoder")
    arguments = ["--data", str(data), *_OPTIONS, "--seed", "0", "--seed", "1"]
    arguments += [word for name in names for word in ("--model", name)]
    result = CliRunner().invoke(cli, _command(tmp_path, *arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    results = tmp_path / "results"
    runs, _ = read_lines(results, [Run])
    assert [(run.seed, run.model) for run in runs] == [(s, m) for s in (0, 1) for m in names]
    assert all(run.bleu == pytest.approx(bleu(run.sentences), abs=1e-4) for run in runs)
    assert runs[0].counts == {"train": 48, "dev": 8, "test": 6} and len(runs[0].shown) == 3
    again = CliRunner().invoke(cli, _command(tmp_path, *arguments), catch_exceptions=False)
    assert "in the results" in again.output

    (results / "NOTES.md").write_text("## Notes\n\nWhat was tried.\n")
    (results / "broken.jsonl").write_text("{\n")
    report = CliRunner().invoke(cli, _command(tmp_path), catch_exceptions=False)
    assert "Nothing was trained" in report.output and "broken.jsonl, line 1" in report.output
    page = (results / "REPORT.md").read_text("utf-8")
    assert "## Width 8, layers 1, heads 2, steps 20" in page
    assert "broken.jsonl, line 1" in page and page.endswith("## Notes\n\nWhat was tried.\n")
    assert "| subspaces | 1.15 / not run | 24.64 / not run | +0.51 / not run | 0 |" in page


def test_the_report_compares_seed_by_seed(tmp_path: Path) -> None:
    good, poor = [[5, 4, 3, 2, 5, 5]] * 9, [[4, 2, 1, 0, 5, 5]] * 9
    about = Run(
        0, {}, 1_500_000, "a processor", 0.5, [[1, 3.0]], "none", "x", {}, 20.0, 0, (), {}, ()
    )
    settings = Settings(Config(8), 1, 2, 100).to_json()
    measures = {"subspaces": -0.5, "positions": -0.2, "outputs": -0.7}
    about = replace(about, config=settings, disagreement=measures)
    scores = bleu(good), bleu(poor)
    rows = (("none", 0, poor), ("none", 1, good), ("outputs", 0, good), ("EM: encoder", 1, poor))
    for model, seed, counts in rows:
        line = replace(about, model=model, seed=seed, sentences=counts, bleu=bleu(counts))
        append_line(tmp_path / "runs.jsonl", line)
    runs, problems = read_lines(tmp_path, [Run])
    page = write_report(runs, problems, tmp_path).read_text("utf-8")
    gap = scores[0] - scores[1]
    words = f"{gap:+.2f} [{gap:+.2f}, {gap:+.2f}]"
    assert f"*outputs* at least 0.3 above *none*: {words}, 1 of 3 seeds: reached." in page
    words = f"{-gap:+.2f} [{-gap:+.2f}, {-gap:+.2f}]"
    assert f"*EM: encoder* at least 0.5 above *none*: {words}, 1 of 3 seeds: not reached." in page
    assert f"| outputs | 1.15 / 2.00 | 24.78 / {scores[0]:.2f} | +0.65 / {gap:+.2f} [" in page
    assert "| EM: encoder | 100.6 / 1.50 | 1.20 / 2.00 | 1.65 / 20.0 | 28.28 / " in page
    assert "| none | -0.500 ± 0.000 | -0.200 ± 0.000 | -0.700 ± 0.000 |" in page


def test_what_cannot_be_trained_is_said(tmp_path: Path, data: Path) -> None:
    for arguments, match in (
        (["--model", "GPT"], "no model GPT; there are none; outputs; EM"),
        (["--hidden", "12", "--heads", "8"], "width 12 is no multiple"),
        (["--model", "EM: encoder, layer 2", *_OPTIONS], "layer 2.*--layers"),
        (["--data", str(tmp_path), "--model", "none", *_OPTIONS], "--data is a clone"),
    ):
        with pytest.raises(ReproductionError, match=match):
            CliRunner().invoke(cli, _command(tmp_path, *arguments), catch_exceptions=False)
    assert not (tmp_path / "results").exists()
