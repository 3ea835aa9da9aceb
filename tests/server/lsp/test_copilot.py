"""`textDocument/copilotInlineEdit`, for clients that know no other request for next edits."""

import asyncio
import json
from concurrent.futures import Future
from contextlib import closing
from typing import Any
from uuid import uuid4

import attrs
import pytest

from editcast_store.saves import Store

CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(4))


async def ask(editor: Any, uri: str, version: int | None = None, **more: Any) -> Any:
    """The `edits` of the answer to what a client sends that knows nothing of Editcast."""
    version = editor.versions[uri] if version is None else version
    it = {"uri": uri, "version": version}
    params = {"textDocument": it, "position": {"line": 0, "character": 0}} | more
    return (await request(editor, params))["edits"]


async def request(editor: Any, params: Any) -> Any:
    """The answer's JSON."""
    answer: Future[Any] = Future()
    number = str(uuid4())
    editor.client.protocol._request_futures[number] = answer
    editor.client.protocol._result_types[number] = Answer
    send(editor, id=number, method="textDocument/copilotInlineEdit", params=params)
    return await asyncio.wrap_future(answer)


def send(editor: Any, **message: Any) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    editor.client.protocol.writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


@attrs.define
class Answer:
    """A response whose result is left as it came."""

    id: str
    result: Any
    jsonrpc: str


@pytest.mark.asyncio(loop_scope="module")
async def test_the_suggestion_with_its_version_and_its_command(editor: Any) -> None:
    uri = editor.open("copilot.py", CALLS)
    editor.type(uri, "render(text, 0)", "render(text, 0, width)")
    editor.save(uri)
    (edit,) = await ask(editor, uri)
    best = await editor.best(uri)
    assert edit == {
        "text": ", width",
        "textDocument": {"uri": uri, "version": editor.versions[uri]},
        "range": {
            "start": {"line": 5, "character": 25},
            "end": {"line": 5, "character": 25},
        },
        "command": {"title": "Accept", "command": "editcast.accept", "arguments": [best.id]},
    }


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("context", [None, {}, {"triggerKind": 1}, {"triggerKind": 2}])
async def test_whatever_made_the_client_ask(editor: Any, context: Any) -> None:
    uri = editor.open("context.py", CALLS)
    editor.type(uri, "render", "draw")
    editor.save(uri)
    (edit,) = await ask(editor, uri, context=context)
    assert (edit["text"], edit["range"]["start"]["line"]) == ("draw", 5)


@pytest.mark.asyncio(loop_scope="module")
async def test_no_edits_for_another_version_nor_where_nothing_is_known(editor: Any) -> None:
    uri = editor.open("versions.py", CALLS)
    assert await ask(editor, uri) == []
    editor.type(uri, "render", "draw")
    editor.save(uri)
    assert await ask(editor, uri)
    for version in (editor.versions[uri] - 1, editor.versions[uri] + 1):
        assert await ask(editor, uri, version) == []
    assert await ask(editor, "file:///unknown.py", 1) == []


@pytest.mark.asyncio(loop_scope="module")
async def test_parameters_that_make_no_sense_are_refused(editor: Any) -> None:
    with pytest.raises(Exception, match="(?i)invalid"):
        await request(editor, {"position": {"line": 0, "character": 0}})
    assert await editor.command("editcast.status")


@pytest.mark.parametrize("has_all", [True, False])
async def test_what_was_shown_and_taken_is_recorded(start: Any, has_all: bool) -> None:
    async with start() as editor:
        uri = editor.open("shown.py", CALLS)
        editor.type(uri, "render", "draw")
        editor.save(uri)
        (edit,) = await ask(editor, uri)
        whole = edit["command"]
        command = whole if has_all else {"arguments": whole["arguments"]}
        for item in ({"command": command}, {"command": command}, {}, {"command": None}):
            send(editor, method="textDocument/didShowInlineEdit", params={"item": item})
        editor.type(uri, "render", edit["text"])
        await editor.command(whole["command"], *whole["arguments"])
        messages = editor.messages
    with closing(Store.open(editor.home / "history.sqlite3")) as store:
        assert [outcome.what for outcome in store.outcomes()] == ["shown", "accepted"]
    assert not [message for message in messages if "LSP" in message]
