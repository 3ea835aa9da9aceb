"""Another version of the extension, newer or older, is installed over one in use."""

import time

import pytest

from editcast_store.saves import MERGE_WINDOW_MS, Store
from vsix_files import with_version

pytestmark = pytest.mark.timeout(900)


def texts_in_store(workbench, file):
    """Return what is remembered of a file, oldest first."""
    with Store.open(workbench.editcast_home / "history.sqlite3") as store:
        return [snapshot.text for snapshot in store.snapshots(str(file))]


def installed(workbench):
    """The versions of Editcast that VS Code goes by."""
    listed = workbench.server.command("--list-extensions", "--show-versions").splitlines()
    return [line.partition("@")[2] for line in listed if line.startswith("editcast.editcast@")]


def save_a_line(workbench, file, line):
    """Type a line at the file's top and save it, so late that it takes no other save's place."""
    late = file.stat().st_mtime + MERGE_WINDOW_MS / 1000 + 1
    workbench.wait("the time for another save", lambda: time.time() > late)
    workbench.focus_editor()
    workbench.press("Control+Home")
    workbench.type(f"{line}\n")
    workbench.save(file, f"{line}\n{file.read_text()}")


def test_update_and_downgrade_keep_what_is_remembered(open_workbench, vsix, tmp_path):
    older = with_version(vsix, "0.0.1", tmp_path / "older.vsix")
    workbench = open_workbench(older)
    file = workbench.folder / "kept.py"
    file.write_text("first = 1\n")
    workbench.open(file)
    workbench.wait_until_ready()
    save_a_line(workbench, file, "of_the_older = 2")
    expected = [file.read_text()]
    workbench.wait("the first save", lambda: texts_in_store(workbench, file)[-1:] == expected)

    for version, package in ((vsix.stem.partition("-")[2], vsix), ("0.0.1", older)):
        workbench.server.install(package)
        assert installed(workbench) == [version]
        before = workbench.server.language_servers()
        workbench.reload()
        workbench.wait(
            "a server of the new window",
            lambda before=before: set(workbench.server.language_servers()) - set(before),
        )
        workbench.wait_until_ready()
        assert texts_in_store(workbench, file)[-len(expected) :] == expected
        save_a_line(workbench, file, f"of_version = '{version}'")
        expected.append(file.read_text())
        workbench.wait(
            f"the save with {version}",
            lambda: texts_in_store(workbench, file)[-len(expected) :] == expected,
        )
    assert workbench.complaints() == []
