"""The server process as pygls sees it: its protocol, its converter, its one editor."""

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
from editcast_server.answers import next_edit_result, status_params
from editcast_server.documents import Document
from editcast_server.service import Service
from editcast_server.settings import SECTION, read_settings
from editcast_server.status import Status
from editcast_server.training_run import TrainingRun

log = logging.getLogger(__name__)


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
    """The server process: one editor, one `Service`.

    Attributes:
        is_trusted: Whether the user trusts the folders that the editor has open.
    """

    service: Service
    protocol: EditcastProtocol

    def __init__(self) -> None:
        super().__init__("editcast", version("editcast"), protocol_cls=EditcastProtocol)
        self.complaints: list[str] = []
        self.is_trusted = True
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

    def take_folders(self) -> None:
        """Tell the service which folders the editor has open."""
        self.service.projects.take_folders(self.workspace.folders)

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
