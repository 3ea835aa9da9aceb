"""`editcast train` as a process of its own, started by the editor's command, with its progress.

It works in Editcast's own folder; the folders that the editor has open are arguments.
"""

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable, Sequence

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from editcast_model.errors import EditcastError
from editcast_server.children import in_folder, isolated_python
from editcast_server.documents.document import path_of
from editcast_store import paths
from editcast_store.models import NO_BETTER

log = logging.getLogger(__name__)

_PERCENT = re.compile(r"(\d{1,3})(?:\.\d+)? ?%")
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x09\x0b\x0c\x0e-\x1f]")


TRAIN = isolated_python("-m", "editcast", "train")


class TrainingRun:
    """At most one training at a time.

    Args:
        server: For the progress that the editor shows.
        report: Called with the last thing that the training said; empty when it has ended.
        tell: Called with a sentence for the user, and whether it is a warning.
        command: What to run.
    """

    def __init__(
        self,
        server: LanguageServer,
        report: Callable[[str], None],
        tell: Callable[[str, bool], None],
        command: Sequence[str] = TRAIN,
    ) -> None:
        self._server = server
        self._report = report
        self._tell = tell
        self._command = command
        self._task: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._was_stopped = False

    def start(self) -> None:
        """Begin to train on the user's own history."""
        if self._task and not self._task.done():
            self._tell("Editcast is training already.", False)
            return
        self._was_stopped = False
        self._task = asyncio.get_running_loop().create_task(self._run())

    def stop(self) -> None:
        """End the training; it can be resumed from its last checkpoint."""
        self._was_stopped = True
        if self._process and self._process.returncode is None:
            self._process.terminate()

    async def _run(self) -> None:
        self._report("Training begins.")
        token = await self._begin_progress()
        said = ""
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                *self._workspaces(),
                **in_folder(paths.home()),
                # The server's own input and output belong to the editor.
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
            if self._was_stopped:
                self._process.terminate()
            async for line in _lines(self._process):
                said = line
                self._report(line)
                self._show_progress(token, line)
            code = await self._process.wait()
        except (EditcastError, OSError) as error:
            code, said = 1, f"Training could not be started: {error}"
        if self._was_stopped:
            end = "Training was stopped."
        elif code == 0:
            is_better = said != NO_BETTER
            end = "Training is done; Editcast takes the new model up." if is_better else said
            self._tell(end, False)
        else:
            end = said or f"Training ended with code {code}."
            self._tell(end, True)
        log.info("%s", end)
        if token:
            self._server.work_done_progress.end(token, types.WorkDoneProgressEnd(message=end))
        self._report("")

    def _workspaces(self) -> list[str]:
        """The editor's folders: their repositories are part of the user's own history."""
        workspace = self._server.workspace
        folders = [path_of(uri) for uri in workspace.folders]
        if not folders and workspace.root_uri:
            folders = [path_of(workspace.root_uri)]
        found = [folder.absolute() for folder in folders if folder and folder.is_dir()]
        return [f"--workspace={folder}" for folder in found]

    async def _begin_progress(self) -> str | None:
        window = self._server.client_capabilities.window
        if not window or not window.work_done_progress:
            return None
        token = f"editcast-train-{id(self._task)}"
        progress = self._server.work_done_progress
        await progress.create_async(token)
        progress.tokens[token].add_done_callback(lambda _: self.stop())
        progress.begin(
            token, types.WorkDoneProgressBegin("Editcast: training", cancellable=True, percentage=0)
        )
        return token

    def _show_progress(self, token: str | None, line: str) -> None:
        if token is None:
            return
        percent = _PERCENT.search(line)
        self._server.work_done_progress.report(
            token,
            types.WorkDoneProgressReport(
                message=line, percentage=min(100, int(percent[1])) if percent else None
            ),
        )


async def _lines(process: asyncio.subprocess.Process) -> AsyncIterator[str]:
    """What a process says, line by line; a progress bar's carriage return ends a line as well."""
    assert process.stdout
    rest = ""
    while data := await process.stdout.read(4096):
        *whole, rest = re.split(r"[\r\n]+", rest + data.decode("utf-8", "replace"))
        for line in whole:
            if text := _CONTROL.sub("", line).strip():
                yield text
    if text := _CONTROL.sub("", rest).strip():
        yield text
