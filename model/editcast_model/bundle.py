"""A model on disk: a folder that can be copied, checked, and refused with a sentence.

The files of the folder:

    config.json         format version, architecture, precisions, checksums of the other files
    tokenizer.json
    weights.safetensors the parameters by name; the graphs refer into it, so each is stored once
    encode.onnx  advance.onnx  point.onnx  content.onnx       fp32, for the CPU
    half/...            the same in fp16, for CUDA; absent where it would make the bundle too large
    card.json           what it was trained on, when, its metrics, its calibration
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editcast_model.errors import BundleError
from editcast_model.paths import models_dir
from editcast_model.tokens import Tokenizer

FORMAT = 3
GRAPHS = ("encode", "advance", "point", "content")
WEIGHTS = "weights.safetensors"
_BUNDLED = Path(__file__).parent / "bundled"


@dataclass(frozen=True)
class Bundle:
    """An opened bundle, its checksums verified.

    Attributes:
        path: The folder.
        network: The architecture, as `NetworkConfig.to_json` writes it.
        card: `card.json`.
        tokenizer: Its vocabulary.
        precisions: The graphs there are: `float32`, and perhaps `float16`.
    """

    path: Path
    network: dict[str, Any]
    card: dict[str, Any]
    tokenizer: Tokenizer
    precisions: tuple[str, ...]

    @classmethod
    def open(cls, path: Path) -> "Bundle":
        """Read and check a bundle.

        Raises:
            BundleError: It is missing, damaged, incomplete, or of another format version.
        """
        # Where a newer model takes this one's place meanwhile, all of it is read from the old one.
        path = path.resolve()
        config = _read_json(path, "config.json")
        version = config.get("format")
        if version != FORMAT:
            raise BundleError(
                f"The model in {path} has format version {version}, this Editcast reads {FORMAT}; "
                "update Editcast, or train or export the model again."
            )
        try:
            checksums, network = config["checksums"], config["network"]
            vocabulary, precisions = network["vocabulary"], tuple(config["precisions"])
            if "float32" not in precisions:
                raise KeyError("float32")
            for name, checksum in checksums.items():
                if checksum_of(path / name) != checksum:
                    raise BundleError(
                        f"The file {name} of the model in {path} is damaged (its checksum is "
                        "wrong); copy or export the model again."
                    )
        except (KeyError, TypeError, AttributeError, OSError) as error:
            raise BundleError(
                f"The model in {path} is incomplete ({error}); copy or export it again."
            ) from error
        card, tokenizer = _read_json(path, "card.json"), Tokenizer.load(path / "tokenizer.json")
        if len(tokenizer) != vocabulary:
            raise BundleError(
                f"The tokenizer of the model in {path} has {len(tokenizer)} entries, its network "
                f"{vocabulary}; export the model again."
            )
        return cls(path, network, card, tokenizer, precisions)

    @property
    def name(self) -> str:
        """What the model is called."""
        return str(self.card.get("name", self.path.name))

    def graph(self, name: str, precision: str) -> Path:
        """The file of one of `GRAPHS`."""
        folder = self.path / "half" if precision == "float16" else self.path
        return folder / f"{name}.onnx"


def default_bundle_path() -> Path:
    """The bundle to use when no setting names one: the user's own, else the bundled one."""
    own = models_dir() / "current"
    return own if (own / "config.json").exists() else _BUNDLED


def bundled_path() -> Path:
    """The bundle that comes with Editcast."""
    return _BUNDLED


def checksum_of(path: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_config(folder: Path, network: dict[str, Any], precisions: tuple[str, ...]) -> None:
    """Write `config.json` over the files that lie in `folder`, the card included."""
    names = sorted(
        file.relative_to(folder).as_posix()
        for file in folder.rglob("*")
        if file.is_file() and file.name != "config.json"
    )
    config = {
        "format": FORMAT,
        "network": network,
        "precisions": list(precisions),
        "checksums": {name: checksum_of(folder / name) for name in names},
    }
    text = json.dumps(config, indent=1) + "\n"
    (folder / "config.json").write_text(text, encoding="utf-8")


def write_card(folder: Path, card: dict[str, Any]) -> None:
    """Write `card.json`, and its checksum where a config is there already."""
    text = json.dumps(card, indent=1, ensure_ascii=False) + "\n"
    (folder / "card.json").write_text(text, encoding="utf-8")
    if (folder / "config.json").exists():
        config = _read_json(folder, "config.json")
        write_config(folder, config["network"], tuple(config["precisions"]))


def _read_json(folder: Path, name: str) -> dict[str, Any]:
    try:
        value = json.loads((folder / name).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise BundleError(
            f"There is no model in {folder} ({name} is missing); check the path."
        ) from error
    except (OSError, ValueError) as error:
        raise BundleError(
            f"The model in {folder} is damaged ({name}: {error}); copy or export it again."
        ) from error
    if not isinstance(value, dict):
        raise BundleError(f"The model in {folder} is damaged: {name} is no JSON object.")
    return value
