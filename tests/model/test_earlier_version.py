"""Files that the version before wrote are read unchanged."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from editcast_model.bundle import Bundle, write_card
from editcast_model.edits import Edit
from editcast_model.export import export, load_network
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.inference.onnx_network import OnnxNetwork
from editcast_model.inference.sequence import Sequence
from editcast_server.settings import Settings, read_settings
from editcast_store.saves import Store

EARLIER = Path(__file__).parents[1] / "data" / "version-0.1.0"


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    return Bundle.open(shutil.copytree(EARLIER / "bundle", tmp_path / "earlier"))


def answers(bundle: Bundle) -> tuple[list[float], list[float]]:
    """Log probabilities of the next position, and of the content at item 4."""
    asked = json.loads((EARLIER / "network.json").read_text(encoding="utf-8"))
    sequence = Sequence(OnnxNetwork(bundle, "cpu"), asked["ids"])
    sequence.extend([Edit(*edit) for edit in asked["edits"]])
    return sequence.position.tolist(), sequence.content(4).tolist()


def test_its_network_says_what_it_said(bundle: Bundle) -> None:
    said = json.loads((EARLIER / "network.json").read_text(encoding="utf-8"))
    position, content = answers(bundle)
    assert bundle.format == 3
    assert np.allclose(position, said["position"], atol=1e-4)
    assert np.allclose(content, said["content"], atol=1e-4)


def test_its_model_predicts(bundle: Bundle) -> None:
    session = NeuralForecaster.load(bundle.path, "cpu").open("def parse(self, text):\n    pass\n")
    session.update("def parse(self, name):\n    return name\n", saved=True)
    assert all(0 <= one.confidence <= 1 for one in session.predict(3))


def test_its_weights_are_exported_again(bundle: Bundle, tmp_path: Path) -> None:
    card = {"name": bundle.name}  # its graphs do not serve this version's network
    again = export(load_network(bundle), bundle.tokenizer, card, tmp_path / "again", base=bundle)
    assert again.format == 5 and again.card.name == bundle.card.name
    assert np.allclose(answers(again)[0], answers(bundle)[0], atol=1e-3)
    assert np.array_equal(
        load_network(again).embedding.weight.detach(),
        load_network(bundle).embedding.weight.detach(),
    )


def test_a_new_card_leaves_its_format(bundle: Bundle) -> None:
    write_card(bundle.path, {"name": "renamed"})
    opened = Bundle.open(bundle.path)
    assert (opened.name, opened.format) == ("renamed", 3)


def test_its_store_is_read(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    shutil.copyfile(EARLIER / "store" / path.name, path)
    with Store.open(path) as store:
        assert list(store.export()) == (EARLIER / "export.jsonl").read_text("utf-8").splitlines()
        assert len(store.snapshots("/home/ada/project/parser.py")) == 3


def test_its_settings_mean_what_they_meant() -> None:
    given = json.loads((EARLIER / "settings.json").read_text(encoding="utf-8"))
    settings, problems = read_settings(given)
    assert not problems
    assert settings == Settings(
        eagerness="high",
        confidence_threshold=0.4,
        debounce_ms=120,
        languages=("python", "!markdown"),
        exclude=("**/generated/**",),
        history_enabled=False,
        history_days=30,
        max_file_bytes=50_000,
        model_path="/models/mine",
        device="cpu",
    )
