"""The packaged extension in a real VS Code workbench: from edits and saves to the next edit."""

import sys

import pytest

from editcast_model.history import Store

pytestmark = pytest.mark.timeout(900)

BEFORE = """\
import storage

users = storage.fetch_rows(database, "users")
orders = storage.fetch_rows(database, "orders")
items = storage.fetch_rows(database, "items")
taxes = storage.fetch_rows(database, "taxes")
rates = storage.fetch_rows(database, "rates")
"""
OLD, NEW = "fetch_rows", "load_records"
PALETTE_ROWS = ".quick-input-widget:visible .quick-input-list .monaco-list-row"
LINES = ".monaco-editor .view-lines .view-line"
NOTIFICATIONS = ".notification-list-item"
MENU_ROWS = ".action-widget .monaco-list-row.action"


def editcast_item(workbench):
    """What the status bar says of Editcast, or nothing."""
    return next((item for item in workbench.status_bar() if item.startswith("Editcast")), "")


def wait_until_ready(workbench):
    """Until a server has told what it runs on."""
    workbench.wait("ready", lambda: editcast_item(workbench) == "Editcast is ready (no model)")


def status_message(workbench, words):
    """Whether the status bar's passing message has these words."""
    return any(words in item for item in workbench.status_bar())


def save(workbench, file, expected):
    """Save once the editor shows what is expected, and wait until the file reads so too."""
    shown = sorted(expected.split("\n"))
    workbench.wait(f"shown:\n{expected}", lambda: sorted(workbench.texts(LINES)) == shown)
    workbench.press("Control+s")
    workbench.wait(f"on disk:\n{expected}", lambda: file.read_text() == expected)


def replace_on_line(workbench, file, line):
    """Select `OLD` on a line, type `NEW` over it, and save."""
    lines = file.read_text().splitlines(keepends=True)
    workbench.go_to(line, lines[line - 1].index(OLD) + 1)
    workbench.press(*["Shift+ArrowRight"] * len(OLD))
    workbench.type(NEW)
    lines[line - 1] = lines[line - 1].replace(OLD, NEW)
    save(workbench, file, "".join(lines))


def open_menu(workbench):
    """The code action menu's rows, once it offers a next edit."""

    def attempt():
        workbench.press("Escape", "Control+.")
        try_for = 50
        for _ in range(try_for):
            rows = workbench.texts(MENU_ROWS)
            if rows:
                return [row for row in rows if row.startswith("Next edit")]
        print("the code action menu did not come: another attempt")
        return []

    return workbench.wait("a next edit in the code action menu", attempt)


def test_edits_and_saves_become_the_next_edit(open_workbench, vsix, tmp_path):
    python = tmp_path / "python3"
    workbench = open_workbench(vsix, str(python))
    file = workbench.folder / "report.py"
    file.write_text(BEFORE)
    workbench.open(file)

    # A Python that is not there: one sentence that says what to do, and another try.
    workbench.wait(
        "a sentence about editcast.python",
        lambda: "named by editcast.python does not run" in "".join(workbench.texts(NOTIFICATIONS)),
    )
    assert editcast_item(workbench) == "Editcast is not running"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    workbench.click(f"{NOTIFICATIONS} .monaco-button", "Retry")
    wait_until_ready(workbench)

    workbench.click(LINES, "import storage")
    for line in (3, 4):
        replace_on_line(workbench, file, line)

    # The code action menu, from wherever the cursor is.
    rows = open_menu(workbench)
    assert OLD in rows[0] and NEW in rows[0] and "line 5" in rows[0], rows
    workbench.click(MENU_ROWS, rows[0])
    save(workbench, file, BEFORE.replace(OLD, NEW, 3))

    # The list of our own.
    workbench.run("Editcast: Show the Next Edit")
    workbench.wait("the list", lambda: "line 6" in "".join(workbench.texts(PALETTE_ROWS)))
    workbench.press("Enter")
    save(workbench, file, BEFORE.replace(OLD, NEW, 4))

    # A rejected suggestion does not come back.
    workbench.run("Editcast: Reject the Next Edit")
    workbench.wait(
        "the rejection", lambda: status_message(workbench, "rejected. Next edit, line 7")
    )
    workbench.run("Editcast: Show the Next Edit")
    workbench.wait("no more", lambda: status_message(workbench, "Editcast has no next edit"))

    # Snoozed, off and on, and a server that is started again.
    workbench.run("Editcast: Snooze")
    workbench.wait("how long", lambda: "5 minutes" in "".join(workbench.texts(PALETTE_ROWS)))
    workbench.press("Enter")
    workbench.wait("a snooze", lambda: editcast_item(workbench) == "Editcast is snoozed")
    workbench.run("Editcast: Turn Suggestions On or Off")
    workbench.wait("off", lambda: editcast_item(workbench) == "Editcast is off")
    workbench.run("Editcast: Turn Suggestions On or Off")
    workbench.wait("on", lambda: editcast_item(workbench) == "Editcast is snoozed")
    workbench.run("Editcast: Restart the Server")
    wait_until_ready(workbench)

    # No report, and then the newest that there is.
    workbench.run("Editcast: Show the Evaluation Report")
    workbench.wait(
        "how to make a report",
        lambda: "no evaluation report yet" in "".join(workbench.texts(NOTIFICATIONS)),
    )
    (workbench.editcast_home / "reports").mkdir()
    (workbench.editcast_home / "reports" / "report.html").write_text("<h1>How good</h1>")
    workbench.run("Editcast: Show the Evaluation Report")
    workbench.wait("the report", lambda: "Editcast Report" in workbench.texts(".tab .label-name"))

    # What was saved is remembered, in the folder that EDITCAST_HOME names.
    with Store.open(workbench.editcast_home / "history.sqlite3") as store:
        [snapshots] = [store.snapshots(each.path) for each in store.files()]
        outcomes = [outcome.what for outcome in store.outcomes()]
    assert snapshots[-1].text == BEFORE.replace(OLD, NEW, 4)
    assert sorted(outcomes) == ["accepted", "accepted", "rejected"]


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
    assert not editcast_item(workbench)
