"""Streams of good messages with random damage, sent to a real server.

A round is one server. It must stay up, answer every request that can be told to be one, serve a
good document after each batch, end with 0, write nothing to stderr and no user's text to its log.
"""

import copy
import json
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from attacks.editor import Editor, HungError, framed
from attacks.figures import Figures, Finding, Limit
from attacks.hostile_json import damaged

MESSAGES = 60
HEALTH_AFTER = 30
#: In the texts of all documents: no log may hold it.
_MARK = "open_sesame"
_TEXT = "".join(
    f"def part_{index}(text):\n    return {_MARK}(text, {index})\n\n" for index in range(4)
)


def attack(limit: Limit, seed: int) -> Figures:
    """Send damaged messages to servers."""
    figures = Figures()
    for number, draw in limit.each(figures, seed):
        sent: list[Any] = []
        with tempfile.TemporaryDirectory() as folder:
            try:
                trouble = _try_server(Path(folder), draw, figures, sent)
            except HungError as error:
                trouble = str(error)
        if trouble:
            figures.findings.append(Finding(trouble[:4000], seed, number, sent))
    return figures


def _try_server(home: Path, draw: Random, figures: Figures, sent: list[Any]) -> str:
    figures.tried["servers"] += 1
    with Editor(home, {"confidenceThreshold": 0, "modelPath": "repeat-best"}) as editor:
        for index in range(MESSAGES):
            figures.tried["bad messages"] += 1
            _send(editor, draw, sent, index)
            if index % HEALTH_AFTER == HEALTH_AFTER - 1:
                _check_health(editor, home / f"good-{index}.py")
        unanswered = [one for one in sent if isinstance(one, dict) and _wants_answer(one)]
        for message in unanswered:
            if "error" in editor.wait_for(message["id"]):
                figures.tried["requests refused"] += 1
        code = editor.shutdown()
    if code:
        return f"exit code {code}: {editor.stderr}"
    if editor.stderr:
        return f"stderr: {editor.stderr}"
    if _MARK in editor.logs:
        at = editor.logs.index(_MARK)
        return f"the log holds a text: {editor.logs[max(0, at - 200) : at + 200]}"
    return ""


def _wants_answer(message: dict[str, Any]) -> bool:
    """Tell whether a damaged message is still a request for sure, with a number of its own."""
    number, method = message.get("id"), message.get("method")
    return (
        isinstance(number, str)
        and number.startswith("bad-")
        and isinstance(method, str)
        and message.get("jsonrpc") == "2.0"
        and not {"result", "error"} & set(message)
    )


def _check_health(editor: Editor, path: Path) -> None:
    editor.request("workspace/executeCommand", {"command": "editcast.snooze", "arguments": [0]})
    good = {"editcast": {"confidenceThreshold": 0, "modelPath": "repeat-best"}}
    editor.notify("workspace/didChangeConfiguration", {"settings": good})
    editor.open(path, _TEXT, "python")
    place = {"line": 1, "character": 11}
    change = {"range": {"start": place, "end": place}, "text": "new_"}
    editor.change(path, 2, [change])
    editor.save(path)
    answer = editor.next_edit(path)
    if "error" in answer or answer["result"] is None:
        raise HungError(f"a good document is not served after bad messages: {answer}")
    editor.close(path)


