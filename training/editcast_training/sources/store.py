"""Editcast's own store of save snapshots as file histories."""

from collections.abc import Iterator

from editcast_store.saves import Store, project_of
from editcast_training.sources.file_history import (
    FileHistory,
    Skipped,
    Snapshot,
    pieces,
    reason_to_skip,
)


def read_store(store: Store, *, skipped: Skipped) -> Iterator[FileHistory]:
    """Yield the history of every file in the store; its project is the repository it lies in.

    Secrets were kept before the list of secrets had them. What the store has to say about damage
    is in its `notices`.

    Raises:
        StoreError: It cannot be read.
    """
    for file in store.files():
        if reason := reason_to_skip(file.path):
            skipped[reason] += 1
            continue
        snapshots = (Snapshot(saved.text, saved.time) for saved in store.snapshots(file.path))
        for piece in pieces(snapshots, skipped):
            yield FileHistory(project_of(file.path), file.path, file.language, "saves", piece)
