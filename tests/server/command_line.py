"""The command `editcast` as a user runs it, in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path


def editcast(
    *arguments: object, home: Path, folder: Path | None = None, columns: int = 200, umask: int = -1
) -> "subprocess.CompletedProcess[str]":
    """Run a command in a folder, on a terminal of some columns."""
    return subprocess.run(
        [sys.executable, "-m", "editcast", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={
            **os.environ,
            "EDITCAST_HOME": str(home),
            "PYTHONIOENCODING": "utf-8",
            "COLUMNS": str(columns),
        },
        cwd=folder,
        umask=umask,
        timeout=240,
    )
