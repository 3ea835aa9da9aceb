"""kill -9 at a random moment while saves are stored; what was acknowledged must be there.

Half of the rounds kill a server: a save is acknowledged by the answer to a request that was sent
after it and waits for the store. The other half kills a process that writes to the store itself:
a save is acknowledged when `record` has returned. Several rounds share one store.
"""

import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from attacks.editor import Editor, HungError
from attacks.figures import Figures, Finding, Limit
from editcast_store.saves import Store

ROUNDS_A_STORE = 25
LONGEST = 0.8  # seconds until the kill
_WRITER = """
import itertools, sys, time
from pathlib import Path
from editcast_store.saves import Store
home, first = Path(sys.argv[1]), sys.argv[2]
with Store.open(home / "history.sqlite3") as store:
    print("ready", flush=True)
    for number in itertools.count():
        text = f"{first} {number}\\n" * 50
        store.record(home / f"{first}-{number}.txt", text, int(time.time() * 1000), "plaintext")
        print(number, flush=True)
"""


def text_of(name: str) -> str:
    """Return the text that is saved in a file; no other file has it."""
    return f"{name}\n" * 50


def attack(limit: Limit, seed: int) -> Figures:
    """Kill processes that write to a store, and look into it."""
    figures = Figures()
    home = Path(tempfile.mkdtemp())
    acknowledged: dict[Path, str] = {}
    try:
        for number, draw in limit.each(figures, seed):
            if number % ROUNDS_A_STORE == 0:
                shutil.rmtree(home)
                home.mkdir()
                acknowledged = {}
            kill = _kill_server if number % 2 else _kill_writer
            try:
                taken = kill(home, number, draw, figures)
            except HungError as error:
                figures.findings.append(Finding(str(error), seed, number))
                continue
            figures.tried["kills"] += 1
            figures.tried["acknowledged saves"] += len(taken)
            acknowledged |= taken
            for trouble in _troubles(home, acknowledged, figures):
                figures.findings.append(Finding(trouble, seed, number))
    finally:
        shutil.rmtree(home)
    return figures


def _kill_writer(home: Path, number: int, draw: random.Random, figures: Figures) -> dict[Path, str]:
    command = [sys.executable, "-c", _WRITER, str(home), str(number)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        if draw.random() < 0.8:  # else it is killed while it opens the store
            process.stdout.readline()
        time.sleep(draw.uniform(0, LONGEST / 4))
        process.kill()
        said = process.stdout.read().split(b"\n")[:-1]  # what comes last may be half a line
    done = [int(line) for line in said if line != b"ready"]
    return {home / f"{number}-{one}.txt": f"{number} {one}\n" * 50 for one in done}


def _kill_server(home: Path, number: int, draw: random.Random, figures: Figures) -> dict[Path, str]:
    saved: dict[Path, str] = {}
    taken: dict[Path, str] = {}
    with Editor(home) as editor:
        end = time.monotonic() + draw.uniform(0, LONGEST)
        while time.monotonic() < end:
            for _ in range(draw.randint(1, 8)):
                path = home / f"{number}-{len(saved)}.txt"
                editor.open(path, "")
                editor.save(path, text_of(path.name))
                saved[path] = text_of(path.name)
            if draw.random() < 0.5:
                editor.acknowledge()
                taken = dict(saved)
            else:
                time.sleep(draw.uniform(0, 0.05))
        editor.kill()
    figures.tried["saves without an acknowledgement"] += len(saved) - len(taken)
    return taken


def _troubles(home: Path, acknowledged: dict[Path, str], figures: Figures) -> list[str]:
    """Return what is wrong with a store after a kill."""
    path = home / "history.sqlite3"
    with closing(Store.open(path)) as store:
        troubles = list(store.notices)
        lost = []
        for file, text in acknowledged.items():
            if text not in [snapshot.text for snapshot in store.snapshots(file)]:
                lost.append(file.name)
    figures.tried["acknowledged saves lost"] += len(lost)
    if lost:
        troubles.append(f"acknowledged saves are lost: {', '.join(lost)}")
    with closing(sqlite3.connect(path)) as database:
        (integrity,) = database.execute("PRAGMA integrity_check").fetchone()
        if integrity != "ok":
            troubles.append(f"integrity_check: {integrity}")
        if database.execute("PRAGMA foreign_key_check").fetchall():
            troubles.append("a snapshot of a text or a file that is not there")
        orphans = "SELECT count(*) FROM texts WHERE id NOT IN (SELECT text FROM snapshots)"
        if database.execute(orphans).fetchone() != (0,):
            troubles.append("a text that no snapshot has")
    return troubles
