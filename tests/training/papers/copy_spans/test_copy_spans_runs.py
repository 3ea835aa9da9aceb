"""`editcast reproduce copy-spans`: pairs, scores, training, resuming, the report.

The losses are recorded from the repository's root, by
``python tests/training/papers/copy_spans/test_copy_spans_runs.py``.
"""

import json
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pygit2
import pytest
import torch
from click.testing import CliRunner

from editcast.__main__ import cli
from editcast_model.errors import ReproductionError
from editcast_papers.copy_spans.edits import edits_of, transfers_of
from editcast_papers.copy_spans.likelihood import text_likelihoods
from editcast_papers.copy_spans.network import Copier
from editcast_papers.copy_spans.pairs import (
    PAD,
    Corpus,
    Pair,
    align,
    batch_of,
    collate,
    in_batches,
    read_corpus,
)
from editcast_papers.copy_spans.runs import MODELS, Job, Run
from editcast_papers.copy_spans.scores import score, spans_of, structure
from editcast_papers.lines import read_lines
from editcast_papers.training import Config, update
from editcast_training.augment.refactorings import KINDS
from editcast_training.sources.file_history import FileHistory, Snapshot

pytestmark = pytest.mark.usefixtures("one_thread")

GOLDEN = Path(__file__).parent / "golden_copy_spans.json"


def _write(folder: Path, count: int, seed: int) -> None:
    """Write pairs in which one word of a line is doubled."""
    draw = random.Random(seed)
    folder.mkdir(parents=True)
    sides: tuple[list[str], list[str]] = ([], [])
    for _ in range(count):
        words = [draw.choice(["a", "b", "c", "VAR_1", "TYPE_2"]) for _ in range(draw.randint(3, 8))]
        at = draw.randrange(len(words))
        sides[0].append(" ".join([*words[:at], "fix", *words[at:]]))
        sides[1].append(" ".join(words[:at] + [words[at]] + words[at:]))
    for name, lines in zip(("buggy.txt", "fixed.txt"), sides, strict=True):
        (folder / name).write_text("\n".join(lines) + "\n", "utf-8")


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    folder = tmp_path / "pairs"
    _write(folder / "bug-fixes" / "small" / "eval", 60, 1)
    _write(folder / "bug-fixes" / "small" / "test", 12, 2)
    _write(folder / "reviews" / "all" / "small" / "train", 20, 3)
    return folder


def _lines(folder: Path) -> list[str]:
    return (folder / "buggy.txt").read_text("utf-8").splitlines()


def _text(corpus: Corpus, pair: Pair) -> str:
    return " ".join(corpus.words[one] for one in pair.before.tolist())


# -- pairs ---------------------------------------------------------------------------------------


def test_nothing_held_out_is_trained_on_and_a_tenth_is_dev(pairs: Path) -> None:
    tests = pairs / "bug-fixes" / "small" / "test"
    review = pairs / "reviews" / "all" / "small" / "train"
    for name in ("buggy.txt", "fixed.txt"):  # the first test pair is also among the reviews
        first = (tests / name).read_text("utf-8").splitlines()[0]
        with (review / name).open("a", encoding="utf-8") as file:
            file.write(first + "\n")
    corpus = read_corpus(pairs, "small")
    dev = [_text(corpus, pair) for pair in corpus.dev]
    assert dev == _lines(pairs / "bug-fixes" / "small" / "eval")[9::10]
    assert [_text(corpus, pair) for pair in corpus.test] == _lines(tests)
    held_out = {*dev, *_lines(tests)}
    train = {_text(corpus, pair) for pair in corpus.train}
    assert train and not train & held_out
    every = _lines(pairs / "bug-fixes" / "small" / "eval") + _lines(review)
    assert train == set(every) - held_out


def test_words_that_bug_fixes_lack_can_only_be_copied(pairs: Path) -> None:
    before = read_corpus(pairs, "small")
    review = pairs / "reviews" / "all" / "small" / "train"
    for name in ("buggy.txt", "fixed.txt"):
        with (review / name).open("a", encoding="utf-8") as file:
            file.write("strange strange strange\n")
    corpus = read_corpus(pairs, "small")
    assert corpus.words.index("strange") >= corpus.known == before.known
    assert corpus.identity != before.identity


