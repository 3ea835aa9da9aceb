"""A bundle: a model on disk, as a folder that can be copied and validated.

The files of the folder:

    config.json         format version, architecture, inference configuration, checksums of files
    tokenizer.json
    weights.safetensors the parameters by name; the graphs refer to them, so each is stored once
    encode.onnx  advance.onnx  point.onnx  content.onnx       in fp32
    card.json           training data, time, metrics and calibration
"""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from editcast_model.card import Card
from editcast_model.checked import UnfitError, matching, structure
from editcast_model.errors import BundleError
from editcast_model.inference.config import InferenceConfig
from editcast_model.networks.config import NetworkConfig, check_earlier_options
from editcast_model.plain_files import (
    MOST_BYTES,
    MOST_JSON,
    copy_file,
    digest_of,
    is_plain_name,
    read_json,
)
from editcast_model.private_files import fresh_folder
from editcast_model.tokenizer import Tokenizer

#: The format that is written, and the formats that can be read.
FORMAT = 5
_READ = (3, 4, FORMAT)
GRAPHS = ("encode", "advance", "point", "content")
WEIGHTS = "weights.safetensors"
_BUNDLED = Path(__file__).parent / "bundled"
_MOST_FILES = 100


@dataclass(frozen=True, slots=True)
class Config:
    """The validated `config.json`.

    Attributes:
        format: The format version.
        network: The architecture.
        checksums: The SHA-256 of every other file, by name.
        inference: The inference configuration.
    """

    format: int
    network: NetworkConfig
    checksums: dict[str, Annotated[str, matching("[0-9a-f]{64}", "a SHA-256 checksum")]]
    inference: InferenceConfig = InferenceConfig()

    def __post_init__(self) -> None:
        """Check that every file to load has a checksum, and that all names are valid.

        Raises:
            UnfitError: A checksum is missing, or a name is not that of a file in the bundle.
        """
        if len(self.checksums) > _MOST_FILES:
            raise UnfitError(f"must have at most {_MOST_FILES} checksums")
        for name in self.checksums:
            if not is_plain_name(name):
                raise UnfitError(f"must name files of its own folder, not {name[:80]!r}")
        for name in self.loaded:
            if name not in self.checksums:
                raise UnfitError(f"must have a checksum of {name}")

    @property
    def loaded(self) -> list[str]:
        """Return the names of the files that a forecaster loads."""
        return ["card.json", "tokenizer.json", WEIGHTS, *(f"{name}.onnx" for name in GRAPHS)]


@dataclass(frozen=True)
class Bundle:
    """An open bundle whose checksums were verified.

    Attributes:
        path: The folder.
        network: The architecture.
        card: The card.
        tokenizer: The tokenizer.
        format: The format of the graphs.
        inference: The inference configuration.
    """

    path: Path
    network: NetworkConfig
    card: Card
    tokenizer: Tokenizer
    format: int = FORMAT
    inference: InferenceConfig = InferenceConfig()

    @classmethod
    def open(cls, path: Path) -> "Bundle":
        """Read and validate a bundle.

        Raises:
            BundleError: It is missing, damaged, incomplete, or of another format version.
        """
        # If a newer model replaces this one meanwhile, all files are read from the old one.
        path = folder_of(path)
        config = _read_config(path)
        for name, checksum in config.checksums.items():
            if digest_of(path, name) != checksum:
                raise BundleError(
                    f"The file {name} of the model in {path} is damaged (its checksum is wrong); "
                    "copy or export the model again."
                )
        try:
            card = Card.of(read_json(path, "card.json"))
        except UnfitError as error:
            raise _unfit(path, "card.json", error) from error
        tokenizer, vocabulary = Tokenizer.load(path / "tokenizer.json"), config.network.vocabulary
        if len(tokenizer) != vocabulary:
            raise BundleError(
                f"The tokenizer of the model in {path} has {len(tokenizer)} entries, its network "
                f"{vocabulary}; export the model again."
            )
        return cls(path, config.network, card, tokenizer, config.format, config.inference)

    @property
    def name(self) -> str:
        """Return the model's name."""
        return self.card.name or self.path.name

    def graph(self, name: str) -> Path:
        """Return the path of one of `GRAPHS`."""
        return self.path / f"{name}.onnx"


