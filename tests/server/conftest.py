"""An editor for the tests: pytest-lsp's client and a real server process."""

import asyncio
import contextlib
import copy
import functools
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from pytest_lsp.client import register_lsp_features
from pytest_lsp.protocol import LanguageClientProtocol

from editcast_model.diff import Hunk
from editcast_server.documents.buffer import Buffer, Units
from editcast_server.lsp import protocol
from editcast_server.service import FAILURE

SERVER = [sys.executable, "-m", "editcast", "serve"]


@attrs.define
class CodeActionResponse:
    """lsprotocol takes a code action that has a command for a command."""

    id: int | str
    result: list[types.CodeAction] | None
    jsonrpc: str


class Protocol(protocol.EditcastMessages, LanguageClientProtocol):
    """Client of pytest-lsp that also records our own messages."""

    def get_result_type(self, method: str) -> Any:  # type: ignore[override]
        if method == types.TEXT_DOCUMENT_CODE_ACTION:
            return CodeActionResponse
        return super().get_result_type(method)


class Editor:
    """Editor that records messages and keeps its documents as an editor does."""

    def __init__(self, client: LanguageClient, home: Path, units: Units) -> None:
        self.client = client
        self.home = home
        self.units = units
        self.texts: dict[str, Buffer] = {}
        self.versions: dict[str, int] = {}
        self.predicted: list[protocol.NextEditResult] = []
        self.statuses: list[protocol.StatusParams] = []
        self.capabilities: types.ServerCapabilities = types.ServerCapabilities()
        self.registered: list[types.Registration] = []
        client.feature(types.CLIENT_REGISTER_CAPABILITY)(
            lambda params: self.registered.extend(params.registrations)
        )
        client.feature(protocol.DID_PREDICT)(lambda params: self.predicted.append(params))
        client.feature(protocol.STATUS)(lambda params: self.statuses.append(params))

    @property
    def messages(self) -> list[str]:
        return [message.message for message in self.client.messages]

    def open(self, name: str, text: str, language: str = "python") -> str:
        uri = name if ":" in name else (self.home / "project" / name).as_uri()
        self.texts[uri], self.versions[uri] = Buffer(text, self.units), 1
        item = types.TextDocumentItem(uri, language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def type(self, uri: str, old: str, new: str, *, nth: int = 0) -> None:
        """Replace the n-th `old` by `new`, as one incremental change."""
        text, start = self.texts[uri].text, -1
        for _ in range(nth + 1):
            start = text.index(old, start + 1)
        (place,) = self.texts[uri].text_edits([Hunk(start, start + len(old), new)])
        self.change(uri, place.range, new)

    def change(self, uri: str, place: types.Range, text: str) -> None:
        self.texts[uri].apply(place, text)
        self.versions[uri] += 1
        self.send_change(
            uri, self.versions[uri], types.TextDocumentContentChangePartial(place, text)
        )

    def send_change(self, uri: str, version: int, *changes: Any) -> None:
        it = types.VersionedTextDocumentIdentifier(version, uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(it, list(changes)))

    def save(self, uri: str, *, with_text: bool = True) -> None:
        text = self.texts[uri].text if with_text else None
        it = types.TextDocumentIdentifier(uri)
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(it, text))

    def close(self, uri: str) -> None:
        it = types.TextDocumentIdentifier(uri)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(it))

    async def next_edit(self, uri: str, count: int | None = None) -> protocol.NextEditResult | None:
        params = protocol.NextEditParams(types.TextDocumentIdentifier(uri), count)
        result: protocol.NextEditResult | None = await self.client.protocol.send_request_async(
            protocol.NEXT_EDIT, params
        )
        return result

    async def best(self, uri: str) -> protocol.Suggestion | None:
        """The suggestion, however long a busy machine takes for it."""
        result = await self.next_edit(uri)
        while result and not (result.suggestions or result.milliseconds):
            result = await self.next_edit(uri)
        return result.suggestions[0] if result and result.suggestions else None

    async def code_actions(
        self,
        uri: str,
        trigger: types.CodeActionTriggerKind | None = types.CodeActionTriggerKind.Invoked,
        only: list[str] | None = None,
        line: int = 0,
    ) -> list[types.CodeAction]:
        cursor = types.Position(line, 0)
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(uri),
                types.Range(cursor, cursor),
                types.CodeActionContext([], only=only, trigger_kind=trigger),
            )
        )
        return [one for one in found or [] if isinstance(one, types.CodeAction)]

    async def command(self, command: str, *arguments: Any) -> Any:
        return await self.client.workspace_execute_command_async(
            types.ExecuteCommandParams(command, list(arguments))
        )

    def applied(self, uri: str, suggestion: protocol.Suggestion) -> str:
        """The document with a suggestion accepted, as an editor would apply its edits."""
        buffer = Buffer(self.texts[uri].text, self.units)
        for edit in reversed(suggestion.edits):
            buffer.apply(edit.range, edit.new_text)
        return buffer.text

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until something has arrived; the test's time limit is the limit."""
        while not condition():
            await asyncio.sleep(0.01)


