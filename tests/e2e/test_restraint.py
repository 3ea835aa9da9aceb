"""Silence in the workbench: several cursors, files left alone."""

import json

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
    # A list of completions, which may come late, takes a Tab.
    workbench.configure({"editor.quickSuggestions": False})
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


def test_the_status_bar_forgets_a_file_that_is_closed(workbench):
    workbench.configure({"editcast.exclude": ["**/*.txt"]})
    files = [workbench.folder / name for name in ("one.txt", "other.txt")]
    for file in files:
        file.write_text("secret\n")
    workbench.open(*files)
    workbench.wait("not here", lambda: "not for this file" in workbench.editcast_item())
    workbench.evaluate(NOTE_ITEM)
    workbench.show(files[0])
    assert workbench.evaluate("globalThis.editcastItems") == [" Editcast: not here"]
    workbench.focus_editor()
    workbench.press("Control+k", "w")
    workbench.wait("no editor", lambda: workbench.lines() == [])
    workbench.wait("ready", lambda: "not for" not in workbench.editcast_item())


#: Keeps the texts of Editcast's item in the status bar, one after the other.
NOTE_ITEM = """(() => {
    const said = globalThis.editcastItems = [];
    const bar = document.querySelector(".statusbar");
    const look = () => {
        const items = [...bar.querySelectorAll(".statusbar-item")].map((one) => one.textContent);
        const text = items.find((one) => one.includes("Editcast:"));
        if (text !== said.at(-1)) {
            said.push(text);
        }
    };
    look();
    const all = { subtree: true, childList: true, characterData: true };
    new MutationObserver(look).observe(bar, all);
})()"""


def test_nothing_stays_drawn_in_a_file_whose_language_is_turned_off(workbench):
    workbench.configure({"editcast.languages": ["*", "!plaintext"]})
    offer(workbench)
    workbench.run("Change Language Mode")
    workbench.wait("languages", lambda: any("Auto Detect" in one for one in choices(workbench)))
    workbench.type("Plain Text")
    workbench.wait("it alone", lambda: choices(workbench) == ["Plain Text(plaintext)"])
    workbench.press("Enter")
    workbench.wait("nothing drawn", lambda: not is_drawn(workbench))
    workbench.wait("not here", lambda: "not for this file" in workbench.editcast_item())


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


def test_a_snooze_lasts_when_the_server_is_started_again(workbench):
    workbench.start(BEFORE)
    workbench.run("Editcast: Snooze")
    choose(workbench, "An hour")
    workbench.wait("snoozed", lambda: workbench.editcast_item() == "Editcast is snoozed")
    [before] = workbench.server.language_servers()
    workbench.run("Editcast: Restart the Server")
    workbench.wait("another server", lambda: before not in workbench.server.language_servers())
    workbench.wait("snoozed still", lambda: workbench.editcast_item() == "Editcast is snoozed")


def test_a_chosen_eagerness_replaces_a_threshold(workbench):
    workbench.configure({"editcast.confidenceThreshold": 0.99})
    workbench.start(BEFORE)
    workbench.run("Editcast: Choose the Eagerness")
    choose(workbench, "Low")
    settings = workbench.server.data / "User" / "settings.json"

    def chosen():
        written = json.loads(settings.read_text())
        return [written.get(f"editcast.{name}") for name in ("eagerness", "confidenceThreshold")]

    workbench.wait("both settings", lambda: chosen() == ["low", None])


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
    workbench.wait(choice, lambda: any(choice in one for one in choices(workbench)))
    workbench.type(choice)
    workbench.wait("it alone", lambda: [choice in one for one in choices(workbench)] == [True])
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
