"""The language server: LSP's messages in, calls of the service, answers out; nothing else.

Positions are converted and edits are bound to a document's version here; see LSP 3.17, and 3.18
for inline completion.
"""

import asyncio
import logging
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, PyglsError
from pygls.lsp._capabilities import get_capability
from pygls.lsp.server import LanguageServer

from editcast_server import protocol
from editcast_server.buffer import OutOfRangeError, Units
from editcast_server.documents import Document
from editcast_server.service import Service, Status
from editcast_server.settings import SECTION, read_settings
from editcast_server.suggestions import Suggestion
from editcast_server.training_run import TrainingRun

log = logging.getLogger(__name__)

MOST_CODE_ACTIONS = 3


class EditcastProtocol(protocol.EditcastMessages):
    """LSP and our own messages; texts are kept by `Service`, not by pygls."""

    _server: "EditcastServer"

    def __init__(self, server: "EditcastServer", converter: Any) -> None:
        super().__init__(server, converter)
        for method in (
            types.TEXT_DOCUMENT_DID_OPEN,
            types.TEXT_DOCUMENT_DID_CHANGE,
            types.TEXT_DOCUMENT_DID_CLOSE,
        ):
            del self.fm.builtin_features[method]

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message from its JSON; one that makes no sense is answered and does no harm."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and "id" in data:
                self._send_response(data["id"], error=error.to_response_error())
            self._server.lose_track(data)
            raise

    async def prepare(self) -> None:
        """Make the converters of the usual messages before they are needed.

        cattrs makes one when a type is first seen, which takes up to 20 ms.
        """
        for one in _USUAL:
            self._converter.get_structure_hook(one)
            self._converter.get_unstructure_hook(one)
            await asyncio.sleep(0)


_USUAL = (
    types.DidOpenTextDocumentNotification,
    types.DidChangeTextDocumentNotification,
    types.DidSaveTextDocumentNotification,
    types.DidCloseTextDocumentNotification,
    types.CodeActionRequest,
    types.CodeAction,
    types.InlineCompletionRequest,
    types.InlineCompletionItem,
    types.ExecuteCommandRequest,
    protocol.NextEditRequest,
    protocol.NextEditResult,
    protocol.DidPredictNotification,
    protocol.StatusNotification,
)


class EditcastServer(LanguageServer):
    """The server process: one editor, one `Service`."""

    service: Service
    protocol: EditcastProtocol

    def __init__(self) -> None:
        super().__init__("editcast", version("editcast"), protocol_cls=EditcastProtocol)
        self.complaints: list[str] = []
        self.training = TrainingRun(
            self,
            report=lambda message: self.service.set_training(message),
            tell=lambda sentence, warning: self.tell(sentence, warning=warning),
        )

    # service.Client

    def tell(self, sentence: str, *, warning: bool) -> None:
        """Show the user a sentence."""
        kind = types.MessageType.Warning if warning else types.MessageType.Info
        self.window_show_message(types.ShowMessageParams(kind, sentence))

    def has_predicted(self, document: Document) -> None:
        """Send `editcast/didPredict`."""
        self.protocol.notify(protocol.DID_PREDICT, next_edit_result(document))

    def has_status(self, status: Status) -> None:
        """Send `editcast/status`."""
        self.protocol.notify(protocol.STATUS, status_params(status))

    # pygls

    def report_server_error(
        self, error: Exception, source: type[PyglsError] | type[JsonRpcException]
    ) -> None:
        """Say in a sentence what pygls would say in an exception's words."""
        log.error("%s: %s", source.__name__, error)
        if issubclass(source, JsonRpcException) and not isinstance(error, JsonRpcException):
            self.tell(f"The editor sent something that is no JSON message ({error}).", warning=True)
        elif isinstance(error, JsonRpcInvalidParams):
            self.tell("The editor sent a message that is not as LSP wants it.", warning=True)
        else:
            super().report_server_error(error, source)

    def lose_track(self, data: Mapping[str, Any]) -> None:
        """A message could not be read; if it was a change, its document is not known now."""
        if data.get("method") != types.TEXT_DOCUMENT_DID_CHANGE:
            return
        try:
            document = self.service.documents.get(data["params"]["textDocument"]["uri"])
        except (AttributeError, KeyError, TypeError):
            return
        if document:
            document.lose_track()

    def stop(self) -> None:
        """Finish what must be finished before the process ends."""
        self.training.stop()
        if hasattr(self, "service"):
            self.service.stop()

    def take_settings(self, given: Any) -> None:
        """Follow an editor's settings; say what is wrong with them."""
        settings, complaints = read_settings(given)
        for complaint in complaints:
            self.tell(complaint, warning=True)
        self.service.take_settings(settings)

    async def pull_settings(self) -> bool:
        """Ask the editor for its settings; whether it had any."""
        if not get_capability(self.client_capabilities, "workspace.configuration", False):
            return False
        item = types.ConfigurationItem(section=SECTION)
        (given,) = await self.workspace_configuration_async(types.ConfigurationParams([item]))
        if given:
            self.take_settings(given)
        return bool(given)


