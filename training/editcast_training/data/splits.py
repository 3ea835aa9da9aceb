"""The split of one's own history: training holds back the newest tenth of a file's changes."""

from collections.abc import Iterator

from editcast_training.sources.file_history import FileHistory


def first_held_out(changes: int) -> int:
    """Return the number, from 0, of the first of a file's `changes` that is held back."""
    return changes - (changes + 5) // 10


def split_by_time(history: FileHistory, split: str | None) -> Iterator[tuple[str, FileHistory]]:
    """Put all changes into `split`, or with None the newest tenth of them into dev."""
    if split is not None:
        yield split, history
        return
    snapshots = history.snapshots
    cut = first_held_out(len(snapshots) - 1)
    for name, part in (("train", snapshots[: cut + 1]), ("dev", snapshots[cut:])):
        if len(part) > 1:
            yield (
                name,
                FileHistory(history.project, history.path, history.language, history.kind, part),
            )
