"""The packaged extension in a real VS Code workbench: from edits and saves to the next edit."""

import pytest

pytestmark = pytest.mark.timeout(900)

BEFORE = """\
import storage

users = storage.fetch_rows(database, "users")
orders = storage.fetch_rows(database, "orders")
items = storage.fetch_rows(database, "items")
taxes = storage.fetch_rows(database, "taxes")
"""
OLD, NEW = "fetch_rows", "load_records"
PALETTE_ROWS = ".quick-input-widget:visible .quick-input-list .monaco-list-row"
MENU_ROWS = ".action-widget .monaco-list-row.action"


def editcast_item(workbench):
    """What the status bar says of Editcast, or nothing."""
    return next((item for item in workbench.status_bar() if item.startswith("Editcast")), "")


def wait_for_text(workbench, file, expected):
    """Until the file on disk reads as expected."""
    workbench.wait(f"on disk:\n{expected}", lambda: file.read_text() == expected)


def replace_on_line(workbench, file, line):
    """Select `OLD` on a line, type `NEW` over it, and save."""
    lines = file.read_text().splitlines(keepends=True)
    workbench.go_to(line, lines[line - 1].index(OLD) + 1)
    workbench.press(*["Shift+ArrowRight"] * len(OLD))
    workbench.type(NEW)
    workbench.press("Control+s")
    lines[line - 1] = lines[line - 1].replace(OLD, NEW)
    wait_for_text(workbench, file, "".join(lines))


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


def test_edits_and_saves_become_the_next_edit(open_workbench, vsix):
    workbench = open_workbench(vsix)
    file = workbench.folder / "report.py"
    file.write_text(BEFORE)
    workbench.open(file)
    workbench.wait(
        "Editcast ready", lambda: editcast_item(workbench).startswith("Editcast is ready")
    )
    workbench.click(".monaco-editor .view-line", "import storage")

    for line in (3, 4):
        replace_on_line(workbench, file, line)

    # The code action menu, from wherever the cursor is.
    rows = open_menu(workbench)
    assert OLD in rows[0] and NEW in rows[0] and "line 5" in rows[0], rows
    workbench.click(MENU_ROWS, rows[0])
    expected = BEFORE.replace(OLD, NEW, 3)
    workbench.press("Control+s")
    wait_for_text(workbench, file, expected)

    # The command of our own, for the last one.
    workbench.run("Editcast: Show the Next Edit")
    workbench.wait(
        "the list of next edits", lambda: "line 6" in "".join(workbench.texts(PALETTE_ROWS))
    )
    workbench.press("Enter", "Control+s")
    wait_for_text(workbench, file, BEFORE.replace(OLD, NEW))

    # On and off, and a server that comes back.
    workbench.run("Editcast: Turn Suggestions On or Off")
    workbench.wait("off", lambda: editcast_item(workbench).startswith("Editcast is off"))
    workbench.run("Editcast: Turn Suggestions On or Off")
    workbench.wait("on", lambda: editcast_item(workbench).startswith("Editcast is ready"))
    workbench.run("Editcast: Restart the Server")
    workbench.wait("ready again", lambda: editcast_item(workbench).startswith("Editcast is ready"))

    # What was saved is remembered, in the folder that EDITCAST_HOME names.
    assert list(workbench.editcast_home.glob("history.sqlite3"))


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
