"""The view of what is remembered: a save as a diff, and a file and a time forgotten."""

import pytest

from editcast_store.saves import Store
from sample import BEFORE, NEW, OLD

pytestmark = pytest.mark.timeout(900)

ROWS = ".pane-body .customview-tree .monaco-list-row"
DIALOG = ".monaco-dialog-box"


def rows(workbench):
    """The lines of the view, a name and its description without a space between them."""
    return [" ".join(row.split()) for row in workbench.texts(ROWS)]


def test_saves_are_shown_compared_and_forgotten(open_workbench, vsix):
    workbench = open_workbench(vsix)
    file = workbench.start(BEFORE)
    with Store.open(workbench.editcast_home / "history.sqlite3") as store:
        store.record("/elsewhere/other.py", "x = 1\n", 1, "python")  # 1970: older than all
    workbench.replace(file, 3, OLD, NEW)
    workbench.run("Editcast: Show Recorded Saves")
    workbench.wait("the files", lambda: any("report.py" in row for row in rows(workbench)))
    shown = rows(workbench)
    assert shown[0].startswith(f"{workbench.folder.name}2 saves,")
    assert shown[1].startswith("report.py2 saves,")
    assert shown[2].startswith("elsewhere1 save,")

    workbench.click(ROWS, "report.py")
    workbench.wait("its saves", lambda: any(row.startswith("Save 2, ") for row in rows(workbench)))
    workbench.click(ROWS, "Save 2, ")
    workbench.wait("a diff", lambda: "report.py: Save 2" in workbench.evaluate("document.title"))
    diff = ".monaco-diff-editor .view-lines .view-line"
    workbench.wait("the new text", lambda: NEW in "".join(workbench.texts(diff)))

    workbench.run("Editcast: Forget Saves of a Period...")
    choices = ".quick-input-widget:visible .monaco-list-row"
    workbench.wait("times", lambda: "Today" in workbench.texts(choices))
    workbench.type("Older than 90 days")
    workbench.wait("one left", lambda: workbench.texts(choices) == ["Older than 90 days"])
    workbench.press("Enter")
    workbench.wait("a question", lambda: "Forget all saves" in "".join(workbench.texts(DIALOG)))
    workbench.click(f"{DIALOG} .monaco-button", "Forget")
    workbench.wait("an old save gone", lambda: "elsewhere" not in "".join(rows(workbench)))
    assert "report.py" in "".join(rows(workbench))

    workbench.run("Editcast: Forget Everything...")
    workbench.wait("a question", lambda: "everything" in "".join(workbench.texts(DIALOG)))
    workbench.click(f"{DIALOG} .monaco-button", "Forget")
    workbench.wait("nothing there", lambda: "No saves are recorded yet" in view_text(workbench))
    with Store.open(workbench.editcast_home / "history.sqlite3") as store:
        assert store.files() == []


def view_text(workbench):
    return "".join(workbench.texts(".pane-body .welcome-view"))
