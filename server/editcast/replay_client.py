"""A small editor without a screen: opens a file, saves it again and again, asks what comes next.

The demo and the evaluation drive the real server process through it.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from editcast_model.diff import Hunk, shortest_hunk
from editcast_model.errors import ServerError
from editcast_server.children import in_folder, isolated_python
from editcast_server.documents.buffer import Buffer, Units
from editcast_server.lsp import protocol
from editcast_store import paths

START_LIMIT = 60.0  # seconds, loading the model included
ANSWER_LIMIT = 60.0  # seconds

_ENCODING = types.PositionEncodingKind.Utf32  # columns are code points
T = TypeVar("T")


class _Client(LanguageClient):
    """pygls's client; what the server writes to stderr is kept for the day that it dies."""

    def __init__(self, ended: Callable[[], None]) -> None:
        super().__init__("editcast-replay", "1", protocol.EditcastMessages)
        self.last_words = ""
        self._ended = ended

    @property
    def process(self) -> asyncio.subprocess.Process | None:
        """The server's process."""
        return self._server

    async def listen_to_stderr(self) -> None:
        """Read stderr until it ends, so that the server never waits for a reader."""
        assert self._server and self._server.stderr
        while line := await self._server.stderr.readline():
            self.last_words = line.decode("utf-8", "replace").strip() or self.last_words

    async def server_exit(self, server: asyncio.subprocess.Process) -> None:
        """The process has ended."""
        self._ended()


@dataclass(frozen=True, slots=True)
class Suggested:
    """A suggestion as the client got it.

    Attributes:
        id: Names it to the server.
        hunks: Ascending, disjoint; code points of the text saved last.
        confidence: 0 to 1.
        log_probability: Joint natural log probability.
        edits: Number of token edits.
        line: The first line that changes, counted from 0.
        title: As an editor would show it.
        model: Who made it.
        milliseconds: From the save to having it, as the server measured it.
    """

    id: str
    hunks: tuple[Hunk, ...]
    confidence: float
    log_probability: float
    edits: int
    line: int
    title: str
    model: str
    milliseconds: float


