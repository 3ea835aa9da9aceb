"""Mistakes of editors and files: one clear sentence each, and the server stays up."""

import asyncio
import json
import random
import sqlite3
import sys
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from editcast_store.saves import Store

pytestmark = pytest.mark.asyncio(loop_scope="module")

CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(4))
WHERE = types.Position
Whole = types.TextDocumentContentChangeWholeDocument
Partial = types.TextDocumentContentChangePartial


async def is_up(editor: Any) -> bool:
    """Tell whether the server still does all of its work."""
    uri = editor.open("up.py", CALLS)
    editor.type(uri, "render", "draw")
    editor.save(uri)
    suggestion = await editor.best(uri)
    editor.close(uri)
    return suggestion is not None and suggestion.line == 5


async def wait_for_message(editor: Any, words: str) -> str:
    await editor.until(lambda: any(words in message for message in editor.messages))
    return next(message for message in editor.messages if words in message)


async def test_nul_bytes(editor: Any) -> None:
    uri = editor.open("nul.py", CALLS)
    editor.type(uri, "render", "dr\0w")
    editor.save(uri)
    assert await editor.next_edit(uri) is None
    await wait_for_message(editor, "nul.py contains NUL bytes")
    editor.type(uri, "\0", "a")
    assert await editor.best(uri)
    assert await is_up(editor)


async def test_lone_surrogates(editor: Any) -> None:
    uri = editor.open("lone.py", '# \ud83d and \ude00\nname = "\ud83d"\n' + CALLS)
    editor.type(uri, "render", "draw")
    editor.type(uri, "part_0", "part_\udfff")
    editor.save(uri)
    suggestion = await editor.best(uri)
    assert editor.applied(uri, suggestion).count("draw") == 2
    editor.type(uri, "\ud83d and", "\ud83d\ude00 and")
    assert (await editor.next_edit(uri)).version == editor.versions[uri]
    assert await is_up(editor)


async def test_a_line_of_ten_megabytes(editor: Any) -> None:
    line = "x" * 10_000_000
    uri = editor.open("long.py", f"{CALLS}# {line}\n")
    await wait_for_message(editor, "long.py is longer than 1,000,000 bytes")
    assert await editor.next_edit(uri) is None
    where = types.Range(WHERE(0, 4), WHERE(0, 8))
    editor.send_change(uri, 2, Partial(where, "segment"))
    editor.save(uri)
    assert await editor.code_actions(uri) == []
    # Once it is short enough it is served.
    editor.send_change(uri, 3, Whole(CALLS))
    editor.send_change(uri, 4, Partial(types.Range(WHERE(1, 11), WHERE(1, 17)), "draw"))
    assert (await editor.best(uri)).line == 5


async def test_a_file_that_grows_too_long(editor: Any) -> None:
    uri = editor.open("grows.txt", "word\n" * 1000, "plaintext")
    where = types.Range(WHERE(3, 0), WHERE(3, 0))
    editor.change(uri, where, "é" * 600_000)
    assert await editor.next_edit(uri) is None
    await wait_for_message(editor, "grows.txt is longer than 1,000,000 bytes")
    assert await is_up(editor)


async def test_mixed_line_ends_and_no_final_newline(editor: Any) -> None:
    text = "call(one)\r\ncall(two)\ncall(three)\rcall(four)"
    uri = editor.open("mixed.txt", text, "plaintext")
    editor.type(uri, "call(one)", "send(one)")
    for line, column in ((1, 4), (2, 4), (3, 4)):
        editor.save(uri, with_text=False)
        (edit,) = (await editor.best(uri)).edits
        assert edit.range == types.Range(WHERE(line, 0), WHERE(line, column))
        editor.change(uri, edit.range, edit.new_text)
    assert editor.texts[uri].text == text.replace("call", "send")


async def test_changes_out_of_range(editor: Any) -> None:
    uri = editor.open("range.py", CALLS)
    editor.send_change(uri, 2, Partial(types.Range(WHERE(900, 0), WHERE(901, 0)), "x"))
    message = await wait_for_message(editor, "range.py")
    assert message == (
        "Editcast and the editor disagree about range.py: line 901 is not among the text's "
        "17 lines. Suggestions in it resume after the next save."
    )
    assert await editor.next_edit(uri) is None
    editor.send_change(uri, 3, Partial(types.Range(WHERE(0, 0), WHERE(0, 0)), "x"))
    # The next save brings the text with it.
    editor.versions[uri] = 3
    editor.save(uri)
    editor.type(uri, "render", "draw")
    assert (await editor.best(uri)).line == 5
    assert [one for one in editor.messages if "range.py" in one] == [message]


async def test_versions_that_go_back(editor: Any) -> None:
    uri = editor.open("back.py", CALLS)
    editor.type(uri, "render", "draw")
    editor.send_change(uri, 1, Partial(types.Range(WHERE(0, 0), WHERE(0, 0)), "x"))
    await wait_for_message(editor, "its version went back from 2 to 1")
    assert await editor.next_edit(uri) is None
    # So does a change that is the whole text.
    editor.send_change(uri, 5, Whole(CALLS))
    editor.send_change(uri, 6, Partial(types.Range(WHERE(1, 11), WHERE(1, 17)), "draw"))
    result = await editor.next_edit(uri)
    assert (result.version, result.suggestions[0].line) == (6, 5)


async def test_documents_that_were_never_opened(editor: Any) -> None:
    uri = "file:///never/seen.py"
    editor.send_change(uri, 2, Whole("x"))
    save = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri), "x")
    editor.client.text_document_did_save(save)
    editor.close(uri)
    assert await editor.next_edit(uri) is None
    assert await is_up(editor)
    # An editor writes its own settings so: no concern of the user's.
    assert [one for one in editor.messages if "never opened" in one] == []