vs_code = functools.cache(lambda: client_capabilities("visual-studio-code"))


def capabilities(
    encoding: str | None = None, *, inline: bool = False, versions: bool = True
) -> types.ClientCapabilities:
    """VS Code's, but for what a test wants otherwise."""
    it = copy.deepcopy(vs_code())
    assert it.general and it.workspace and it.workspace.workspace_edit and it.text_document
    it.general.position_encodings = [types.PositionEncodingKind(encoding)] if encoding else None
    it.workspace.workspace_edit.document_changes = versions
    if inline:
        it.text_document.inline_completion = types.InlineCompletionClientCapabilities()
    return it


@asynccontextmanager
async def run_editor(
    home: Path,
    settings: dict[str, Any] | None = None,
    *,
    encoding: str | None = None,
    inline: bool = False,
    versions: bool = True,
    configuration: dict[str, Any] | None = None,
    wait: bool = True,
    may_fail: bool = False,
    command: list[str] = SERVER,
) -> AsyncIterator[Editor]:
    """An editor on a server of its own; `configuration` answers workspace/configuration.

    The server runs on the baseline, whose answers are known, unless `settings` name a model.
    No prediction fails, unless it may.
    """
    project = home / "project"
    project.mkdir(exist_ok=True)
    defaults = {"confidenceThreshold": 0.0, "modelPath": str(home / "no-model")}
    client = LanguageClient(protocol_cls=Protocol, configuration={"": configuration or {}})
    register_lsp_features(client)
    editor = Editor(client, home, Units.of(encoding or "utf-16"))
    config = ClientServerConfig(
        server_command=command,
        client_factory=lambda: client,
        server_env=os.environ | {"EDITCAST_HOME": str(home)},
    )
    await config.start()
    try:
        result = await client.initialize_session(
            types.InitializeParams(
                capabilities=capabilities(encoding, inline=inline, versions=versions),
                root_uri=project.as_uri(),
                initialization_options=defaults | (settings or {}),
            )
        )
        editor.capabilities = result.capabilities
        if wait:
            await editor.until(lambda: editor.statuses)
        yield editor
        failures = [one for one in editor.messages if one.startswith(FAILURE)]
        assert may_fail or not failures, failures
    finally:
        with contextlib.suppress(Exception):
            await asyncio.wait_for(client.shutdown_session(), 30)
        if client._server is not None and client._server.returncode is None:
            client._server.kill()  # `stop` waits for it without end: a test ran out of time
        await client.stop()


