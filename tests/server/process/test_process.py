"""The server as a process: its start, its output, its logs, its end."""

import asyncio
import json
import logging
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from editcast_server.logs import KEPT, start_logging

SERVE = [sys.executable, "-m", "editcast", "serve"]


def message(**fields: Any) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **fields}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


INITIALIZE = message(
    id=1, method="initialize", params={"capabilities": {}, "processId": None, "rootUri": None}
)
GOODBYE = message(id=2, method="shutdown") + message(method="exit")


def answers(output: bytes) -> list[Any]:
    found = []
    while output:
        header, _, rest = output.partition(b"\r\n\r\n")
        fields = dict(line.split(b": ", 1) for line in header.split(b"\r\n"))
        size = int(fields[b"Content-Length"])
        found.append(json.loads(rest[:size]))
        output = rest[size:]
    return found


def test_stdout_is_lsp_and_nothing_else(tmp_path: Path) -> None:
    ended = subprocess.run(
        SERVE,
        input=INITIALIZE + message(method="initialized", params={}) + GOODBYE,
        capture_output=True,
        env=os.environ | {"EDITCAST_HOME": str(tmp_path)},
        timeout=60,
        check=True,
    )
    first, *_, last = answers(ended.stdout)
    capabilities = first["result"]["capabilities"]
    assert first["result"]["serverInfo"]["name"] == "editcast"
    assert capabilities["positionEncoding"] == "utf-16"
    assert capabilities["textDocumentSync"]["change"] == 2  # incremental
    assert capabilities["textDocumentSync"]["save"] == {"includeText": True}
    assert capabilities["codeActionProvider"] == {"codeActionKinds": ["quickfix.nextEdit"]}
    assert "inlineCompletionProvider" not in capabilities
    assert set(capabilities["executeCommandProvider"]["commands"]) == {
        "editcast.accept",
        "editcast.reject",
        "editcast.shown",
        "editcast.applyOtherFiles",
        "editcast.snooze",
        "editcast.train",
        "editcast.revert",
        "editcast.report",
        "editcast.status",
        "editcast.countHistory",
        "editcast.history",
        "editcast.saves",
        "editcast.savedText",
        "editcast.forget",
        "editcast.exportHistory",
    }
    assert (last["id"], last["result"]) == (2, None)
    assert ended.stderr == b""


def test_the_log_is_a_file_and_holds_no_text(tmp_path: Path) -> None:
    document = {"uri": "file:///a.py", "languageId": "python", "version": 1, "text": "sesame = 1"}
    opened = message(method="textDocument/didOpen", params={"textDocument": document})
    subprocess.run(
        SERVE,
        input=INITIALIZE + message(method="initialized", params={}) + opened + GOODBYE,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"EDITCAST_HOME": str(tmp_path)},
        timeout=60,
        check=True,
    )
    (log,) = (tmp_path / "logs").glob("server-*.log")
    assert "sesame" not in log.read_text()
    assert log.stat().st_mode & 0o077 == 0 or os.name == "nt"


def test_a_folder_that_cannot_be_written_is_no_reason_not_to_start(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("in the way")
    ended = subprocess.run(
        SERVE,
        input=INITIALIZE + GOODBYE,
        capture_output=True,
        env=os.environ | {"EDITCAST_HOME": str(tmp_path)},
        timeout=60,
        check=True,
    )
    assert answers(ended.stdout)[0]["result"]["serverInfo"]["name"] == "editcast"


def test_the_last_logs_stay(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("EDITCAST_HOME", str(tmp_path))
    folder = tmp_path / "logs"
    folder.mkdir()
    for number in range(KEPT + 5):
        log = folder / f"server-{number}.log"
        log.touch()
        os.utime(log, (number, number))
    gone = folder / "server-gone.log"  # as if another server removed it meanwhile
    if os.name == "posix":
        gone.symlink_to("nowhere")
    root, handlers = logging.getLogger(), logging.getLogger().handlers[:]
    try:
        root.handlers.clear()
        own = start_logging()
        for handler in root.handlers:
            handler.close()
    finally:
        root.handlers[:] = handlers
        for name in ("editcast_server", "editcast_model"):
            logging.getLogger(name).setLevel(logging.NOTSET)
        root.setLevel(logging.WARNING)
    left = {log.name for log in folder.iterdir() if log != gone}
    assert own and left == {own.name} | {f"server-{n}.log" for n in range(6, KEPT + 5)}


async def test_tcp(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = await asyncio.create_subprocess_exec(
        *SERVE,
        *("--tcp", f"127.0.0.1:{port}"),
        env=os.environ | {"EDITCAST_HOME": str(tmp_path)},
    )
    end = time.monotonic() + 60
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            break
        except OSError:
            assert time.monotonic() < end
            await asyncio.sleep(0.05)
    writer.write(INITIALIZE)
    header = await reader.readuntil(b"\r\n\r\n")
    body = await reader.readexactly(int(header.split(b":")[1].split(b"\r\n")[0]))
    assert json.loads(body)["result"]["serverInfo"]["name"] == "editcast"
    writer.write(GOODBYE)
    await reader.read()
    writer.close()
    await writer.wait_closed()
    assert await asyncio.wait_for(server.wait(), 30) == 0


async def test_an_editor_that_waits_at_a_pipe(tmp_path: Path) -> None:
    """VS Code's own client makes the pipe, as it does for a server that it starts so."""
    client = await asyncio.create_subprocess_exec(
        *("node", str(Path(__file__).parent / "pipe_client.mjs"), *SERVE),
        env=os.environ | {"EDITCAST_HOME": str(tmp_path)},
        stdout=asyncio.subprocess.PIPE,
    )
    printed, _ = await asyncio.wait_for(client.communicate(), 60)
    assert json.loads(printed) == {"name": "editcast", "shutdown": None, "code": 0}


def test_a_pipe_where_nobody_waits(tmp_path: Path) -> None:
    pipe = tmp_path / "nobody.sock"
    ended = subprocess.run(
        [*SERVE, "--pipe", str(pipe)],
        env=os.environ | {"EDITCAST_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 2
    assert f"No editor listens at the pipe {pipe}" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_tcp_wants_host_and_port() -> None:
    ended = subprocess.run([*SERVE, "--tcp", "nowhere"], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert "it must be HOST:PORT" in ended.stderr
