"""The first start, as a new user meets it: a question, an installation, and no Python named."""

import os
import re
import time

import pytest

from sample import BEFORE
from workbench import NOTIFICATIONS

pytestmark = pytest.mark.timeout(900)

#: What the packages may take on a disk without an NVIDIA driver, in megabytes.
MOST_MB = 150
#: Seconds from the yes to the first Tab, and those of them that install: by the clock on a machine
#: that does nothing else, and of processor time on any.
MOST_S, MOST_INSTALL_S = 90, 40


def storage(workbench):
    """The names in the extension's own folder."""
    folder = workbench.server.data / "User" / "globalStorage" / "editcast.editcast"
    return folder, sorted(each.name for each in folder.glob("*-*"))


def clocks(workbench):
    """The seconds of the clock, and of the processor time of the workbench and what it starts."""
    return time.monotonic(), workbench.server.processor_seconds()


def asks(workbench):
    return "downloads about" in "".join(workbench.notifications())


def test_nothing_is_downloaded_before_a_yes(open_workbench, vsix):
    workbench = open_workbench(vsix, python="", model="")
    file = workbench.folder / "report.py"
    file.write_text(BEFORE)
    workbench.open(file)
    workbench.wait("a question", lambda: asks(workbench))
    assert workbench.editcast_item() == "Editcast is not installed"
    [question] = workbench.notifications()
    assert re.search(r"downloads about \d+ MB of Python packages .* \d+ MB on the disk", question)
    assert storage(workbench)[1] == []

    # After a no it asks again where it is clicked.
    workbench.click(f"{NOTIFICATIONS} .monaco-button", "Not Now")
    workbench.wait("no question", lambda: not workbench.notifications())
    assert workbench.editcast_item() == "Editcast is not installed"
    assert storage(workbench)[1] == []
    workbench.click(".statusbar-item", "Editcast")
    workbench.wait("the question again", lambda: asks(workbench))

    # A yes: megabytes while it goes on, and what can be cancelled leaves nothing behind.
    workbench.click(f"{NOTIFICATIONS} .monaco-button", "Install")
    workbench.wait(
        "how far it is",
        lambda: re.search(r"ing, \d+ of about \d+ MB", "".join(workbench.notifications())),
    )
    workbench.click(f"{NOTIFICATIONS} .monaco-button", "Cancel")
    workbench.wait("the end", lambda: workbench.editcast_item() == "Editcast is not installed")
    assert storage(workbench)[1] == []

    workbench.click(".statusbar-item", "Editcast")
    workbench.wait("the question once more", lambda: asks(workbench))
    workbench.click(f"{NOTIFICATIONS} .monaco-button", "Install")
    agreed = clocks(workbench)
    workbench.wait_until_ready()
    installed = clocks(workbench)
    workbench.wait(
        "what to do next", lambda: "Editcast is ready" in "".join(workbench.notifications())
    )
    workbench.click(f"{NOTIFICATIONS} .monaco-button", "Try It")
    workbench.wait("the sample", lambda: "def total(price, tax):" in workbench.lines())
    workbench.wait("the name, selected", lambda: workbench.has_message("(5 selected)"))
    workbench.type("amount")
    workbench.wait("the first suggestion", lambda: "amount" in workbench.ghosts())
    workbench.press("Tab")
    workbench.wait("the first use", lambda: "    rounded = round(amount, 2)" in workbench.lines())
    taken = clocks(workbench)
    busy = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    for what, end, most in (
        ("to the first Tab", taken, MOST_S),
        ("install", installed, MOST_INSTALL_S),
    ):
        wall, worked = (there - here for here, there in zip(agreed, end, strict=True))
        print(f"{what}: {wall:.0f} s, {worked:.0f} s of processor time, {busy:.1f} times busy")
        assert worked <= most
        assert wall <= most * busy

    folder, [environment] = storage(workbench)
    files = [each for each in (folder / environment).rglob("*") if not each.is_symlink()]
    size = sum(each.stat().st_size for each in files if each.is_file()) / 1e6
    print(f"{size:.0f} MB in {len(files)} files")
    assert size <= MOST_MB
