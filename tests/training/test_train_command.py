"""`editcast train` and `editcast export` as a user runs them, on a real repository's history."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner, Result

import editcast_model.export as exporting
import editcast_training.packaging as finishing
from editcast.commands.calibrate import calibrate
from editcast.commands.train import export, train
from editcast_model.bundle import Bundle, write_card
from editcast_model.errors import BundleError, EditcastError
from editcast_model.export import load_network
from editcast_model.forecasting.line_ranker import FEATURES, LineHead
from editcast_model.networks.model import EditNetwork
from editcast_model.tokenizer import Tokenizer
from editcast_server.prediction import model_loader
from editcast_store.models import Active, default_bundle_path, install
from editcast_training.pipeline import Recipe, alone_in
from editcast_training.sources.registry import Origin

_HEAD = LineHead(np.eye(FEATURES + 1, 2, dtype=np.float32), np.ones(2, np.float32))


def _environment(home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "EDITCAST_HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "no-editor"),
        "PYTHONIOENCODING": "utf-8",
        "OMP_NUM_THREADS": "1",
    }


def _current(home: Path) -> Path:
    found = Active.of(home / "models").current
    assert found is not None
    return found


def _previous(home: Path) -> Path:
    found = Active.of(home / "models").previous
    assert found is not None
    return found


def _home_with(bundle: Path, folder: Path) -> Path:
    """Editcast's own folder, below `folder`, with a bundle in use, which has a line head."""
    shutil.copytree(bundle, folder / "copy")
    write_card(folder / "copy", {**Bundle.open(bundle).card.written, "lines": _HEAD.to_json()})
    install(folder / "copy", folder / "home" / "models")
    return folder / "home"


def _run(*arguments: object, cwd: Path, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "editcast", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
        env=_environment(home),
    )


def _invoke(command: Any, *arguments: object, recipe: Recipe | None = None) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments], obj=recipe)


def test_training_from_scratch_ends_with_an_evaluated_bundle(
    trained: Path, small_corpus: Path
) -> None:
    bundle = Bundle.open(trained / "bundle")
    card = bundle.card.written
    assert bundle.name == "small"
    assert card["trained_on"]["sources"] == {"project": ["dev", "train"]}
    assert card["trained_on"]["instances"]["train"] > 50
    assert card["trained_on"]["made_of"] == {"history": card["trained_on"]["edits"]["train"]}
    assert card["training"]["steps"] <= 4 and card["training"]["edits_seen"] > 0
    assert card["training"]["device"] == "cpu"
    assert card["tokens"]["dev"]["edits"] > 100
    assert card["suggestions"]["saves"]["steps"] > 20  # without sources, of the corpus' windows
    assert 0 <= card["calibration"]["threshold"] <= 1
    assert card["hardware"]["processor"] and card["versions"]["torch"]
    assert str(small_corpus.parent) not in json.dumps(card)
    network = load_network(bundle)
    weights = finishing.read_checkpoint(trained / "run" / "best.safetensors")[0]
    assert all(torch.equal(value, weights[key]) for key, value in network.state_dict().items())
    for other in (["--git", small_corpus], ["--corpus", small_corpus, "--subtokens", 900]):
        again = _invoke(train, trained, "--scratch", *other, "--steps", 4)
        assert again.exception is not None and "holds another training" in str(again.exception)


