"""The oldest VS Code that the extension says it runs in."""

import json

import pytest

from code_server import CACHE, ROOT
from sample import BEFORE, NEW, OLD
from workbench import MENU_ROWS

pytestmark = pytest.mark.timeout(600)


def test_an_edit_is_repeated_in_the_oldest_vs_code(drive, open_workbench, vsix):
    product = json.loads((CACHE / "oldest/code-server/lib/vscode/product.json").read_text())
    package = json.loads((ROOT / "vscode-client" / "package.json").read_text())
    oldest = package["engines"]["vscode"].removeprefix("^")
    assert product["version"].rpartition(".")[0] == oldest.rpartition(".")[0]

    workbench = open_workbench(vsix, release="oldest")
    file = workbench.start(BEFORE)
    workbench.replace(file, 3, OLD, NEW)
    workbench.replace(file, 4, OLD, NEW)
    rows = workbench.code_actions()
    assert OLD in rows[0] and NEW in rows[0] and "line 5" in rows[0], rows
    assert workbench.texts(MENU_ROWS)[0] == rows[0]
    workbench.press("Enter")  # a click does not reach the menu of this version
    workbench.save(file, BEFORE.replace(OLD, NEW, 3))
