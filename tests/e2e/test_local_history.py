"""VS Code's own Local History in the workbench, from which `editcast train` learns."""

import json
import os
import subprocess
import sys

import pyarrow.parquet as parquet
import pytest

from code_server import running

pytestmark = pytest.mark.timeout(900)

METHOD = '''
    def read_{name}(self, path):
        """Read the {name} from a file and count it."""
        with open(path, encoding="utf-8") as file:
            value = self.parse(file.read(), "{name}")
        self.counts["{name}"] += len(value)
        return value
'''
# Longer than a training's window, so that going from end to end makes many instances.
BEFORE = "class Reader:\n" + "".join(METHOD.format(name=f"field_{index}") for index in range(40))
SAVES = 62
# The keys of two changes near the top of the file, or near its end, and a save.
AT_THE_TOP = ("Control+Home", "x", "ArrowDown", "ArrowDown", "x", "Control+s")
AT_THE_END = ("Control+End", "ArrowUp", "x", "ArrowUp", "ArrowUp", "x", "Control+s")


def entries(history, file):
    """Count the versions of a file that Local History lists."""
    texts = [index.read_text() for index in history.glob("*/entries.json")]
    # VS Code empties a file before it writes it.
    if not all(text.endswith("}") for text in texts):
        return 0
    indices = map(json.loads, texts)
    return sum(len(index["entries"]) for index in indices if index["resource"].endswith(str(file)))


def test_training_reads_what_the_workbench_has_kept(workbench, tmp_path):
    # Else the saves of 10 seconds become one, and the newest 50 are kept.
    workbench.configure(
        {
            "workbench.localHistory.mergeWindow": 0,
            "workbench.localHistory.maxFileEntries": 2 * SAVES,
        }
    )
    file = workbench.folder / "reader.py"
    file.write_text(BEFORE)
    workbench.open(file)
    workbench.wait_until_ready()
    workbench.focus_editor()
    kept = workbench.server.data / "User" / "History"
    for number in range(SAVES):
        workbench.press(*(AT_THE_TOP if number % 2 else AT_THE_END))
        # A save that comes before the last one's version is written takes its place.
        workbench.wait(f"version {number}", lambda number=number: entries(kept, file) > number)
    workbench.close()

    out, home = tmp_path / "trained", str(workbench.server.root)
    elsewhere = {"EDITCAST_HOME": str(tmp_path / "home"), "HOME": home, "OMP_NUM_THREADS": "1"}
    environment = {name: os.environ[name] for name in os.environ if not name.startswith("XDG_")}
    command = [sys.executable, "-u", "-m", "editcast", "train", str(out), "--local-history"]
    said = []
    with running(
        [*command, "--steps", "1"],
        env=environment | elsewhere,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as training:
        for line in training.stdout:
            said.append(line)
            if "step 0" in line:  # it trains; all of it takes minutes
                break
    assert "of held-out edits right" in said[-1], said
    made = json.loads((out / "corpus" / "manifest.json").read_text())["sources"]
    assert list(made) == ["local-history-1"]
    assert made["local-history-1"]["instances"]["train"] >= 50
    rows = parquet.read_table(out / "corpus" / "train", columns=["path", "kind"]).to_pylist()
    assert {"path": str(file), "kind": "saves"} in rows