def test_missing_and_uneven_files_are_said(pairs: Path) -> None:
    with pytest.raises(ReproductionError, match="medium.*NeuralCodeTranslator"):
        read_corpus(pairs, "medium")
    (pairs / "bug-fixes" / "small" / "test" / "fixed.txt").write_text("a\n", "utf-8")
    with pytest.raises(ReproductionError, match="not as many lines"):
        read_corpus(pairs, "small")


def test_an_epoch_takes_each_pair_once_beside_pairs_of_its_length() -> None:
    made = [Pair(torch.tensor([4]), torch.arange(4, 5 + at % 40)) for at in range(1280)]

    def epoch(number: int) -> list[int]:
        batches = [batch_of(made, 7, 4, step + 320 * number) for step in range(320)]
        wide = sum(batch.after.numel() for batch in batches)
        words = sum(int((batch.after != PAD).sum()) for batch in batches)
        assert words > 0.9 * wide
        return [int((row != PAD).sum()) for batch in batches for row in batch.after]

    lengths = sorted(len(pair.after) + 1 for pair in made)
    assert sorted(epoch(0)) == lengths == sorted(epoch(1))
    assert epoch(0) != epoch(1)


def test_batches_hold_every_pair_once(pairs: Path) -> None:
    corpus = read_corpus(pairs, "small")
    places = [place for found, _ in in_batches(corpus.train, 7) for place in found]
    assert sorted(places) == list(range(len(corpus.train)))


def test_an_edit_is_shown_word_by_word() -> None:
    def shown(before: list[int], after: list[int]) -> tuple[list[int], list[int]]:
        found = align(Pair(torch.tensor(before), torch.tensor(after)))
        return found.words.tolist(), found.marks.tolist()

    assert shown([4, 5, 6], [4, 7, 8, 6]) == ([4, 5, 7, 8, 6], [0, 1, 2, 2, 0])
    assert shown([4, 4], [4, 4, 4]) == ([4, 4, 4], [0, 0, 2])
    assert shown([4, 4, 4], [4, 4]) == ([4, 4, 4], [0, 0, 1])
    assert shown([5], [6]) == ([5, 6], [1, 2])


_BEFORE = "import os\n\n\ndef f(a):\n    x = 'a'\n    return x\n"


def _repository(folder: Path, texts: Sequence[str]) -> None:
    repository = pygit2.init_repository(folder)
    author = pygit2.Signature("somebody", "somebody@example.org", 1_600_000_000, 0)
    parents: list[pygit2.Oid] = []
    for text in texts:
        (folder / "a.py").write_text(text, "utf-8")
        repository.index.add("a.py")
        tree = repository.index.write_tree()
        parents = [repository.create_commit("HEAD", author, author, "more", tree, parents)]


def test_edits_of_a_history_are_a_few_lines_with_two_around() -> None:
    after = _BEFORE.replace("'a'", "b").replace("import os", "import os, sys")
    history = FileHistory(
        "p", "a.py", "python", "commits", (Snapshot(_BEFORE, 0), Snapshot(after, 1))
    )
    assert list(edits_of(history)) == [
        ("import os ⏎ ⏎ ⏎", "import os , sys ⏎ ⏎ ⏎"),
        ("⏎ def f ( a ) : ⏎ x = ' a ' ⏎ return x ⏎", "⏎ def f ( a ) : ⏎ x = b ⏎ return x ⏎"),
    ]
    long = _BEFORE.replace("    x = 'a'\n", "    x = 1\n    y = 2\n    z = 3\n    v = 4\n")
    history = replace(history, snapshots=(Snapshot(_BEFORE, 0), Snapshot(long, 1)))
    assert not list(edits_of(history))


def test_a_transfer_is_one_refactoring_at_two_places() -> None:
    text = "\n\n\n".join(f"def f{at}(value):\n    return g(value, '{at}')" for at in range(5))
    for kind, shown, other in transfers_of(text, random.Random(1)):
        assert kind in KINDS
        assert shown != other
    found = [one for seed in range(9) for one in transfers_of(text, random.Random(seed))]
    annotated = [(shown, other) for kind, shown, other in found if kind == "annotate"]
    assert annotated
    for shown, other in annotated:
        new = [set(after.split()) - set(before.split()) for before, after in (shown, other)]
        assert new[0] == new[1]


