"""`workspace/executeCommand`: what the user decides, and what is kept of it."""

import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from editcast_model.bundle import bundled_path
from editcast_store.models import Active, install
from editcast_store.saves import Store

CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(5))


def outcomes(editor: Any) -> list[tuple[str, str, str]]:
    with closing(Store.open(editor.home / "history.sqlite3")) as store:
        return [(one.suggestion, one.what, one.model) for one in store.outcomes()]


async def test_accepted_and_rejected_are_kept(start: Any) -> None:
    async with start({"debounceMs": 60_000}) as editor:
        uri = editor.open("kept.py", CALLS)
        editor.type(uri, "render", "draw")
        editor.save(uri)
        first = await editor.best(uri)
        editor.change(uri, first.edits[0].range, first.edits[0].new_text)
        await editor.command("editcast.accept", first.id)
        # Taking one is a reason to look for the next at once, whatever the pause.
        await editor.until(lambda: editor.predicted[-1].suggestions)
        assert editor.predicted[-1].version == editor.versions[uri]
        second = editor.predicted[-1].suggestions[0]
        assert second.line == first.line + 4
        await editor.command("editcast.reject", second.id)
        await editor.until(lambda: not editor.predicted[-1].suggestions)
    assert outcomes(editor) == [
        (first.id, "accepted", "repeat-best"),
        (second.id, "rejected", "repeat-best"),
    ]


async def test_shown_is_kept_once(start: Any) -> None:
    async with start() as editor:
        uri = editor.open("shown.py", CALLS)
        editor.type(uri, "render", "draw")
        editor.save(uri)
        first = await editor.best(uri)
        for _ in range(3):
            await editor.command("editcast.shown", first.id)
        # Typing along with it leaves the same suggestion.
        editor.type(uri, "render(text, 1)", "d(text, 1)")
        assert (await editor.best(uri)).id == first.id
        await editor.command("editcast.shown", first.id)
        await editor.command("editcast.reject", first.id)
        assert await editor.command("editcast.shown", first.id) is None
    assert [what for _, what, _ in outcomes(editor)] == ["shown", "rejected"]


async def test_the_report_has_what_was_just_decided(start: Any) -> None:
    async with start() as editor:
        empty = await editor.command("editcast.report")
        assert empty.startswith("<!doctype html>")
        uri = editor.open("report.py", CALLS)
        editor.type(uri, "render", "draw")
        editor.save(uri)
        best = await editor.best(uri)
        await editor.command("editcast.shown", best.id)
        page = await editor.command("editcast.report")
        assert page.startswith("<!doctype html>")
        assert page != empty
        assert "repeat-best" in page


async def test_the_history_is_counted(start: Any) -> None:
    async with start() as editor:
        uri = editor.open("counted.py", CALLS)
        editor.type(uri, "render", "draw")
        editor.save(uri)
        await editor.command("editcast.history")  # all that was saved is in the store after it
        count = await editor.command("editcast.countHistory")
        (store,) = [one for one in count["sources"] if one["kind"] == "store"]
        assert (store["saves"], store["files"]) == (1, 1)
        assert count["needed"] > store["instances"]


async def test_going_back_to_the_model_before(start: Any, tmp_path: Path) -> None:
    shutil.copytree(bundled_path(), tmp_path / "models" / "fresh")
    current = install(tmp_path / "models" / "fresh", tmp_path / "models")
    async with start({"modelPath": ""}) as editor:
        await editor.command("editcast.revert")
        assert "Editcast now uses the bundled model" in editor.messages[-1]
        assert Active.of(editor.home / "models") == (None, current)
    shutil.rmtree(tmp_path / "models")
    async with start() as editor:
        await editor.command("editcast.revert")
        assert "There is no previous model" in editor.messages[-1]


async def test_the_rejected_does_not_come_back(start: Any) -> None:
    async with start() as editor:
        uri = editor.open("rejected.py", CALLS)
        editor.type(uri, "render", "draw")
        editor.save(uri)
        rejected = await editor.best(uri)
        await editor.command("editcast.reject", rejected.id)
        assert not (await editor.next_edit(uri)).suggestions
        # Lines above move it, other edits come between; it is still the same suggestion.
        editor.type(uri, "def part_0", "import os\n\n\ndef part_0")
        editor.save(uri)
        lines = set()
        while suggestion := await editor.best(uri):
            lines.add(suggestion.line)
            editor.change(uri, suggestion.edits[0].range, suggestion.edits[0].new_text)
            editor.save(uri)
        assert lines == {rejected.line + 3 + 4 * more for more in (1, 2, 3)}
        assert editor.texts[uri].text.count("render") == 1


