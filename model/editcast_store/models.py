"""The user's own models: folders of bundles, and one file that says which of them is in use.

    models/20260131T101500    a bundle
    models/active.json        {"current": FOLDER, "previous": FOLDER}; null is the bundled model
    models/.lock              held by whoever changes any of this

`active.json` is replaced in one step: who reads it gets the old pair or the new one. The version
before had links or bundles of the names `current` and `previous` instead. They are read as they
are, and named in the file by the first change.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from editcast_model.bundle import Bundle, bundled_path
from editcast_model.errors import BundleError
from editcast_model.private_files import discard, make_private, private_folder, write_text
from editcast_store.lock import process_lock
from editcast_store.paths import chosen_home

_ACTIVE = "active.json"
_WAIT = 15.0  # seconds: renaming takes milliseconds, removing an old bundle hardly more


class Active(NamedTuple):
    """The folders of the model in use and of the one before it; None is the bundled model."""

    current: Path | None
    previous: Path | None

    @classmethod
    def of(cls, models: Path) -> "Active":
        """Read what a folder of models says; what is not there any more is the bundled model."""
        names: list[object] = ["current", "previous"]
        try:
            said = json.loads((models / _ACTIVE).read_bytes())
            names = [said[name] for name in names]
        except FileNotFoundError:
            pass  # nothing was installed, or by the version before
        except (OSError, ValueError, KeyError, TypeError):
            return cls(None, None)
        # A name is one of a folder in this one, whoever wrote the file.
        return cls(*(_folder(models, name) for name in names))

    def write(self, models: Path) -> None:
        """Write the active model, in one step."""
        names = {name: path and path.name for name, path in self._asdict().items()}
        write_text(models / _ACTIVE, json.dumps(names))


def default_bundle_path() -> Path:
    """Return the bundle to use when no setting names one: the user's own, else the bundled one."""
    own = Active.of(chosen_home() / "models").current
    return own if own and os.path.exists(own / "config.json") else bundled_path()


def install(bundle: Path, models: Path) -> Path:
    """Make a bundle the current one; the one that was in use becomes the previous one.

    Args:
        bundle: The folder, on the file system of `models`; it is moved.
        models: The folder of models.

    Returns:
        Where it is now.

    Raises:
        BundleError: The folder of models cannot be changed.
    """
    with _changing(models) as active:
        make_private(bundle)
        place = _free(models)
        os.rename(bundle, place)
        new = Active(place, active.current)
        new.write(models)
        _remove_others(models, new)
        return place


def revert(models: Path, *, wait: float = _WAIT) -> str:
    """Go back to the model that was in use before; done twice, all is as it was.

    The model before the first training is the bundled one. Another Editcast that changes the
    models is waited for, `wait` seconds.

    Returns:
        A sentence that names the model in use now.

    Raises:
        BundleError: Nothing was trained yet, the model before is damaged, or the folder of models
            cannot be changed. The model in use stays the same.
    """
    with _changing(models, wait) as active:
        if active == (None, None):
            raise BundleError(
                "There is no model to go back to: none was trained on this machine yet. Train one "
                "with `editcast train`, or with the command of your editor."
            )
        bundle = Bundle.open(active.previous or bundled_path())  # a damaged one is not used
        Active(active.previous, active.current).write(models)
    if active.previous is None:
        return f"Editcast uses the model that it came with now, {bundle.name}."
    created = bundle.card.created  # several models can have the name of one day
    made = f", made on {created:%Y-%m-%d} at {created:%H:%M}" if created else ""
    return f"Editcast uses the model {bundle.name} now{made}."


@contextmanager
def _changing(models: Path, wait: float = _WAIT) -> Iterator[Active]:
    """Hold the folder alone, and yield what is active in it."""
    try:
        private_folder(models)
        with process_lock(models / ".lock", wait=wait):
            if not (models / _ACTIVE).exists():
                _adopt(models)
            yield Active.of(models)
    except TimeoutError as error:
        raise BundleError(
            f"Another Editcast is changing the models in {models}; try again in a moment."
        ) from error
    except OSError as error:
        raise BundleError(
            f"The models in {models} cannot be changed ({error}); check the folder's permissions "
            "and the disk, and close editors that use a model in it."
        ) from error


def _adopt(models: Path) -> None:
    """Name what the version before left in `active.json`: links by the folders they lead to."""
    found = []
    for path in Active.of(models):
        target = path.resolve() if path else None
        found.append(target if target and target.parent == models.resolve() else path)
    Active(*found).write(models)


def _folder(models: Path, name: object) -> Path | None:
    if not isinstance(name, str) or name in ("", "..") or Path(name).name != name:
        return None
    return models / name if os.path.isdir(models / name) else None


def _free(models: Path) -> Path:
    """Return a folder that is not there yet, named by the time."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    place, number = models / stamp, 1
    while place.exists():
        number += 1
        place = models / f"{stamp}-{number}"
    return place


def _remove_others(models: Path, active: Active) -> None:
    """Remove bundles that are not active, and what the version before pointed at them with."""
    for old in (*models.glob("2*T*"), models / "current", models / "previous"):
        if old.is_symlink():
            old.unlink()
        elif old not in active:
            discard(old)
