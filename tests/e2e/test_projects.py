"""Changes of one file of a folder, offered in its other files."""

import pytest

from sample import BEFORE, NEW, OLD

pytestmark = pytest.mark.timeout(600)


def wait_for_offer(workbench):
    workbench.wait("the offer", lambda: (workbench.struck(), workbench.ghosts()) == ([OLD], [NEW]))


def test_a_change_is_offered_in_the_files_beside(workbench):
    other, third = (workbench.folder / name for name in ("other.py", "third.py"))
    for each in (other, third):
        each.write_text(BEFORE)
    file = workbench.start(BEFORE)
    workbench.show(other)
    assert workbench.ghosts() == []
    workbench.show(file)
    for line in (3, 4):
        workbench.replace(file, line, OLD, NEW)
    wait_for_offer(workbench)

    # One that was open before, and one that is opened now.
    for each in (other, third):
        workbench.show(each)
        workbench.wait(f"{each.name} as it was", lambda: workbench.lines() == BEFORE.split("\n"))
        wait_for_offer(workbench)
        workbench.run("Editcast: Accept the Next Edit")
        after = BEFORE.replace(OLD, NEW, 1).split("\n")
        workbench.wait("the edit", lambda after=after: workbench.lines() == after)
        workbench.press("Control+s")
        workbench.wait("the file", lambda each=each: NEW in each.read_text())
    assert workbench.complaints() == []
