"""Notifications of a team's new models, once for each.

The server installs nothing, and does not read the model before the user runs the command.
"""

import asyncio
import logging
import os
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from editcast_model.errors import BundleError, EditcastError
from editcast_server.children import isolated_python
from editcast_store.paths import own_folder

log = logging.getLogger(__name__)

_EVERY: Final = 3600.0  # seconds


class TeamModel:
    """A regular check of a team's folder; used on the event loop.

    Args:
        show: Called with a sentence for the user, and whether it is a warning.
        every: Seconds between two checks.
    """

    def __init__(self, show: Callable[[str, bool], None], every: float = _EVERY) -> None:
        self._show = show
        self._every = every
        self._folder = ""
        self._next: asyncio.TimerHandle | None = None
        self._thread: threading.Thread | None = None

    def watch(self, folder: str) -> None:
        """Check the folder that the setting names from now on; empty for none."""
        if folder != self._folder:
            self._folder = folder
            self._thread = None  # it may be reading the earlier folder
            self._look()

    def stop(self) -> None:
        """Stop checking."""
        self.watch("")

    def _look(self) -> None:
        if self._next:
            self._next.cancel()
            self._next = None
        if not self._folder:
            return
        loop = asyncio.get_running_loop()
        self._next = loop.call_later(self._every, self._look)
        if self._thread and self._thread.is_alive():  # a network share can block forever
            return
        args = (self._folder, loop)
        self._thread = threading.Thread(target=self._read, args=args, name="team", daemon=True)
        self._thread.start()

    def _read(self, folder: str, loop: asyncio.AbstractEventLoop) -> None:
        try:
            said, is_warning = _news(folder), False
        except EditcastError as error:
            said, is_warning = str(error), True
        except Exception as error:
            log.exception("The team's folder could not be read")
            said, is_warning = f"The team's folder cannot be read ({type(error).__name__}).", True
        if said:
            try:
                loop.call_soon_threadsafe(self._tell, folder, said, is_warning)
            except RuntimeError:
                log.info("After the end: %s", said)

    def _tell(self, folder: str, said: str, is_warning: bool) -> None:
        if folder == self._folder:
            self._show(said, is_warning)


def _news(folder: str) -> str:
    """Return the notification for the user; empty if there is nothing new.

    Raises:
        EditcastError: The setting does not name a folder, or its contents are invalid.
    """
    from editcast_store.team import newly_seen, published, team_folder  # imports the tokenizer

    team = team_folder(folder)
    if not os.path.isdir(team):
        log.info("The team's folder does not exist (setting teamModel)")  # a laptop away from it
        return ""
    try:
        offered = published(team)
    except BundleError as error:
        raise BundleError(f"{error} (Setting teamModel.)") from error
    if offered is None or not newly_seen(team, offered, own_folder("models")):
        return ""
    return (
        f"Your team has published a model: {offered.sentence_part}. Install it with: "
        f"{_install_command(team)}"
    )


def _install_command(team: Path) -> str:
    """Return the terminal command that installs the model with this Python."""
    found = shutil.which("editcast")
    is_ours = found and Path(found).parent == Path(sys.executable).parent
    program = ("editcast",) if is_ours else isolated_python("-m", "editcast")
    command = (*program, "model", "install", str(team))
    return subprocess.list2cmdline(command) if os.name == "nt" else shlex.join(command)