class ReplayClient:
    """A server process, and one file at a time in it; use as a context manager.

    Every method raises `ServerError` when the server has died or does not answer.

    Args:
        settings: The settings, as initializationOptions.
        home: The server's EDITCAST_HOME; this process's own when None.
    """

    def __init__(
        self, settings: Mapping[str, Any] | None = None, *, home: Path | None = None
    ) -> None:
        self.model = ""
        self._settings = dict(settings or {})
        self._home = home
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._client = _Client(self._ended)
        self._ready: Future[str] = Future()
        self._predicted: dict[tuple[str, int], asyncio.Event] = {}
        self._folder = ""
        self._uri = ""
        self._version = 0
        self._buffer = Buffer("", Units.of(_ENCODING))

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self._run(self._start(), START_LIMIT)
            self.model = self._result(self._ready, START_LIMIT)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None and not self._client.stopped:
                self._run(self._stop(), ANSWER_LIMIT)
        finally:
            self._end()

    def enter(self, folder: str) -> None:
        """Open a folder, by its URI; the one before it is closed."""
        self.close()
        before, self._folder = self._folder, folder
        removed = [types.WorkspaceFolder(before, before)] if before else []
        event = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(folder, folder)], removed)
        self._send(
            self._client.workspace_did_change_workspace_folders,
            types.DidChangeWorkspaceFoldersParams(event),
        )

    def open(self, uri: str, text: str, language: str) -> None:
        """Open a file; the one before it is closed."""
        self.close()
        self._uri, self._version = uri, 1
        self._buffer = Buffer(text, self._buffer.units)
        document = types.TextDocumentItem(uri, language, 1, text)
        self._send(self._client.text_document_did_open, types.DidOpenTextDocumentParams(document))

    def save(self, text: str) -> None:
        """Change the file to `text`, and save it."""
        identifier = types.TextDocumentIdentifier(self._uri)
        if text == self._buffer.text:
            self._predicted.pop((self._uri, self._version), None)
        else:
            self._version += 1
            (edit,) = self._buffer.text_edits([shortest_hunk(self._buffer.text, text)])
            self._buffer = Buffer(text, self._buffer.units)
            change = types.TextDocumentContentChangePartial(edit.range, edit.new_text)
            it = types.VersionedTextDocumentIdentifier(self._version, self._uri)
            self._send(
                self._client.text_document_did_change,
                types.DidChangeTextDocumentParams(it, [change]),
            )
        self._send(
            self._client.text_document_did_save, types.DidSaveTextDocumentParams(identifier, text)
        )

    def save_beside(self, uri: str, before: str, after: str, language: str) -> None:
        """Open another file for a moment, change it, and save it; the one that is open stays so."""
        identifier = types.TextDocumentIdentifier(uri)
        changed = types.VersionedTextDocumentIdentifier(2, uri)
        whole = types.TextDocumentContentChangeWholeDocument(after)
        client, opened = self._client, types.TextDocumentItem(uri, language, 1, before)
        self._send(client.text_document_did_open, types.DidOpenTextDocumentParams(opened))
        self._send(
            client.text_document_did_change, types.DidChangeTextDocumentParams(changed, [whole])
        )
        self._send(
            client.text_document_did_save, types.DidSaveTextDocumentParams(identifier, after)
        )
        self._send(client.text_document_did_close, types.DidCloseTextDocumentParams(identifier))

    def suggest(self, count: int = 1) -> list[Suggested]:
        """The next edits of the file as it is now, best first; at most `count`."""
        return self._run(self._suggest(count), ANSWER_LIMIT)

    def close(self) -> None:
        """Close the file."""
        if self._uri:
            identifier = types.TextDocumentIdentifier(self._uri)
            self._send(
                self._client.text_document_did_close, types.DidCloseTextDocumentParams(identifier)
            )
        self._uri = ""
        self._predicted.clear()

    # On the loop's thread

    async def _start(self) -> None:
        def status(params: protocol.StatusParams) -> None:
            if params.state not in ("thinking", "training") and not self._ready.done():
                self._ready.set_result(params.model)

        def did_predict(params: protocol.NextEditResult) -> None:
            if params.milliseconds:  # none: it only says that older suggestions are gone
                self._event(params.uri, params.version).set()

        def show_message(params: types.ShowMessageParams) -> None:
            """Return what it says is in the status or in the answer."""

        self._client.feature(protocol.STATUS)(status)
        self._client.feature(protocol.DID_PREDICT)(did_predict)
        self._client.feature(types.WINDOW_SHOW_MESSAGE)(show_message)
        command = isolated_python("-m", "editcast", "serve")
        await self._client.start_io(*command, **in_folder(self._home or paths.home()))
        self._listener = asyncio.create_task(self._client.listen_to_stderr())
        capabilities = types.ClientCapabilities(
            general=types.GeneralClientCapabilities(position_encodings=[_ENCODING])
        )
        await self._client.initialize_async(
            types.InitializeParams(
                capabilities=capabilities,
                process_id=os.getpid(),
                initialization_options=self._settings,
            )
        )
        self._client.initialized(types.InitializedParams())

    async def _suggest(self, count: int) -> list[Suggested]:
        event = self._event(self._uri, self._version)
        while True:
            if self._client.stopped:
                raise RuntimeError("it has ended")
            result: protocol.NextEditResult | None = await self._client.protocol.send_request_async(
                protocol.NEXT_EDIT,
                protocol.NextEditParams(types.TextDocumentIdentifier(self._uri), count),
            )
            if result is None:
                return []
            # The server answers after two seconds even when it has not predicted yet.
            if result.suggestions or event.is_set():
                return [self._suggested(one, result) for one in result.suggestions]
            await event.wait()

    def _suggested(self, one: protocol.Suggestion, result: protocol.NextEditResult) -> Suggested:
        hunks = tuple(
            Hunk(
                self._buffer.offset(edit.range.start),
                self._buffer.offset(edit.range.end),
                edit.new_text,
            )
            for edit in one.edits
        )
        return Suggested(
            one.id,
            hunks,
            one.confidence,
            one.log_probability,
            one.token_edits,
            one.line,
            one.title,
            result.model,
            result.milliseconds,
        )

    def _event(self, uri: str, version: int) -> asyncio.Event:
        return self._predicted.setdefault((uri, version), asyncio.Event())

    async def _stop(self) -> None:
        await self._client.shutdown_async(None)
        self._client.exit(None)
        await self._client.stop()  # type: ignore[no-untyped-call]
        await self._listener

    def _ended(self) -> None:
        if not self._ready.done():
            self._ready.set_exception(RuntimeError("it ended at its start"))
        for event in self._predicted.values():
            event.set()

    # From the caller's thread

    def _run(self, work: Coroutine[Any, Any, T], limit: float) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        return self._result(future, limit)

    def _send(self, notify: Callable[[Any], None], params: Any) -> None:
        if self._client.stopped:
            raise ServerError(self._epitaph("it has ended"))
        self._loop.call_soon_threadsafe(notify, params)

    def _result(self, future: Future[T], limit: float) -> T:
        try:
            return future.result(limit)
        except TimeoutError:
            future.cancel()
            raise ServerError(f"The server did not answer within {limit:g} s.") from None
        except (RuntimeError, OSError, JsonRpcException) as error:
            raise ServerError(self._epitaph(str(error))) from error

    def _epitaph(self, reason: str) -> str:
        words = f" Its last words: {self._client.last_words}" if self._client.last_words else ""
        return f"The server does not answer: {reason}.{words} `editcast doctor` may tell more."

    def _end(self) -> None:
        """Leave no process, thread or task behind."""
        asyncio.run_coroutine_threadsafe(self._bury(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _bury(self) -> None:
        process = self._client.process
        if process and process.returncode is None:
            process.kill()
            await process.wait()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
