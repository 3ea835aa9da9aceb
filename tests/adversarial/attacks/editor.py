"""An editor that speaks with a real server process in plain bytes, good ones and bad ones.

The clients of the other tests cannot send what is wrong, and cannot be killed at any moment.
"""

import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

SERVE = (sys.executable, "-m", "editcast", "serve")
#: Seconds after which an answer is taken never to come; on a busy machine one takes a minute.
PATIENCE = 300.0
#: A model that is named: forecasting by it costs next to nothing.
BASELINE = "repeat-last"


class HungError(Exception):
    """The server did not answer within `PATIENCE`, or it is gone."""


class Editor:
    """A server process of its own, initialised; use it as a context manager.

    Args:
        home: The server's EDITCAST_HOME.
        settings: As initializationOptions.
        encoding: The only position encoding that this editor knows; None for LSP's default.
        command: What starts the server.
        environment: The server's, EDITCAST_HOME apart; this process's own when None.
        name: What its stderr is called, where several share a home.
    """

    def __init__(
        self,
        home: Path,
        settings: Mapping[str, Any] | None = None,
        *,
        encoding: str | None = None,
        command: Sequence[str] = SERVE,
        environment: Mapping[str, str] | None = None,
        name: str = "server",
    ) -> None:
        self.home = home
        self._stderr = home / f"stderr-{name}"
        self.answers: dict[Any, Any] = {}
        self.sentences: list[str] = []
        self._numbers = itertools.count(1)
        self._arrived = threading.Condition()
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._errors = self._stderr.open("wb")  # noqa: SIM115 (closed by __exit__)
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={
                **(os.environ if environment is None else environment),
                "EDITCAST_HOME": str(home),
            },
        )
        self._threads = [threading.Thread(target=one) for one in (self._read, self._write)]
        for thread in self._threads:
            thread.start()
        encodings = {"positionEncodings": [encoding]} if encoding else {}
        self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": None,
                "capabilities": {"general": encodings},
                "initializationOptions": {"modelPath": BASELINE} | dict(settings or {}),
            },
        )
        self.notify("initialized", {})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()

    @property
    def stderr(self) -> str:
        """Return what the server wrote to stderr."""
        return self._stderr.read_text("utf-8", "replace")

    @property
    def logs(self) -> str:
        """Return what the server wrote to its logs."""
        texts = (log.read_text("utf-8", "replace") for log in self.home.glob("logs/*"))
        return "".join(texts)

    def kill(self) -> None:
        """End the process as kill -9 does, and all that belongs to it here."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._outgoing.put(None)
        for thread in self._threads:
            thread.join()
        self._errors.close()

    def shutdown(self) -> int:
        """End the process as an editor does; its exit code."""
        self.request("shutdown", None)
        self.notify("exit", None)
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise HungError("the server does not end after `exit`") from None

    def memory(self) -> float:
        """The resident memory of the process, in megabytes."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise HungError("the server is gone")

    # Messages

    def send(self, data: bytes) -> None:
        """Send bytes as they are; a server that does not read them holds nobody up."""
        self._outgoing.put(data)

    def send_json(self, message: Any) -> None:
        """Send anything as a message."""
        self.send(framed(json.dumps(message).encode()))

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.send_json({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: Any) -> int:
        """Send a request; the number under which `wait_for` finds its answer."""
        number = next(self._numbers)
        self.send_json({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def request(self, method: str, params: Any) -> Any:
        """Send a request and wait for its answer: `result` or `error`, whole."""
        return self.wait_for(self.ask(method, params))

    def wait_for(self, number: Any) -> Any:
        """The answer to a request; raises `HungError`."""
        with self._arrived:
            arrived = self._arrived.wait_for(
                lambda: number in self.answers or None in self.answers, PATIENCE
            )
            if not arrived or number not in self.answers:
                why = "ended" if self.process.poll() is not None else "hangs"
                raise HungError(f"no answer to request {number}: the server {why}")
            return self.answers.pop(number)

    def acknowledge(self) -> None:
        """Return once all saves that were sent before are on the disk, as the server says."""
        self.request("workspace/executeCommand", {"command": "editcast.report", "arguments": []})

    # Documents

    def open(self, path: Path, text: str, language: str = "plaintext") -> None:
        """Open a file."""
        document = {"uri": path.as_uri(), "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, path: Path, version: int, changes: list[Any]) -> None:
        """Send changes as LSP has them."""
        it = {"uri": path.as_uri(), "version": version}
        self.notify("textDocument/didChange", {"textDocument": it, "contentChanges": changes})

    def save(self, path: Path, text: str | None = None) -> None:
        """Save a file, with its text or without."""
        params: dict[str, Any] = {"textDocument": {"uri": path.as_uri()}}
        if text is not None:
            params["text"] = text
        self.notify("textDocument/didSave", params)

    def close(self, path: Path) -> None:
        """Close a file."""
        self.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})

    def next_edit(self, path: Path) -> Any:
        """The answer to `editcast/nextEdit`."""
        return self.request("editcast/nextEdit", {"textDocument": {"uri": path.as_uri()}})

    def wait_until_told(self, words: str) -> None:
        """Return once the server has shown a sentence with these words."""
        with self._arrived:
            if not self._arrived.wait_for(
                lambda: any(words in one for one in self.sentences), PATIENCE
            ):
                raise HungError(f"the user was never told: {words}")

    # Threads

    def _write(self) -> None:
        assert self.process.stdin is not None
        while (data := self._outgoing.get()) is not None:
            try:
                self.process.stdin.write(data)
                self.process.stdin.flush()
            except OSError:  # the server is gone
                break
        try:
            self.process.stdin.close()
        except OSError:
            pass

    def _read(self) -> None:
        output = self.process.stdout
        assert output is not None
        with output:
            while header := output.readline():
                size = 0
                while header.strip():
                    name, _, value = header.partition(b":")
                    size = int(value) if name.lower() == b"content-length" else size
                    header = output.readline()
                body = output.read(size)
                if len(body) < size:  # killed in the middle of it
                    break
                self._take(json.loads(body))
        with self._arrived:
            self.answers[None] = "the end"
            self._arrived.notify_all()

    def _take(self, message: dict[str, Any]) -> None:
        with self._arrived:
            if "method" not in message:
                number = message.get("id")  # of a bad request it may be anything
                self.answers[number if isinstance(number, (int, str)) else "odd"] = message
            elif message["method"] == "window/showMessage":
                self.sentences.append(message["params"]["message"])
            elif "id" in message:
                answer = {"jsonrpc": "2.0", "id": message["id"], "result": None}
                self.send(framed(json.dumps(answer).encode()))
            self._arrived.notify_all()


def framed(body: bytes) -> bytes:
    """A message with its header."""
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def wait_for_file(path: Path) -> None:
    """Return once a file is there."""
    end = time.monotonic() + PATIENCE
    while not path.exists():
        if time.monotonic() > end:
            raise HungError(f"{path.name} never came")
        time.sleep(0.01)
