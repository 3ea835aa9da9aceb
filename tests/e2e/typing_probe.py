"""Typing in a real workbench, with the extension host's pauses measured meanwhile."""

import json
import time
from dataclasses import dataclass
from pathlib import Path

from workbench import Workbench

#: What is typed: 200 characters of Python, its line breaks included.
TEXT = """\
total = 0
for row in storage.load_records(database, "users"):
total = total + row.amount
print("the total of all users is", total)
print("and of one of them", total / len(users))
# typed evenly, fast
"""
PER_SECOND = 20
#: The extension host starts what comes with VS Code in its first seconds; that is not measured.
SETTLING_S = 10

#: What must not write along: VS Code indents lines, and Enter takes a word of its list of
#: completions, which on a busy machine still shows the word just typed.
SETTINGS = {"editor.autoIndent": "none", "editor.wordBasedSuggestions": "off"}


@dataclass(frozen=True)
class Pauses:
    """Delays of a timer of the extension host beyond what was asked for, in milliseconds."""

    p50: float
    p95: float
    p99: float
    max: float


def type_evenly(workbench: Workbench, file: Path, result: Path) -> Pauses:
    """Type `TEXT` at the end of an open file, 20 characters a second, and save.

    Args:
        workbench: A window with Editcast and the probe, whose settings are `SETTINGS`
            and `probe.result`, which is `result`.
        file: What is open in it.
        result: Where the probe writes to.
    """
    before = file.read_text()
    workbench.focus_editor()
    workbench.press("Control+End")
    time.sleep(SETTLING_S)
    workbench.press("Control+F9")
    workbench.type(TEXT, delay=1000 / PER_SECOND)
    workbench.press("Control+F10")
    workbench.wait("the measurement", result.exists)
    workbench.press("Control+s")
    workbench.wait("the saved file", lambda: file.read_text() != before)
    return Pauses(**json.loads(result.read_text()))
