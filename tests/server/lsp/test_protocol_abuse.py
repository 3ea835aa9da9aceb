"""Messages that no editor should send: each request is answered once, and the server goes on."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
NOT_FOUND, INVALID_PARAMS = -32601, -32602
NO_LSP = "The editor sent a message that is not valid LSP."

URI = "file:///abused.py"
TEXT = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(4))
HERE = {"line": 0, "character": 0}
RANGE = {"start": HERE, "end": HERE}
DOCUMENT = {"uri": URI}
SETTINGS = {"confidenceThreshold": 0, "modelPath": "repeat-best"}
CONTEXT = {"diagnostics": [], "triggerKind": 1}

#: Good parameters of whatever is served, from which the bad ones are made.
REQUESTS: dict[str, Any] = {
    "textDocument/codeAction": {"textDocument": DOCUMENT, "range": RANGE, "context": CONTEXT},
    "textDocument/inlineCompletion": {
        "textDocument": DOCUMENT,
        "position": HERE,
        "context": {"triggerKind": 2},
    },
    "textDocument/copilotInlineEdit": {
        "textDocument": {"uri": URI, "version": 1},
        "position": HERE,
    },
    "editcast/nextEdit": {"textDocument": DOCUMENT, "count": 1},
    "workspace/executeCommand": {"command": "editcast.accept", "arguments": ["1"]},
}
NOTIFICATIONS: dict[str, Any] = {
    "textDocument/didOpen": {
        "textDocument": {"uri": URI, "languageId": "python", "version": 1, "text": TEXT}
    },
    "textDocument/didChange": {
        "textDocument": {"uri": URI, "version": 2},
        "contentChanges": [{"range": RANGE, "text": "x"}],
    },
    "textDocument/didSave": {"textDocument": DOCUMENT, "text": TEXT},
    "textDocument/didClose": {"textDocument": DOCUMENT},
    "textDocument/didShowInlineEdit": {"item": {"command": {"arguments": ["1"]}}},
    "workspace/didChangeConfiguration": {"settings": {"editcast": {"enabled": True}}},
    "workspace/didChangeWorkspaceFolders": {"event": {"added": [], "removed": []}},
    "$/cancelRequest": {"id": 1},
    "$/setTrace": {"value": "off"},
    "initialized": {},
}
WRONG: list[Any] = [None, True, 7, -1, 2.5, 2**31, 10**30, "x", [], ["x"], {}, {"x": 1}]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every part of a JSON value."""
    yield path
    if isinstance(value, dict):
        for key, part in value.items():
            yield from places(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from places(part, (*path, index))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy of `value` with one part replaced."""
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


def without(value: Any, path: tuple[Any, ...]) -> Any:
    """A copy of `value` with one part left out."""
    copy = value.copy()
    if len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = without(value[path[0]], path[1:])
    return copy


def damaged(params: Any) -> Iterator[Any]:
    """Parameters with one part of a wrong type, and with one part missing."""
    for path in places(params):
        for wrong in WRONG:
            yield replaced(params, path, wrong)
        if path:
            yield without(params, path)


@pytest.mark.parametrize("method", REQUESTS)
def test_requests_with_wrong_parameters(wire: Callable[..., Any], method: str) -> None:
    with wire() as server:
        begin(server)
        ids: list[str] = []
        for params in damaged(REQUESTS[method]):
            ids.append(f"bad {len(ids)}")
            server.send(id=ids[-1], method=method, params=params)
        ids.append("none")
        server.send(id="none", method=method)
        answered(server, ids)
        for params in damaged(REQUESTS[method]):
            server.send(method=method, params=params)  # as a notification, which it is not
        check(server)
        assert set(shown(server)) <= {NO_LSP}


def test_notifications_with_wrong_parameters(wire: Callable[..., Any]) -> None:
    with wire() as server:
        begin(server)
        ids: list[str] = []
        for method, good in NOTIFICATIONS.items():
            server.send(method="textDocument/didOpen", params=NOTIFICATIONS["textDocument/didOpen"])
            for params in damaged(good):
                server.send(method=method, params=params)
                ids.append(f"{method} {len(ids)}")
                server.send(id=ids[-1], method=method, params=params)  # as a request
            server.send(method=method)
        answered(server, ids)
        assert {server.answer(id)["error"]["code"] for id in ids} == {INVALID_REQUEST}
        check(server)
        assert shown(server).count(NO_LSP) == 1
        assert not [one for one in shown(server) if "failed" in one]


GOOD = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "editcast/nextEdit",
    "params": {"textDocument": DOCUMENT},
}
NO_MESSAGES: list[tuple[Any, Any, int]] = [
    *(({**GOOD, "jsonrpc": wrong}, 1, INVALID_REQUEST) for wrong in WRONG),
    *(({**GOOD, "method": wrong}, 1, INVALID_REQUEST) for wrong in WRONG if wrong != "x"),
    ({**GOOD, "method": "x"}, 1, NOT_FOUND),
    ({**GOOD, "method": "$/no/such"}, 1, NOT_FOUND),
    ({**GOOD, "method": "textDocument/hover"}, 1, NOT_FOUND),
    ({**GOOD, "method": "notebookDocument/didOpen"}, 1, NOT_FOUND),
    ({**GOOD, "method": "x" * 1_000_000}, 1, NOT_FOUND),
    *(
        ({**GOOD, "id": wrong}, None, INVALID_REQUEST)
        for wrong in WRONG
        if not isinstance(wrong, (int, str)) or isinstance(wrong, bool)
    ),
    *(({**GOOD, "params": wrong}, 1, INVALID_PARAMS) for wrong in WRONG),
    ({"jsonrpc": "2.0", "id": 1}, 1, INVALID_REQUEST),
    ({"jsonrpc": "2.0"}, None, INVALID_REQUEST),
    ({"id": 1, "method": "shutdown"}, 1, INVALID_REQUEST),
    *((wrong, None, INVALID_REQUEST) for wrong in WRONG if not isinstance(wrong, dict)),
    ([GOOD, GOOD], None, INVALID_REQUEST),
    ([[GOOD]], None, INVALID_REQUEST),
]


def test_what_is_no_message_is_answered_as_json_rpc_says(wire: Callable[..., Any]) -> None:
    with wire() as server:
        begin(server)
        for message, id, code in NO_MESSAGES:
            before = len(server.answers(id))
            server.body(json.dumps(message).encode())
            server.until(lambda id=id, before=before: len(server.answers(id)) > before)
            assert server.answers(id)[-1]["error"]["code"] == code, message
            assert len(server.answers(id)) == before + 1
        check(server)
        assert shown(server) == []


NO_JSON = [
    b"{",
    b"nothing",
    b"\xff\xfe\xff",
    b'{"jsonrpc": "2.0", "id": 1, "method": "\xc3\x28"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "shut',
    b"\x00" * 100,
    b" ",
    b"{}{}",
    b"7" * 5000,
    b"[" * 10_000,
    b"[" * 10_000 + b"]" * 10_000,
    b'{"x":' * 10_000 + b"1" + b"}" * 10_000,
    b"[" * 1_000_000,
    b'"\\ud83"',
]


def test_what_is_no_json_is_answered_and_said_once(wire: Callable[..., Any]) -> None:
    with wire() as server:
        begin(server)
        for number, body in enumerate(NO_JSON):
            server.body(body)
            server.until(lambda number=number: len(server.answers(None)) > number)
            assert server.answers(None)[-1]["error"]["code"] == PARSE_ERROR, body[:80]
        check(server)
        assert shown(server) == ["The editor sent a message that is not JSON."]


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"jsonrpc": "2.0", "id": 1, "method": "shutdown", "x": [value]}
    return value


def test_messages_within_messages_and_other_oddities(wire: Callable[..., Any]) -> None:
    command = "workspace/executeCommand"
    with wire() as server:
        begin(server)
        deep = nested(200)
        server.send(method="workspace/didChangeConfiguration", params={"settings": deep})
        server.send(
            method="workspace/didChangeConfiguration", params={"settings": {"editcast": deep}}
        )
        server.send(method="no/such", params=deep)
        answer = server.ask(command, {"command": "editcast.accept", "arguments": [deep]})
        assert answer["error"]["code"] == INVALID_PARAMS
        assert server.ask("no/such", deep)["error"]["code"] == NOT_FOUND
        # Names that pygls makes objects of, in whatever it does not know.
        odd = {"type_name": "1 2", "class": 1, "": 2, "x y": {"type_name": []}}
        server.send(method="no/such", params=odd)
        assert server.ask("no/such", odd)["error"]["code"] == NOT_FOUND
        # Answers that nobody asked for, and to a request of the editor's own.
        for id in (1, None, "x", [1], {"a": 1}, 2.5):
            server.send(id=id, result={"x": 1}, extra=1)
            server.send(id=id, error={"code": "x"})
            server.send(id=id, error=None)
        server.send(id="own", method="editcast/nextEdit", params={"textDocument": DOCUMENT})
        server.send(id="own", result=7)
        assert "result" in server.answer("own")
        # The same id twice are two requests.
        for _ in range(2):
            server.send(id="twice", method="editcast/nextEdit", params={"textDocument": DOCUMENT})
        server.until(lambda: len(server.answers("twice")) == 2)
        # As many suggestions as nobody wants.
        for count in (2**31 - 1, 1, 2**31 - 1):
            params = {"textDocument": DOCUMENT, "count": count}
            assert "result" in server.ask("editcast/nextEdit", params)
        check(server)
        assert len(server.answers("own")) == 1
        assert len(server.answers("twice")) == 2


@pytest.mark.parametrize("text", [None, 7, 2.5, True, ["x"], {"x": 1}])
def test_a_text_that_is_none_is_never_one(wire: Callable[..., Any], text: Any) -> None:
    document = {"textDocument": DOCUMENT}
    with wire() as server:
        begin(server)
        assert server.ask("editcast/nextEdit", document)["result"]["version"] == 1
        server.change(URI, 2, text)
        assert server.ask("editcast/nextEdit", document)["result"] is None
        # A range counts from the text before, which is not known.
        server.change(URI, 3, "x", range=RANGE)
        assert server.ask("editcast/nextEdit", document)["result"] is None
        server.change(URI, 4, TEXT)
        assert server.ask("editcast/nextEdit", document)["result"]["version"] == 4
        check(server)
        assert shown(server) == [NO_LSP]


@pytest.mark.parametrize(
    "place",
    [{"line": 0.5, "character": 0}, {"line": "0", "character": 0}, {"line": 0, "character": True}],
)
def test_numbers_are_not_cut(wire: Callable[..., Any], place: Any) -> None:
    with wire() as server:
        begin(server)
        server.change(URI, 2, "x", range={"start": place, "end": place})
        assert server.ask("editcast/nextEdit", {"textDocument": DOCUMENT})["result"] is None
        params = {"textDocument": DOCUMENT, "count": 1.5}
        error = server.ask("editcast/nextEdit", params)["error"]
        assert (error["code"], error["message"]) == (
            INVALID_PARAMS,
            "Invalid Params: a value is not of the right type @ message.params.count.",
        )
        params = {"textDocument": DOCUMENT, "count": 1.0}  # JSON has one kind of number
        assert "result" in server.ask("editcast/nextEdit", params)
        check(server)


def shown(server: Any) -> list[str]:
    """Return what the user was told, but for which model there is."""
    return [one for one in server.shown if "repeat-best" not in one]


def begin(server: Any) -> None:
    capabilities: dict[str, Any] = {"textDocument": {"inlineCompletion": {}}}
    server.ask(
        "initialize",
        {
            "processId": None,
            "rootUri": None,
            "capabilities": capabilities,
            "initializationOptions": SETTINGS,
        },
    )
    server.send(method="initialized", params={})
    server.until(lambda: server.received("editcast/status"))
    server.send(method="textDocument/didOpen", params=NOTIFICATIONS["textDocument/didOpen"])


def answered(server: Any, ids: list[str]) -> None:
    """Each request has one answer."""
    server.ask("workspace/executeCommand", {"command": "editcast.status"})
    for id in ids:
        server.answer(id)
    counts = Counter(one["id"] for one in server.messages if "method" not in one)
    assert {counts[id] for id in ids} == {1}


def check(server: Any) -> None:
    """The server still does all of its work, and its log has no traceback."""
    server.send(
        method="workspace/didChangeConfiguration", params={"settings": {"editcast": SETTINGS}}
    )
    server.ask("workspace/executeCommand", {"command": "editcast.status"})
    assert server.predicts()
    assert server.end() == 0
    assert server.errors == b""
    assert "Traceback" not in server.logs
    assert all(line[:2] == "20" for line in server.logs.splitlines())
