"""No text of a user's file in a log, on stderr or in a message, whatever goes wrong."""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from editcast_server.logs import start_logging

MARK = "open_sesame_4711"
TEXT = f"{MARK} = '{MARK}'\n"


def document(**fields: Any) -> dict[str, Any]:
    there = {"uri": "file:///marked.py", "languageId": "python", "version": 1, "text": TEXT}
    return {"textDocument": there | fields}


def change(*changes: Any, **fields: Any) -> dict[str, Any]:
    there = {"uri": "file:///marked.py", "version": 2, **fields}
    return {"textDocument": there, "contentChanges": list(changes)}


SAVED = {"textDocument": {"uri": "file:///marked.py"}}
OPEN, CHANGE, SAVE = (f"textDocument/did{one}" for one in ("Open", "Change", "Save"))
COMMANDS = ("accept", "reject", "shown", "snooze", "train", "revert", "status", "no-such")
HERE = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}

MALFORMED: list[Any] = [
    {"jsonrpc": "1.0", "method": OPEN, "params": document()},
    {"jsonrpc": 2, "method": OPEN, "params": document()},
    {"method": OPEN, "params": document()},
    [{"jsonrpc": "2.0", "method": OPEN, "params": document()}],
    TEXT,
    {"jsonrpc": "2.0", "method": TEXT, "params": document()},
    {"jsonrpc": "2.0", "id": 1, "method": TEXT, "params": document()},
    {"jsonrpc": "2.0", "id": {TEXT: TEXT}, "method": "shutdown"},
    {"jsonrpc": "2.0", "id": TEXT, "method": "editcast/nextEdit", "params": document(uri=None)},
    {"jsonrpc": "2.0", "id": 2, "result": TEXT},
    {"jsonrpc": "2.0", "id": 3, "error": {"code": TEXT, "message": TEXT}},
    {"jsonrpc": "2.0", "id": 4, "error": {"code": 1, "message": TEXT, "data": TEXT}},
    {"jsonrpc": "2.0", "id": 5, "method": OPEN, "params": document()},
    *(
        {"jsonrpc": "2.0", "method": method, "params": params}
        for method, params in [
            (OPEN, document(version="one")),
            (OPEN, document(version=TEXT)),
            (OPEN, document(version=None)),
            (OPEN, document(languageId=None)),
            (OPEN, document(uri=7)),
            (OPEN, document(text=[TEXT])),
            (OPEN, [TEXT]),
            (OPEN, TEXT),
            (CHANGE, change({"text": TEXT}, version="two")),
            (CHANGE, change({"text": [TEXT]})),
            (CHANGE, change({"text": TEXT, "range": TEXT})),
            (CHANGE, change({"text": TEXT, "range": {"start": {"line": -1}}})),
            (CHANGE, change({"text": TEXT, "range": {"start": 1, "end": {TEXT: 1}}})),
            (CHANGE, change(TEXT)),
            (CHANGE, {TEXT: TEXT}),
            (CHANGE, change({"text": TEXT, "range": HERE}, uri="file:///never.py")),
            (SAVE, SAVED | {"text": [TEXT]}),
            (SAVE, {"textDocument": TEXT, "text": TEXT}),
            ("$/cancelRequest", {"id": [TEXT]}),
            ("$/cancelRequest", {"id": TEXT}),
            ("$/setTrace", {"value": TEXT}),
            ("workspace/didChangeWorkspaceFolders", {"event": TEXT}),
            ("workspace/didChangeWorkspaceFolders", {"event": {"added": [TEXT], "removed": []}}),
            ("textDocument/didShowInlineEdit", {"item": {"command": {"arguments": [TEXT]}}}),
            ("textDocument/didShowInlineEdit", {"item": TEXT}),
            ("notebookDocument/didOpen", document()),
            ("window/workDoneProgress/cancel", {"token": [TEXT]}),
            ("window/workDoneProgress/cancel", {"token": TEXT}),
        ]
    ),
    *(
        {
            "jsonrpc": "2.0",
            "id": f"{command} {number}",
            "method": "workspace/executeCommand",
            "params": {"command": f"editcast.{command}", "arguments": arguments},
        }
        for command in COMMANDS
        for number, arguments in enumerate(
            [[TEXT], [TEXT, TEXT], [{TEXT: TEXT}], TEXT, {"a": TEXT}]
        )
        if command not in ("train", "revert")
    ),
    {"jsonrpc": "2.0", "id": 6, "method": "workspace/executeCommand", "params": {"command": TEXT}},
]
NO_JSON = [TEXT.encode(), f'{{"text": "{MARK}'.encode(), f'"{MARK}\xff"'.encode("latin-1")]