@pytest.fixture(scope="session")
def editors() -> Callable[..., Any]:
    """`async with editors(home, settings, ...) as editor`, for fixtures of any scope."""
    return run_editor


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., Any]:
    """`async with start(settings, ...) as editor`: an editor and a server of the test's own."""
    return lambda *args, home=tmp_path, **options: run_editor(home, *args, **options)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """An editor on a server that the tests of one file share."""
    async with run_editor(tmp_path_factory.mktemp("home")) as shared:
        yield shared


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bundled(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """An editor on a server that runs the bundled model at its default threshold."""
    home = tmp_path_factory.mktemp("home")
    settings = {"modelPath": "", "confidenceThreshold": None}
    async with run_editor(home, settings) as editor:
        await editor.until(lambda: editor.statuses[-1].model)
        yield editor


class Wire:
    """A real server, and the very bytes that go to it and come back; use as a context manager."""

    def __init__(self, home: Path, *arguments: str, **environment: str) -> None:
        self.home = home
        self.messages: list[dict[str, Any]] = []
        self.errors = b""
        self._news = threading.Condition()
        self._has_ended = False
        self.process = subprocess.Popen(
            [*SERVER, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"EDITCAST_HOME": str(home)} | environment,
        )
        self._threads = [threading.Thread(target=self._listen), threading.Thread(target=self._hear)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]

    def write(self, data: bytes) -> None:
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def body(self, body: bytes) -> None:
        self.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def send(self, **fields: Any) -> None:
        self.body(json.dumps({"jsonrpc": "2.0", **fields}).encode())

    def initialize(self, **options: Any) -> None:
        settings = {"modelPath": str(self.home / "no-model"), "confidenceThreshold": 0}
        params = {
            "processId": None,
            "rootUri": None,
            "capabilities": {},
            "initializationOptions": settings | options,
        }
        self.ask("initialize", params)
        self.send(method="initialized", params={})

    def ask(self, method: str, params: Any = None, *, id: Any = None) -> dict[str, Any]:
        """A request's answer."""
        id = id or f"{method} {len(self.messages)}"
        self.send(id=id, method=method, params=params)
        return self.answer(id)

    def answer(self, id: Any) -> dict[str, Any]:
        self.until(lambda: self.answers(id))
        return self.answers(id)[0]

    def answers(self, id: Any) -> list[dict[str, Any]]:
        return [one for one in self.messages if "method" not in one and one["id"] == id]

    def received(self, method: str) -> list[Any]:
        """The parameters of the notifications that came."""
        return [one.get("params") for one in self.messages if one.get("method") == method]

    @property
    def shown(self) -> list[str]:
        return [params["message"] for params in self.received("window/showMessage")]

    def open(self, name: str, text: str) -> str:
        uri = (self.home / name).as_uri()
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.send(method="textDocument/didOpen", params={"textDocument": item})
        return uri

    def change(self, uri: str, version: int, text: Any, **fields: Any) -> None:
        params = {
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [{"text": text, **fields}],
        }
        self.send(method="textDocument/didChange", params=params)

    def predicts(self) -> bool:
        """Tell whether the server still does all of its work."""
        calls = "".join(
            f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(4)
        )
        uri = self.open("still_up.py", calls)
        there = {"start": {"line": 1, "character": 11}, "end": {"line": 1, "character": 17}}
        self.change(uri, 2, "draw", range=there)
        document = {"uri": uri}
        self.send(method="textDocument/didSave", params={"textDocument": document})
        result = {"suggestions": [], "milliseconds": 0}
        while not (result["suggestions"] or result["milliseconds"]):  # it waits 2 s at most
            result = self.ask("editcast/nextEdit", {"textDocument": document})["result"]
        self.send(method="textDocument/didClose", params={"textDocument": document})
        return bool(result["suggestions"])

    def until(self, condition: Callable[[], object]) -> None:
        """Wait until something has arrived; the test's time limit is the limit."""
        with self._news:
            while not condition():
                assert not self._has_ended, f"the server has ended: {self.errors!r}"
                self._news.wait(1)

    def end(self, *, politely: bool = True) -> int:
        """Let the server end; its exit code."""
        if politely:
            self.ask("shutdown")
            self.send(method="exit")
        code = self.process.wait()
        for thread in self._threads:
            thread.join()
        return code

    @property
    def logs(self) -> str:
        return "".join(path.read_text() for path in (self.home / "logs").glob("*.log*"))

    def _listen(self) -> None:
        assert self.process.stdout
        while header := self.process.stdout.readline():
            name, _, value = header.partition(b":")
            if name == b"Content-Length":
                size = int(value)
            elif not header.strip():
                message = json.loads(self.process.stdout.read(size))
                with self._news:
                    self.messages.append(message)
                    self._news.notify_all()
        with self._news:
            self._has_ended = True
            self._news.notify_all()

    def _hear(self) -> None:
        assert self.process.stderr
        self.errors = self.process.stderr.read()


@pytest.fixture
def wire(tmp_path: Path) -> Callable[..., Wire]:
    """`with wire() as server`: the bytes of a server of the test's own."""
    return lambda *arguments, **environment: Wire(tmp_path, *arguments, **environment)
