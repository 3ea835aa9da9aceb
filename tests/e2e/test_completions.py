"""Tab while VS Code's list of completions is open."""

import pytest

from code_server import SHOWN_BY_DEFAULT

pytestmark = pytest.mark.timeout(900)

TEXT = """\
# an amount, and some amounting
def total(price, tax):
    return price + price * tax
"""
ROWS = ".suggest-widget.visible .monaco-list-row .label-name"


def rename_the_parameter(workbench):
    workbench.go_to(2, 11)
    workbench.press(*["Shift+ArrowRight"] * len("price"))
    workbench.type("amount", delay=150)


def test_tab_goes_through_a_list_that_has_only_what_stands_there(open_workbench, vsix):
    workbench = open_workbench(vsix, model="")
    workbench.configure(SHOWN_BY_DEFAULT)
    text = TEXT.replace(", and some amounting", "")
    file = workbench.start(text)
    rename_the_parameter(workbench)
    workbench.wait("the list", lambda: workbench.texts(ROWS) == ["amount"])
    workbench.wait("an offer", lambda: "amount + amount" in workbench.ghosts())
    workbench.press("Tab")
    workbench.wait("taken", lambda: "return amount + amount" in workbench.lines()[2])
    assert file.read_text() == text


def test_tab_completes_the_word_where_a_completion_would_change_it(open_workbench, vsix):
    workbench = open_workbench(vsix, model="")
    workbench.configure(SHOWN_BY_DEFAULT)
    workbench.start(TEXT.replace("an amount", "it"))
    rename_the_parameter(workbench)
    workbench.wait("the list", lambda: workbench.texts(ROWS) == ["amounting"])
    workbench.wait("an offer", lambda: "amount + amount" in workbench.ghosts())
    workbench.press("Tab")
    workbench.wait("completed", lambda: "def total(amounting, tax):" in workbench.lines())