def _send(editor: Editor, draw: Random, sent: list[Any], number: int) -> None:
    """Send one damaged message, or a good one badly framed, and note it."""
    message = _good(draw, number)
    kind = draw.randrange(12)
    if kind == 0:  # no JSON
        body = draw.choice(
            (b"", b"{", b"\xff\xfe", b"null", b"[]", b'"x"', b"[" * 5000, b"7" * 5000)
        )
        sent.append(repr(body[:40]))
        editor.send(framed(body))
    elif kind == 1:  # good, with a header that HTTP allows
        sent.append(message)
        body = json.dumps(message).encode()
        form = draw.choice(
            (
                b"content-length: %d\r\n\r\n",
                b"Content-Length:%d\r\n\r\n",
                b"CONTENT-LENGTH:   %d\r\n\r\n",
                b"Content-Type: text/json; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
                b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n",
            )
        )
        sent.append(form.decode())
        editor.send(form % len(body) + body)
    elif kind == 2:  # twice
        sent.append(message)
        again = copy.deepcopy(message) | ({"id": f"bad-{number}-again"} if "id" in message else {})
        sent.append(again)
        editor.send_json(message)
        editor.send_json(again)
    else:
        keys = ("params",) if kind < 10 else tuple(message)
        part = {key: message.pop(key) for key in keys}
        bad = damaged(part, draw, draw.choice((1, 1, 2)))
        message |= bad if isinstance(bad, dict) else {"params": bad}
        if message.get("method") in ("exit", "shutdown"):
            return
        sent.append(message)
        editor.send_json(message)


def _good(draw: Random, number: int) -> dict[str, Any]:
    """A good message, of all kinds that an editor sends."""
    name = draw.choice(("a.py", "b.py", "c/[id]/page.tsx", "%00.py", "é 🎉.py"))
    document = {"uri": f"file:///w/{name}"}
    position = {"line": draw.randrange(5), "character": draw.randrange(30)}
    there = {"start": position, "end": position}
    requests = {
        "textDocument/codeAction": {
            **{"textDocument": document, "range": there},
            "context": {
                "diagnostics": [],
                "only": ["quickfix"],
                "triggerKind": draw.choice((1, 2)),
            },
        },
        "textDocument/inlineCompletion": {
            **{"textDocument": document, "position": position, "context": {"triggerKind": 1}}
        },
        "textDocument/copilotInlineEdit": {
            **{"textDocument": {**document, "version": 2}, "position": position},
            "context": {"triggerKind": 2},
        },
        "editcast/nextEdit": {"textDocument": document, "count": draw.randrange(4)},
        "workspace/executeCommand": {
            "command": f"editcast.{draw.choice(('accept', 'reject', 'shown', 'status', 'report'))}",
            "arguments": [draw.choice(("1", "stale"))],
        },
        "textDocument/hover": {"textDocument": document, "position": position},
        "initialize": {"processId": None, "rootUri": None, "capabilities": {}},
    }
    opened = {**document, "languageId": "python", "version": 1, "text": _TEXT}
    change = {"range": there, "text": draw.choice(("x", "\n", "", _MARK))}
    settings = {"enabled": True, "exclude": ["**/vendor/**"], "debounceMs": 75, "languages": ["*"]}
    notifications = {
        "textDocument/didOpen": {"textDocument": opened},
        "textDocument/didChange": {
            **{"textDocument": {**document, "version": draw.randrange(1, 9)}},
            "contentChanges": [change, {"text": _TEXT}][: draw.randint(1, 2)],
        },
        "textDocument/didSave": {"textDocument": document, "text": _TEXT},
        "textDocument/didClose": {"textDocument": document},
        "workspace/didChangeConfiguration": {"settings": {"editcast": settings}},
        "workspace/didChangeWorkspaceFolders": {
            "event": {"added": [{"uri": "file:///w", "name": "w"}], "removed": []}
        },
        "$/cancelRequest": {"id": draw.choice((1, f"bad-{number - 1}", 10_000))},
        "$/setTrace": {"value": "verbose"},
        "initialized": {},
        "textDocument/didShowCompletion": {"item": {"command": {"arguments": ["1"]}}},
    }
    if draw.random() < 0.4:
        method = draw.choice(list(requests))
        parts = {"id": f"bad-{number}", "params": requests[method]}
    else:
        method = draw.choice((*notifications, "textDocument/didOpen", "textDocument/didChange"))
        parts = {"params": notifications[method]}
    return {"jsonrpc": "2.0", "method": method, **parts}
