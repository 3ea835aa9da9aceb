"""The server process on top of pygls: its protocol, its converter and its one editor."""

import logging
import sys
from concurrent.futures import Future
from importlib.metadata import version
from typing import Any, BinaryIO, Final, cast

import attrs
from lsprotocol import types
from pygls.exceptions import (
    FeatureRequestError,
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    PyglsError,
)
from pygls.lsp._capabilities import get_capability
from pygls.lsp.server import LanguageServer
from pygls.protocol import JsonRPCResponseMessage

from editcast_model.errors import ServerError
from editcast_server.documents.document import Document
from editcast_server.logs import without_words
from editcast_server.lsp import incoming, protocol
from editcast_server.lsp.convert import next_edit_result
from editcast_server.lsp.protocol import StatusParams
from editcast_server.lsp.transport import Frames
from editcast_server.service import Service
from editcast_server.settings import SECTION, read_settings
from editcast_server.team_model import TeamModel
from editcast_server.training_process import TrainingRun

log = logging.getLogger(__name__)


#: Texts are kept by `Service`; notebooks are not served.
_NOT_PYGLS: Final = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
)
#: If such a message cannot be read, the text of its document is unknown.
_TELL_TEXTS: Final = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_SAVE,
)


class EditcastProtocol(protocol.EditcastMessages):
    """LSP and Editcast's own messages, each validated before pygls handles it."""

    _server: "EditcastServer"

    def __init__(self, server: "EditcastServer", converter: Any) -> None:
        super().__init__(server, converter)
        for method in _NOT_PYGLS:
            del self.fm.builtin_features[method]

    @property
    def has_shut_down(self) -> bool:
        """Tell whether `shutdown` was handled."""
        return bool(self._shutdown)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return every JSON object unchanged, for `handle_message`."""
        return data

    def handle_message(self, message: Any) -> None:
        """Handle a message or refuse it; a request gets exactly one answer."""
        try:
            incoming.check_form(message)
            if incoming.is_response(message) or self._is_to_be_served(message):
                super().handle_message(self._read(message))
        except JsonRpcException as error:
            self._refuse(message, error)

    def cannot_parse(self) -> None:
        """Answer something that is not JSON, without an id."""
        self._send_response(None, error=JsonRpcParseError().to_response_error())

    def _is_to_be_served(self, message: dict[str, Any]) -> bool:
        """Tell whether to handle a request or notification.

        Raises:
            JsonRpcException: A request must be refused.
        """
        method, is_request = message["method"], "id" in message
        try:
            has_begun = hasattr(self._server, "service")
            incoming.check_time(method, has_begun=has_begun, has_ended=self.has_shut_down)
            if method != types.CANCEL_REQUEST:
                self._get_handler(method)
        except JsonRpcException as error:
            if is_request:
                raise
            log.info("Passed over %s (%s)", self._known(method), type(error).__name__)
            return False
        kind: Any = self.get_message_type(method)
        if is_request != any(field.name == "id" for field in attrs.fields(kind)):
            raise JsonRpcInvalidRequest("A request needs an id; a notification must have none.")
        return True

    def _read(self, message: dict[str, Any]) -> Any:
        """Convert a message to its LSP type."""
        kind: Any
        if "method" in message:
            kind = self.get_message_type(message["method"])
        elif message.get("error") is not None:
            kind = types.ResponseErrorMessage
        else:
            kinds: dict[Any, Any] = self._result_types
            kind = kinds.get(incoming.id_of(message)) or JsonRPCResponseMessage
        try:
            return self._converter.structure(message, kind)
        except Exception as error:
            raise JsonRpcInvalidParams(
                f"Invalid Params: {incoming.what_is_wrong(error)}."
            ) from error

    def _refuse(self, message: Any, error: JsonRpcException) -> None:
        method = message.get("method") if isinstance(message, dict) else None
        log.warning("Refused %s (%s)", self._known(method), type(error).__name__)
        if incoming.is_response(message):
            if (id := incoming.id_of(message)) in self._request_futures:
                self._handle_response(id, error=error.to_response_error())
        elif incoming.is_notification(message):
            self._server.warn_once("The editor sent a message that is not valid LSP.")
            self._server.forget_text(message)
        else:
            self._send_response(incoming.id_of(message), error=error.to_response_error())
            for one in message if isinstance(message, list) else ():
                self._server.forget_text(one)

    def _known(self, method: Any) -> str:
        """Return a method for the log; an unknown one might contain the user's text."""
        is_known = isinstance(method, str) and self.get_message_type(method) is not None
        return str(method) if is_known else "a message"

    def _send_response(
        self, msg_id: Any, result: Any | None = None, error: types.ResponseError | None = None
    ) -> None:
        if error is not None and error.code == JsonRpcInternalError.CODE:
            # An exception's message may quote the user's text, and editors log it.
            error = types.ResponseError(error.code, "Editcast could not handle this; see its log.")
        if msg_id is None:  # lsprotocol omits a null id, which JSON-RPC requires
            self._send_data({"jsonrpc": self.VERSION, "id": None, "error": error})
        else:
            super()._send_response(msg_id, result, error)

    def _check_handler_result(self, future: "Future[Any]") -> None:
        if not future.cancelled() and (error := future.exception()):
            self._server.has_failed(error)


