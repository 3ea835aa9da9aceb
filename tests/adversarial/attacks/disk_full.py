"""A disk that is full: a small tmpfs as EDITCAST_HOME, where mounting is permitted.

A save is kept, or the user is told that it is not; what was kept stays; with room again it goes on.
"""

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from attacks.editor import Editor, HungError
from attacks.figures import Figures, Finding, Limit
from editcast_store.saves import Store

_FULL = "the disk is full"


def attack(limit: Limit, seed: int) -> Figures:
    """Fill small disks with saves, and make room again."""
    figures = Figures()
    for number, draw in limit.each(figures, seed):
        try:
            with small_disk(draw.randrange(600, 3000)) as disk:
                troubles = _try_disk(disk, draw, figures)
        except PermissionError:
            figures.note("Mounting a tmpfs is not permitted here: no disk was filled.")
            break
        except HungError as error:
            troubles = [str(error)]
        figures.findings += [Finding(trouble, seed, number) for trouble in troubles]
    return figures


@contextmanager
def small_disk(kilobytes: int) -> Iterator[Path]:
    """A file system of so many kilobytes; raises PermissionError where that is not permitted."""
    with tempfile.TemporaryDirectory() as folder:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k,mode=0700", "tmpfs", folder]
        try:
            done = subprocess.run(mount, capture_output=True)
        except FileNotFoundError as error:
            raise PermissionError("there is no mount here") from error
        if done.returncode:
            raise PermissionError(done.stderr.decode())
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)


def _try_disk(disk: Path, draw: random.Random, figures: Figures) -> list[str]:
    troubles: list[str] = []
    saved: dict[Path, str] = {}
    promised: dict[Path, str] = {}
    figures.tried["disks filled"] += 1

    def save(editor: Editor) -> None:
        path = Path("/w") / f"{len(saved)}.txt"
        # Hexadecimal digits at random: compressed they need half their length.
        saved[path] = draw.randbytes(draw.randrange(1_000, 60_000)).hex() + "\n"
        editor.open(path, "")
        editor.save(path, saved[path])
        editor.close(path)

    with Editor(disk) as editor:
        while not any(_FULL in one for one in editor.sentences):
            before = len(editor.sentences)
            save(editor)
            editor.acknowledge()
            if len(editor.sentences) == before or len(saved) == 1:
                promised = dict(saved)
            if len(saved) > 500:
                return ["a small disk is never full"]
        figures.tried["saves kept until then"] += len(promised)
        for _ in range(3):
            save(editor)
        editor.acknowledge()
        troubles += _try_commands(disk)
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        save(editor)
        editor.acknowledge()
        path = list(saved)[-1]
        promised[path] = saved[path]
        if editor.shutdown() or "Traceback" in editor.logs:
            troubles.append(f"exit code {editor.process.returncode}; log: {editor.logs}")
        if any("Traceback" in one or "Error" in one for one in editor.sentences):
            troubles.append(f"the user is told: {editor.sentences}")
    with closing(Store.open(disk / "history.sqlite3")) as store:
        lost = []
        for path, text in promised.items():
            if text not in [snapshot.text for snapshot in store.snapshots(path)]:
                lost.append(path.name)
    figures.tried["acknowledged saves lost"] += len(lost)
    if lost:
        troubles.append(f"acknowledged saves are lost: {', '.join(lost)}")
    with closing(sqlite3.connect(disk / "history.sqlite3")) as database:
        if database.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            troubles.append("the store is damaged")
    return troubles


def _try_commands(disk: Path) -> list[str]:
    """The command line on a full disk: done, or one sentence and exit code 2."""
    troubles = []
    for command in (["history", "list"], ["report"], ["doctor"]):
        ended = subprocess.run(
            [sys.executable, "-m", "editcast", *command],
            capture_output=True,
            text=True,
            env={**os.environ, "EDITCAST_HOME": str(disk)},
        )
        if ended.returncode not in (0, 2) or "Traceback" in ended.stderr:
            troubles.append(f"editcast {' '.join(command)} on a full disk: {ended.stderr}")
    return troubles
