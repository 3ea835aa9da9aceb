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


def set_history(editor: Any, enabled: bool) -> None:
    settings = {"editcast": {"confidenceThreshold": 0, "historyEnabled": enabled}}
    params = types.DidChangeConfigurationParams(settings=settings)
    editor.client.workspace_did_change_configuration(params)