def test_own_history_is_trained_on_killed_and_taken_up_by_the_server(
    small_bundle: Path, small_repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = _home_with(small_bundle, tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-m", "editcast", "train", "--steps", "6", "--processes", "1"],
        stdout=subprocess.PIPE,
        cwd=small_repository,
        env=_environment(home),
        text=True,
        encoding="utf-8",
    )
    assert process.stdout is not None
    with process.stdout as said:
        for line in said:
            if ", step 3:" in line:
                process.kill()
    assert process.wait() == -signal.SIGKILL
    # The same one, as the server runs it: in Editcast's own folder.
    own = ("--workspace", small_repository, "--processes", 1)
    done = _run("train", "--steps", 6, *own, cwd=home, home=home)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "Continuing the interrupted training" in lines
    steps = [int(found[1]) for line in lines if (found := re.search(r"^\d+ %, step (\d+):", line))]
    assert steps[0] >= 3 and steps[-1] == 6 and steps == sorted(set(steps))
    assert sorted(path.name for path in (home / "training").iterdir()) == [".lock"]

    monkeypatch.setenv("EDITCAST_HOME", str(home))
    model = model_loader.load(model_loader.Choice())
    assert model.problem == "" and model.path == default_bundle_path()
    trained = Bundle.open(_current(home)).card
    card = trained.written
    assert model.forecaster.name == card["name"] and card["name"].startswith("yours-")
    assert card["base"] == "small" and card["trained_on"]["what"] == "your own history"
    assert card["suggestions"]["commits"]["steps"] > 10
    compared = (home / "reports" / "comparison.md").read_text()
    assert compared.startswith(f"# {card['name']} compared with small")
    assert f"On {card['suggestions']['commits']['steps']} saves of the newest tenth" in compared
    assert any(line.endswith("6 steps, then some minutes of tests") for line in lines)
    assert not any("0 s left" in line or "or more" in line for line in lines)
    assert lines[-2].startswith("After ") and lines[-1].startswith("The comparison is in ")
    # The base's: they were fitted on more sessions.
    base = Bundle.open(_previous(home)).card
    assert card["lines"] == base.written["lines"] == _HEAD.to_json()
    assert trained.calibration == base.calibration and base.calibration.weights
    assert str(small_repository.parent) not in json.dumps(card)
    assert Bundle.open(_previous(home)).name == "small"


def test_a_model_that_is_no_better_is_not_taken_up(
    small_bundle: Path, small_repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = _home_with(small_bundle, tmp_path)
    monkeypatch.setenv("EDITCAST_HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "no-editor"))
    monkeypatch.chdir(small_repository)
    recipe = Recipe(fine_tuning_rate=30.0)  # it diverges
    result = _invoke(train, "--steps", 4, "--processes", 1, recipe=recipe)
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-1].endswith("of your history; the old one stays.")
    assert Bundle.open(_current(home)).name == "small"
    assert sorted(path.name for path in (home / "training").iterdir()) == [".lock"]


def test_training_begins_with_the_bundled_model_where_the_own_one_is_damaged(
    small_bundle: Path, small_repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = _home_with(small_bundle, tmp_path)
    (_current(home) / "card.json").write_text("{}")
    monkeypatch.setenv("EDITCAST_HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "no-editor"))
    monkeypatch.setattr("editcast_model.bundle._BUNDLED", small_bundle)
    monkeypatch.chdir(small_repository)
    result = _invoke(train, "--steps", 4, "--processes", 1)
    assert result.exit_code == 0, result.output
    first = result.output.splitlines()[0]
    assert "card.json" in first
    assert first.endswith("Training starts from the bundled model, small.")


def test_a_model_is_trained_further_and_gets_a_confidence_of_its_own(
    small_bundle: Path, small_corpus: Path, tmp_path: Path
) -> None:
    card = dict(Bundle.open(small_bundle).card.written)
    base, out = tmp_path / "base", tmp_path / "out"
    shutil.copytree(small_bundle, base)
    weights = {name: [0.0] * len(of) for name, of in card["calibration"]["weights"].items()}
    calibration = card["calibration"] | {"weights": weights, "threshold": 0.1}
    trained_on = {"what": "your own history", "sources": {"earlier": ["train"]}}
    trained_on = card["trained_on"] | trained_on
    write_card(base, card | {"calibration": calibration, "trained_on": trained_on})
    # The weights stay, and so what they say.
    recipe = Recipe(further_rate=0.0)
    further = ("--further", "--from", base, "--corpus", small_corpus, "--steps", 2)
    result = _invoke(train, out, *further, recipe=recipe)
    assert result.exit_code == 0, result.output
    made = Bundle.open(out / "bundle").card.written
    assert made["base"] == "small" and made["calibration"] == card["calibration"]
    assert made["trained_on"]["sources"] == {"earlier": ["train"], "project": ["dev", "train"]}
    assert made["trained_on"]["what"] == "your own history"  # of the base, which is in it
    refused = _invoke(train, *further)
    assert refused.exit_code == 2 and "--further needs OUT" in refused.output


def test_graphs_of_a_bundle_compute_with_new_weights(small_bundle: Path, tmp_path: Path) -> None:
    base = Bundle.open(small_bundle)
    torch.manual_seed(3)
    network = EditNetwork(base.network)
    card = {"name": "refitted"}
    made = exporting.export(network, base.tokenizer, card, tmp_path / "refitted", base=base)
    assert made.name == "refitted"
    for graph in small_bundle.glob("*.onnx"):
        assert (made.path / graph.name).read_bytes() == graph.read_bytes()
    (value,) = (load_network(made).content_bias - network.content_bias).unique().tolist()
    assert value == 0.0
    exporting.check_parity(network, made.path)
    with pytest.raises(BundleError, match="differ"):
        exporting.check_parity(network, small_bundle)


def test_a_checkpoint_becomes_a_bundle(
    trained: Path,
    small_bundle: Path,
    small_corpus: Path,
    small_repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Exporting takes seconds, and is tested above.
    given = partial(exporting.export, base=Bundle.open(small_bundle))
    monkeypatch.setattr(finishing, "export", lambda *args, **_: given(*args))
    checkpoint = trained / "run" / "latest.safetensors"
    tokenizer = small_corpus / "tokenizer.json"
    result = _invoke(export, checkpoint, "--tokenizer", tokenizer, "--to", tmp_path / "bare")
    assert result.exit_code == 0, result.output
    assert Bundle.open(tmp_path / "bare").card.written["training"]["steps"] == 4
    shutil.copytree(tmp_path / "bare", tmp_path / "whole")
    (tmp_path / "whole" / "old").touch()
    whole = finishing.finish(
        checkpoint, small_corpus, tmp_path / "whole", finishing.Provenance("Whole", "projects"),
        [Origin("repository", "git", small_repository)], report=lambda stage: None, seed=0,
    )  # fmt: skip
    assert whole.name == "Whole" and list(whole.card.suggestions) == ["project-commits"]
    assert LineHead.of(whole.card) is not None  # of the older part of the repository
    assert not (whole.path / "old").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bare", "whole"]
    other = tmp_path / "other.json"
    Tokenizer.train(["x"], 280).save(other)
    result = _invoke(export, checkpoint, "--tokenizer", other, "--to", tmp_path / "none")
    assert "another tokenizer" in str(result.exception)
    result = _invoke(export, tokenizer, "--tokenizer", tokenizer, "--to", tmp_path / "none")
    assert "cannot be read" in str(result.exception)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    for source in (checkpoint, small_bundle):
        result = _invoke(export, source, "--tokenizer", tokenizer, "--to", tmp_path / "mine")
        assert "holds other files" in str(result.exception)
    result = _invoke(calibrate, small_bundle, "--git", small_repository, "--out", tmp_path / "mine")
    assert "holds other files" in str(result.exception)
    assert (tmp_path / "mine" / "thesis.txt").exists()


@pytest.mark.parametrize("name", ["run", "corpus", "bundle"])
def test_folders_of_something_else_are_left_alone(
    name: str, small_bundle: Path, young_repository: Path, tmp_path: Path
) -> None:
    """In the folder of a project of one's own, for example, that was meant to be read."""
    (tmp_path / name).mkdir()
    (tmp_path / name / "notes.txt").touch()
    given = ("--git", young_repository, "--from", small_bundle, "--processes", 1)
    result = _invoke(train, tmp_path, *given)
    assert f"{name} is not of a training" in str(result.exception)
    assert (tmp_path / name / "notes.txt").exists() and not (tmp_path / "plan.json").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--git", "{young}", "--from", "{bundle}"), "too little history: "),
        (("--store", "--from", "{bundle}"), "No file changed often enough"),
        (("--corpus", "{other}", "--from", "{bundle}"), "another tokenizer than the model small"),
        (("--corpus", "{empty}", "--from", "{bundle}"), "holds no corpus"),
        (("--corpus", "{corpus}", "--from", "{empty}"), "There is no model in"),
        (("--corpus", "{corpus}"), "There is no model to fine-tune"),
    ],
    ids=["little", "nothing", "other tokenizer", "no corpus", "no bundle", "no default"],
)
def test_what_cannot_be_trained_is_said_in_a_sentence(
    arguments: tuple[str, ...],
    sentence: str,
    small_bundle: Path,
    small_corpus: Path,
    young_repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EDITCAST_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("editcast_model.bundle._BUNDLED", tmp_path / "unbundled")
    empty, other = tmp_path / "empty", tmp_path / "other"
    empty.mkdir()
    shutil.copytree(small_corpus, other)
    Tokenizer.train(["x"], 280).save(other / "tokenizer.json")
    places = {
        "young": young_repository,
        "bundle": small_bundle,
        "corpus": small_corpus,
        "other": other,
        "empty": empty,
    }
    given = [argument.format(**places) for argument in arguments]
    result = _invoke(train, tmp_path / "out", *given, "--processes", 1)
    assert isinstance(result.exception, EditcastError)
    assert sentence in str(result.exception)
    # Whoever names something better next may name the same folder.
    assert not (tmp_path / "out" / "corpus").exists()
    if "--corpus" not in arguments:
        assert not (tmp_path / "out" / "plan.json").exists()
    assert not (tmp_path / "out" / "bundle").exists()


def test_the_process_prints_the_sentence_and_exits_with_2(
    small_bundle: Path, tmp_path: Path
) -> None:
    (tmp_path / "nothing").mkdir()
    done = _run("train", "--from", small_bundle, cwd=tmp_path / "nothing", home=tmp_path / "home")
    assert done.returncode == 2
    assert done.stderr.startswith("There is no history to train on. Name a repository")
    assert done.stdout == "" and "Traceback" not in done.stderr


def test_options_that_exclude_each_other(tmp_path: Path) -> None:
    for given in (
        ("--scratch", "--from", tmp_path),
        ("--steps", 3, "--minutes", 1),
        ("--tokenizer", tmp_path),
        ("--revert", "--steps", 3),
        ("--revert", "--store"),
        ("--revert", tmp_path),
        ("--workspace", tmp_path, "--store"),
        ("--revert", "--workspace", tmp_path),
        ("--ray",),
    ):
        assert _invoke(train, *given).exit_code == 2


def test_a_second_training_is_refused_while_the_first_one_lives(
    small_bundle: Path, small_repository: Path, tmp_path: Path
) -> None:
    home = _home_with(small_bundle, tmp_path)
    first = subprocess.Popen(
        [sys.executable, "-m", "editcast", "train", "--steps", "100000", "--processes", "1"],
        stdout=subprocess.PIPE,
        cwd=small_repository,
        env=_environment(home),
        text=True,
        encoding="utf-8",
    )
    try:
        assert first.stdout is not None
        assert first.stdout.readline().startswith("Fitting continuations")
        second = _run("train", "--steps", 3, cwd=small_repository, home=home)
        assert second.returncode == 1
        assert second.stdout == "" and len(second.stderr.splitlines()) == 1
        assert "Another training is running in" in second.stderr
        plan = (home / "training" / "plan.json").read_text()
    finally:
        first.kill()
        first.communicate()
    with alone_in(home / "training"):  # nobody else has it any more
        assert (home / "training" / "plan.json").read_text() == plan


def test_going_back_on_the_command_line(small_bundle: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    done = _run("train", "--revert", cwd=tmp_path, home=home)
    assert (done.returncode, done.stdout) == (1, "")
    assert "none was trained on this machine yet" in done.stderr
    assert "Traceback" not in done.stderr and len(done.stderr.splitlines()) == 1
    shutil.copytree(small_bundle, tmp_path / "copy")
    current = install(tmp_path / "copy", home / "models")
    done = _run("train", "--revert", cwd=tmp_path, home=home)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Editcast now uses the bundled model" in done.stdout
    assert current.exists()  # to go back to
    done = _run("train", "--revert", cwd=tmp_path, home=home)
    assert done.stdout.startswith("Editcast now uses the model small, made on 2")
    assert current.exists() and not (home / "training").exists()
