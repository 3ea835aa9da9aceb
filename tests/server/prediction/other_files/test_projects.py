"""Saves of one file of a folder that are offered in its other files."""

import threading
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from editcast_server.prediction.projects import Projects
from editcast_server.settings import Settings

CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(4))
OTHER = 'def page(text):\n    """One page."""\n    return render(text, 7)\n'


def change_folders(editor: Any, added: list[str], removed: list[str]) -> None:
    event = types.WorkspaceFoldersChangeEvent(
        [types.WorkspaceFolder(uri, "folder") for uri in added],
        [types.WorkspaceFolder(uri, "folder") for uri in removed],
    )
    editor.client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(event)
    )


@pytest.fixture
def folder(editor: Any, request: pytest.FixtureRequest) -> Any:
    """An open folder of the test's own."""
    uri = (editor.home / "project" / request.node.name).as_uri()
    change_folders(editor, [uri], [])
    yield uri
    change_folders(editor, [], [uri])


async def draw_everywhere(editor: Any, uri: str) -> None:
    for _ in range(2):
        editor.type(uri, "render", "draw")
        editor.save(uri)
        assert await editor.best(uri)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_file_that_is_opened_is_told_of(editor: Any, folder: str) -> None:
    await draw_everywhere(editor, editor.open(f"{folder}/first.py", CALLS))
    uri = editor.open(f"{folder}/second.py", OTHER)
    # Nobody has to ask.
    await editor.until(lambda: any(one.uri == uri for one in editor.predicted))
    (suggestion,) = (await editor.next_edit(uri)).suggestions
    assert editor.applied(uri, suggestion) == OTHER.replace("render", "draw")


@pytest.mark.asyncio(loop_scope="module")
async def test_a_file_that_is_open_is_told_of_once_it_is_asked_for(
    editor: Any, folder: str
) -> None:
    uri = editor.open(f"{folder}/second.py", OTHER)
    assert await editor.best(uri) is None
    await draw_everywhere(editor, editor.open(f"{folder}/first.py", CALLS))
    suggestion = await editor.best(uri)
    assert editor.applied(uri, suggestion) == OTHER.replace("render", "draw")


@pytest.mark.asyncio(loop_scope="module")
async def test_a_file_that_is_saved_and_closed_counts(editor: Any, folder: str) -> None:
    first = editor.open(f"{folder}/first.py", CALLS)
    editor.type(first, "render", "draw")
    editor.save(first)
    editor.close(first)
    uri = editor.open(f"{folder}/second.py", OTHER)
    assert editor.applied(uri, await editor.best(uri)) == OTHER.replace("render", "draw")


@pytest.mark.asyncio(loop_scope="module")
async def test_a_word_that_was_saved_half_way_is_whole_for_other_files(
    editor: Any, folder: str
) -> None:
    second = editor.open(f"{folder}/second.py", OTHER)
    first = editor.open(f"{folder}/first.py", CALLS)
    for _ in range(2):
        for old, new in (("render", "dr"), ("dr(", "draw(")):  # as an editor saves by itself
            editor.type(first, old, new)
            editor.save(first)
            await editor.best(second)  # it hears of each
    assert editor.applied(second, await editor.best(second)) == OTHER.replace("render", "draw")
    assert editor.applied(first, await editor.best(first)) == CALLS.replace("render", "draw", 3)


@pytest.mark.asyncio(loop_scope="module")
async def test_what_is_typed_and_not_saved_is_nobody_elses(editor: Any, folder: str) -> None:
    first = editor.open(f"{folder}/first.py", CALLS)
    editor.type(first, "render", "draw")
    assert await editor.best(first)
    assert await editor.best(editor.open(f"{folder}/second.py", OTHER)) is None


@pytest.mark.asyncio(loop_scope="module")
async def test_other_folders_and_files_outside_hear_nothing(editor: Any, folder: str) -> None:
    beside = f"{folder}-beside"
    change_folders(editor, [beside], [])
    await draw_everywhere(editor, editor.open(f"{folder}/first.py", CALLS))
    for place in (beside, f"{folder}side", editor.home.as_uri()):
        assert await editor.best(editor.open(f"{place}/second.py", OTHER)) is None
    change_folders(editor, [], [beside])


@pytest.mark.asyncio(loop_scope="module")
async def test_a_folder_that_is_closed_is_forgotten(editor: Any, folder: str) -> None:
    await draw_everywhere(editor, editor.open(f"{folder}/first.py", CALLS))
    change_folders(editor, [], [folder])
    change_folders(editor, [folder], [])
    assert await editor.best(editor.open(f"{folder}/second.py", OTHER)) is None


@pytest.mark.asyncio(loop_scope="module")
async def test_the_editor_is_asked_to_tell_of_folders(editor: Any) -> None:
    folders = editor.capabilities.workspace.workspace_folders
    assert folders.supported and folders.change_notifications


def test_a_folder_that_is_closed_is_not_read_again(tmp_path: Path) -> None:
    projects, folder = Projects(), tmp_path.as_uri()
    (tmp_path / "a.py").write_text("import os\n")
    projects.is_trusted = True
    projects.set_folders([folder])
    projects.set_folders([])
    projects.read(folder, Settings())  # for a document that is still open
    assert "folder reader" not in [thread.name for thread in threading.enumerate()]
    assert projects.of(folder) is not projects.of(folder)


def test_a_file_is_in_the_innermost_folder(tmp_path: Path) -> None:
    projects = Projects()
    outer, inner = "file:///c%3A/shop", "file:///c:/shop/my%20part/"
    projects.set_folders([outer, inner])
    assert projects.folder_of("file:///c%3A/shop/my%20part/a.py") == inner
    assert projects.folder_of("file:///c:/shop/a.py") == outer
    assert projects.folder_of("file:///c:/shopping/a.py") is None
    assert projects.folder_of("untitled:1") is None


def test_what_files_said_before_is_forgotten_with_the_history() -> None:
    projects = Projects()
    projects.set_folders(["file:///shop"])
    memory = projects.of("file:///shop").memory
    for text in ("first = one(1)\nkept = two(2)\n", "kept = two(2)\n"):
        memory.put("file:///shop/a.py", text)
    known = memory.vocabulary.known_ids
    assert len(memory.occurrences(known("first = one("), "")) == 1
    projects.forget_history()
    assert len(memory.occurrences(known("first = one("), "")) == 0
    assert len(memory.occurrences(known("kept = two("), "")) == 1
