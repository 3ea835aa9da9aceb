"""`editcast reproduce indigo`: tasks, scores, training, resuming, time, the report."""

import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner

from editcast.__main__ import cli
from editcast_model.errors import ReproductionError
from editcast_papers.indigo.networks.decoding import decode
from editcast_papers.indigo.networks.network import Indigo
from editcast_papers.indigo.networks.positions import UNKNOWN
from editcast_papers.indigo.runs import VARIANTS, Job, Run, Sizes, loss_of
from editcast_papers.indigo.scores import decode_all, picture, score, words_of
from editcast_papers.indigo.tasks import Corpus, batch_of, collate, read_task
from editcast_papers.indigo.timing import Timing
from editcast_papers.lines import read_lines
from editcast_papers.training import Config, update

pytestmark = pytest.mark.usefixtures("one_thread")

CPU = torch.device("cpu")
_SIZES = {"train": 48, "val": 6, "test_2016_flickr": 8}


@pytest.fixture
def multi30k(tmp_path: Path) -> Path:
    place = tmp_path / "dataset" / "data" / "task1" / "tok"
    place.mkdir(parents=True)
    draw = random.Random(1)
    for part, size in _SIZES.items():
        texts = [
            " ".join(draw.choices("abcdefg", k=draw.randint(2, 6))) + " ." for _ in range(size)
        ]
        for language, made in (("en", texts), ("de", [text.upper() for text in texts])):
            name = f"{part}.lc.norm.tok.{language}"
            (place / name).write_text("\n".join(made) + "\n", "utf-8")
    return tmp_path / "dataset"


@pytest.fixture
def django(tmp_path: Path) -> Path:
    folder = tmp_path / "clone" / "django"
    folder.mkdir(parents=True)
    names = [f"{one}{other}" for one in "abcdef" for other in "xyzuv"]
    told = "".join(f"if {name} is 'on', do it.\nreturn {name}.\n" for name in names)
    lines = "".join(f"if {name} == 'on':\nreturn {name}\n" for name in names)
    (folder / "all.anno").write_text(told, "utf-8")
    (folder / "all.code").write_text(lines, "utf-8")
    return tmp_path / "clone"


# -- tasks ---------------------------------------------------------------------------------------


def _named(corpus: Corpus, ids: torch.Tensor) -> list[str]:
    return [corpus.words[one] for one in ids.tolist()]


def test_a_bag_of_words_is_the_text_sorted(multi30k: Path) -> None:
    corpus = read_task("word order", multi30k, "L2R")
    assert [len(part) for part in (corpus.train, corpus.dev, corpus.test)] == [48, 6, 8]
    for example in corpus.test:
        assert _named(corpus, example.text) == list(example.words)
        assert _named(corpus, example.source) == sorted(example.words)
        assert example.is_right(example.words) and not example.is_right(example.words[1:])


def test_words_of_the_source_cannot_be_written(multi30k: Path) -> None:
    corpus = read_task("en-de", multi30k, "R2L")
    example = corpus.train[0]
    assert " ".join(_named(corpus, example.source)).upper() == " ".join(example.words)
    assert corpus.words[corpus.known :] == sorted("abcdefg")
    assert example.order.tolist() == list(range(len(example.words)))[::-1]


def test_a_target_has_no_word_that_can_only_be_read(multi30k: Path) -> None:
    part = multi30k / "data" / "task1" / "tok" / "train.lc.norm.tok.de"
    first, *others = part.read_text("utf-8").splitlines()
    part.write_text("\n".join(["a " + first, *others]) + "\n", "utf-8")
    corpus = read_task("en-de", multi30k, "L2R")
    assert "a" in corpus.words[corpus.known :]
    assert corpus.train[0].text[0] == UNKNOWN
    assert all(one.text.max() < corpus.known for one in corpus.train)


def test_lines_of_python_have_the_order_of_their_trees(django: Path) -> None:
    corpus = read_task("django", django, "SYN")
    example = next(one for one in corpus.train if one.words[0] == "if")
    assert example.words[2:] == ("==", "_STR:0_", ":")
    assert [example.words[at] for at in example.order.tolist()][:3] == ["if", ":", "=="]
    assert corpus.identity == read_task("django", django, "L2R").identity
    assert example.is_right(example.words)


def test_missing_data_are_said(tmp_path: Path) -> None:
    for name in ("word order", "django"):
        with pytest.raises(ReproductionError, match="clone of"):
            read_task(name, tmp_path, "L2R")


# -- training ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["L2R", "SAO, no bootstrap"])
def test_texts_are_learned_by_heart_and_scored_so(multi30k: Path, name: str) -> None:
    corpus = read_task("word order", multi30k, "L2R")
    torch.manual_seed(0)
    network = Indigo(len(corpus.words), corpus.known, 32, 1, ordered=True)
    optimizer = torch.optim.Adam(network.parameters(), lr=5e-3)
    learned = [one for one in corpus.train if len(one.words) < 5][:8]
    for _ in range(120):
        network.train()
        update(
            network, optimizer, loss_of(network, collate(learned, CPU), VARIANTS[name], 2, False)
        )
    found = score(network, corpus, learned, 2, CPU)
    assert found["bleu"] == pytest.approx(100) and found["exact"] == 100
    shown = decode_all(network, learned, 1, CPU)
    assert [words_of(corpus, one) for one in shown] == [list(one.words) for one in learned]
    steps = [one.rpartition(":") for one in picture(corpus, shown[0]).split()]
    assert [word for word, _, _ in steps] == list(learned[0].words)
    assert sorted(int(step) for _, _, step in steps) == list(range(1, len(steps) + 1))
    if name == "L2R":
        assert [int(step) for _, _, step in steps] == list(range(1, len(steps) + 1))


