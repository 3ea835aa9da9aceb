"""`editcast train` as a child process that an editor's command starts, with its progress.

It runs in Editcast's own folder, and gets the editor's open folders as arguments.
"""

import asyncio
import json
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from editcast_model.checked import structure
from editcast_model.errors import EditcastError
from editcast_server.children import in_folder, isolated_python
from editcast_server.logs import without_words
from editcast_server.prediction.projects import path_of
from editcast_store import paths

log = logging.getLogger(__name__)

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x09\x0b\x0c\x0e-\x1f]")
_LONGEST_LINE: Final = 1 << 30  # bytes; asyncio's own limit, 64 KiB, would end the reading

TRAIN = isolated_python("-m", "editcast", "train", "--json", "--considerate")
COUNT = isolated_python("-m", "editcast", "history", "count", "--json")


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a training; see `editcast.progress`. A line that is not JSON becomes its text."""

    text: str
    type: str = "stage"
    share: float | None = None
    page: str | None = None

    @classmethod
    def of(cls, line: str) -> "Event":
        """Parse a line."""
        try:
            event = structure(json.loads(line), cls)
        except (ValueError, RecursionError):
            event = cls(line)
        return replace(event, text=_CONTROL.sub("", event.text).strip())


class TrainingRun:
    """A training in a child process, at most one at a time.

    Args:
        server: The server, to show progress in the editor.
        report: Called with each message of the training, and with an empty one at its end.
        show: Called with a sentence for the user, and whether it is a warning.
        command: The command to run.
    """

    def __init__(
        self,
        server: LanguageServer,
        report: Callable[[str], None],
        show: Callable[[str, bool], None],
        command: Sequence[str] = TRAIN,
    ) -> None:
        self._server = server
        self._report = report
        self._show = show
        self._command = command
        self._task: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._was_stopped = False
        self._offering: asyncio.Task[None] | None = None

    def start(self, without: Sequence[str] = ()) -> None:
        """Begin to train on the user's history, without the given kinds of sources."""
        if self._task and not self._task.done():
            self._show("Editcast is already training.", False)
            return
        self._was_stopped = False
        self._task = asyncio.get_running_loop().create_task(self._run(without))

    def stop(self) -> None:
        """Stop the training; it can be resumed from its last checkpoint."""
        self._was_stopped = True
        if self._process and self._process.returncode is None:
            self._process.terminate()
        if self._offering:
            self._offering.cancel()

    async def count(self) -> Any:
        """Count the history available for training; see `editcast.commands.history.count`.

        Returns:
            The object that the command prints. If it fails, show the reason and return None.
        """
        try:
            process = await self._child(COUNT, stderr=asyncio.subprocess.PIPE)
            printed, complaints = await process.communicate()
            return json.loads(printed)
        except (EditcastError, OSError) as error:
            reason = str(error)
        except ValueError:
            said = complaints.decode("utf-8", "replace").strip().splitlines()
            reason = said[-1] if said else "no answer"
        self._show(f"The history cannot be counted: {reason}", True)
        return None

    async def _run(self, without: Sequence[str]) -> None:
        self._report("Training begins.")
        try:
            token = await self._begin_progress()
            end = await self._train(token, without)
            log.info("%s", end)
            if token:
                progress = self._server.work_done_progress
                progress.end(token, types.WorkDoneProgressEnd(message=end))
                del progress.tokens[token]
        finally:
            self._report("")

    async def _train(self, token: str | None, without: Sequence[str]) -> str:
        """Train, and show how it ended; return the sentence about that."""
        last = Event("")
        try:
            kinds = (f"--without={kind}" for kind in without)
            self._process = await self._child((*self._command, *kinds))
            if self._was_stopped:
                self._process.terminate()
            assert self._process.stdout
            async for line in self._process.stdout:
                event = Event.of(line.decode("utf-8", "replace"))
                if event.text:
                    last = event
                    self._report(last.text)
                    self._show_progress(token, last)
            code = await self._process.wait()
        except (EditcastError, OSError) as error:
            code, last = 1, Event(f"Training could not be started: {error}")
        if self._was_stopped:
            return "Training was stopped."
        if code:
            end = last.text or f"Training ended with code {code}."
            self._show(end, True)
            return end
        end = "Training is done. Editcast now uses the new model."
        if last.type == "unchanged":
            end = last.text
        elif last.page:
            end = f"{end} {last.text}"
        window = self._server.client_capabilities.window
        if last.page and window and window.show_document:
            self._offering = asyncio.create_task(self._offer(end, Path(last.page)))
        else:
            self._show(end, False)
        return end

    async def _offer(self, end: str, page: Path) -> None:
        """Show how the training ended, with a button that opens the comparison."""
        action = types.MessageActionItem("Show the Comparison")
        asked = types.ShowMessageRequestParams(types.MessageType.Info, end, [action])
        if await self._server.window_show_message_request_async(asked):
            shown = types.ShowDocumentParams(page.as_uri(), take_focus=True)
            await self._server.window_show_document_async(shown)

    async def _child(
        self, command: Sequence[str], *, stderr: int = asyncio.subprocess.STDOUT
    ) -> asyncio.subprocess.Process:
        """Start a command on the editor's folders, whose repositories are the user's history."""
        workspace = self._server.workspace
        folders = map(path_of, workspace.folders or [workspace.root_uri or ""])
        found = [folder.absolute() for folder in folders if folder and folder.is_dir()]
        return await asyncio.create_subprocess_exec(
            *command,
            *(f"--workspace={folder}" for folder in found),
            **in_folder(paths.home()),
            # The server's own stdin and stdout belong to the editor.
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            limit=_LONGEST_LINE,
        )

    async def _begin_progress(self) -> str | None:
        """Show progress in the editor; return its token, or None if the editor shows none."""
        window = self._server.client_capabilities.window
        if not window or not window.work_done_progress:
            return None
        token = str(uuid4())  # a token can be used only once
        progress = self._server.work_done_progress
        try:
            await progress.create_async(token)
        except JsonRpcException as error:
            log.warning("The editor shows no progress: %s", without_words(error))
            return None
        progress.tokens[token].add_done_callback(lambda _: self.stop())
        progress.begin(
            token, types.WorkDoneProgressBegin("Editcast: training", cancellable=True, percentage=0)
        )
        return token

    def _show_progress(self, token: str | None, event: Event) -> None:
        if token is None:
            return
        percentage = None if event.share is None else min(100, max(0, round(100 * event.share)))
        self._server.work_done_progress.report(
            token, types.WorkDoneProgressReport(message=event.text, percentage=percentage)
        )
