"""The folder of the user's own models: which one is in use, and which one was before it.

    models/20260131T101500    a bundle
    models/current            the one in use: a link to it; absent while the bundled one is in use
    models/previous           the one before: a link; absent when that was the bundled one
    models/.lock              held by whoever changes any of this

`current` is replaced in one step: who opens it at that moment gets the old bundle or the new one,
whole. What `previous` will be is written down before that as `.previous`, so a process that is
killed in between leaves nothing that the next one could not bring to its end.

Where the system has no links for everybody, `current` and `previous` are the bundles themselves,
and for a moment between two renamings the bundled model is in use.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from editcast_model.bundle import Bundle, bundled_path
from editcast_model.errors import BundleError
from editcast_model.private_files import make_private, private_folder
from editcast_store.lock import process_lock
from editcast_store.paths import chosen_home

#: What is said when a training made no better model than the one in use; nothing is installed.
NO_BETTER = "What was learned is no better on the newest tenth of your history; the model stays."
_LINKS = os.name == "posix"
_WAIT = 15.0  # seconds: renaming takes milliseconds, removing an old bundle hardly more


def default_bundle_path() -> Path:
    """Return the bundle to use when no setting names one: the user's own, else the bundled one."""
    own = chosen_home() / "models" / "current"
    return own if os.path.exists(own / "config.json") else bundled_path()


def install(bundle: Path, models: Path, *, links: bool = _LINKS) -> Path:
    """Make a bundle the current one; the one that was in use becomes the previous one.

    Args:
        bundle: The folder, on the file system of `models`; it is moved.
        models: The folder of models.
        links: Whether to use symbolic links.

    Returns:
        Where the current bundle is.

    Raises:
        BundleError: The folder of models cannot be changed.
    """
    with _changing(models, links):
        current = models / "current"
        make_private(bundle)
        if links:
            place = _free(models)
            os.rename(bundle, place)
            _switch(models, place, current.resolve() if current.exists() else None)
            _remove_others(models)
        else:
            _discard(models / "previous")
            if current.exists():
                os.rename(current, models / "previous")
            os.rename(bundle, current)
        return current


def revert(models: Path, *, links: bool = _LINKS) -> str:
    """Go back to the model that was in use before; done twice, all is as it was.

    The model before the first training is the bundled one.

    Args:
        models: The folder of models.
        links: Whether to use symbolic links.

    Returns:
        A sentence that names the model in use now.

    Raises:
        BundleError: Nothing was trained yet, the model before is damaged, or the folder of models
            cannot be changed. The model in use stays the same.
    """
    with _changing(models, links):
        current, previous = models / "current", models / "previous"
        own = current.resolve() if current.exists() else None
        before = previous.resolve() if previous.exists() else None
        if own is None and before is None:
            raise BundleError(
                "There is no model to go back to: none was trained on this machine yet. Train one "
                "with `editcast train`, or with the command of your editor."
            )
        bundle = Bundle.open(before or bundled_path())  # what is damaged is not taken up
        if links:
            _switch(models, before, own)
        else:
            _swap(models)
    if before is None:
        return f"Editcast uses the model that it came with now, {bundle.name}."
    return f"Editcast uses the model {bundle.name} now{_made(bundle)}."


def _made(bundle: Bundle) -> str:
    """When a model was made: several can have the name of one day."""
    made = bundle.card.created
    return "" if made is None else f", made on {made:%Y-%m-%d} at {made:%H:%M}"


@contextmanager
def _changing(models: Path, links: bool) -> Iterator[None]:
    """Hold the folder alone, with nothing in it left half done."""
    try:
        private_folder(models)
        with process_lock(models / ".lock", wait=_WAIT):
            _finish(models, links)
            yield
    except TimeoutError as error:
        raise BundleError(
            f"Another Editcast is changing the models in {models}; try again in a moment."
        ) from error
    except OSError as error:
        raise BundleError(
            f"The models in {models} cannot be changed ({error}); check the folder's permissions "
            "and the disk, and close editors that use a model in it."
        ) from error


def _finish(models: Path, links: bool) -> None:
    """Bring to its end what a process was killed at."""
    current, previous, planned = (models / name for name in ("current", "previous", ".previous"))
    if not links:
        if planned.exists() and not current.exists():
            os.rename(planned, current)
        elif planned.exists():
            _discard(previous)
            os.rename(planned, previous)
        shutil.rmtree(models / ".gone", ignore_errors=True)
        return
    for link in (current, previous):
        if link.is_dir() and not link.is_symlink():  # somebody copied it there
            place = _free(models)
            os.rename(link, place)
            _point(link, place)
    if planned.is_symlink():
        if planned.exists() and not _same(planned, current):
            os.replace(planned, previous)
        else:
            planned.unlink()  # `current` was not changed yet
    if previous.is_symlink() and (not previous.exists() or _same(previous, current)):
        previous.unlink()


def _same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.resolve() == other.resolve()


def _switch(models: Path, current: Path | None, previous: Path | None) -> None:
    """Let the two links point at bundles in the folder, or not be there; `current` comes first."""
    planned = models / ".previous"
    if previous:
        planned.symlink_to(previous.name, target_is_directory=True)
    if current:
        _point(models / "current", current)
    else:
        (models / "current").unlink(missing_ok=True)
    if previous:
        os.replace(planned, models / "previous")
    else:
        (models / "previous").unlink(missing_ok=True)


def _swap(models: Path) -> None:
    """Let the two folders change names, where one of them may not be there."""
    current, previous, planned = (models / name for name in ("current", "previous", ".previous"))
    if current.exists():
        os.rename(current, planned)
    if previous.exists():
        os.rename(previous, current)
    if planned.exists():
        os.rename(planned, previous)


def _point(link: Path, target: Path) -> None:
    """Let a link point at a neighbour, in one step."""
    fresh = link.with_name(f".new-{link.name}")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(target.name, target_is_directory=True)
    os.replace(fresh, link)


def _discard(bundle: Path) -> None:
    """Remove a bundle; killed at that, half of one is nowhere where it would be taken for one."""
    if bundle.exists():
        gone = bundle.with_name(".gone")
        os.rename(bundle, gone)
        shutil.rmtree(gone, ignore_errors=True)


def _free(models: Path) -> Path:
    """A folder that is not there yet, named by the time."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    place, number = models / stamp, 1
    while place.exists():
        number += 1
        place = models / f"{stamp}-{number}"
    return place


def _remove_others(models: Path) -> None:
    used = {(models / "current").resolve(), (models / "previous").resolve()}
    for old in models.glob("2*T*"):
        if old.resolve() not in used:
            shutil.rmtree(old, ignore_errors=True)
