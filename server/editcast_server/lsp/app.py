"""The language server's handlers, which translate LSP messages into calls of the service.

See LSP 3.17, and 3.18 for inline completion.
"""

from collections.abc import Mapping
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp._capabilities import get_capability

from editcast_server.documents.buffer import Buffer, OutOfRangeError, Units
from editcast_server.documents.document import Document
from editcast_server.documents.suggestion import Suggestion
from editcast_server.lsp import convert, protocol
from editcast_server.lsp.commands import find_other_files, register_commands
from editcast_server.lsp.server import EditcastServer
from editcast_server.service import Service
from editcast_server.settings import SECTION, is_trusted, read_settings
from editcast_server.signals import stop_on_signals

MOST_CODE_ACTIONS = 3
MOST_NEXT_EDITS = 100


def create_server() -> EditcastServer:
    """Create a server with all handlers."""
    server = EditcastServer()
    _register_lifecycle(server)
    _register_documents(server)
    _register_suggestions(server)
    register_commands(server)
    _register_copilot(server)
    return server


def _register_lifecycle(server: EditcastServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(ls: EditcastServer, params: types.InitializeParams) -> None:
        settings, ls.complaints = read_settings(params.initialization_options)
        units = Units.of(ls.workspace.position_encoding or types.PositionEncodingKind.Utf16)
        ls.service = Service(ls, units, settings)
        ls.service.projects.is_trusted = is_trusted(params.initialization_options)
        ls.service.projects.set_folders(ls.workspace.folders)
        stop_on_signals(ls.stop)
        if get_capability(params.capabilities, "text_document.inline_completion"):
            _register_inline_completion(ls)

    @server.feature(types.INITIALIZED)
    async def initialized(ls: EditcastServer, params: types.InitializedParams) -> None:
        for complaint in ls.complaints:
            ls.show_message(complaint, warning=True)
        ls.service.start()
        if get_capability(
            ls.client_capabilities, "workspace.did_change_configuration.dynamic_registration", False
        ):
            registration = types.Registration(
                id=SECTION,
                method=types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                register_options=types.DidChangeConfigurationRegistrationOptions(section=SECTION),
            )
            ls.client_register_capability(types.RegistrationParams([registration]))
        await ls.pull_settings()
        ls.team_model.watch(ls.service.settings.team_model)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configure(ls: EditcastServer, params: types.DidChangeConfigurationParams) -> None:
        settings: Any = params.settings
        if isinstance(settings, Mapping) and SECTION in settings:
            ls.apply_settings(settings[SECTION])
        else:
            await ls.pull_settings()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(ls: EditcastServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
        ls.service.projects.set_folders(ls.workspace.folders)

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: EditcastServer, params: None) -> None:
        ls.stop()

    @server.feature(types.EXIT)
    def exit(ls: EditcastServer, params: None) -> None:
        ls.exit_code = 0 if ls.protocol.has_shut_down else 1


def _register_documents(server: EditcastServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: EditcastServer, params: types.DidOpenTextDocumentParams) -> None:
        it = params.text_document
        ls.service.open(it.uri, str(it.language_id), it.version, it.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: EditcastServer, params: types.DidChangeTextDocumentParams) -> None:
        it = params.text_document
        ls.service.change(it.uri, it.version, params.content_changes)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=True))
    def saved(ls: EditcastServer, params: types.DidSaveTextDocumentParams) -> None:
        ls.service.save(params.text_document.uri, params.text)

    pattern = types.FileOperationPattern("**", matches=types.FileOperationPatternKind.File)
    every_file = types.FileOperationRegistrationOptions([types.FileOperationFilter(pattern)])

    @server.feature(types.WORKSPACE_DID_RENAME_FILES, every_file)
    def renamed(ls: EditcastServer, params: types.RenameFilesParams) -> None:
        ls.service.move([(one.old_uri, one.new_uri) for one in params.files])

    @server.feature(types.WORKSPACE_DID_DELETE_FILES, every_file)
    def deleted(ls: EditcastServer, params: types.DeleteFilesParams) -> None:
        ls.service.move([(one.uri, None) for one in params.files])

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: EditcastServer, params: types.DidCloseTextDocumentParams) -> None:
        ls.service.close(params.text_document.uri)