def create_server() -> EditcastServer:
    """A server that speaks all of Editcast's LSP surface."""
    server = EditcastServer()
    _register_lifecycle(server)
    _register_documents(server)
    _register_suggestions(server)
    _register_commands(server)
    return server


def _register_lifecycle(server: EditcastServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(ls: EditcastServer, params: types.InitializeParams) -> None:
        settings, ls.complaints = read_settings(params.initialization_options)
        units = Units.of(ls.workspace.position_encoding or types.PositionEncodingKind.Utf16)
        ls.service = Service(ls, units, settings)
        if get_capability(params.capabilities, "text_document.inline_completion"):
            _register_inline_completion(ls)

    @server.feature(types.INITIALIZED)
    async def initialized(ls: EditcastServer, params: types.InitializedParams) -> None:
        for complaint in ls.complaints:
            ls.tell(complaint, warning=True)
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
        await ls.protocol.prepare()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configure(ls: EditcastServer, params: types.DidChangeConfigurationParams) -> None:
        settings: Any = params.settings
        if isinstance(settings, Mapping) and SECTION in settings:
            ls.take_settings(settings[SECTION])
        else:
            await ls.pull_settings()

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: EditcastServer, params: None) -> None:
        ls.stop()


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

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: EditcastServer, params: types.DidCloseTextDocumentParams) -> None:
        ls.service.close(params.text_document.uri)


def _register_suggestions(server: EditcastServer) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[protocol.CODE_ACTION_KIND]),
    )
    async def code_actions(
        ls: EditcastServer, params: types.CodeActionParams
    ) -> list[types.CodeAction]:
        if not _is_wanted(params.context.only):
            return []
        uri = params.text_document.uri
        if params.context.trigger_kind == types.CodeActionTriggerKind.Invoked:
            document = await ls.service.wait_for(uri, MOST_CODE_ACTIONS)
        else:
            document = ls.service.at_once(uri)
        if document is None:
            return []
        has_versions = get_capability(
            ls.client_capabilities, "workspace.workspace_edit.document_changes", False
        )
        return [
            code_action(document, suggestion, is_best=rank == 0, has_versions=bool(has_versions))
            for rank, suggestion in enumerate(document.suggestions[:MOST_CODE_ACTIONS])
        ]

    @server.feature(protocol.NEXT_EDIT)
    async def next_edit(
        ls: EditcastServer, params: protocol.NextEditParams
    ) -> protocol.NextEditResult | None:
        most = 1 if params.count is None else params.count
        if most < 1:
            raise JsonRpcInvalidParams("The count of editcast/nextEdit must be at least 1.")
        document = await ls.service.wait_for(params.text_document.uri, most)
        return next_edit_result(document, most) if document else None


