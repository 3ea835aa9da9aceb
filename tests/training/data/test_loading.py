import multiprocessing
from dataclasses import fields
from pathlib import Path

import torch

from editcast_training.data.dataset import Dataset
from editcast_training.data.loading import load


def test_however_many_processes_make_them_the_batches_are_the_same(
    small_corpus: Path, tmp_path: Path
) -> None:
    data = Dataset.read(small_corpus / "train")
    # All are requested before the first one is made.
    alone, by_others = (
        [make() for make in [*load(data, 7, 3000, tmp_path / "batches", count)]] for count in (0, 2)
    )
    assert len(alone) == len(by_others) > 10
    for one, other in zip(alone, by_others, strict=True):
        for item in fields(one):
            mine, theirs = getattr(one, item.name), getattr(other, item.name)
            assert mine.dtype == theirs.dtype and torch.equal(mine, theirs), item.name


def test_who_stops_early_leaves_neither_files_nor_processes(
    small_corpus: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "batches"
    folder.mkdir()
    (folder / "of-a-killed-training.npy").touch()
    batches = load(Dataset.read(small_corpus / "train"), 7, 3000, folder, 2)
    next(batches)
    assert "of-a-killed-training.npy" not in {path.name for path in folder.iterdir()}
    assert folder.stat().st_mode & 0o077 == 0
    batches.close()
    assert not folder.exists()
    assert not multiprocessing.active_children()
