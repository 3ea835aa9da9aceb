"""Child processes that run Python, isolated from the user's working directory.

Modules must never be imported from a workspace: its `random.py` would be executed.
"""

import os
import sys
from pathlib import Path
from typing import Any


def isolated_python(*arguments: str) -> tuple[str, ...]:
    """Return the command line of a Python that imports nothing from its working directory.

    It uses `-I` only if this process does: with `-I`, a Python that finds Editcast by PYTHONPATH or
    in the user's site-packages would no longer find it.
    """
    return sys.executable, "-I" if sys.flags.isolated else "-P", *arguments


def in_folder(home: Path) -> dict[str, Any]:
    """Return options for a process that works in Editcast's folder, which is created if missing.

    Raises:
        OSError: The folder cannot be created.
    """
    folder = home.absolute()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return {"cwd": folder, "env": os.environ | {"EDITCAST_HOME": str(folder)}}
