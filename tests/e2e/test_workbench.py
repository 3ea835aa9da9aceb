"""The packaged extension in a real VS Code workbench: from edits and saves to the next edit."""

import sys

import pytest

from editcast_store.saves import Store
from sample import BEFORE, NEW, OLD
from workbench import MENU_ROWS, NOTIFICATIONS, PALETTE_ROWS

pytestmark = pytest.mark.timeout(900)


def test_edits_and_saves_become_the_next_edit(open_workbench, vsix, tmp_path):
    python = tmp_path / "python3"
    workbench = open_workbench(vsix, python=str(python))
    file = workbench.folder / "report.py"
    file.write_text(BEFORE)
    workbench.open(file)

    # A Python that is not there: one sentence that says what to do, and another try.
    workbench.wait(
        "a sentence about editcast.python",
        lambda: "named by editcast.python does not run" in "".join(workbench.notifications()),
    )
    assert workbench.editcast_item() == "Editcast is not running"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    workbench.click(f"{NOTIFICATIONS} .monaco-button", "Retry")
    workbench.wait_until_ready()

    workbench.focus_editor()
    for line in (3, 4):
        workbench.replace(file, line, OLD, NEW)

    # The code action menu, from wherever the cursor is.
    rows = workbench.code_actions()
    assert OLD in rows[0] and NEW in rows[0] and "line 5" in rows[0], rows
    workbench.click(MENU_ROWS, rows[0])
    workbench.save(file, BEFORE.replace(OLD, NEW, 3))

    # The list of our own.
    workbench.run("Editcast: List the Next Edits")
    workbench.wait("the list", lambda: "line 6" in "".join(workbench.texts(PALETTE_ROWS)))
    workbench.press("Enter")
    workbench.save(file, BEFORE.replace(OLD, NEW, 4))

    # A rejected suggestion does not come back.
    workbench.wait("the next edit, drawn", lambda: workbench.struck() + workbench.ghosts())
    workbench.run("Editcast: Dismiss the Next Edit")
    workbench.wait("nothing drawn", lambda: not workbench.struck() + workbench.ghosts())
    workbench.run("Editcast: List the Next Edits")
    workbench.wait("no more", lambda: workbench.has_message("Editcast has no next edit"))

    # Snoozed, off and on, awake, and a server that is started again.
    workbench.run("Editcast: Snooze")
    workbench.wait("how long", lambda: "5 minutes" in "".join(workbench.texts(PALETTE_ROWS)))
    workbench.press("Enter")
    workbench.wait("a snooze", lambda: workbench.editcast_item() == "Editcast is snoozed")
    workbench.run("Editcast: Turn Suggestions On or Off")
    workbench.wait("off", lambda: workbench.editcast_item() == "Editcast is off")
    workbench.run("Editcast: Turn Suggestions On or Off")
    workbench.wait("on", lambda: workbench.editcast_item() == "Editcast is snoozed")
    workbench.run("Editcast: Snooze")
    workbench.wait("its end", lambda: "End the snooze" in "".join(workbench.texts(PALETTE_ROWS)))
    workbench.press("Enter")
    workbench.wait_until_ready()

    # A page about all of it, which waits for the server that is just being started.
    workbench.run("Editcast: Restart the Server")
    workbench.run("Editcast: Show the Report")
    workbench.wait("the report", lambda: "Editcast Report" in workbench.texts(".tab .label-name"))

    # What was saved is remembered, in the folder that EDITCAST_HOME names.
    with Store.open(workbench.editcast_home / "history.sqlite3") as store:
        [snapshots] = [store.snapshots(each.path) for each in store.files()]
        outcomes = [outcome.what for outcome in store.outcomes()]
    assert snapshots[-1].text == BEFORE.replace(OLD, NEW, 4)
    assert outcomes.count("accepted") == 2
    assert outcomes.count("rejected") == 1


def test_without_the_extension_there_is_nothing_of_it(open_workbench):
    """The negative control: what the test above looks for is the extension's doing."""
    workbench = open_workbench()
    file = workbench.folder / "report.py"
    file.write_text(BEFORE)
    workbench.open(file)
    workbench.wait("the language", lambda: "Python" in workbench.status_bar())
    workbench.press("F1")
    workbench.wait("the command palette", lambda: workbench.texts(PALETTE_ROWS))
    workbench.type("Editcast: ")
    workbench.wait("an empty list", lambda: "No matching" in "".join(workbench.texts(PALETTE_ROWS)))
    assert not workbench.editcast_item()
