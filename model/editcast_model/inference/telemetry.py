"""The switch that keeps ONNX Runtime from reporting to its maker.

ONNX Runtime 1.29 and later look up their maker's host and keep a device id in the user's cache
folder unless `ORT_DISABLE_TELEMETRY` is set before the library is loaded; its own function, called
later, comes too late for that. On Windows the library writes events to the system's own trace
instead, which that function does switch off. `editcast_model/__init__.py` calls `switch_off`, so no
module of ours can load ONNX Runtime before.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from editcast_model.errors import BundleError

#: The variables that ONNX Runtime reads, by the names of different versions.
VARIABLES = ("ORT_DISABLE_TELEMETRY", "ORT_TELEMETRY_DISABLED")

_FOLDER = Path("Microsoft", "DeveloperTools", ".onnxruntime")
_FILES = ("deviceid*", "onnxruntime.db*")
_loaded_too_early = False


def switch_off() -> None:
    """Set the variables for this process and its children."""
    global _loaded_too_early
    is_set = os.environ.get(VARIABLES[0]) == "1"
    _loaded_too_early = _loaded_too_early or ("onnxruntime" in sys.modules and not is_set)
    os.environ.update(dict.fromkeys(VARIABLES, "1"))


def load_onnxruntime() -> Any:
    """Import ONNX Runtime with its telemetry off.

    Returns:
        The module.

    Raises:
        BundleError: The library was loaded before the variable was set, or the variable is gone.
        ImportError: The library is not installed, or cannot be loaded on this machine.
    """
    if _loaded_too_early or os.environ.get(VARIABLES[0]) != "1":
        raise BundleError(
            "ONNX Runtime would report to its maker in this process; set ORT_DISABLE_TELEMETRY=1 "
            "before Python starts, or import editcast_model before onnxruntime."
        )
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime


def remove_traces(home: Path, caches: Iterable[Path] | None = None) -> list[Path]:
    """Remove, once, what earlier versions of Editcast let ONNX Runtime leave in the user's caches.

    Other programs may use ONNX Runtime too, so what they leave afterwards is theirs.

    Args:
        home: Editcast's own folder; an empty file in it says that this was done.
        caches: The folders to look in; by default the user's own.

    Returns:
        The files that were removed.
    """
    done = home / ".telemetry-removed"
    if done.exists():
        return []
    removed = []
    for cache in _user_caches() if caches is None else caches:
        folder = cache / _FOLDER
        try:
            for path in [path for pattern in _FILES for path in folder.glob(pattern)]:
                path.unlink(missing_ok=True)
                removed.append(path)
            for emptied in (folder, *folder.parents[:2]):
                emptied.rmdir()
        except OSError:
            pass  # not there, not ours to remove, or something else lies there
    done.touch(mode=0o600)
    return removed


def _user_caches() -> Iterator[Path]:
    yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    if sys.platform == "darwin":
        yield Path.home() / "Library" / "Caches"
        yield Path.home() / "Library" / "Application Support"