async def test_a_document_opened_twice(editor: Any) -> None:
    uri = editor.open("twice.py", "old = 1\n")
    assert uri == editor.open("twice.py", CALLS)
    editor.type(uri, "render", "draw")
    assert (await editor.best(uri)).line == 5


@pytest.mark.parametrize("uri", ["", "x", "file:", "file:///%00", "file://[bad/x.py", "a:b:c"])
async def test_odd_uris(editor: Any, uri: str) -> None:
    item = types.TextDocumentItem(uri, "python", 1, CALLS)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    editor.send_change(uri, 2, Partial(types.Range(WHERE(1, 11), WHERE(1, 17)), "draw"))
    save = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
    editor.client.text_document_did_save(save)
    assert (await editor.best(uri)).line == 5
    editor.close(uri)


async def test_messages_that_are_no_lsp(editor: Any) -> None:
    uri = editor.open("raw.py", CALLS)
    change = {"range": {"start": {"line": -1}}, "text": "x"}
    send_raw(
        editor,
        {
            "jsonrpc": "2.0",
            "method": "textDocument/didChange",
            "params": {
                "textDocument": {"uri": uri, "version": 2},
                "contentChanges": [change],
            },
        },
    )
    await wait_for_message(editor, "a message that is not valid LSP")
    assert await editor.next_edit(uri) is None  # whatever it was, it was a change
    send_bytes(editor, b"{this is no JSON")
    await wait_for_message(editor, "a message that is not JSON")
    send_bytes(editor, b'"\xff\xfe"')
    assert await is_up(editor)


async def test_a_request_that_cannot_be_read_is_answered(editor: Any) -> None:
    answer: Future[Any] = Future()
    editor.client.protocol._request_futures["raw"] = answer
    message = {"jsonrpc": "2.0", "id": "raw", "method": "editcast/nextEdit"}
    send_raw(editor, message | {"params": {"textDocument": 7}})
    with pytest.raises(Exception, match="Invalid Params"):
        await asyncio.wrap_future(answer)
    assert await is_up(editor)


def send_raw(editor: Any, message: Any) -> None:
    send_bytes(editor, json.dumps(message).encode())


def send_bytes(editor: Any, body: bytes) -> None:
    header = f"Content-Length: {len(body)}\r\n\r\n".encode()
    editor.client.protocol.writer.write(header + body)


# The model and the store


async def use_model(editor: Any, path: Path) -> None:
    settings = {"editcast": {"confidenceThreshold": 0, "modelPath": str(path)}}
    params = types.DidChangeConfigurationParams(settings=settings)
    editor.client.workspace_did_change_configuration(params)
    await editor.until(lambda: str(path) in editor.statuses[-1].message)
    assert editor.statuses[-1].state == "baseline"


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (None, "There is no model in"),
        ("{}", "has format version None"),
        ('{"format": 99}', "has format version 99"),
        ("[", "is damaged"),
        ('{"format": 3}', "network is missing"),
    ],
)
async def test_a_bundle_that_cannot_be_used(
    editor: Any, tmp_path: Path, config: str | None, words: str
) -> None:
    bundle = tmp_path / "bundle"
    if config is not None:
        bundle.mkdir()
        (bundle / "config.json").write_text(config)
    await use_model(editor, bundle)
    message = next(one for one in editor.messages if str(bundle) in one)
    assert words in message
    assert message.endswith("Editcast continues without it (repeat-best).")
    assert await is_up(editor)


async def test_a_store_from_a_newer_version(start: Any, tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    Store.open(path).close()
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 999")
        database.commit()
    before = path.read_bytes()
    async with start() as editor:
        assert await is_up(editor)
        await wait_for_message(editor, str(path))
        assert await is_up(editor)
    assert path.read_bytes() == before
    assert len([one for one in editor.messages if str(path) in one]) == 1


async def test_a_damaged_store_is_set_aside(start: Any, tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite3"
    path.write_bytes(b"no database at all " * 100)
    async with start() as editor:
        assert await is_up(editor)
        await wait_for_message(editor, "history.sqlite3")
    with closing(Store.open(path)) as store:
        assert len(store.files()) == 1
    (aside,) = tmp_path.glob("history.damaged-*")
    assert aside.read_bytes() == b"no database at all " * 100


async def test_a_full_disk(start: Any, tmp_path: Path) -> None:
    # A file that may not grow fails as one on a full disk does.
    code = (
        "import resource, runpy, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "sys.argv = ['editcast', 'serve']\n"
        "runpy.run_module('editcast', run_name='__main__')\n"
    )
    draw = random.Random(0)
    noise = "".join(chr(0x4E00 + draw.randrange(20_000)) for _ in range(200_000))
    async with start(command=[sys.executable, "-c", code]) as editor:
        assert await is_up(editor)
        uri = editor.open("big.txt", "small\n", "plaintext")
        editor.save(uri)
        editor.change(uri, types.Range(WHERE(0, 0), WHERE(0, 0)), noise)
        editor.save(uri)
        message = await wait_for_message(editor, "history.sqlite3")
        assert "the disk" in message
        assert await is_up(editor)
    with closing(Store.open(tmp_path / "history.sqlite3")) as store:
        paths = [Path(file.path).name for file in store.files()]
        assert paths == ["big.txt", "up.py"]
        (kept,) = store.snapshots(tmp_path / "project" / "big.txt")
        assert kept.text == "small\n"