def test_edits_of_repositories_are_learned_and_transferred(tmp_path: Path) -> None:
    functions = "".join(f"\n\ndef f{at}(value):\n    return '{at}'\n" for at in range(6))
    for name in ("one", "two", "three"):
        (tmp_path / f"o+{name}").mkdir()
        first = functions + f"\n\n{name} = 1\n"
        _repository(tmp_path / f"o+{name}", [first, first.replace("'2'", "'two'"), functions])
    (tmp_path / "list.toml").write_text('train = ["o/one"]\ndev = ["o/two"]\ntest = ["o/three"]\n')
    out = ["reproduce", "edit-pairs", str(tmp_path / "made"), "--mirror", str(tmp_path)]
    out += ["--repositories", str(tmp_path / "list.toml")]
    result = CliRunner().invoke(cli, out, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    corpus = read_corpus(tmp_path / "made", "edits")
    parts = [{_text(corpus, pair) for pair in part} for part in (corpus.train, corpus.test)]
    assert parts[0] and parts[1] and not parts[0] & parts[1]
    assert len(corpus.kinds) == len(corpus.transfer) > 0
    assert all(pair.shown is not None for pair in (*corpus.train, *corpus.transfer))

    options = ["--pairs", str(tmp_path / "made"), "--size", "edits", "--model", "SeqCopySpan"]
    options += ["--hidden", "8", "--batch", "2", "--steps", "3"]
    result = CliRunner().invoke(cli, _command(tmp_path, *options), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    (run,), _ = read_lines(tmp_path / "results", [Run])
    assert sum(one["count"] for one in run.transfers.values()) == len(corpus.transfer)
    page = (tmp_path / "results" / "REPORT.md").read_text("utf-8")
    assert f"| SeqCopySpan | 67.4 / {run.test_accuracy:.1f} | 24.2 / " in page


def test_what_an_edit_shows_is_seen() -> None:
    torch.manual_seed(0)
    network = Copier(9, 8, spans=True, edit=8).eval()
    pair = Pair(torch.tensor([4, 5]), torch.tensor([4, 6]))
    batches = [
        collate([replace(pair, shown=align(Pair(pair.before, torch.tensor(after))))])
        for after in ([4, 6], [4, 7])
    ]
    one, other = (text_likelihoods(network, batch, forced=False) for batch in batches)
    assert not torch.allclose(one, other)


# -- scores --------------------------------------------------------------------------------------


def test_a_structure_is_blind_to_numbers_but_not_to_kinds_and_repetition() -> None:
    words = ["VAR_1", "VAR_2", "TYPE_1", "foo_1"]

    def of(*text: int) -> list[str]:
        return structure(words, torch.tensor(text))

    assert of(0, 1, 0) == of(1, 0, 1)
    assert of(0, 1, 0) != of(0, 1, 1)
    assert of(0, 0) != of(2, 2)
    assert of(3, 0)[0] == "foo_1"


def test_pairs_are_learned_by_heart_and_scored_so(pairs: Path) -> None:
    corpus = read_corpus(pairs, "small")
    learned = corpus.train[:8]
    torch.manual_seed(0)
    network = Copier(corpus.known, 32, spans=True)
    _train(network, learned, 150, 1e-2, forced=False)
    found = score(network, corpus, learned, 20, 5, "always")
    assert found["accuracy"] == found["within"] == found["structural"] == 100
    assert found["mrr"] == 1 and found["unchanged"] < 1
    lengths, actions = spans_of(network, learned, 20)
    assert sum(lengths.values()) == sum("Copy" in one for made in actions.values() for one in made)
    fewer = sum(map(len, actions.values()))
    assert fewer < sum(len(pair.after) + 1 for pair in learned)


# -- training ------------------------------------------------------------------------------------


def _train(
    network: Copier, learned: Sequence[Pair], steps: int, rate: float, *, forced: bool
) -> list[float]:
    network.train()
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    batch = collate(learned)
    out = []
    for _ in range(steps):
        loss = -text_likelihoods(network, batch, forced=forced).mean()
        update(network, optimizer, loss)
        out.append(round(float(loss.detach()), 5))
    return out


def golden_losses(name: str) -> list[float]:
    draw = random.Random(1)
    learned = []
    for _ in range(8):
        before = [draw.randint(4, 12) for _ in range(draw.randint(3, 9))]
        at = draw.randrange(len(before))
        after = [*before[:at], draw.randint(4, 12), *before[at + 1 :]]
        learned.append(Pair(torch.tensor(before), torch.tensor(after)))
    torch.manual_seed(0)
    model = MODELS[name]
    return _train(Copier(11, 16, spans=model.spans), learned, 20, 3e-3, forced=model.forced)


@pytest.mark.parametrize("name", MODELS)
def test_twenty_steps_of_training_lose_as_recorded(name: str) -> None:
    recorded = json.loads(GOLDEN.read_text(encoding="utf-8"))[name]
    assert golden_losses(name) == pytest.approx(recorded, rel=1e-3)


# -- the command ---------------------------------------------------------------------------------

_OPTIONS = ["--hidden", "8", "--batch", "8", "--steps", "30", "--test", "10"]


def _command(folder: Path, *arguments: str) -> list[str]:
    where = ["--results", str(folder / "results"), "--scratch", str(folder / "scratch")]
    return ["reproduce", "copy-spans", *arguments, *where]


def test_killed_and_run_again_it_ends_as_if_it_had_not_been(tmp_path: Path, pairs: Path) -> None:
    arguments = ["--pairs", str(pairs), "--model", "SeqCopySpan", *_OPTIONS]
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
    config = Config(8, 0.002, 8, 30)
    whole = Job(pairs, "small", "SeqCopySpan", 0, config, 10, tmp_path / "whole").make()
    assert list(run.dev) == whole.dev
    assert (run.searches, run.lengths, run.config) == (
        whole.searches,
        whole.lengths,
        whole.config,
    )


def test_all_models_and_their_report(tmp_path: Path, pairs: Path) -> None:
    arguments = ["--pairs", str(pairs), "--seed", "0", "--seed", "1", *_OPTIONS]
    result = CliRunner().invoke(cli, _command(tmp_path, *arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    results = tmp_path / "results"
    runs, _ = read_lines(results, [Run])
    assert [(run.seed, run.model) for run in runs] == [(s, m) for s in (0, 1) for m in MODELS]
    assert [len(run.searches) for run in runs] == [3, 2, 2] * 2
    assert runs[0].counts["test"] == 10 and len(runs[0].actions) == 6
    again = CliRunner().invoke(cli, _command(tmp_path, *arguments), catch_exceptions=False)
    assert "in the results" in again.output
    (results / "NOTES.md").write_text("## Notes\n\nWhat was tried.\n")
    (results / "broken.jsonl").write_text("{\n")
    report = CliRunner().invoke(cli, _command(tmp_path), catch_exceptions=False)
    assert "broken.jsonl, line 1" in report.output
    page = (results / "REPORT.md").read_text("utf-8")
    mean = sum(run.searches["beam"]["accuracy"] for run in (runs[0], runs[3])) / 2
    row = next(line for line in page.splitlines() if line.startswith("| small, SeqCopySpan |"))
    assert f"17.7 / {mean:.1f} ±" in row
    assert "| medium, Copy+Seq2Seq | 7.0 / not run |" in page
    assert "broken.jsonl, line 1" in page
    assert page.endswith("## Notes\n\nWhat was tried.\n")


def test_unknown_models_are_told_the_known(tmp_path: Path) -> None:
    with pytest.raises(ReproductionError, match="no model GPT; there are SeqCopySpan, Copy"):
        CliRunner().invoke(cli, _command(tmp_path, "--model", "GPT"), catch_exceptions=False)
    assert not list(tmp_path.iterdir())


if __name__ == "__main__":
    torch.set_num_threads(1)
    rows = [f" {json.dumps(name)}: {json.dumps(golden_losses(name))}" for name in MODELS]
    GOLDEN.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