def test_malformed_messages_leave_no_text_behind(wire: Callable[..., Any]) -> None:
    with wire() as server:
        server.initialize()
        server.send(method=OPEN, params=document())
        for message in MALFORMED:
            server.body(json.dumps(message).encode())
        for body in NO_JSON:
            server.body(body)
        assert server.predicts()
        assert server.end() == 0
        logs = server.logs
        assert logs  # or else this tests nothing
        assert MARK not in logs
        assert "Traceback" not in logs
        assert MARK.encode() not in server.errors
        assert MARK not in "".join(server.shown)
        assert MARK not in json.dumps(server.received("window/logMessage"))
        assert MARK not in json.dumps(server.received("editcast/status"))


def test_before_initialize_and_after_shutdown_too(wire: Callable[..., Any]) -> None:
    with wire() as server:
        for message in MALFORMED:
            server.body(json.dumps(message).encode())
        server.initialize()
        server.ask("shutdown")
        for message in MALFORMED:
            server.body(json.dumps(message).encode())
        server.send(method="exit")
        assert server.end(politely=False) == 0
        assert MARK not in server.logs
        assert MARK.encode() not in server.errors
        assert MARK not in "".join(server.shown)


def test_a_log_without_a_folder_goes_to_stderr_without_text(
    wire: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "logs").write_text("in the way")
    with wire() as server:
        server.initialize()
        for message in MALFORMED:
            server.body(json.dumps(message).encode())
        assert server.predicts()
        assert server.end() == 0
        assert server.errors
        assert MARK.encode() not in server.errors


CODE = f"""
import asyncio, logging, warnings
from editcast_server.logs import start_logging
start_logging()
text = {TEXT!r}

def fail(depth=3):
    if depth:
        fail(depth - 1)
    try:
        raise KeyError(text)
    except KeyError as error:
        error.add_note(text)
        raise ValueError(text) from error

for name in ("pygls.protocol", "asyncio", "cattrs", "a.b", text):
    other = logging.getLogger(name)
    other.error(text)
    other.error("%s", text)
    other.error("%d", text)
    other.error(f"{{text}} %s", 1)
    try:
        fail()
    except ValueError as error:
        other.exception(text)
        other.error("x", exc_info=error)
own = logging.getLogger("editcast_server.prediction.engine")
try:
    fail()
except ValueError:
    own.exception("The engine failed")
own.warning("one\\ntwo\\x1b[31m")

async def forgotten():
    async def task():
        fail()
    asyncio.ensure_future(task())
    asyncio.get_running_loop().call_soon(fail)
    await asyncio.sleep(0.01)
asyncio.run(forgotten())
"""


def test_no_words_of_other_packages_and_of_exceptions(tmp_path: Path) -> None:
    environment = os.environ | {"EDITCAST_HOME": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, env=environment, timeout=60, check=True
    )
    (path,) = (tmp_path / "logs").iterdir()
    log = path.read_text()
    assert MARK not in log
    assert MARK.encode() not in ended.stdout + ended.stderr
    # What remains says where to look.
    assert "pygls.protocol" in log
    assert "The engine failed (ValueError at <string>:" in log
    assert "\x1b" not in log
    assert "one\\ntwo\\x1b[31m" in log
    assert all(" WARNING " in line or " ERROR " in line for line in log.splitlines())


def test_every_log_file_is_the_owners_alone(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("EDITCAST_HOME", str(tmp_path))
    root, handlers = logging.getLogger(), logging.getLogger().handlers[:]
    before = os.umask(0)
    try:
        root.handlers.clear()
        start_logging()
        for _ in range(30_000):
            logging.getLogger("editcast_server").info("x" * 80)
        for handler in root.handlers:
            handler.close()
    finally:
        os.umask(before)
        root.handlers[:] = handlers
        for name in ("editcast_server", "editcast_model"):
            logging.getLogger(name).setLevel(logging.NOTSET)
        root.setLevel(logging.WARNING)
    found = sorted((tmp_path / "logs").iterdir())
    assert len(found) == 2  # it was begun anew
    assert [path.stat().st_mode & 0o077 for path in found] == [0, 0] or os.name == "nt"
