"""Eight servers at once on one store, each with its own editor, files, and one file of them all."""

import random
import sqlite3
import tempfile
import threading
from contextlib import ExitStack, closing
from pathlib import Path

from attacks.editor import BASELINE, Editor, HungError
from attacks.figures import Figures, Finding, Limit
from editcast_store.saves import Store

SERVERS = 8
SAVES = 6  # of each server, in files of its own


def attack(limit: Limit, seed: int) -> Figures:
    """Save in eight servers at once, and look into the one store."""
    figures = Figures()
    for number, draw in limit.each(figures, seed):
        with tempfile.TemporaryDirectory() as folder:
            try:
                troubles = _try_servers(Path(folder), draw, figures)
            except HungError as error:
                troubles = [str(error)]
        figures.findings += [Finding(trouble, seed, number) for trouble in troubles]
    return figures


def _try_servers(home: Path, draw: random.Random, figures: Figures) -> list[str]:
    troubles: list[str] = []
    shared = home / "shared.txt"
    with ExitStack() as stack:
        editors = [stack.enter_context(Editor(home, name=f"{i}")) for i in range(SERVERS)]

        def work(index: int, seed: float) -> None:
            own, editor = random.Random(seed), editors[index]
            try:
                editor.open(shared, "")
                for save in range(SAVES):
                    path = home / f"{index}-{save}.txt"
                    editor.open(path, "")
                    editor.save(path, f"{path.name}\n" * 20)
                    editor.save(shared, f"{index} {save}\n")
                    if own.random() < 0.3:
                        editor.acknowledge()
                if editor.shutdown():
                    troubles.append(f"server {index} ended with {editor.process.returncode}")
            except HungError as error:
                troubles.append(str(error))
            troubles.extend(one for one in editor.sentences if BASELINE not in one)

        threads = [
            threading.Thread(target=work, args=(index, draw.random())) for index in range(SERVERS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    figures.tried["servers"] += SERVERS
    figures.tried["saves"] += 2 * SERVERS * SAVES
    path = home / "history.sqlite3"
    with closing(Store.open(path)) as store:
        troubles += store.notices
        kept = {Path(file.path).name for file in store.files()}
        missing = {f"{i}-{save}.txt" for i in range(SERVERS) for save in range(SAVES)} - kept
        figures.tried["saves lost"] += len(missing)
        if missing:
            troubles.append(f"saves are lost: {', '.join(sorted(missing))}")
        if not store.snapshots(shared)[-1].text.endswith(f" {SAVES - 1}\n"):
            troubles.append("the file of all does not have the last text of any server")
    with closing(sqlite3.connect(path)) as database:
        if database.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            troubles.append("the store is damaged")
    return troubles