class EditcastServer(LanguageServer):
    """The server process: one editor, one `Service`."""

    service: Service
    protocol: EditcastProtocol

    def __init__(self) -> None:
        super().__init__(
            "editcast",
            version("editcast"),
            protocol_cls=EditcastProtocol,
            converter_factory=incoming.strict_converter,
        )
        self.complaints: list[str] = []
        self.exit_code = 0
        self._warned: set[str] = set()
        self.training = TrainingRun(
            self,
            report=lambda message: self.service.set_training(message),
            show=self.show_message,
        )
        self.team_model = TeamModel(self.show_message)

    # service.Client

    def show_message(self, sentence: str, warning: bool) -> None:
        """Show the user a sentence."""
        kind = types.MessageType.Warning if warning else types.MessageType.Info
        self.window_show_message(types.ShowMessageParams(kind, sentence))

    def has_predicted(self, document: Document) -> None:
        """Send `editcast/didPredict`."""
        self.protocol.notify(protocol.DID_PREDICT, next_edit_result(document))

    def has_status(self, status: StatusParams) -> None:
        """Send `editcast/status`."""
        self.protocol.notify(protocol.STATUS, status)

    # pygls

    def start_io(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
        """Speak LSP until the editor ends the session.

        Raises:
            ServerError: The editor sent something after which no message can be found.
        """
        try:
            super().start_io(cast(BinaryIO, Frames(stdin or sys.stdin.buffer)), stdout)
        except ServerError as error:
            log.error("%s", error)
            self.show_message(str(error), warning=True)
            raise

    def report_server_error(
        self, error: Exception, source: type[PyglsError] | type[JsonRpcException]
    ) -> None:
        """Report an error with a sentence instead of an exception's message."""
        if source is FeatureRequestError:
            return  # it was answered and logged
        if source is JsonRpcException and isinstance(error, (ValueError, RecursionError)):
            self.protocol.cannot_parse()
            self.warn_once("The editor sent a message that is not JSON.")
        elif source is JsonRpcInternalError:
            log.error("Nothing can be sent to the editor: %s", without_words(error))
        else:
            self.has_failed(error)

    def has_failed(self, error: BaseException) -> None:
        """Log an unexpected exception in a notification or a background task."""
        log.error("Editcast failed at a message: %s", without_words(error))
        name = type(error).__name__
        self.warn_once(f"Editcast could not handle a message of the editor ({name}); see the log.")

    def warn_once(self, sentence: str) -> None:
        """Warn the user once per session."""
        if sentence not in self._warned:
            self._warned.add(sentence)
            self.show_message(sentence, warning=True)

    def forget_text(self, message: Any) -> None:
        """Forget the text of the document that an invalid message refers to."""
        try:
            if message["method"] in _TELL_TEXTS:
                self.service.documents[message["params"]["textDocument"]["uri"]].forget_text()
        except (AttributeError, KeyError, TypeError):
            return  # it refers to no open document

    def stop(self) -> None:
        """Stop everything in order, before the process ends."""
        self.training.stop()
        self.team_model.stop()
        if hasattr(self, "service"):
            self.service.stop()

    def apply_settings(self, given: Any) -> None:
        """Apply the editor's settings, and show what is wrong with them."""
        settings, complaints = read_settings(given)
        for complaint in complaints:
            self.show_message(complaint, warning=True)
        self.service.apply_settings(settings)
        self.team_model.watch(settings.team_model)

    async def pull_settings(self) -> None:
        """Request the settings from the editor, and apply them if it has any."""
        if not get_capability(self.client_capabilities, "workspace.configuration", False):
            return
        item = types.ConfigurationItem(section=SECTION)
        try:
            (given,) = await self.workspace_configuration_async(types.ConfigurationParams([item]))
        except (JsonRpcException, TypeError, ValueError) as error:
            log.warning("The editor does not tell its settings: %s", without_words(error))
            return
        if given:
            self.apply_settings(given)