def _register_inline_completion(server: EditcastServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION, types.InlineCompletionOptions())
    async def inline_completion(
        ls: EditcastServer, params: types.InlineCompletionParams
    ) -> list[types.InlineCompletionItem]:
        document = await ls.service.wait_for(params.text_document.uri, 1)
        if document is None or document.buffer is None or not document.suggestions:
            return []
        try:
            cursor = document.buffer.offset(params.position)
        except OutOfRangeError:
            return []
        suggestion = document.suggestions[0]
        text = suggestion.insertion_at(cursor, document.buffer.text)
        if text is None:
            return []
        return [
            types.InlineCompletionItem(
                insert_text=text,
                range=types.Range(params.position, params.position),
                command=types.Command("Accept", protocol.ACCEPT, arguments=[suggestion.id]),
            )
        ]


def _register_commands(server: EditcastServer) -> None:
    @server.command(protocol.ACCEPT)
    def accept(ls: EditcastServer, *arguments: Any) -> None:
        _complain(ls.service.accept(_one_text(protocol.ACCEPT, arguments)))

    @server.command(protocol.REJECT)
    def reject(ls: EditcastServer, *arguments: Any) -> None:
        _complain(ls.service.reject(_one_text(protocol.REJECT, arguments)))

    @server.command(protocol.SNOOZE)
    def snooze(ls: EditcastServer, *arguments: Any) -> None:
        match arguments:
            case [int() | float() as seconds] if not isinstance(seconds, bool) and seconds >= 0:
                ls.service.snooze(seconds)
            case _:
                _complain(f"{protocol.SNOOZE} takes one argument, the seconds; 0 ends a snooze.")

    @server.command(protocol.TRAIN)
    async def train(ls: EditcastServer, *arguments: Any) -> None:
        ls.training.start()

    @server.command(protocol.SHOW_STATUS)
    def status(ls: EditcastServer, *arguments: Any) -> protocol.StatusParams:
        return status_params(ls.service.status)


def _one_text(command: str, arguments: tuple[Any, ...]) -> str:
    match arguments:
        case [str() as text]:
            return text
    raise JsonRpcInvalidParams(f"{command} takes one argument, the suggestion's id.")


def _complain(sentence: str) -> None:
    if sentence:
        raise JsonRpcInvalidParams(sentence)


def _is_wanted(only: Any) -> bool:
    """Whether a code action request asks for our kind, or for one of which ours is a kind."""
    if only is None:
        return True
    kinds = [str(getattr(kind, "value", kind)) for kind in only]
    ours = protocol.CODE_ACTION_KIND + "."
    return any(not kind or ours.startswith(kind + ".") for kind in kinds)


# Answers


def code_action(
    document: Document, suggestion: Suggestion, *, is_best: bool, has_versions: bool
) -> types.CodeAction:
    """A suggestion as a code action; taking it tells the server so."""
    edits = _text_edits(document, suggestion)
    if has_versions:
        it = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
        edit = types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(it, edits)])
    else:
        edit = types.WorkspaceEdit(changes={document.uri: edits})
    return types.CodeAction(
        title=suggestion.title,
        kind=protocol.CODE_ACTION_KIND,
        is_preferred=is_best or None,
        edit=edit,
        command=types.Command("Accept", protocol.ACCEPT, arguments=[suggestion.id]),
        data={
            "confidence": suggestion.confidence,
            "logProbability": suggestion.log_probability,
            "edits": suggestion.edits,
            "line": suggestion.line,
        },
    )


def next_edit_result(document: Document, most: int | None = None) -> protocol.NextEditResult:
    """A document's suggestions as our own messages send them."""
    return protocol.NextEditResult(
        uri=document.uri,
        version=document.version,
        model=document.model,
        milliseconds=round(document.milliseconds, 3),
        suggestions=[
            protocol.Suggestion(
                id=suggestion.id,
                edits=_text_edits(document, suggestion),
                line=suggestion.line,
                title=suggestion.title,
                confidence=suggestion.confidence,
                log_probability=suggestion.log_probability,
                token_edits=suggestion.edits,
            )
            for suggestion in document.suggestions[:most]
        ],
    )


def status_params(status: Status) -> protocol.StatusParams:
    """What the server is doing, as `editcast/status` sends it."""
    return protocol.StatusParams(status.state, status.model, status.message)


def _text_edits(document: Document, suggestion: Suggestion) -> list[types.TextEdit]:
    return document.buffer.text_edits(suggestion.hunks) if document.buffer else []
