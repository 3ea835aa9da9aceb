"""Silence in the workbench: several cursors, files left alone."""

import pytest

from sample import BEFORE, NEW, OLD
from workbench import PALETTE_ROWS

pytestmark = pytest.mark.timeout(900)


def is_drawn(workbench):
    return bool(workbench.struck() + workbench.ghosts())


def offer(workbench):
    """Bring an offer on line 5, the cursor on line 4."""
    file = workbench.start(BEFORE)
    for line in (3, 4):
        workbench.replace(file, line, OLD, NEW)
    workbench.wait("an offer", lambda: is_drawn(workbench))
    return file


def test_nothing_is_drawn_with_several_cursors(workbench):
    file = offer(workbench)
    workbench.press("Shift+Alt+ArrowDown")
    workbench.wait("two cursors", lambda: workbench.has_message("2 selections"))
    workbench.wait("nothing drawn", lambda: not is_drawn(workbench))
    workbench.press("Tab")
    workbench.wait("a tab at both", lambda: workbench.lines() != file.read_text().split("\n"))
    assert "".join(workbench.lines()).count(NEW) == 2
    workbench.press("Control+z", "Escape")


def test_the_status_bar_says_where_a_file_is_left_alone(workbench):
    workbench.start(BEFORE)
    workbench.run("Editcast: Turn Suggestions On or Off in This Language")
    workbench.wait("not here", lambda: "not for this file" in workbench.editcast_item())
    assert "Editcast: not here" in "".join(workbench.texts(".statusbar-item"))
    workbench.run("Editcast: Turn Suggestions On or Off in This Language")
    workbench.wait("here", lambda: "not for" not in workbench.editcast_item())
    assert workbench.complaints() == []


def test_nothing_is_drawn_in_a_file_that_is_read_only(workbench):
    offer(workbench)
    settings = workbench.folder / ".vscode" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"files.readonlyInclude": {"**/report.py": true}}')
    workbench.wait("nothing drawn", lambda: not is_drawn(workbench))
    workbench.wait("not here", lambda: "not for this file" in workbench.editcast_item())
    settings.write_text("{}")
    workbench.wait("drawn again", lambda: is_drawn(workbench))


def test_a_snooze_of_the_workspace_lasts_until_it_is_ended(workbench):
    workbench.start(BEFORE)
    workbench.run("Editcast: Snooze")
    choose(workbench, "In this workspace, until I end the snooze")
    workbench.wait("snoozed", lambda: workbench.editcast_item() == "Editcast is snoozed")
    workbench.reload()
    workbench.wait("snoozed still", lambda: workbench.editcast_item() == "Editcast is snoozed")
    workbench.run("Editcast: Snooze")
    choose(workbench, "End the snooze now")
    workbench.wait_until_ready()


def test_the_menu_names_the_language_as_users_do(workbench):
    workbench.start("int main() {}\n", "main.cpp")
    workbench.click(".statusbar-item", "Editcast")
    workbench.wait("the menu", lambda: "Turn suggestions off in C++" in choices(workbench))
    for item in ("Snooze", "Open the settings", "Show the report", "Show recorded saves"):
        assert item in choices(workbench)
    workbench.press("Escape")


def choices(workbench):
    return [row.strip() for row in workbench.texts(PALETTE_ROWS)]


def choose(workbench, choice):
    workbench.wait(choice, lambda: choice in choices(workbench))
    workbench.type(choice)
    workbench.wait("it alone", lambda: choices(workbench) == [choice])
    workbench.press("Enter")


def test_switching_off_and_on_says_nothing_but_in_the_status_bar(workbench):
    workbench.start(BEFORE)
    for state in ("off", "ready"):
        workbench.run("Editcast: Turn Suggestions On or Off")
        said = f"Editcast is {state}"
        workbench.wait(said, lambda said=said: workbench.editcast_item().startswith(said))
    workbench.type("x = 1\n")
    workbench.press("Control+s")
    workbench.wait(
        "a prediction", lambda: workbench.editcast_item().startswith("Editcast is ready")
    )
    assert workbench.complaints() == []