def test_batches_do_not_change_what_is_decoded(multi30k: Path) -> None:
    corpus = read_task("word order", multi30k, "L2R")
    torch.manual_seed(0)
    network = Indigo(len(corpus.words), corpus.known, 16, 1, ordered=False).eval()
    batch = batch_of(corpus, 0, 8, 0, CPU)
    together = decode(network, batch.source, 3, 8)
    alone = [decode(network, row[row != 0][None], 3, 8)[0] for row in batch.source]
    assert together == alone


# -- the command ---------------------------------------------------------------------------------

_OPTIONS = ["--hidden", "8", "--layers", "1", "--batch", "8", "--steps", "20", "--beam", "1"]
_OPTIONS += ["--beam", "10", "--device", "cpu"]


def _command(folder: Path, *arguments: str) -> list[str]:
    where = ["--results", str(folder / "results"), "--scratch", str(folder / "scratch")]
    return ["reproduce", "indigo", *arguments, *where]


def _run(folder: Path, *arguments: str) -> str:
    result = CliRunner().invoke(cli, _command(folder, *arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def _timeless(beams: Any) -> Any:
    return {beam: {**one, "ms": 0} for beam, one in beams.items()}


def test_killed_and_run_again_it_ends_as_if_it_had_not_been(tmp_path: Path, multi30k: Path) -> None:
    arguments = ["--data", str(multi30k), "--order", "SAO", *_OPTIONS]
    process = subprocess.Popen([sys.executable, "-m", "editcast", *_command(tmp_path, *arguments)])
    while not list((tmp_path / "scratch").glob("*/latest.safetensors")):
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert not (tmp_path / "results" / "runs.jsonl").exists()

    _run(tmp_path, *arguments)
    (run,), problems = read_lines(tmp_path / "results", [Run])
    assert not problems and not list((tmp_path / "scratch").iterdir())
    whole = Job(
        multi30k,
        "word order",
        "SAO",
        0,
        Config(8, 0.002, 8, 20),
        Sizes(layers=1),
        (1, 10),
        "cpu",
        tmp_path / "whole",
    ).make()
    assert list(run.dev) == whole.dev and list(run.actions) == whole.actions
    assert _timeless(run.beams) == _timeless(whole.beams)
    assert _timeless(run.dev_beams) == _timeless(whole.dev_beams)
    assert "All trainings asked for are in the results." in _run(tmp_path, *arguments)


def test_each_task_is_trained_and_reported(tmp_path: Path, multi30k: Path, django: Path) -> None:
    few = ["--test", "5", "--order", "L2R"]
    translation = ["--data", str(multi30k), "--task", "word order", "--task", "en-de"]
    _run(tmp_path, *translation, *few, *_OPTIONS, "--order", "SYN")  # of Python only
    code = ["--data", str(django), "--task", "django", *_OPTIONS]
    _run(tmp_path, *code, *few, "--order", "SYN", "--order", "RND", "--processes", "2")
    runs, problems = read_lines(tmp_path / "results", [Run])
    assert not problems and {run.counts["test"] for run in runs} == {5}
    assert [run.task for run in runs].count("django") == 3 and len(runs) == 5
    assert _run(tmp_path, *code, "--timing").count("batches a second") == 3
    lines, _ = read_lines(tmp_path / "results", _KINDS)
    assert [one.orders for one in lines if isinstance(one, Timing)] == [0, 1, 8]
    page = (tmp_path / "results" / "REPORT.md").read_text("utf-8")
    assert "| django, RND above L2R, points exact | – | +" in page
    assert "| django, SAO above L2R, points exact | +2.7 | not run |" in page
    assert "django, SYN, seed 0:" in page


_KINDS: list[type[Run | Timing]] = [Run, Timing]


def test_runs_of_another_size_are_not_mixed(tmp_path: Path, multi30k: Path) -> None:
    data = ["--data", str(multi30k), "--order", "L2R", *_OPTIONS]
    for steps in ("5", "6"):
        _run(tmp_path, *data, "--steps", steps, "--test", "3")
    runs, _ = read_lines(tmp_path / "results", [Run])
    assert [run.steps for run in runs] == [5, 6]
    page = (tmp_path / "results" / "REPORT.md").read_text("utf-8")
    assert " ± " not in page.split("## What must show")[1]
    assert page.count("| word order, L2R, seed 0 |") == 2


def test_without_data_the_report_says_what_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "runs.jsonl").write_text('{"kind":"insertion"}\n', "utf-8")
    output = _run(tmp_path)
    assert "this needs --data" in output and "is not a result" in output
    page = (tmp_path / "results" / "REPORT.md").read_text("utf-8")
    assert "There are no runs yet." in page
    assert "| SAO | 42.3 / not run | 16.3 / not run | 0 |" in page


def test_an_order_that_is_not_there_is_said(tmp_path: Path, multi30k: Path) -> None:
    with pytest.raises(ReproductionError, match="There is no order L3R; there are L2R, RND, SAO"):
        _run(tmp_path, "--data", str(multi30k), "--order", "L3R")


def test_damaged_data_are_one_sentence(tmp_path: Path, multi30k: Path) -> None:
    (multi30k / "data" / "task1" / "tok" / "val.lc.norm.tok.en").unlink()
    with pytest.raises(ReproductionError, match="val.lc.norm.tok.en; --data is a clone"):
        _run(tmp_path, "--data", str(multi30k))
