"""Switching off the telemetry of ONNX Runtime.

ONNX Runtime 1.29 and later look up their vendor's host and store a device id in the user's cache
folder, unless `ORT_DISABLE_TELEMETRY` is set before the library is loaded. The library's own
function is called too late for that, but it stops the events that the library writes to the trace
of Windows. `editcast_model/__init__.py` calls `switch_off`, so none of Editcast's modules can
load ONNX Runtime earlier.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from editcast_model.errors import BundleError

#: The variables that different versions of ONNX Runtime read.
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
    """Import ONNX Runtime with its telemetry switched off.

    Returns:
        The module.

    Raises:
        BundleError: The library was loaded before the variable was set, or the variable is gone.
        ImportError: The library is not installed, or cannot be loaded on this machine.
    """
    if _loaded_too_early or os.environ.get(VARIABLES[0]) != "1":
        raise BundleError(
            "ONNX Runtime would send telemetry in this process; set ORT_DISABLE_TELEMETRY=1 "
            "before Python starts, or import editcast_model before onnxruntime."
        )
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime


def remove_traces(home: Path, caches: Iterable[Path] | None = None) -> list[Path]:
    """Remove files that ONNX Runtime left in the user's caches under earlier versions of Editcast.

    This is done only once, since later files may belong to other programs.

    Args:
        home: Editcast's folder, in which an empty file records that this was done.
        caches: The folders to search; by default the user's.

    Returns:
        The removed files.
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
            pass  # missing, not permitted, or not empty
    done.touch(mode=0o600)
    return removed


def _user_caches() -> Iterator[Path]:
    yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    if sys.platform == "darwin":
        yield Path.home() / "Library" / "Caches"
        yield Path.home() / "Library" / "Application Support"
