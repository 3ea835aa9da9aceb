"""A bundle that cannot be used is refused with a sentence, never half used."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from editcast_model.bundle import Bundle, bundled_path, write_card, write_config
from editcast_model.errors import BundleError
from editcast_model.forecasting.forecaster import NeuralForecaster
from editcast_model.inference.config import InferenceConfig
from editcast_store.models import default_bundle_path

FILES = (
    "config.json",
    "card.json",
    "tokenizer.json",
    "weights.safetensors",
    "encode.onnx",
    "advance.onnx",
    "point.onnx",
    "content.onnx",
)


@pytest.fixture()
def copy(bundle: Bundle, tmp_path: Path) -> Path:
    """A bundle to spoil."""
    return Path(shutil.copytree(bundle.path, tmp_path / "model"))


def rewrite(path: Path, name: str, **changes: Any) -> None:
    """Change entries of a JSON file; None removes one."""
    value = json.loads((path / name).read_text(encoding="utf-8")) | changes
    value = {key: each for key, each in value.items() if each is not None}
    (path / name).write_text(json.dumps(value), encoding="utf-8")


def refused(path: Path) -> str:
    """The one sentence that names the place."""
    with pytest.raises(BundleError) as caught:
        NeuralForecaster.load(path, "cpu")
    said = str(caught.value)
    assert str(path.resolve()) in said and said.endswith(".") and "\n" not in said
    return said


def test_a_bundle_can_be_copied(copy: Path, bundle: Bundle) -> None:
    opened = Bundle.open(copy)
    assert (opened.network, opened.card) == (
        bundle.network,
        bundle.card,
    )
    assert NeuralForecaster.load(copy, "cpu").name == "tiny"


def test_a_name_may_be_missing(copy: Path) -> None:
    write_card(copy, {})
    assert Bundle.open(copy).name == "model"


def test_there_is_none(tmp_path: Path) -> None:
    assert "no model" in refused(tmp_path)
    assert "no model" in refused(tmp_path / "nowhere")
    (tmp_path / "file").write_text("no folder")
    refused(tmp_path / "file")


@pytest.mark.parametrize("name", FILES)
def test_each_file_is_needed(copy: Path, name: str) -> None:
    (copy / name).unlink()
    assert Path(name).name in refused(copy)


@pytest.mark.parametrize("name", FILES)
def test_a_file_cut_short_is_noticed(copy: Path, name: str) -> None:
    size = (copy / name).stat().st_size
    os.truncate(copy / name, size // 2)
    assert name in refused(copy)
    os.truncate(copy / name, 0)
    assert name in refused(copy)


@pytest.mark.parametrize("name", FILES[1:])
def test_a_flipped_bit_is_noticed(copy: Path, name: str) -> None:
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 4
    (copy / name).write_bytes(content)
    assert f"{name} of the model" in refused(copy)


@pytest.mark.parametrize("version", [0, 1, 2, 6, "5", None])
def test_another_format_version(copy: Path, version: Any) -> None:
    rewrite(copy, "config.json", format=version)
    assert f"format version {version}" in refused(copy)


@pytest.mark.parametrize("name", ["network", "checksums"])
@pytest.mark.parametrize("value", [None, 7, "text", []])
def test_an_incomplete_config(copy: Path, name: str, value: Any) -> None:
    rewrite(copy, "config.json", **{name: value})
    refused(copy)


@pytest.mark.parametrize("name", FILES[1:])
def test_what_is_loaded_has_a_checksum(copy: Path, name: str) -> None:
    known = json.loads((copy / "config.json").read_text(encoding="utf-8"))["checksums"]
    rewrite(copy, "config.json", checksums={each: known[each] for each in known if each != name})
    assert f"must have a checksum of {name}" in refused(copy)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("vocabulary", 10**12),
        ("width", True),
        ("width", 10**6),
        ("edit_layers", -1),
        ("dropout", "none"),
        ("aggregate", "max"),
        ("copy", 1),
    ],
)
def test_an_architecture_out_of_bounds(copy: Path, option: str, value: Any) -> None:
    network = json.loads((copy / "config.json").read_text(encoding="utf-8"))["network"]
    rewrite(copy, "config.json", network=network | {option: value})
    assert f"(config.json: network.{option} must be" in refused(copy)


@pytest.mark.parametrize("content", ["[]", "7", "{", "\ud800", '{"format": 1}'])
def test_a_config_that_is_none(copy: Path, content: str) -> None:
    (copy / "config.json").write_bytes(content.encode("utf-8", "surrogatepass"))
    refused(copy)


def test_checksums_of_files_elsewhere_are_not_followed(copy: Path) -> None:
    (copy.parent / "secret").write_text("")
    rewrite(copy, "config.json", checksums={"../secret": "0"})
    refused(copy)


def test_a_tokenizer_with_other_special_tokens(copy: Path) -> None:
    text = (copy / "tokenizer.json").read_text(encoding="utf-8")
    (copy / "tokenizer.json").write_text(text.replace("<save>", "<sane>"), encoding="utf-8")
    accept(copy)
    with pytest.raises(BundleError, match="special tokens"):
        NeuralForecaster.load(copy, "cpu")


def test_a_tokenizer_that_is_none(copy: Path) -> None:
    for content in ("", "{}", '{"model": 7}'):
        (copy / "tokenizer.json").write_text(content, encoding="utf-8")
        accept(copy)
        refused(copy)


def test_a_tokenizer_of_another_network(copy: Path) -> None:
    network = json.loads((copy / "config.json").read_text(encoding="utf-8"))["network"]
    rewrite(copy, "config.json", network=network | {"vocabulary": 999})
    assert "999" in refused(copy)


def test_graphs_that_onnx_runtime_cannot_read(copy: Path) -> None:
    (copy / "advance.onnx").write_bytes(b"no graph")
    accept(copy)
    assert "advance.onnx" in refused(copy)


def accept(path: Path) -> None:
    """Make the checksums right again, so that something else has to notice."""
    config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    write_config(path, config["network"])


def test_settings_of_inference_are_the_bundles(copy: Path) -> None:
    assert Bundle.open(copy).inference == InferenceConfig()
    rewrite(copy, "config.json", inference={"window": 500, "floor": 0.5})
    write_card(copy, {"name": "mine"})  # it leaves the settings as they are
    assert NeuralForecaster.load(copy, "cpu").config == InferenceConfig(window=500, floor=0.5)
    rewrite(copy, "config.json", inference=None)  # of a version before there were any
    assert Bundle.open(copy).inference == InferenceConfig()


@pytest.mark.parametrize(
    ("inference", "place"),
    [
        ({"window": 1 << 40}, "inference.window"),
        ({"scored_edits": [-1]}, "inference.scored_edits"),
        ({"kept_edits": 200}, "inference"),
        ([], "inference"),
    ],
)
def test_settings_of_inference_that_make_no_sense(copy: Path, inference: Any, place: str) -> None:
    rewrite(copy, "config.json", inference=inference)
    assert place in refused(copy)


def test_a_new_card_is_a_good_card(copy: Path) -> None:
    write_card(copy, {"name": "mine", "note": "schön"})
    opened = Bundle.open(copy)
    assert (opened.name, opened.card.written["note"]) == ("mine", "schön")


def test_cuda_without_a_gpu(bundle: Bundle) -> None:
    # A process of its own: the driver looks for devices once, and this one must find none.
    program = (
        "import sys; from pathlib import Path\n"
        "from editcast_model.errors import BundleError\n"
        "from editcast_model.forecasting.forecaster import NeuralForecaster\n"
        "print(NeuralForecaster.load(Path(sys.argv[1]), 'auto').device)\n"
        "try: NeuralForecaster.load(Path(sys.argv[1]), 'cuda')\n"
        "except BundleError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(bundle.path)],
        env=os.environ | {"CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stderr == ""
    device, said = done.stdout.splitlines()
    assert device == "cpu"
    assert "no CUDA device" in said and "editcast.device" in said


def test_the_own_model_comes_before_the_bundled_one(
    copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITCAST_HOME", str(tmp_path / "home"))
    assert default_bundle_path() == bundled_path()
    own = tmp_path / "home" / "models" / "current"
    own.parent.mkdir(parents=True, exist_ok=True)
    copy.rename(own)
    assert default_bundle_path() == own
