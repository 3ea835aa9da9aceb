"""Putting a bundle where the server looks for the user's own model, and keeping the one before.

    models/20260131T101500    a bundle
    models/current            the one in use: a link to it
    models/previous           the one before

A link is replaced at once: who opens `current` at that moment gets the old bundle or the new one,
whole. Where the system has no links for everybody, `current` and `previous` are the bundles
themselves, and for a moment between two renamings the bundled model is in use.
"""

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path


def install(bundle: Path, models: Path, *, links: bool = os.name == "posix") -> Path:
    """Make a bundle the current one.

    Args:
        bundle: The folder, on the file system of `models`; it is moved.
        models: The folder of models.
        links: Whether to use symbolic links.

    Returns:
        Where the current bundle is.
    """
    models.mkdir(parents=True, exist_ok=True)
    current, previous = models / "current", models / "previous"
    if not links:
        if current.exists():
            shutil.rmtree(previous, ignore_errors=True)
            os.rename(current, previous)
        os.rename(bundle, current)
        return current
    place = _free(models)
    os.rename(bundle, place)
    if current.exists():
        before = current.resolve()
        if not current.is_symlink():  # somebody copied it there
            before = _free(models)
            os.rename(current, before)
        _point(previous, before)
    _point(current, place)
    used = {current.resolve(), previous.resolve()}
    for old in models.glob("2*T*"):
        if old.resolve() not in used:
            shutil.rmtree(old, ignore_errors=True)
    return current


def _free(models: Path) -> Path:
    """A folder that is not there yet, named by the time."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    place, number = models / stamp, 1
    while place.exists():
        number += 1
        place = models / f"{stamp}-{number}"
    return place


def _point(link: Path, target: Path) -> None:
    """Let a link point at a neighbour, in one step."""
    fresh = link.with_name(f".{link.name}")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(target.name, target_is_directory=True)
    if link.exists() and not link.is_symlink():
        shutil.rmtree(link)
    os.replace(fresh, link)
