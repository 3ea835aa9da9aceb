"""Keys that stay what they are in VS Code while an edit is offered."""

import pytest

from code_server import HERE
from sample import BEFORE, NAMES, NEW, OLD
from vsix_files import pack

pytestmark = pytest.mark.timeout(600)

#: The comma before the last bracket is a problem.
JSON = "{\n" + "".join(f'"{name}": {{"call": "{OLD}"}},\n' for name in NAMES) + "}\n"
#: How high what is shown of a problem is.
PROBLEM = """Math.max(0, ...[...document.querySelectorAll(".marker-widget")]
    .map((widget) => widget.getBoundingClientRect().height))"""


def offer(workbench, text=BEFORE, name="report.py", first=3):
    """Bring an offer below the line of the cursor, which is the second that was changed."""
    workbench.configure({"editcast.debounceMs": 60_000})
    file = workbench.start(text, name)
    for line in (first, first + 1):
        workbench.replace(file, line, OLD, NEW)
    workbench.wait("an offer", lambda: is_offered(workbench))


def is_offered(workbench):
    return OLD in workbench.struck() and NEW in workbench.ghosts()


def test_esc_closes_what_is_shown_of_a_problem_first(workbench):
    offer(workbench, JSON, "calls.json", 2)
    workbench.press("F8")
    workbench.wait("the problem", lambda: workbench.evaluate(PROBLEM) > 0)
    workbench.dismiss("no problem", lambda: workbench.evaluate(PROBLEM) == 0)
    assert is_offered(workbench)
    workbench.dismiss("no offer", lambda: not is_offered(workbench))


def test_esc_ends_other_modes_of_vim_than_the_normal_one(open_workbench, vsix, tmp_path):
    workbench = open_workbench(vsix, pack(HERE / "probe", tmp_path / "probe.vsix"))
    offer(workbench)
    workbench.run("Probe: Enter the Replace Mode of Vim")
    workbench.wait("the mode", lambda: workbench.has_message("-- REPLACE --"))
    workbench.press("Escape", "End")
    line, end = 4, len(BEFORE.split("\n")[3].replace(OLD, NEW)) + 1
    workbench.wait("the line's end", lambda: workbench.cursor() == (line, end))
    assert is_offered(workbench)


def test_ctrl_right_moves_the_cursor_unless_it_is_at_the_edit(workbench):
    offer(workbench)
    changed = BEFORE.replace(OLD, NEW, 2).split("\n")
    workbench.press("Home", "Control+ArrowRight")
    workbench.wait("a word further", lambda: workbench.cursor() == (4, len("orders") + 1))
    assert workbench.lines() == changed
    workbench.go_to(5, changed[4].index(OLD) + 1)
    workbench.press("Control+ArrowRight")
    workbench.wait("the edit", lambda: workbench.lines()[4] == changed[4].replace(OLD, NEW))
