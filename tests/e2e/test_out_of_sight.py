"""Edits where nobody sees them: folded away, or far behind the edge of the window."""

import pytest

from sample import NAMES, NEW, OLD

pytestmark = pytest.mark.timeout(600)

CALL = f"storage.{OLD}(database)"
FOLDED = f"users = {CALL}\norders = {CALL}\n\ndef items():\n    return {CALL}\n\nend = 1\n"
WIDE = "".join(f"{name} = [{'column, ' * 40}{OLD}]\n" for name in NAMES)

#: Where the left edges of drawn boxes are, within the width of the text that is to be seen.
BOXES = """[...document.querySelectorAll(".view-lines span")]
    .map((span) => getComputedStyle(span, "::after"))
    .filter(({ position }) => position === "absolute")
    .map(({ left }) => parseFloat(left)
        / document.querySelector(".monaco-editor .editor-scrollable").clientWidth)"""


def test_tab_unfolds_an_edit_before_it_accepts_it(workbench):
    workbench.configure({"editcast.debounceMs": 60_000})
    file = workbench.start(FOLDED)
    workbench.go_to(5, 1)
    workbench.press("Control+Shift+BracketLeft")
    workbench.wait("a fold", lambda: not any("return" in line for line in workbench.lines()))
    for line in (1, 2):
        workbench.replace(file, line, OLD, NEW)
    hint = f"Tab: ↓ line 5: {OLD} → {NEW}"
    workbench.wait("a hint", lambda: hint in workbench.ghosts())
    workbench.go_to(4, 5)  # next to it
    workbench.wait("a hint there", lambda: any("line 5" in one for one in workbench.ghosts()))
    workbench.press("Tab")
    workbench.wait("the edit in sight", lambda: workbench.struck() == [OLD])
    assert workbench.lines()[4] == f"    return {CALL}"
    workbench.press("Tab")
    workbench.wait("the edit", lambda: f"    return {CALL.replace(OLD, NEW)}" in workbench.lines())


def test_new_text_is_in_the_window_where_lines_wrap(workbench):
    workbench.configure({"editor.wordWrap": "on"})
    file = workbench.start(WIDE)
    for line in (1, 2):
        workbench.replace(file, line, OLD, NEW)
    workbench.wait("an offer", lambda: workbench.ghosts() == [f"…{NEW}]"])
    assert workbench.evaluate(BOXES) == [0]
