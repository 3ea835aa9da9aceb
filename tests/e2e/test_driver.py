"""The driver of the browser: the tests read from the page what is drawn in it."""

import pytest

from code_server import HERE
from vsix_files import pack

pytestmark = pytest.mark.timeout(600)


def test_decorations_are_read_as_they_are_drawn(open_workbench, tmp_path):
    workbench = open_workbench(pack(HERE / "probe", tmp_path / "probe.vsix"))
    file = workbench.folder / "drawn.py"
    file.write_text("first = 1\ndef second(third):  # 3\n    pass\nlast = 4\n")
    workbench.open(file)
    assert workbench.ghosts() == workbench.struck() == workbench.gutter_icons() == []
    workbench.run("Probe: Draw Decorations")
    workbench.wait("decorations", workbench.gutter_icons)
    assert workbench.ghosts() == ['  it\'s \\ "after"', "before "]
    assert workbench.texts_of_pseudo(".view-lines span") == workbench.ghosts()
    assert workbench.struck() == ["def second(third):  # 3"]
    assert workbench.gutter_icons() == [3]
    assert workbench.lines() == file.read_text().split("\n")
