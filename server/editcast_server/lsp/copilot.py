"""Handlers for clients that request next edits with the messages of Copilot's server."""

from lsprotocol import types

from editcast_server.documents.buffer import Buffer
from editcast_server.documents.document import Document
from editcast_server.documents.suggestion import Suggestion
from editcast_server.lsp import protocol
from editcast_server.lsp.protocol import (
    DidShowParams,
    InlineEdit,
    InlineEditParams,
    InlineEditResult,
)
from editcast_server.lsp.server import EditcastServer


def register_copilot(server: EditcastServer) -> None:
    """Register the handlers of `textDocument/copilotInlineEdit` and of shown edits."""

    @server.feature(protocol.INLINE_EDIT)
    async def inline_edit(ls: EditcastServer, params: InlineEditParams) -> InlineEditResult:
        kind = params.context and params.context.trigger_kind
        # Clients that send no trigger kind ask after every change.
        invoked = kind == types.InlineCompletionTriggerKind.Invoked
        asked = params.text_document
        document = await ls.service.wait_for(asked.uri, 1, is_wanted=invoked)
        if document is None or document.buffer is None:
            return InlineEditResult([])
        if asked.version not in (None, document.version):
            return InlineEditResult([])
        # Some clients apply all edits of an answer at once, so it contains only the best.
        best = document.suggestions[:1]
        return InlineEditResult([_inline_edit(document, document.buffer, one) for one in best])

    @server.feature(protocol.DID_SHOW)
    def did_show(ls: EditcastServer, params: DidShowParams) -> None:
        match params.item:
            case {"command": {"arguments": [str() as id]}}:
                ls.service.shown(id)


def _inline_edit(document: Document, buffer: Buffer, suggestion: Suggestion) -> InlineEdit:
    (edit,) = buffer.text_edits([suggestion.hunk])
    return InlineEdit(
        text=edit.new_text,
        text_document=types.VersionedTextDocumentIdentifier(document.version, document.uri),
        range=edit.range,
        command=types.Command("Accept", protocol.ACCEPT, arguments=[suggestion.id]),
    )