def _register_suggestions(server: EditcastServer) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[protocol.CODE_ACTION_KIND]),
    )
    async def code_action(
        ls: EditcastServer, params: types.CodeActionParams
    ) -> list[types.CodeAction]:
        if not convert.is_wanted(params.context.only):
            return []
        uri = params.text_document.uri
        if params.context.trigger_kind == types.CodeActionTriggerKind.Invoked:
            document = await ls.service.wait_for(uri, MOST_CODE_ACTIONS)
            is_empty = document is not None and not document.suggestions
            others = await find_other_files(ls.service, document) if is_empty else None
        else:
            document, others = ls.service.at_once(uri), None
        if document is None:
            return []
        has_versions = get_capability(
            ls.client_capabilities, "workspace.workspace_edit.document_changes", False
        )
        return convert.code_actions(
            document, MOST_CODE_ACTIONS, others, has_versions=bool(has_versions)
        )

    @server.feature(protocol.NEXT_EDIT)
    async def next_edit(
        ls: EditcastServer, params: protocol.NextEditParams
    ) -> protocol.NextEditResult | None:
        most = 1 if params.count is None else params.count
        if most < 1:
            raise JsonRpcInvalidParams("The count of editcast/nextEdit must be at least 1.")
        most = min(most, MOST_NEXT_EDITS)
        document = await ls.service.wait_for(params.text_document.uri, most)
        return convert.next_edit_result(document, most) if document else None


def _register_inline_completion(server: EditcastServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION, types.InlineCompletionOptions())
    async def inline_completion(
        ls: EditcastServer, params: types.InlineCompletionParams
    ) -> list[types.InlineCompletionItem]:
        found = await _best(ls.service, params.text_document.uri, params.context.trigger_kind)
        if found is None:
            return []
        _, buffer, best = found
        try:
            text = convert.insertion_at(best.hunk, buffer.offset(params.position), buffer.text)
        except OutOfRangeError:
            return []
        if text is None:
            return []
        here = types.Range(params.position, params.position)
        return [types.InlineCompletionItem(text, range=here, command=convert.accept_command(best))]


def _register_copilot(server: EditcastServer) -> None:
    """Serve clients that request next edits with the messages of Copilot's server."""

    @server.feature(protocol.INLINE_EDIT)
    async def inline_edit(
        ls: EditcastServer, params: protocol.InlineEditParams
    ) -> protocol.InlineEditResult:
        asked, context = params.text_document, params.context
        found = await _best(ls.service, asked.uri, context.trigger_kind if context else None)
        if found is None or asked.version not in (None, found[0].version):
            return protocol.InlineEditResult([])
        document, buffer, best = found
        # Some clients apply all edits of an answer at once, so it contains only the best.
        (edit,) = buffer.text_edits([best.hunk])
        it = types.VersionedTextDocumentIdentifier(document.version, document.uri)
        accept = convert.accept_command(best)
        return protocol.InlineEditResult(
            [protocol.InlineEdit(edit.new_text, it, edit.range, accept)]
        )

    @server.feature(protocol.DID_SHOW)
    def did_show(ls: EditcastServer, params: protocol.DidShowParams) -> None:
        match params.item:
            case {"command": {"arguments": [str() as id]}}:
                ls.service.shown(id)


async def _best(
    service: Service, uri: str, trigger: int | None
) -> tuple[Document, Buffer, Suggestion] | None:
    """Return the best suggestion for a document, with its text; None if there is none.

    Some editors send an automatic request for every key press, or with no trigger at all.
    """
    is_wanted = trigger == types.InlineCompletionTriggerKind.Invoked
    document = await service.wait_for(uri, 1, is_wanted=is_wanted)
    if document is None or document.buffer is None or not document.suggestions:
        return None
    return document, document.buffer, document.suggestions[0]
