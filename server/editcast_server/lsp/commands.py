"""Handlers of `workspace/executeCommand`: decisions, status, training, saves and other files.

Arguments of another number or type than a handler's are refused before it is called.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import unquote

import attrs
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp._capabilities import get_capability

from editcast_model.errors import EditcastError
from editcast_server.documents.buffer import Buffer
from editcast_server.documents.document import Document
from editcast_server.lsp import protocol
from editcast_server.lsp.convert import title_elsewhere
from editcast_server.lsp.server import EditcastServer
from editcast_server.prediction.other_files import OtherFile
from editcast_server.service import Service
from editcast_server.usage import usage_page
from editcast_store import paths
from editcast_store.forgetting import ALWAYS, Period
from editcast_store.saves import Store, project_of

_Result = TypeVar("_Result")
_UNTRUSTED = (
    "Editcast does not train on a folder that you do not trust; trust it, or open another one."
)
_UNKNOWN: Final = "This is not a document that Editcast serves."
_LONGEST_SNOOZE: Final = 1e9  # seconds
_LABEL: Final = "Update the other files"
_CHANGE, _LOOK = "Change", "Look First"
_MOST_NAMES: Final = 3


def register_commands(server: EditcastServer) -> None:
    """Serve `workspace/executeCommand`."""
    _register_training(server)
    _register_history(server)
    _register_other_files(server)

    @server.command(protocol.ACCEPT)
    def accept(ls: EditcastServer, id: str) -> None:
        ls.service.accept(id)

    @server.command(protocol.REJECT)
    def reject(ls: EditcastServer, id: str) -> None:
        ls.service.reject(id)

    @server.command(protocol.SHOWN)
    def shown(ls: EditcastServer, id: str) -> None:
        ls.service.shown(id)

    @server.command(protocol.SNOOZE)
    def snooze(ls: EditcastServer, seconds: float) -> None:
        if not 0 <= seconds <= _LONGEST_SNOOZE:
            raise JsonRpcInvalidParams(
                f"{protocol.SNOOZE} takes one argument, the seconds; 0 ends a snooze."
            )
        ls.service.snooze(seconds)

    @server.command(protocol.REPORT)
    async def report(ls: EditcastServer, *arguments: Any) -> str:
        await ls.service.saves.written()
        model = ls.service.activity.model
        return await asyncio.to_thread(
            usage_page,
            paths.store_path(),
            model.forecaster.name if model else "",
            model.path if model else None,
            tuple(ls.service.latencies),
        )

    @server.command(protocol.SHOW_STATUS)
    async def status(ls: EditcastServer, *arguments: Any) -> protocol.StatusParams:
        now = ls.service.activity.status
        match arguments:
            case []:
                return now
            case [str() as uri]:
                document, settings = ls.service.documents.get(uri), ls.service.settings
                reason = _UNKNOWN
                if document:
                    reason = document.refusal(settings) or document.problem(settings)
                return attrs.evolve(now, message=reason or now.message)
        raise JsonRpcInvalidParams(
            f"{protocol.SHOW_STATUS} takes no argument, or one, a document's URI."
        )


def _register_training(server: EditcastServer) -> None:
    @server.command(protocol.TRAIN)
    async def train(ls: EditcastServer, *arguments: Any) -> None:
        match arguments:
            case []:
                without: list[str] = []
            case [list() as without] if all(isinstance(kind, str) for kind in without):
                pass
            case _:
                raise JsonRpcInvalidParams(
                    f"{protocol.TRAIN} takes no argument, or one, the sources to leave out."
                )
        if ls.service.projects.is_trusted:
            ls.training.start(without)
        else:
            ls.show_message(_UNTRUSTED, warning=True)

    @server.command(protocol.COUNT_HISTORY)
    async def count_history(ls: EditcastServer, *arguments: Any) -> Any:
        if ls.service.projects.is_trusted:
            return await ls.training.count()
        ls.show_message(_UNTRUSTED, warning=True)
        return None

    @server.command(protocol.REVERT)
    async def revert(ls: EditcastServer, *arguments: Any) -> None:
        from editcast_store import models  # imports the tokenizer

        try:
            said = await asyncio.to_thread(models.revert, paths.own_folder("models"))
        except EditcastError as error:
            ls.show_message(str(error), warning=True)
            return
        ls.service.engine.check_for_newer()
        ls.show_message(said, warning=False)


def _register_history(server: EditcastServer) -> None:
    """Serve the commands that show, export and delete recorded saves.

    They do the same as `editcast history`. If a command fails, the user sees a sentence, and the
    editor gets null.
    """

    @server.command(protocol.HISTORY)
    async def history(ls: EditcastServer) -> dict[str, Any] | None:
        await ls.service.saves.written()
        if not paths.store_path().exists():
            return {"files": [], "bytes": 0}
        return await _in_store(ls, files_of)

    @server.command(protocol.SAVES)
    async def saves(ls: EditcastServer, path: str) -> list[dict[str, int]] | None:
        return await _in_store(ls, lambda store: saves_of(store, path))

    @server.command(protocol.SAVED_TEXT)
    async def saved_text(ls: EditcastServer, path: str, number: int) -> str | None:
        def read(store: Store) -> str | None:
            snapshots = store.snapshots(path)
            return snapshots[number - 1].text if 1 <= number <= len(snapshots) else None

        return await _in_store(ls, read)

    @server.command(protocol.FORGET)
    async def forget(
        ls: EditcastServer, files: list[str] | None, since: int | None, until: int | None
    ) -> str | None:
        period = Period(since or ALWAYS.since, ALWAYS.until if until is None else until)
        for document in ls.service.documents.values():
            document.opened = None  # the next save must not record it again
        try:
            said = await ls.service.saves.forget(files, period)
        except EditcastError as error:
            ls.show_message(str(error), warning=True)
            return None
        ls.service.projects.forget_history()
        return said

    @server.command(protocol.EXPORT_HISTORY)
    async def export(ls: EditcastServer, out: str, files: list[str] | None) -> str | None:
        def write(store: Store) -> str:
            store.export_to(Path(out), files)
            return f"The histories are in {Path(out)}; only you can read it."

        return await _in_store(ls, write)


async def _in_store(ls: EditcastServer, work: Callable[[Store], _Result]) -> _Result | None:
    """Run `work` on the store after all earlier saves; show the user what goes wrong."""

    def run() -> _Result:
        with Store.open(paths.store_path()) as store:
            try:
                return work(store)
            finally:
                notices.extend(store.notices)

    notices: list[str] = []
    await ls.service.saves.written()
    try:
        return await asyncio.to_thread(run)
    except EditcastError as error:
        notices.append(str(error))
        return None
    finally:
        for notice in notices:
            ls.show_message(notice, warning=True)


def files_of(store: Store) -> dict[str, Any]:
    """Return the recorded files, and the size of the store on the disk."""
    files, projects = [asdict(file) for file in store.files()], dict[Path, str]()
    for file in files:
        folder = Path(file["path"]).parent
        if folder not in projects:
            projects[folder] = project_of(file["path"])
        file["project"] = projects[folder]
    return {"files": files, "bytes": store.size()}


def saves_of(store: Store, path: str) -> list[dict[str, int]]:
    """Return the numbers, counted from 1, and the times of a file's saves."""
    found = enumerate(store.snapshots(path), 1)
    return [{"number": number, "time": snapshot.time} for number, snapshot in found]


