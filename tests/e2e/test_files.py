"""Files that are served: those on disk, wherever they lie; all else is left alone in silence."""

import json

import pytest

from editcast_store.saves import Store
from sample import BEFORE, NEW, OLD

pytestmark = pytest.mark.timeout(600)

CELL = {
    "cell_type": "code",
    "execution_count": None,
    "id": "one",
    "metadata": {},
    "outputs": [],
    "source": BEFORE.splitlines(keepends=True),
}
NOTEBOOK = {"cells": [CELL], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def remembered(workbench):
    """The files that the store has saves of."""
    with Store.open(workbench.editcast_home / "history.sqlite3") as store:
        return {each.path for each in store.files()}


def edit(workbench, file):
    """Make an edit in an open file, save it, and see the next one offered."""
    workbench.focus_editor()
    workbench.replace(file, 3, OLD, NEW)
    rows = workbench.code_actions()
    assert "line 4" in rows[0] and NEW in rows[0], rows
    workbench.press("Escape")
    workbench.wait(f"saves of {file}", lambda: str(file) in remembered(workbench))


def test_a_file_outside_of_the_folder_is_served(workbench, tmp_path):
    file = tmp_path / "elsewhere" / "outside.py"
    file.parent.mkdir()
    file.write_text(BEFORE)
    workbench.open(file)
    workbench.wait_until_ready()
    edit(workbench, file)


def test_every_folder_of_a_workspace_is_served(workbench, tmp_path):
    files = [tmp_path / name / f"{name}.py" for name in ("first", "second")]
    for file in files:
        file.parent.mkdir()
        file.write_text(BEFORE)
    workspace = tmp_path / "both.code-workspace"
    workspace.write_text(json.dumps({"folders": [{"path": str(file.parent)} for file in files]}))
    workbench.open(files[0], workspace=workspace)
    workbench.wait_until_ready()
    edit(workbench, files[0])
    workbench.show(files[1])
    edit(workbench, files[1])
    assert workbench.complaints() == []


def test_what_is_not_a_text_file_on_disk_is_left_alone(workbench):
    notebook = workbench.folder / "cells.ipynb"
    notebook.write_text(json.dumps(NOTEBOOK, indent=1))
    file = workbench.folder / "rows.py"
    file.write_text(BEFORE)
    workbench.open(file)
    workbench.wait_until_ready()
    workbench.show(notebook)
    workbench.wait("the cell's text", lambda: "import storage" in workbench.lines())

    workbench.focus_editor()
    workbench.type("# a cell\n")
    workbench.press("Control+s")
    workbench.wait("the saved notebook", lambda: "# a cell" in notebook.read_text())

    workbench.press("Control+Alt+n")
    workbench.wait("an empty file", lambda: workbench.lines() == [""])
    workbench.type("first = 1\nfirst = 1\n")
    workbench.run("Editcast: List the Next Edits")
    workbench.wait("nothing", lambda: workbench.has_message("not a document that Editcast serves"))

    workbench.show(file)
    edit(workbench, file)
    assert remembered(workbench) & {str(notebook), str(file)} == {str(file)}
    assert workbench.complaints() == []
