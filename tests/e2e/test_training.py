"""Training from the command palette: its progress, its end by the user, and the model after it."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from editcast_store.models import default_bundle_path, install
from workbench import NOTIFICATIONS, PALETTE_ROWS

pytestmark = pytest.mark.timeout(900)

FUNCTION = '''
def {name}(path, {value}):
    """Look for {value} in a file."""
    with open(path, encoding="utf-8") as file:
        {value} = parse(file.read(), {value})
    return {value}
'''
NAMES = ("read", "write", "copy", "move", "check", "list")
FILES = 10
VALUES = [
    word + end for word in ("value", "result", "answer", "record") for end in ("", "s", "_all")
]


def make_history(folder):
    """A repository with enough of a past to train on: a name is changed again and again."""

    def git(*arguments):
        author = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", *author, *arguments], cwd=folder, check=True, capture_output=True)

    git("init")
    for value in VALUES:
        for number in range(FILES):
            functions = (FUNCTION.format(name=f"{name}_{number}", value=value) for name in NAMES)
            (folder / f"module_{number}.py").write_text("\n".join(functions))
        git("add", ".")
        git("commit", "--message", value)


def shown(workbench):
    """The sources to choose from, a name and its amount without a space between them."""
    return ["".join(row.split("\n")) for row in workbench.texts(PALETTE_ROWS)]


def test_too_little_history_is_said_before_anything_else(open_workbench, vsix):
    workbench = open_workbench(vsix)
    workbench.start("x = 1\n")
    workbench.run("Editcast: Train on My Local History")
    workbench.wait(
        "a sentence", lambda: "There is too little history" in "".join(workbench.notifications())
    )
    assert "Nothing was downloaded" in "".join(workbench.notifications())
    assert workbench.editcast_item().startswith("Editcast is ready")


def test_it_is_cancelled_by_its_notification_and_a_new_model_is_taken_up(open_workbench, vsix):
    workbench = open_workbench(vsix, model="")
    make_history(workbench.folder)
    workbench.open(workbench.folder / "module_0.py")
    workbench.wait_until_ready()

    workbench.run("Editcast: Train on My Local History")
    commits = f"Commits of {workbench.folder.name}{len(VALUES)} commits"
    workbench.wait("what there is", lambda: commits in shown(workbench))
    workbench.press("Enter")  # all of it
    # On a busy machine it waits after it has judged what it begins with.
    said = re.compile("of held-out edits right|The training waits: other programs")
    workbench.wait(
        "the progress of a training", lambda: said.search("".join(workbench.notifications()))
    )
    assert workbench.editcast_item() == "Editcast is training"
    workbench.click(f"{NOTIFICATIONS} .monaco-button", "Cancel")
    workbench.wait_until_ready()
    workbench.wait("no notification", lambda: not workbench.notifications())

    # What the end of a training does; a whole one takes minutes.
    made = workbench.editcast_home / "made"
    shutil.copytree(default_bundle_path(), made)
    install(made, workbench.editcast_home / "models")
    servers = workbench.server.language_servers()
    workbench.focus_editor()
    workbench.type("#")
    workbench.press("Control+s")
    workbench.wait("the new model", lambda: workbench.server.logs().count("Model: ") == 2)
    workbench.run("Editcast: Go Back to the Previous Model")
    workbench.wait("the bundled model", lambda: workbench.server.logs().count("Model: ") == 3)
    assert workbench.server.language_servers() == servers


#: A server whose training is over at once: it says what the end of a long one says.
AT_ITS_END = """
import sys
from editcast_server.lsp.app import create_server
server = create_server()
server.training._command = [sys.executable, "-c", sys.argv[1]]
server.start_io()
"""
SENTENCE = "Of 40 edits the new model has 12 right, the one before 9."


def test_the_end_of_a_training_offers_the_comparison(open_workbench, vsix):
    workbench = open_workbench(vsix)
    make_history(workbench.folder)
    page = workbench.folder.parent / "comparison.md"
    page.write_text("# The new model and the one before\n")
    event = {"type": "comparison", "text": SENTENCE, "page": str(page)}
    machine = workbench.server.data / "Machine" / "settings.json"
    command = [sys.executable, "-c", AT_ITS_END, f"print({json.dumps(event)!r})"]
    settings = json.loads(machine.read_text()) | {"editcast.serverCommand": command}
    machine.write_text(json.dumps(settings))

    workbench.open(workbench.folder / "module_0.py")
    workbench.wait_until_ready()
    workbench.run("Editcast: Train on My Local History")
    workbench.wait("what there is", lambda: "commits" in "".join(shown(workbench)))
    workbench.press("Enter")
    workbench.wait("the end", lambda: SENTENCE in "".join(workbench.notifications()))
    workbench.click(f"{NOTIFICATIONS} .monaco-button", "Show the Comparison")
    workbench.wait("the page", lambda: page.name in workbench.evaluate("document.title"))
    workbench.wait("its text", lambda: page.read_text().strip() in workbench.lines())
