"""Handlers for clients that request next edits with the messages of Copilot's server."""

from lsprotocol import types

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
        if document is None or document.buffer is None or not document.suggestions:
            return InlineEditResult([])
        if asked.version not in (None, document.version):
            return InlineEditResult([])
        # Some clients apply all edits of an answer at once, so it contains only the best.
        best = document.suggestions[0]
        (edit,) = document.buffer.text_edits([best.hunk])
        it = types.VersionedTextDocumentIdentifier(document.version, document.uri)
        accept = types.Command("Accept", protocol.ACCEPT, arguments=[best.id])
        return InlineEditResult([InlineEdit(edit.new_text, it, edit.range, accept)])

    @server.feature(protocol.DID_SHOW)
    def did_show(ls: EditcastServer, params: DidShowParams) -> None:
        match params.item:
            case {"command": {"arguments": [str() as id]}}:
                ls.service.shown(id)
