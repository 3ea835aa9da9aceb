"""Python processes of our own, kept away from the folder that the user works in.

Where a module is looked for must never depend on what lies in a workspace: its `random.py` would
be executed.
"""

import os
import sys
from pathlib import Path
from typing import Any


def isolated_python(*arguments: str) -> tuple[str, ...]:
    """Return the command line of a Python that imports nothing from its working directory.

    It is isolated as this process is: with `-I` a Python that finds Editcast by PYTHONPATH, or in
    the user's own site-packages, would not find it any more.
    """
    return sys.executable, "-I" if sys.flags.isolated else "-P", *arguments


def in_folder(home: Path) -> dict[str, Any]:
    """Make the options of such a process: it works in Editcast's folder, and knows its name.

    The folder is made if it is missing.

    Raises:
        OSError: It cannot be made.
    """
    folder = home.absolute()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return {"cwd": folder, "env": os.environ | {"EDITCAST_HOME": str(folder)}}
