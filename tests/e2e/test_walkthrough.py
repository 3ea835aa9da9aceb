"""The walkthrough, by what it says only."""

import pytest

from code_server import SHOWN_BY_DEFAULT

pytestmark = pytest.mark.timeout(900)

STEP = ".getting-started-step"
#: The steps that are checked off.
DONE = """[...document.querySelectorAll(".getting-started-step")]
    .filter((step) => step.querySelector(".codicon-getting-started-step-checked"))
    .map((step) => step.innerText.split("\\n")[0])"""


def test_the_first_suggestion_is_taken_in_the_sample(open_workbench, vsix):
    workbench = open_workbench(vsix, model="")
    workbench.configure(SHOWN_BY_DEFAULT)
    workbench.open()
    workbench.wait_until_ready()
    workbench.run("Editcast: First Steps")
    workbench.wait("the steps", lambda: "Try it now" in "".join(workbench.texts(STEP)))
    installed = ["Install the server"]
    workbench.wait("the first step", lambda: workbench.evaluate(DONE) == installed)
    workbench.click(STEP, "Try it now")
    workbench.click(f"{STEP} .monaco-button", "Try It")
    workbench.wait("the sample", lambda: "def total(price, tax):" in workbench.lines())
    sample = workbench.lines()
    workbench.wait("the name, selected", lambda: workbench.has_message("(5 selected)"))
    workbench.type("amount", delay=120)
    workbench.wait("the first suggestion", lambda: "amount" in workbench.ghosts())
    workbench.press("Tab")
    renamed = [line.replace("price", "amount") for line in sample]
    workbench.wait("the first use", lambda: workbench.lines()[3] == renamed[3])
    workbench.wait("the second suggestion", lambda: "amount" in workbench.ghosts())
    workbench.press("Tab")
    workbench.wait("both uses", lambda: workbench.lines() == renamed)
    assert workbench.complaints() == []
    workbench.press("Control+s")
    workbench.wait("a save", lambda: not workbench.has_unsaved_text())
    workbench.run("Editcast: Try It in a Sample File")
    workbench.wait("the sample again", lambda: workbench.lines() == sample)
    workbench.wait("the name, selected again", lambda: workbench.cursor() == (3, 16))
    workbench.run("Editcast: First Steps")
    done = [*installed, "Try it now"]
    workbench.wait("the second step", lambda: workbench.evaluate(DONE) == done)
