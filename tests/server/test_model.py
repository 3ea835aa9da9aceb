"""The server on a network: it is loaded, replaced while the server runs, and refused."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from editcast_model.bundle import bundled_path, write_card
from editcast_server.models import default_threshold

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
    assert default_threshold(card) == threshold


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
        shutil.copytree(bundle, editor.home / "models" / "current")
        editor.type(uri, "render", "draw")
        editor.save(uri)
        assert (await editor.next_edit(uri)).model == "renamed"
        assert editor.statuses[-1].model == "renamed"
        # Another one in its place, and a damaged one.
        card = editor.home / "models" / "current" / "card.json"
        card.write_text("{}")
        (card.parent / "config.json").touch()
        editor.type(uri, "render", "draw")
        editor.save(uri)
        assert (await editor.next_edit(uri)).model == "repeat-best"
        assert "card.json" in editor.messages[-1]
        assert editor.statuses[-1].state == "baseline"


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
