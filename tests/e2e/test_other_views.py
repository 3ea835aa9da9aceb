"""Offers while a file is compared, renamed or deleted, in snippets, and in untrusted folders."""

import json

import pytest

from sample import BEFORE, NEW, OLD
from workbench import PALETTE_ROWS

pytestmark = pytest.mark.timeout(900)

TWICE = BEFORE.replace(OLD, NEW, 2)
MARK = "\ufeff"


def is_offered(workbench):
    return OLD in workbench.struck() and NEW in workbench.ghosts()


def offer(workbench, file):
    """Change two lines of an open file, so that the third is offered."""
    for line in (3, 4):
        workbench.replace(file, line, OLD, NEW)
    workbench.wait("an offer", lambda: is_offered(workbench))


def test_an_offer_is_taken_beside_the_text_that_it_is_compared_with(workbench):
    file = workbench.start(BEFORE)
    offer(workbench, file)
    workbench.run("File: Compare Active File with Saved")
    workbench.wait("the offer there", lambda: is_offered(workbench))
    workbench.go_to(5, 1 + TWICE.split("\n")[4].index(OLD))
    workbench.press("Tab")
    taken = TWICE.replace(OLD, NEW, 1).split("\n")[4]
    workbench.wait("taken", lambda: taken in workbench.lines())
    assert workbench.complaints() == []


def test_a_file_with_a_byte_order_mark_keeps_it(workbench):
    file = workbench.folder / "report.py"
    file.write_text(MARK + BEFORE)
    workbench.open(file)
    workbench.wait_until_ready()
    workbench.focus_editor()
    offer(workbench, file)
    workbench.press("Tab")
    after = TWICE.replace(OLD, NEW, 1)
    workbench.wait("taken", lambda: workbench.lines() == after.split("\n"))
    workbench.press("Control+s")
    workbench.wait("saved", lambda: file.read_text() == MARK + after)


def test_an_offer_stays_where_the_file_was_deleted_and_saving_brings_it_back(workbench):
    file = workbench.start(BEFORE)
    offer(workbench, file)
    file.unlink()
    workbench.wait("deleted", lambda: workbench.texts(".tab.active .strikethrough"))
    workbench.press("Tab")
    after = TWICE.replace(OLD, NEW, 1)
    workbench.wait("taken", lambda: workbench.lines() == after.split("\n"))
    workbench.press("Control+s")
    workbench.wait("the file", lambda: file.exists() and file.read_text() == after)
    assert workbench.complaints() == []


def test_an_offer_goes_on_in_a_file_that_is_renamed(workbench):
    file = workbench.start(BEFORE)
    offer(workbench, file)
    other = workbench.rename(file, "renamed")
    workbench.replace(other, 5, OLD, NEW)
    workbench.wait("an offer", lambda: is_offered(workbench))
    assert workbench.complaints() == []


def test_tab_goes_through_the_places_of_a_snippet_first(workbench):
    snippets = workbench.server.data / "User" / "snippets"
    snippets.mkdir(exist_ok=True)
    (snippets / "python.json").write_text(json.dumps(SNIPPET))
    file = workbench.start(BEFORE)
    offer(workbench, file)
    workbench.press("End", "Enter")
    workbench.run("Snippets: Insert Snippet")
    workbench.wait("the snippet", lambda: workbench.texts(PALETTE_ROWS))
    workbench.press("Enter")
    workbench.wait("inserted", lambda: "check(first, second)" in workbench.lines())
    workbench.wait("an offer", lambda: is_offered(workbench))
    workbench.type("one")
    workbench.press("Tab")
    workbench.type("two")
    workbench.wait("both filled in", lambda: "check(one, two)" in workbench.lines())
    workbench.press("Tab")
    workbench.go_to(6, 1 + BEFORE.split("\n")[4].index(OLD))
    workbench.wait("an offer", lambda: is_offered(workbench))
    workbench.press("Tab")
    workbench.wait("taken", lambda: BEFORE.replace(OLD, NEW).split("\n")[4] in workbench.lines())
    assert workbench.complaints() == []


SNIPPET = {"Check": {"prefix": "check", "body": "check(${1:first}, ${2:second})$0"}}


def test_a_folder_that_is_not_trusted_sets_nothing_that_matters(open_workbench, vsix):
    workbench = open_workbench(vsix, trusts=False)
    workbench.configure({"security.workspace.trust.startupPrompt": "never"})
    settings = workbench.folder / ".vscode" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"editcast.enabled": false, "editcast.python": "/bin/false"}')
    file = workbench.start(BEFORE)
    workbench.wait("restricted", lambda: workbench.has_message("Restricted Mode"))
    offer(workbench, file)
    workbench.press("Tab")
    workbench.wait("taken", lambda: workbench.lines() == TWICE.replace(OLD, NEW, 1).split("\n"))
    assert workbench.complaints() == []
