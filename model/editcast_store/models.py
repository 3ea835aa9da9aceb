"""The user's own models: bundles, and a file that records which of them is in use.

    models/20260131T101500    a bundle
    models/active.json        {"current": FOLDER, "previous": FOLDER}; null is the bundled model
    models/.lock              held during changes

`active.json` is replaced atomically. The previous version of Editcast used links or bundles named
`current` and `previous` instead, which are still read. The first change records them in the file.
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
from editcast_store.paths import chosen_home, unused

_ACTIVE = "active.json"
_WAIT = 15.0  # seconds; a change takes only milliseconds


class Active(NamedTuple):
    """The folders of the model in use and of the one before it; None is the bundled model."""

    current: Path | None
    previous: Path | None

    @classmethod
    def of(cls, models: Path) -> "Active":
        """Read the active models of a folder; a missing one means the bundled model."""
        names: list[object] = ["current", "previous"]
        try:
            said = json.loads((models / _ACTIVE).read_bytes())
            names = [said[name] for name in names]
        except FileNotFoundError:
            pass  # nothing was installed, or by the previous version
        except (OSError, ValueError, KeyError, TypeError):
            return cls(None, None)
        # Names must not lead out of the folder, whoever wrote the file.
        return cls(*(_folder(models, name) for name in names))

    def write(self, models: Path) -> None:
        """Write the active models atomically."""
        names = {name: path and path.name for name, path in self._asdict().items()}
        write_text(models / _ACTIVE, json.dumps(names))


def default_bundle_path() -> Path:
    """Return the bundle to use when no setting names one: the user's own, else the bundled one."""
    own = Active.of(chosen_home() / "models").current
    return own if own and os.path.exists(own / "config.json") else bundled_path()


def install(bundle: Path, models: Path) -> Path:
    """Make a bundle the current one; the current one becomes the previous one.

    The bundle, on the file system of `models`, is moved; the result is its new folder.

    Raises:
        BundleError: The folder of models cannot be changed.
    """
    with _changing(models) as active:
        make_private(bundle)
        place = unused(models / datetime.now(UTC).strftime("%Y%m%dT%H%M%S"))
        os.rename(bundle, place)
        new = Active(place, active.current)
        new.write(models)
        _remove_others(models, new)
        return place


def revert(models: Path) -> str:
    """Swap the current and the previous model.

    The model before the first training is the bundled one.

    Returns:
        A sentence that names the model in use now.

    Raises:
        BundleError: Nothing was trained yet, the previous model is damaged, or the folder of models
            cannot be changed. The model in use does not change.
    """
    with _changing(models) as active:
        if active == (None, None):
            raise BundleError(
                "There is no previous model: none was trained on this machine yet. Train one with "
                "`editcast train`, or with the command of your editor."
            )
        bundle = Bundle.open(active.previous or bundled_path())  # a damaged one is not used
        Active(active.previous, active.current).write(models)
    if active.previous is None:
        return f"Editcast now uses the bundled model, {bundle.name}."
    created = bundle.card.created  # several models can have the name of one day
    made = f", made on {created:%Y-%m-%d} at {created:%H:%M}" if created else ""
    return f"Editcast now uses the model {bundle.name}{made}."


@contextmanager
def _changing(models: Path) -> Iterator[Active]:
    """Lock the folder, and yield its active models."""
    try:
        private_folder(models)
        with process_lock(models / ".lock", wait=_WAIT):
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
    """Record the models of the previous version in `active.json`, with links resolved."""
    found = []
    for path in Active.of(models):
        target = path.resolve() if path else None
        found.append(target if target and target.parent == models.resolve() else path)
    Active(*found).write(models)


def _folder(models: Path, name: object) -> Path | None:
    if not isinstance(name, str) or name in ("", "..") or Path(name).name != name:
        return None
    return models / name if os.path.isdir(models / name) else None


def _remove_others(models: Path, active: Active) -> None:
    """Remove bundles that are not active, and the links of the previous version."""
    for old in (*models.glob("2*T*"), models / "current", models / "previous"):
        if old.is_symlink():
            old.unlink()
        elif old not in active:
            discard(old)