def _register_other_files(server: EditcastServer) -> None:
    """Serve the command that makes the remaining edits in all other files.

    The user is asked first, and can review each place if the editor supports it. An open document
    is changed only if it still has the text that the edits were found in.
    """

    @server.command(protocol.APPLY_OTHER_FILES)
    async def apply(ls: EditcastServer, uri: str) -> bool:
        document = await ls.service.wait_for(uri, 1)
        found = await find_other_files(ls.service, document)
        answer = await _answer_to(ls, found) if found else None
        if document is None or answer is None:
            return False
        found = await find_other_files(ls.service, document)  # the texts may have changed
        edit = _workspace_edit(ls.service, found, needs_confirmation=answer == _LOOK)
        if not edit.document_changes:  # edited or saved during the question
            return False
        result = await ls.workspace_apply_edit_async(
            types.ApplyWorkspaceEditParams(edit, _LABEL, types.WorkspaceEditMetadata(True))
        )
        document.forget_empty_answer()
        return result.applied


async def _answer_to(ls: EditcastServer, files: Sequence[OtherFile]) -> str | None:
    """Ask the user whether to change the files; return the title of the answer."""
    names = ", ".join(unquote(one.uri).rsplit("/", 1)[-1] for one in files[:_MOST_NAMES])
    more = f" and {len(files) - _MOST_NAMES} more" if len(files) > _MOST_NAMES else ""
    has_list = get_capability(
        ls.client_capabilities, "workspace.workspace_edit.change_annotation_support"
    )
    answer = await ls.window_show_message_request_async(
        types.ShowMessageRequestParams(
            types.MessageType.Info,
            f"{title_elsewhere(files)}: {names}{more}?",
            [types.MessageActionItem(one) for one in ([_CHANGE, _LOOK] if has_list else [_CHANGE])],
        )
    )
    return answer.title if answer else None


async def find_other_files(service: Service, document: Document | None) -> Sequence[OtherFile]:
    """Find the edits that a document's changes require in other files."""
    if document is None or document.track is None:
        return ()
    return await asyncio.wrap_future(service.engine.look_elsewhere(document.track))


def _workspace_edit(
    service: Service, files: Sequence[OtherFile], *, needs_confirmation: bool
) -> types.WorkspaceEdit:
    """Make the edit of all files; `needs_confirmation` lets the user confirm each place."""
    opened = {one.track.uri: one for one in service.documents.values() if one.track}
    changes: list[Any] = []
    for file in files:
        document = opened.get(file.uri)
        buffer = document.buffer if document else Buffer(file.text, service.units)
        if buffer is None or buffer.text != file.text:
            continue  # it has just changed, and is found again if it still needs edits
        edits: list[Any] = buffer.text_edits(sorted(file.hunks, key=lambda hunk: hunk.start))
        if needs_confirmation:
            edits = [types.AnnotatedTextEdit(_LABEL, one.range, one.new_text) for one in edits]
        it = types.OptionalVersionedTextDocumentIdentifier(
            file.uri, document.version if document else None
        )
        changes.append(types.TextDocumentEdit(it, edits))
    annotation = types.ChangeAnnotation(_LABEL, needs_confirmation=True)
    return types.WorkspaceEdit(
        document_changes=changes,
        change_annotations={_LABEL: annotation} if needs_confirmation else None,
    )
