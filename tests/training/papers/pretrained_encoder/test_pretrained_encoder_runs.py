"""A pre-trained encoder: its text, its trainings, and the command."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pygit2
import pytest
import torch
from click.testing import CliRunner, Result

from editcast.__main__ import cli
from editcast_model.errors import ReproductionError
from editcast_papers.lines import read_lines
from editcast_papers.pretrained_encoder.corpus import in_batches, read_corpus
from editcast_papers.pretrained_encoder.encoder import Encoder
from editcast_papers.pretrained_encoder.network import Writer
from editcast_papers.pretrained_encoder.pretraining import Pretraining, load_encoder
from editcast_papers.pretrained_encoder.runs import MODELS, Job, Run
from editcast_papers.pretrained_encoder.scores import score
from editcast_papers.pretrained_encoder.text import read_text
from editcast_papers.training import Config

_VERBS = ("call", "return", "define")
_SMALL = ["--hidden", "8", "--batch", "8", "--steps", "20", "--pretraining-steps", "10"]


@pytest.fixture
def django(tmp_path: Path) -> Path:
    """120 lines of three kinds; the names of the last are in no line to train on."""
    folder = tmp_path / "ase15" / "django"
    folder.mkdir(parents=True)
    descriptions, lines = [], []
    for at in range(120):
        name = f"name_{at % 20 if at < 100 else at}"
        descriptions.append(f"  {_VERBS[at % 3]} the {name} of 'x{at % 4}'.")
        code = (f"{name} ( 'x{at % 4}' )", f"return {name}", f"def {name} ( self ) :")[at % 3]
        lines.append(f"    {code}")
    (folder / "all.anno").write_text("\n".join(descriptions) + "\n", "utf-8")
    (folder / "all.code").write_text("\n".join(lines) + "\n", "utf-8")
    return folder.parent


def _repository(folder: Path, files: dict[str, str]) -> None:
    repository = pygit2.init_repository(folder)
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
        repository.index.add(name)
    author = pygit2.Signature("somebody", "somebody@example.org", 1_600_000_000, 0)
    tree = repository.index.write_tree()
    repository.create_commit("HEAD", author, author, "all", tree, [])


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    functions = "".join(
        f'\n\ndef function_{at}(self):\n    """Return {at}."""\n    return {at}\n'
        for at in range(60)
    )
    for name in ("one", "two"):
        _repository(tmp_path / "mirror" / f"o+{name}", {"a.py": functions, "b.txt": "no"})
    listing = tmp_path / "list.toml"
    listing.write_text('train = ["o/one", "o/three"]\ndev = []\ntest = ["o/two"]\n')
    return tmp_path / "mirror"


def _command(folder: Path, *arguments: str) -> list[str]:
    where = ["--results", str(folder / "results"), "--scratch", str(folder / "scratch")]
    return ["reproduce", "pretrained-encoder", "--device", "cpu", *arguments, *where]


def _run(folder: Path, *arguments: str) -> Result:
    result = CliRunner().invoke(cli, _command(folder, *arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def _lines(folder: Path) -> tuple[list[Run], list[Pretraining]]:
    found: list[Run | Pretraining]
    found, _ = read_lines(folder / "results", [Run, Pretraining])
    return (
        [one for one in found if isinstance(one, Run)],
        [one for one in found if isinstance(one, Pretraining)],
    )


def _all(folder: Path, data: Path, mirror: Path) -> Sequence[str]:
    listing = ["--repositories", str(folder / "list.toml")]
    return ["--data", str(data), "--mirror", str(mirror), *listing, *_SMALL]


def test_what_is_read_is_of_the_lines_to_train_on(django: Path, mirror: Path) -> None:
    corpus = read_corpus(django)
    assert [len(part) for part in (corpus.train, corpus.dev, corpus.test)] == [102, 6, 12]
    assert corpus.words.index("name_3") < corpus.known <= corpus.words.index("name_110")
    places = [place for found, _ in in_batches(corpus.train, 7) for place in found]
    assert sorted(places) == list(range(102))
    text = read_text(mirror.parent / "list.toml", mirror, corpus)
    assert text.repositories == ["o/one"]
    assert text.train.dtype == torch.int16 and text.train.shape[1] <= 64
    assert len(text.out) == 1 + (len(text.out) + len(text.train) - 1) // 50
    assert text.identity == read_text(mirror.parent / "list.toml", mirror, corpus).identity


def test_a_network_that_copies_writes_names_that_it_never_saw(django: Path) -> None:
    config = Config(32, 5e-3, 16, 150)
    job = Job(django, Path(), "from scratch", 0, config, django / "scratch")
    run = job.make()
    assert run.reachable == 100
    assert run.searches["beam"]["exact"] > 60 and run.searches["greedy"]["bleu"] > 60
    assert len(run.searches["beam"]["right"]) == 12
    corpus = read_corpus(django)
    never = Writer(len(corpus.subwords), corpus.known, 8, "LSTM", copying=False)
    assert score(never, corpus, corpus.test, corpus.examples[1], 2).exact == 0


def test_all_models_and_their_report(tmp_path: Path, django: Path, mirror: Path) -> None:
    _run(tmp_path, *_all(tmp_path, django, mirror))
    runs, before = _lines(tmp_path)
    assert [run.model for run in runs] == list(MODELS)
    assert len(before) == 1 and before[0].repositories == ["o/one"]
    assert {run.text for run in runs if MODELS[run.model].encoder != "scratch"} == {before[0].text}
    assert {run.text for run in runs if MODELS[run.model].encoder == "scratch"} == {""}
    scratch = tmp_path / "scratch"
    assert [path.suffix for path in scratch.iterdir()] == [".safetensors"]
    again = _run(tmp_path, *_all(tmp_path, django, mirror))
    assert "in the results" in again.output
    (tmp_path / "results" / "NOTES.md").write_text("## Notes\n\nWhat was tried.\n")
    (tmp_path / "results" / "broken.jsonl").write_text("{\n")
    report = _run(tmp_path)
    assert "broken.jsonl, line 1" in report.output
    page = (tmp_path / "results" / "REPORT.md").read_text("utf-8")
    assert "| fine-tuned (LSTM) | 76.5 | " in page
    assert "| copying | +22.4 | " in page and "o/one" in page
    assert page.endswith("## Notes\n\nWhat was tried.\n")


@pytest.mark.parametrize("model", ["from scratch", "frozen"])
def test_killed_and_run_again_it_ends_as_if_it_had_not_been(
    tmp_path: Path, django: Path, mirror: Path, model: str
) -> None:
    arguments = [*_all(tmp_path, django, mirror), "--model", model]
    process = subprocess.Popen([sys.executable, "-m", "editcast", *_command(tmp_path, *arguments)])
    while not list((tmp_path / "scratch").glob("*/latest.safetensors")):
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert not (tmp_path / "results" / "runs.jsonl").exists()

    _run(tmp_path, *arguments)
    _run(tmp_path / "whole", *arguments)
    (one,), before = _lines(tmp_path)
    (whole,), whole_before = _lines(tmp_path / "whole")
    assert (one.dev, one.searches, one.written) == (whole.dev, whole.searches, whole.written)
    assert [line.dev for line in before] == [line.dev for line in whole_before]


def test_without_projects_only_encoders_from_scratch_are_trained(
    tmp_path: Path, django: Path
) -> None:
    two = ["--model", "from scratch", "--model", "frozen"]
    result = _run(tmp_path, "--data", str(django), *_SMALL, *two)
    assert "they need --mirror" in result.output
    assert [run.model for run in _lines(tmp_path)[0]] == ["from scratch"]


def test_what_is_wrong_is_said_in_a_sentence(tmp_path: Path, django: Path, mirror: Path) -> None:
    def fails(match: str, *arguments: str) -> None:
        with pytest.raises(ReproductionError, match=match):
            CliRunner().invoke(cli, _command(tmp_path, *arguments), catch_exceptions=False)

    fails("no model GPT; there are from scratch, from", "--model", "GPT")
    fails("all.anno in .*ase15-django-dataset", "--data", str(mirror), *_SMALL)
    (tmp_path / "list.toml").write_text('train = ["o/three"]\n')
    fails("None of the projects", *_all(tmp_path, django, mirror), "--model", "frozen")
    damaged = tmp_path / "encoder.safetensors"
    damaged.write_bytes(b"{}")
    with pytest.raises(ReproductionError, match="remove it to pre-train again"):
        load_encoder(Encoder(10, 8), damaged)
