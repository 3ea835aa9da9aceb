"""The command `editcast.applyOtherFiles`, which makes the remaining edits in all other files.

The user is asked first, and can review each place if the editor supports it. An open document is
changed only if it still has the text that the edits were found in.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import unquote

from lsprotocol import types
from pygls.lsp._capabilities import get_capability

from editcast_server.documents.buffer import Buffer
from editcast_server.documents.document import Document
from editcast_server.lsp import protocol
from editcast_server.lsp.convert import title_elsewhere
from editcast_server.lsp.server import EditcastServer
from editcast_server.prediction.other_files import OtherFile
from editcast_server.service import Service

_LABEL: Final = "Update the other files"
_CHANGE, _LOOK = "Change", "Look First"
_MOST_NAMES: Final = 3


def register_other_files(server: EditcastServer) -> None:
    """Register the command."""

    @server.command(protocol.APPLY_OTHER_FILES)
    async def apply(ls: EditcastServer, uri: str) -> bool:
        document = await ls.service.wait_for(uri, 1)
        found = await find_other_files(ls.service, document)
        answer = await _ask(ls, found) if found else None
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


async def _ask(ls: EditcastServer, files: Sequence[OtherFile]) -> str | None:
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