async def test_snooze(start: Any) -> None:
    async with start() as editor:
        uri = editor.open("snooze.py", CALLS)
        editor.type(uri, "render", "draw")
        assert await editor.best(uri)
        await editor.command("editcast.snooze", 3600)
        assert await editor.next_edit(uri) is None
        assert await editor.code_actions(uri) == []
        status = await editor.command("editcast.status")
        assert status["state"] == "snoozed"
        assert status["message"] == "Editcast is snoozed for 60 min."
        editor.save(uri)  # is kept all the same
        await editor.command("editcast.snooze", 0)
        assert await editor.best(uri)
        await editor.command("editcast.snooze", 0.05)
        await editor.until(lambda: editor.statuses[-1].state == "snoozed")
        await editor.until(lambda: editor.statuses[-1].state == "baseline")
    with closing(Store.open(editor.home / "history.sqlite3")) as store:
        assert [file.saves for file in store.files()] == [2]


@pytest.mark.parametrize(
    ("command", "arguments", "complaint"),
    [
        ("editcast.accept", [], "Expected 1 arguments, got 0"),
        ("editcast.reject", [7], "Invalid Params: not str"),
        ("editcast.shown", [7], "Invalid Params: not str"),
        ("editcast.snooze", [], "Expected 1 arguments, got 0"),
        ("editcast.snooze", ["long"], "not float"),
        ("editcast.snooze", [-1], "takes one argument, the seconds"),
        ("editcast.snooze", [True], "not float"),
        ("editcast.snooze", [float("inf")], "takes one argument, the seconds"),
        ("editcast.snooze", [10**400], "Invalid Params"),
        ("editcast.accept", [["77"]], "Invalid Params: not str"),
        ("editcast.accept", ["1", "2"], "Expected 1 arguments, got 2"),
        ("editcast.status", [7], "takes no argument, or one, a document's URI"),
        ("editcast.fly", [], "editcast.fly"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_wrong_arguments(
    editor: Any, command: str, arguments: list[Any], complaint: str
) -> None:
    with pytest.raises(Exception, match=complaint):
        await editor.command(command, *arguments)


@pytest.mark.asyncio(loop_scope="module")
async def test_status(editor: Any) -> None:
    status = await editor.command("editcast.status")
    assert (status["state"], status["model"]) == ("baseline", "repeat-best")


@pytest.mark.parametrize(
    ("name", "language", "text", "reason"),
    [
        ("a.py", "python", "", "There is no model in"),
        ("a.md", "markdown", "", "Editcast is turned off for markdown (setting languages)."),
        (".env", "python", "", "Files like .env usually hold secrets; Editcast ignores them."),
        ("out.py", "python", "", "Editcast ignores out.py (setting exclude)."),
        ("nul.py", "python", "\0", "nul.py contains NUL bytes, so it is not text"),
        ("long.py", "python", 70 * "x", "long.py is too long (setting maxFileBytes)"),
        ("a.py", "", None, "This is not a document that Editcast serves."),
    ],
)
async def test_the_status_says_why_nothing_is_suggested_in_a_document(
    start: Any, name: str, language: str, text: str | None, reason: str
) -> None:
    settings = {"languages": ["*", "!markdown"], "exclude": ["out.*"], "maxFileBytes": 60}
    async with start(settings) as editor:
        uri = (editor.home / "project" / name).as_uri()
        if text is not None:
            editor.open(name, text, language)
        status = await editor.command("editcast.status", uri)
        assert status["message"].startswith(reason) and status["state"] == "baseline"
        is_served = await editor.next_edit(uri) is not None
        assert is_served == (status["message"] == editor.statuses[-1].message)


@pytest.mark.parametrize("command", ["editcast.accept", "editcast.reject", "editcast.shown"])
async def test_a_suggestion_that_has_run_out_is_nobodys_mistake(start: Any, command: str) -> None:
    async with start() as editor:
        before = editor.messages
        assert await editor.command(command, "77") is None
        uri = editor.open("gone.py", CALLS)
        editor.type(uri, "render", "draw")
        best = await editor.best(uri)
        assert await editor.command("editcast.reject", best.id) is None
        assert await editor.command(command, best.id) is None
        assert editor.messages == before
    (log,) = (editor.home / "logs").iterdir()
    assert "Traceback" not in log.read_text()
    assert " ERROR " not in log.read_text()


async def test_wrong_arguments_are_answered_and_nothing_else(start: Any) -> None:
    async with start() as editor:
        before = editor.messages
        for arguments in ([], [7], [None], ["1", "2"], [{"id": "1"}]):
            with pytest.raises(Exception, match="Invalid Params"):
                await editor.command("editcast.accept", *arguments)
        assert editor.messages == before
    (log,) = (editor.home / "logs").iterdir()
    said = log.read_text().splitlines()
    assert len([line for line in said if "JsonRpcInvalidParams" in line]) == 5
    assert not [line for line in said if "Traceback" in line]
