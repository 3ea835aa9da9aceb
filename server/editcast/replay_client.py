"""A minimal editor for replays: it opens a file, saves it repeatedly and requests suggestions.

The demo and the evaluation use it to drive the real server process.
"""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any, Self
from urllib.parse import quote

import attrs
from lsprotocol import types

from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.errors import ServerError
from editcast_model.forecasting.interface import OtherSave, Prediction
from editcast_server.children import in_folder, isolated_python
from editcast_server.documents.buffer import Buffer, Units
from editcast_server.lsp import protocol
from editcast_server.service import FAILURE

_LIMIT = 60.0  # seconds for any answer, loading the model included
_ENCODING = types.PositionEncodingKind.Utf32  # columns are code points


class ReplayClient:
    """A server process with one open file at a time; use as a context manager.

    Every method raises `ServerError` if the server has died or does not answer.

    Args:
        settings: The settings, for initializationOptions.
        home: The server's EDITCAST_HOME.
        pause: The seconds from a change to its save, and from saves of other files to a request.
    """

    def __init__(self, settings: Mapping[str, Any], *, home: Path, pause: float = 0.0) -> None:
        self.name = ""  # of the server's model
        self._pause = pause
        self._settings = dict(settings)
        self._home = home
        self._requests = 0
        self._predicted: set[tuple[str, int]] = set()  # URI and version
        self._opened = 0
        self._folder = self._uri = self._language = ""
        self._version = 0
        self._buffer = Buffer("", Units.of(_ENCODING))
        self._saved = 0.0
        self._is_away = False  # whether another file was saved last

    def __enter__(self) -> Self:
        # In append mode, reading does not change where the server writes.
        self._stderr = tempfile.TemporaryFile("a+b")  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                isolated_python("-m", "editcast", "serve"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                **in_folder(self._home),
            )
        except OSError as error:
            self._stderr.close()
            raise ServerError(f"The server cannot be started ({error}).") from error
        assert self._process.stdin and self._process.stdout
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._inbox: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        self._reader = Thread(target=_read, args=(self._stdout, self._inbox), daemon=True)
        self._reader.start()
        try:
            self._request(
                "initialize",
                processId=os.getpid(),
                rootUri=None,
                capabilities={"general": {"positionEncodings": [_ENCODING.value]}},
                initializationOptions=self._settings,
            )
            self._notify("initialized")
            while not self.name:
                self._handle(self._receive())
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None and self._process.poll() is None:
                self._request("shutdown")
                self._notify("exit")
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(_LIMIT)
        finally:
            self._end()

    def open(self, text: str, language: str) -> None:
        """Close the last file and folder, and open new ones."""
        if self._uri:
            self._notify("textDocument/didClose", textDocument={"uri": self._uri})
        self._opened += 1
        before, self._folder = self._folder, f"file:///replayed/{self._opened}"
        event = {"added": [_named(self._folder)], "removed": [_named(before)] if before else []}
        self._notify("workspace/didChangeWorkspaceFolders", event=event)
        self._saved, self._is_away = time.perf_counter(), False
        self._uri, self._language = f"{self._folder}/{self._opened}", language
        self._version, self._buffer = 1, Buffer(text, self._buffer.units)
        self._did_open(self._uri, text)

    def add_other_save(self, other: OtherSave) -> None:
        """Open another file of the folder, change it, save it and close it."""
        self._saved, self._is_away = time.perf_counter(), True
        uri = f"{self._folder}/other/{quote(other.file)}"
        self._did_open(uri, other.before)
        self._did_change(uri, 2, {"text": other.after})
        self._notify("textDocument/didSave", textDocument={"uri": uri}, text=other.after)
        self._notify("textDocument/didClose", textDocument={"uri": uri})

    def save(self, text: str) -> None:
        """Change the file to `text` and save it; the time of the next answer starts at the save."""
        if text == self._buffer.text:
            self._predicted.discard((self._uri, self._version))
        else:
            self._version += 1
            (edit,) = self._buffer.text_edits([shortest_hunk(self._buffer.text, text)])
            self._buffer = Buffer(text, self._buffer.units)
            change = {"range": attrs.asdict(edit.range), "text": edit.new_text}
            self._did_change(self._uri, self._version, change)
            time.sleep(self._pause)
        while not self._inbox.empty():  # predictions from before this save
            self._handle(self._receive())
        self._saved, self._is_away = time.perf_counter(), False
        self._notify("textDocument/didSave", textDocument={"uri": self._uri}, text=text)

    def suggest(self) -> tuple[Prediction | None, float]:
        """Return the best suggestion for the current file, and the milliseconds since the save.

        With a pause, a person who saved other files comes back to this one only after the pause,
        and the time begins then.
        """
        version = self._uri, self._version
        if self._is_away and self._pause:
            time.sleep(self._pause)
            self._saved, self._is_away = time.perf_counter(), False
        while True:
            document = {"uri": self._uri}
            result = self._request(protocol.NEXT_EDIT, textDocument=document, count=1)
            found = result["suggestions"] if result else []
            # The server answers after two seconds even without a prediction.
            if result is None or found or version in self._predicted:
                best = self._prediction(found[0]) if found else None
                return best, 1e3 * (time.perf_counter() - self._saved)
            while version not in self._predicted:
                self._handle(self._receive())

    def _prediction(self, suggestion: Mapping[str, Any]) -> Prediction:
        (edit,) = suggestion["edits"]
        start, end = (
            self._buffer.offset(types.Position(**edit["range"][side])) for side in ("start", "end")
        )
        hunk = Hunk(start, end, edit["newText"])
        return Prediction(
            hunk, suggestion["logProbability"], suggestion["confidence"], suggestion["tokenEdits"]
        )

    def _did_open(self, uri: str, text: str) -> None:
        document = {"uri": uri, "languageId": self._language, "version": 1, "text": text}
        self._notify("textDocument/didOpen", textDocument=document)

    def _did_change(self, uri: str, version: int, change: Mapping[str, Any]) -> None:
        document = {"uri": uri, "version": version}
        self._notify("textDocument/didChange", textDocument=document, contentChanges=[change])

    # Messages

    def _request(self, method: str, **params: Any) -> Any:
        self._requests += 1
        self._send(method=method, id=self._requests, params=params or None)
        while True:
            message = self._receive()
            if "method" in message:
                self._handle(message)
            elif message.get("id") == self._requests:
                if "error" in message:
                    raise self._failure(message["error"]["message"])
                return message["result"]

    def _notify(self, method: str, **params: Any) -> None:
        self._send(method=method, params=params)

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"method": protocol.STATUS, "params": {"state": state, "model": model}}:
                if state not in ("thinking", "training"):
                    self.name = self.name or model
            case {"method": protocol.DID_PREDICT, "params": params} if params["milliseconds"]:
                # Zero milliseconds mean that only older suggestions are gone.
                self._predicted.add((params["uri"], params["version"]))
            case {"method": types.WINDOW_SHOW_MESSAGE, "params": {"message": said}} if (
                said.startswith(FAILURE)
            ):
                raise self._failure("a prediction failed")
            case {"method": _, "id": number}:
                self._send(id=number, result=None)

    def _send(self, **message: Any) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        try:
            self._stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
            self._stdin.flush()
        except (OSError, ValueError) as error:
            raise self._failure("it has ended") from error

    def _receive(self) -> dict[str, Any]:
        try:
            message = self._inbox.get(timeout=_LIMIT)
        except Empty:
            raise ServerError(f"The server did not answer within {_LIMIT:g} s.") from None
        if message is None:
            self._inbox.put(None)
            raise self._failure("it has ended")
        return message

    def _failure(self, reason: str) -> ServerError:
        self._stderr.seek(0)
        lines = self._stderr.read().decode("utf-8", "replace").split("\n")
        words = next((line.strip() for line in reversed(lines) if line.strip()), "")
        last = f" Its last output: {words}" if words else ""
        return ServerError(f"The server does not answer: {reason}.{last} Run `editcast doctor`.")

    def _end(self) -> None:
        """End the process and the thread, and close the files."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for file in (self._stdin, self._stdout, self._stderr):
            with suppress(BrokenPipeError):
                file.close()


def _named(folder: str) -> dict[str, str]:
    return {"uri": folder, "name": folder}


def _read(stdout: IO[bytes], inbox: "SimpleQueue[dict[str, Any] | None]") -> None:
    """Put every message from the server into the queue, and None after the last one."""
    try:
        while header := stdout.readline():
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            elif not header.strip():
                inbox.put(json.loads(stdout.read(length)))
    except ValueError:  # the stream ended within a message
        pass
    inbox.put(None)