def folder_of(path: Path) -> Path:
    """Return the folder of a bundle with links resolved.

    Raises:
        BundleError: The path is invalid.
    """
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:  # a NUL byte
        raise BundleError(
            f"There is no model in {str(path)!r} ({error}); check the path."
        ) from error


def copy_bundle(path: Path, to: Path) -> None:
    """Copy only the files that a bundle's configuration names to another folder.

    The copy is not validated; `Bundle.open` does that.

    Raises:
        BundleError: A file is missing or not a regular one, or the files are too large together.
        OSError: A copy cannot be written.
    """
    path = folder_of(path)
    left = MOST_BYTES - copy_file(path, "config.json", to, MOST_JSON)
    for name in _read_config(to).checksums:
        left -= copy_file(path, name, to, left)


def check_replaceable(folder: Path) -> None:
    """Check that a new bundle in a folder would replace nothing but a bundle.

    Raises:
        BundleError: The folder has other contents.
    """
    is_bundle = all((folder / name).exists() for name in ("config.json", "tokenizer.json"))
    if not is_bundle and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BundleError(
            f"{folder} holds other files, which the new model would replace; name a new folder, or "
            "that of a model."
        )


@contextmanager
def fresh_bundle(folder: Path) -> Iterator[Path]:
    """Yield an empty folder for a bundle, which replaces the one in `folder` at the block's end.

    Raises:
        BundleError: The folder has other contents.
        OSError: The folder cannot be written.
    """
    check_replaceable(folder)
    with fresh_folder(folder) as fresh:
        yield fresh


def bundled_path() -> Path:
    """Return the folder of the bundle that comes with Editcast."""
    return _BUNDLED


def checksum_of(path: Path) -> str:
    """Return the hexadecimal SHA-256 of a trusted file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_config(folder: Path, network: dict[str, Any]) -> None:
    """Write `config.json` with the sizes of the network and the checksums of all files."""
    names = sorted(
        file.relative_to(folder).as_posix()
        for file in folder.rglob("*")
        if file.is_file() and file.name != "config.json"
    )
    config = {
        "format": FORMAT,
        "network": network,
        "inference": asdict(InferenceConfig()),
        "precisions": ["float32"],  # for earlier versions
        "checksums": {name: checksum_of(folder / name) for name in names},
    }
    _write_json(folder / "config.json", config)


def write_card(folder: Path, card: dict[str, Any]) -> None:
    """Write `card.json`, and its checksum if there is a `config.json` already.

    Raises:
        BundleError: The card is invalid.
    """
    text = json.dumps(card, indent=1, ensure_ascii=False) + "\n"
    try:
        Card.of(json.loads(text))  # as it will be read: JSON has lists and no tuples
    except UnfitError as error:
        raise _unfit(folder, "card.json", error) from error
    (folder / "card.json").write_text(text, encoding="utf-8")
    if (folder / "config.json").exists():
        config = read_json(folder, "config.json")
        config["checksums"]["card.json"] = checksum_of(folder / "card.json")
        _write_json(folder / "config.json", config)


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def _read_config(path: Path) -> Config:
    if not os.path.lexists(path / "config.json"):
        raise BundleError(f"There is no model in {path} (config.json is missing); check the path.")
    written = read_json(path, "config.json")
    if not isinstance(written, dict):
        raise BundleError(f"The model in {path} is damaged: config.json is not a JSON object.")
    if (version := written.get("format")) not in _READ:
        raise BundleError(
            f"The model in {path} has format version {_plain(version)}, this Editcast reads "
            f"{' and '.join(map(str, _READ))}; update Editcast, or train or export the model again."
        )
    try:
        config = structure(written, Config)
        check_earlier_options(written["network"])
        return config
    except UnfitError as error:
        raise _unfit(path, "config.json", error) from error


def _plain(value: object) -> str:
    """Format a value from a file as part of a line."""
    return str(value)[:80].encode("unicode_escape").decode()


def _unfit(path: Path, name: str, error: UnfitError) -> BundleError:
    return BundleError(
        f"The model in {path} cannot be used ({name}: {error}); copy, train or export it again."
    )
