"""Nothing that is typed is lost, nor goes elsewhere, while Editcast is at work."""

import pytest

from code_server import HERE
from sample import BEFORE, NEW, OLD
from typing_probe import SETTINGS, TEXT, type_evenly
from vsix_files import pack

pytestmark = pytest.mark.timeout(600)


def test_200_characters_at_20_a_second_are_all_there(open_workbench, vsix, tmp_path):
    workbench = open_workbench(vsix, pack(HERE / "probe", tmp_path / "probe.vsix"))
    result = tmp_path / "pauses.json"
    workbench.configure({**SETTINGS, "probe.result": str(result)})
    file = workbench.start(BEFORE)
    workbench.replace(file, 3, OLD, NEW)  # there is something to suggest all the while

    assert len(TEXT) == 200
    pauses = type_evenly(workbench, file, result)
    assert file.read_text() == BEFORE.replace(OLD, NEW, 1) + TEXT
    assert 0 <= pauses.p50 <= pauses.p95 <= pauses.p99 <= pauses.max
    assert OLD in "".join(workbench.code_actions())  # it was at work
