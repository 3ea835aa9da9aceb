"""The server on a network: it is loaded, replaced while the server runs, and refused."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from editcast_model.bundle import bundled_path, write_card
from editcast_model.card import Card
from editcast_server.prediction.policy import default_threshold
from editcast_store.models import install

CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(6))


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """The bundled model under another name."""
    folder = tmp_path / "bundles" / "renamed"
    shutil.copytree(bundled_path(), folder)
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    write_card(folder, card | {"name": "renamed"})
    return folder


async def test_it_predicts_with_a_network(start: Any, bundle: Path) -> None:
    async with start({"modelPath": str(bundle), "device": "cpu"}) as editor:
        assert (editor.statuses[-1].state, editor.statuses[-1].model) == ("ready", "renamed")
        uri = editor.open("network.py", CALLS)
        for _ in range(4):
            editor.type(uri, "render", "draw")
            editor.save(uri)
            result = await editor.next_edit(uri, 3)
            assert (result.model, result.version) == ("renamed", editor.versions[uri])


async def test_the_best_guess_is_told_though_it_is_not_shown(start: Any) -> None:
    async with start({"modelPath": "", "confidenceThreshold": 0.99}) as editor:
        uri = editor.open("guess.py", CALLS)
        assert (await editor.next_edit(uri)).best is None
        editor.type(uri, "render", "draw")
        editor.save(uri)
        result = await editor.next_edit(uri)
        assert not result.suggestions
        assert result.threshold == 0.99 and 0 < result.best < 0.99
        assert editor.predicted[-1] == result


@pytest.mark.parametrize(
    ("card", "threshold"),
    [
        ({}, 0.5),
        ({"calibration": {"weights": []}}, 0.5),
        ({"calibration": {"threshold": 0.62}}, 0.62),
        ({"calibration": {"threshold": 1.0}}, 0.85),  # too few data to say where it is right
    ],
)
def test_the_default_threshold_is_that_of_the_card(card: Any, threshold: float) -> None:
    assert default_threshold(Card.of(card)) == threshold


async def answered_by(editor: Any, uri: str, name: str) -> None:
    """Ask until a model answers: one that is being loaded may take longer than an answer may."""
    while (await editor.next_edit(uri)).model != name:
        pass


async def test_a_model_trained_meanwhile_is_taken_up_with_the_next_save(
    start: Any, bundle: Path
) -> None:
    async with start({"modelPath": ""}) as editor:
        first = editor.statuses[-1].model
        assert first != "renamed"
        uri = editor.open("meanwhile.py", CALLS)
        editor.type(uri, "render", "draw")
        editor.save(uri)
        assert (await editor.next_edit(uri)).model == first
        current = install(bundle, editor.home / "models")
        editor.type(uri, "render", "draw")
        editor.save(uri)
        await answered_by(editor, uri, "renamed")
        assert editor.statuses[-1].model == "renamed"
        # Damaged, it makes way for the one that Editcast came with.
        (current / "card.json").write_text("{}")
        (current / "config.json").touch()
        editor.type(uri, "render", "draw")
        editor.save(uri)
        await answered_by(editor, uri, first)
        await editor.until(lambda: editor.messages)
        assert "card.json" in editor.messages[-1]
        assert f"uses the bundled model, {first}" in editor.messages[-1]
        assert (editor.statuses[-1].state, editor.statuses[-1].model) == ("ready", first)
        assert editor.statuses[-1].message == editor.messages[-1]


async def test_a_model_of_another_format_makes_way(
    start: Any, bundle: Path, tmp_path: Path
) -> None:
    config = json.loads((bundle / "config.json").read_text(encoding="utf-8"))
    (bundle / "config.json").write_text(json.dumps(config | {"format": 2}), encoding="utf-8")
    own = tmp_path / "models" / "current"
    shutil.copytree(bundle, own)
    async with start({"modelPath": ""}) as editor:
        assert editor.statuses[-1].state == "ready"
        assert "format version 2" in editor.messages[-1]
    assert own.exists()  # what was trained stays: another version may read it


async def test_a_damaged_bundle_is_refused(start: Any, bundle: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(bundle, copy)
    weights = copy / "weights.safetensors"
    data = bytearray(weights.read_bytes())
    data[len(data) // 2] ^= 1
    weights.write_bytes(data)
    async with start({"modelPath": str(copy)}) as editor:
        assert editor.statuses[-1].state == "baseline"
        assert "weights.safetensors" in editor.messages[-1]
        assert "checksum" in editor.messages[-1]
