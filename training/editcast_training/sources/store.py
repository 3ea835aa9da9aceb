"""Editcast's own store of save snapshots as file histories."""

from collections.abc import Collection, Iterator

from editcast_store.saves import Store, project_of
from editcast_store.secrets import is_secret
from editcast_training.sources.file_history import (
    FileHistory,
    Skipped,
    Snapshot,
    foreign_reason,
    pieces,
)


def read_store(
    store: Store, *, skipped: Skipped, languages: Collection[str] | None = None
) -> Iterator[FileHistory]:
    """Yield the history of every file in the store; its project is the repository it lies in.

    Args:
        store: stays open; what it has to say about damage is in its `notices`.
        skipped: counts what was left out, by reason.
        languages: language identifiers to read; None means all.

    Raises:
        StoreError: the store cannot be read.
    """
    for file in store.files():
        if languages is not None and file.language not in languages:
            skipped["file: another language"] += 1
            continue
        if is_secret(file.path):  # kept before the list of secrets had it
            skipped["file: usually holds secrets"] += 1
            continue
        reason = foreign_reason(file.path.replace("\\", "/"))
        if reason is not None:
            skipped[reason] += 1
            continue
        snapshots = (Snapshot(saved.text, saved.time) for saved in store.snapshots(file.path))
        for piece in pieces(snapshots, skipped):
            yield FileHistory(project_of(file.path), file.path, file.language, "saves", piece)
