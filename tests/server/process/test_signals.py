"""SIGTERM and SIGHUP end the server as `shutdown` does: what was saved is in the store."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from editcast_store.lock import process_lock
from editcast_store.saves import Store


class Server:
    """A server process, spoken with message by message; its standard input stays open."""

    def __init__(self, home: Path, process: "subprocess.Popen[bytes]") -> None:
        self.home = home
        self.process = process

    def send(self, method: str, params: Any, **fields: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params, **fields}
        body = json.dumps(message).encode()
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def read_message(self) -> Any:
        """The next message; none when the server has ended."""
        assert self.process.stdout
        size = 0
        while (line := self.process.stdout.readline()).strip():
            if line.startswith(b"Content-Length: "):
                size = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(size)) if size else None

    def hear_until(self, wanted: Any) -> Any:
        while (message := self.read_message()) is not None:
            if wanted(message):
                return message
        raise AssertionError("the server has ended")

    def command(self, name: str) -> None:
        """Ask for something, and wait for the answer."""
        self.send("workspace/executeCommand", {"command": name, "arguments": []}, id=name)
        self.hear_until(lambda message: message.get("id") == name and "result" in message)

    def save(self, path: Path, text: str) -> None:
        uri = path.as_uri()
        opened = {"uri": uri, "languageId": "python", "version": 1, "text": "before = 1\n"}
        self.send("textDocument/didOpen", {"textDocument": opened})
        changed = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text}]}
        self.send("textDocument/didChange", changed)
        self.send("textDocument/didSave", {"textDocument": {"uri": uri}, "text": text})

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.process.wait()


@contextmanager
def serving(home: Path, model: str = "repeat-best") -> Iterator[Server]:
    process = subprocess.Popen(
        [sys.executable, "-m", "editcast", "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=home,
        env=os.environ | {"EDITCAST_HOME": str(home)},
    )
    with process:
        server = Server(home, process)
        options = {"modelPath": model, "confidenceThreshold": 0}
        server.send(
            "initialize",
            {
                "capabilities": {},
                "processId": None,
                "rootUri": None,
                "initializationOptions": options,
            },
            id=1,
        )
        server.hear_until(lambda message: message.get("id") == 1)
        server.send("initialized", {})
        try:
            yield server
        finally:
            process.kill()


def saved(home: Path) -> dict[str, str]:
    """The last text of every file in the store."""
    with Store.open(home / "history.sqlite3") as store:
        paths = [file.path for file in store.files()]
        return {Path(path).name: store.snapshots(path)[-1].text for path in paths}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("count", range(1, 11))
def test_every_save_that_was_taken_is_kept(
    tmp_path: Path, number: signal.Signals, count: int
) -> None:
    with serving(tmp_path) as server:
        for one in range(count):
            server.save(tmp_path / f"{one}.py", f"after_{one} = 2\n")
        server.command("editcast.status")
        assert server.end(number) == 128 + number
    assert saved(tmp_path) == {f"{one}.py": f"after_{one} = 2\n" for one in range(count)}


def test_a_prediction_under_way_holds_nothing_up(tmp_path: Path) -> None:
    text = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(300))
    with serving(tmp_path, model="") as server:
        server.hear_until(
            lambda it: it.get("method") == "editcast/status" and it["params"]["state"] == "ready"
        )
        server.save(tmp_path / "long.py", text.replace("render", "draw", 3))
        server.hear_until(
            lambda it: it.get("method") == "editcast/status" and it["params"]["state"] == "thinking"
        )
        assert server.end(signal.SIGTERM) == 128 + signal.SIGTERM
    assert "draw" in saved(tmp_path)["long.py"]


def test_an_editor_that_reads_no_more_holds_nothing_up(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.save(tmp_path / "a.py", "after = 2\n")
        server.command("editcast.status")
        for number in range(50):  # more than the pipe to the editor holds
            report = {"command": "editcast.report", "arguments": []}
            server.send("workspace/executeCommand", report, id=number)
        assert server.end(signal.SIGTERM) == 128 + signal.SIGTERM
    assert saved(tmp_path) == {"a.py": "after = 2\n"}


def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the server inherits it, as from nohup
    try:
        with serving(tmp_path) as server:
            server.process.send_signal(signal.SIGHUP)
            server.command("editcast.status")
            assert server.end(signal.SIGTERM) == 128 + signal.SIGTERM
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_training_ends_with_the_server(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.save(tmp_path / "a.py", "after = 2\n")
        server.command("editcast.train")
        # The training's first word: it is at work in its folder.
        server.hear_until(
            lambda it: (
                it.get("method") == "editcast/status"
                and it["params"]["message"].startswith("Reading")
            )
        )
        assert server.end(signal.SIGTERM) == 128 + signal.SIGTERM
    with process_lock(tmp_path / "training" / ".lock", wait=60):
        assert "after = 2" in saved(tmp_path)["a.py"]
