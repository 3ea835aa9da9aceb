"""Saves go to the store: what, and what not."""

import asyncio
import os
import stat
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from editcast_server.store_writer import now_ms
from editcast_store.saves import Store

CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(4))


def kept(editor: Any) -> dict[str, list[str]]:
    """Texts by file name."""
    path = editor.home / "history.sqlite3"
    if not path.exists():
        return {}
    with closing(Store.open(path)) as store:
        return {
            Path(file.path).name: [one.text for one in store.snapshots(file.path)]
            for file in store.files()
        }


async def test_the_first_save_comes_with_the_text_before_it(start: Any) -> None:
    async with start() as editor:
        uri = editor.open("a b é.py", CALLS)
        editor.type(uri, "render", "draw")
        editor.save(uri)
        unchanged = editor.open("unchanged.py", CALLS)
        editor.save(unchanged)
        # Saves in a row are one snapshot.
        editor.type(uri, "render", "draw")
        editor.save(uri, with_text=False)
        texts = [CALLS, editor.texts[uri].text]
    assert kept(editor) == {"a b é.py": texts, "unchanged.py": [CALLS]}
    with closing(Store.open(editor.home / "history.sqlite3")) as store:
        assert [file.language for file in store.files()] == ["python", "python"]
        assert store.files()[0].path == str(editor.home / "project" / "a b é.py")
    mode = stat.S_IMODE(os.stat(editor.home / "history.sqlite3").st_mode)
    assert mode == 0o600 or os.name == "nt"


@pytest.mark.parametrize("languages", [["python"], ["*", "!markdown"]])
async def test_what_is_not_kept(start: Any, languages: list[str]) -> None:
    settings = {"exclude": ["*.min.py"], "languages": languages, "maxFileBytes": 1000}
    async with start(settings) as editor:
        for name, language, text in (
            ("lib.min.py", "python", CALLS),
            ("notes.md", "markdown", CALLS),
            ("id_rsa", "python", CALLS),
            ("untitled:Untitled-1", "python", CALLS),
            ("nul.py", "python", CALLS + "\0"),
            ("long.py", "python", "é" * 501),
            ("kept.py", "python", CALLS),
        ):
            uri = editor.open(name, text, language)
            editor.save(uri)
    assert kept(editor) == {"kept.py": [CALLS]}


async def test_saves_are_kept_while_globs_are_matched(start: Any) -> None:
    slow = [f"**/*[ab]*{number}~/**" for number in range(150)]
    texts = [CALLS.replace("render", f"draw_{number}") for number in range(10)]
    async with start({"exclude": [*slow, "*.min.py"]}, wait=False) as editor:
        for name in ("kept.py", "closed.py", "left.min.py"):
            uri = editor.open(name, texts[0])
            for before, after in pairwise(texts):
                editor.type(uri, before, after)
                editor.save(uri)
            if name == "closed.py":
                editor.close(uri)
    first_and_last = [texts[0], texts[-1]]  # saves within ten seconds are one
    assert kept(editor) == {"kept.py": first_and_last, "closed.py": first_and_last}


async def test_saves_at_the_very_end_are_kept(start: Any) -> None:
    async with start(wait=False) as editor:
        for number in range(30):
            uri = editor.open(f"file_{number}.py", CALLS)
            editor.type(uri, "render", "draw")
            editor.save(uri)
        # The editor closes at once.
    assert len(kept(editor)) == 30


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps the name of a file in use")
@pytest.mark.parametrize("is_set_aside", [True, False])
async def test_saves_go_to_the_store_of_the_name(start: Any, is_set_aside: bool) -> None:
    async with start() as editor:
        editor.save(editor.open("first.py", CALLS))
        await editor.until(lambda: "first.py" in kept(editor))
        for path in editor.home.glob("history.sqlite3*"):
            if is_set_aside:  # as another window does with a damaged one
                path.rename(path.with_name(path.name.replace("history", "history.damaged-1")))
            else:
                path.unlink()
        editor.save(editor.open("second.py", CALLS))
        await editor.until(lambda: kept(editor) == {"second.py": [CALLS]})


async def test_saves_are_kept_when_the_editor_dies(start: Any) -> None:
    async with start(wait=False) as editor:
        uri = editor.open("orphan.py", CALLS)
        editor.type(uri, "render", "draw")
        editor.save(uri)
        await editor.next_edit(uri)
        editor.client._server.stdin.close()
        assert await asyncio.wait_for(editor.client._server.wait(), 30) == 0
        editor.client.error = EOFError()  # there is nobody to say goodbye to
    assert list(kept(editor)) == ["orphan.py"]


@pytest.mark.asyncio(loop_scope="module")
async def test_a_save_is_not_held_up_by_a_request(editor: Any) -> None:
    uri = editor.open("both.py", CALLS)
    editor.type(uri, "render", "draw")
    asked = asyncio.ensure_future(editor.code_actions(uri))
    await asyncio.sleep(0)
    editor.save(uri)
    await editor.until(lambda: len(kept(editor).get("both.py", [])) == 2)
    await asked
    assert await editor.best(uri)


@pytest.mark.asyncio(loop_scope="module")
async def test_nothing_is_kept_without_history(editor: Any) -> None:
    set_history(editor, False)
    uri = editor.open("off.py", CALLS)
    editor.type(uri, "render", "draw")
    editor.save(uri)
    suggestion = await editor.best(uri)
    await editor.command("editcast.reject", suggestion.id)
    set_history(editor, True)
    uri = editor.open("on.py", CALLS)
    editor.save(uri)
    await editor.until(lambda: "on.py" in kept(editor))
    assert "off.py" not in kept(editor)
    with closing(Store.open(editor.home / "history.sqlite3")) as store:
        assert store.outcomes() == []


@pytest.mark.asyncio(loop_scope="module")
async def test_what_was_saved_without_history_is_not_kept_later(editor: Any) -> None:
    uri = editor.open("later.py", CALLS)
    for enabled, old, new in ((False, "render", "draw"), (True, "draw", "paint")):
        set_history(editor, enabled)
        editor.type(uri, old, new)
        editor.save(uri)
    await editor.until(lambda: "later.py" in kept(editor))
    assert kept(editor)["later.py"] == [editor.texts[uri].text]


DAY = 86_400_000


async def test_the_days_are_those_of_the_editor_that_is_asked(start: Any, tmp_path: Path) -> None:
    def ages() -> list[int]:
        with closing(Store.open(tmp_path / "history.sqlite3")) as store:
            return [round((now_ms() - one.time) / DAY) for one in store.snapshots("old.py")]

    with closing(Store.open(tmp_path / "history.sqlite3")) as store:
        for days in (900, 700, 20, 1):
            store.record("old.py", f"{days}\n", now_ms() - days * DAY, "python")
    async with start(configuration={"editcast": {"historyDays": 800}}) as editor:
        await editor.until(lambda: len(ages()) < 4)
        assert ages() == [700, 20, 1]
        settings = {"editcast": {"historyDays": 10}}
        editor.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams(settings=settings)
        )
        await editor.until(lambda: ages() == [1])


def set_history(editor: Any, enabled: bool) -> None:
    settings = {"editcast": {"confidenceThreshold": 0, "historyEnabled": enabled}}
    params = types.DidChangeConfigurationParams(settings=settings)
    editor.client.workspace_did_change_configuration(params)
