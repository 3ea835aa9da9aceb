"""One edit made at all of its places by one key, undone by one, and the end of the chain."""

import pytest

from code_server import SHOWN_BY_DEFAULT
from sample import SMALL

pytestmark = pytest.mark.timeout(900)

TEXT = """\
def area(width, height):
    size = width * height
    if width > 3:
        return size + width
    return size
"""
RENAMED = TEXT.replace("width", "breadth", 1)


def test_a_parameter_is_renamed_at_all_places(open_workbench, vsix):
    workbench = open_workbench(vsix, model="")  # the bundled one: the baseline knows of no names
    workbench.configure(SHOWN_BY_DEFAULT | SMALL)
    file = workbench.start(TEXT)
    workbench.replace(file, 1, "width", "breadth")
    hint = "Alt+Shift+Enter: all 3 places"
    workbench.wait("an offer", lambda: workbench.ghosts() == [hint, "breadth"])
    # The Tab after the last edit does not indent.
    workbench.press("Alt+Shift+Enter", "Tab")
    done = TEXT.replace("width", "breadth")
    workbench.wait("all places", lambda: workbench.lines() == done.split("\n"))
    workbench.wait("the end", lambda: workbench.ghosts() == ["no more"])
    workbench.wait("no mark", lambda: workbench.ghosts() == [])
    assert workbench.lines() == done.split("\n")
    workbench.press("Control+z")
    workbench.wait("one undo", lambda: workbench.lines() == RENAMED.split("\n"))
    workbench.press("Control+Shift+z")
    workbench.save(file, done)
