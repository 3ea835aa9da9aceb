"""Flattened trees of the files of repositories, as numbers.

Repositories are split as a list says. Of each part so many nodes are taken, from every repository
alike as far as it has them; which files, their paths' digests decide. Ids of values are ranks: 0 is
no value, then come those of the training part by frequency, so that a vocabulary of V are the ids
below V. Rarer values keep ids of their own, by which they can be told apart and copied.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from editcast_model.errors import ReproductionError
from editcast_model.private_files import atomic_write, private_folder
from editcast_papers.pointer_mixture.trees import EMPTY, TreeNode, flatten
from editcast_training.disk import explained
from editcast_training.sources.file_history import Skipped
from editcast_training.sources.git import newest_commit, read_files
from editcast_training.sources.registry import SPLITS, Origin

Numbers = npt.NDArray[np.int32]
#: Nodes of a file, least and most: one shorter than a window says little, a longer one is a table.
LEAST, MOST = 50, 10_000
_VERSION = 1


@dataclass(frozen=True)
class Part:
    """The nodes of all files of a part, one after the other.

    Attributes:
        types: Ids.
        values: Ids.
        parents: Places of the parents in their files.
        ends: Where each file ends.
    """

    types: Numbers
    values: Numbers
    parents: Numbers
    ends: Numbers


@dataclass(frozen=True)
class Corpus:
    """The parts, and how many ids there are.

    Attributes:
        train: To train on; so are `dev` to choose by, and `test`.
        types: Types in `train`; the id after the last is of any other.
        values: Values in `train`.
        identity: A digest of the parts.
    """

    train: Part
    dev: Part
    test: Part
    types: int
    values: int
    identity: str


@dataclass(frozen=True)
class Amount:
    """Most nodes that are read.

    Attributes:
        train: Of the training part.
        test: Of the test part; dev has a quarter of it.
    """

    train: int = 3_000_000
    test: int = 300_000

    def of(self, split: str) -> int:
        """Return the nodes of a part."""
        return {"train": self.train, "dev": self.test // 4, "test": self.test}[split]


@explained(ReproductionError)
def read_corpus(origins: Sequence[Origin], amount: Amount, scratch: Path) -> Corpus:
    """Return the trees of the repositories' newest commits; from `scratch` if they lie there.

    Raises:
        ReproductionError: A part has no file, or what lies in `scratch` is damaged.
        SourceError: A repository cannot be read.
    """
    asked = [_VERSION, vars(amount), [_named(origin) for origin in origins]]
    digest = hashlib.sha256(json.dumps(asked).encode()).hexdigest()
    path = scratch / f"trees-{digest[:16]}.safetensors"
    if not path.exists():
        arrays = _read(origins, amount)
        private_folder(scratch)
        with atomic_write(path) as partial:
            partial.write_bytes(save(arrays))
    try:
        return _corpus(load_file(path))
    except (OSError, KeyError, SafetensorError) as error:
        raise ReproductionError(
            f"The trees in {path} cannot be read ({error}); remove the file to make them again."
        ) from error


def _named(origin: Origin) -> list[str]:
    """Name an origin by what its trees depend on."""
    commit = newest_commit(origin.path)
    return [origin.name, str(origin.split), *sorted(origin.languages or ()), commit]


def _read(origins: Sequence[Origin], amount: Amount) -> dict[str, Numbers]:
    """Read all parts; no file of one is in another."""
    types: dict[str, int] = {}
    values: dict[str, int] = {EMPTY: 0}
    seen: set[bytes] = set()
    arrays = {}
    for split in reversed(SPLITS):  # what is in test is not trained on
        part = _read_part([one for one in origins if one.split == split], amount.of(split), seen)
        nodes = [node for file in part for node in file]
        if not nodes:
            raise ReproductionError(
                f"No file of the repositories for {split} can be read; --mirror is the folder in "
                "which they lie, OWNER+NAME."
            )
        columns = {
            "types": [types.setdefault(node.type, len(types)) for node in nodes],
            "values": [values.setdefault(node.value, len(values)) for node in nodes],
            "parents": [node.parent for node in nodes],
            "ends": np.cumsum([len(file) for file in part]),
        }
        for name, column in columns.items():
            arrays[f"{split}_{name}"] = np.asarray(column, np.int32)
    for name, count in (("types", len(types)), ("values", len(values))):
        _rank(arrays, name, count)
    return arrays


def _read_part(origins: Sequence[Origin], most: int, seen: set[bytes]) -> list[list[TreeNode]]:
    """Read files with `most` nodes together: of each repository its share of what is left."""
    part: list[list[TreeNode]] = []
    taken = 0
    for left, origin in zip(range(len(origins), 0, -1), origins, strict=True):
        share = taken + (most - taken) // left
        files = sorted(
            read_files(origin.path, skipped=Skipped(), languages=origin.languages),
            key=lambda file: hashlib.sha256(file[0].encode("utf-8", "replace")).digest(),
        )
        for _, language, text in files:
            digest = hashlib.sha256(text.encode("utf-8", "replace")).digest()
            if taken >= share or digest in seen:
                continue
            seen.add(digest)
            nodes = flatten(text, language)
            if LEAST <= len(nodes) <= MOST:
                part.append(nodes)
                taken += len(nodes)
    return part


def _rank(arrays: dict[str, Numbers], name: str, count: int) -> None:
    """Give a column's ids other numbers: by frequency in the training part, but 0 stays."""
    counts = np.bincount(arrays[f"train_{name}"], minlength=count)
    if name == "values":
        counts[0] = counts.sum() + 1
    order = np.argsort(-counts, kind="stable")
    ranks = np.empty(count, np.int32)
    ranks[order] = np.arange(count, dtype=np.int32)
    for split in SPLITS:
        arrays[f"{split}_{name}"] = ranks[arrays[f"{split}_{name}"]]


def _corpus(arrays: Mapping[str, Numbers]) -> Corpus:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(name.encode() + arrays[name].tobytes())
    train, dev, test = (
        Part(*(arrays[f"{split}_{field.name}"] for field in fields(Part))) for split in SPLITS
    )
    types, values = int(train.types.max()) + 1, int(train.values.max()) + 1
    return Corpus(train, dev, test, types, values, digest.hexdigest()[:16])
