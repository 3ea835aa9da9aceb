"""Editcast's own messages; vscode-client/src/protocol.ts mirrors them, so change both together.

Positions are LSP's, in the negotiated encoding. On the wire all names are in camel case, as in LSP.
The messages about inline edits are those of Copilot's language server, which some clients send.
There an edit has one range, and `edits` are alternatives.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import attrs
from lsprotocol import types
from pygls.protocol import LanguageServerProtocol

NEXT_EDIT: Final = "editcast/nextEdit"
DID_PREDICT: Final = "editcast/didPredict"
STATUS: Final = "editcast/status"
INLINE_EDIT: Final = "textDocument/copilotInlineEdit"
DID_SHOW: Final = "textDocument/didShowInlineEdit"

ACCEPT: Final = "editcast.accept"  # [id]
REJECT: Final = "editcast.reject"  # [id]
SHOWN: Final = "editcast.shown"  # [id], once it has been drawn
APPLY_OTHER_FILES: Final = "editcast.applyOtherFiles"  # [uri]: what is left in other files
SNOOZE: Final = "editcast.snooze"  # [seconds]; 0 ends a snooze
TRAIN: Final = "editcast.train"  # [], or [[kind of source to leave out]]
COUNT_HISTORY: Final = "editcast.countHistory"  # []: what `editcast history count` prints
REVERT: Final = "editcast.revert"  # []
REPORT: Final = "editcast.report"  # [], answered with a page of HTML
HISTORY: Final = "editcast.history"  # [], answered with the `StoredFile`s and the size of the store
SAVES: Final = "editcast.saves"  # [path], answered with the numbers and times of its saves
SAVED_TEXT: Final = "editcast.savedText"  # [path, number of the save], answered with the text
FORGET: Final = "editcast.forget"  # [[path] or null, since or null, until or null]: a sentence
EXPORT_HISTORY: Final = "editcast.exportHistory"  # [file to write, [path] or null]: a sentence
SHOW_STATUS: Final = "editcast.status"  # [], or [uri]: its message is why nothing is served there

CODE_ACTION_KIND: Final = "quickfix.nextEdit"


@attrs.define
class NextEditParams:
    """Parameters of `editcast/nextEdit`: the document, and the maximum number of suggestions."""

    text_document: types.TextDocumentIdentifier
    count: int | None = None


@attrs.define
class Suggestion:
    """One predicted edit of one document.

    Attributes:
        everywhere: If the same edit is due at several places, the simultaneous edits of all of
            them, including this one; else empty.
    """

    id: str  # for `editcast.accept` and `editcast.reject`
    edits: Sequence[types.TextEdit]  # one, of the document version that the suggestion belongs to
    everywhere: Sequence[types.TextEdit]
    line: int  # the first that changes, counted from 0
    title: str  # such as "Next edit, line 50: `foo` -> `bar` (93 %)"
    confidence: float  # calibrated estimate, 0 to 1, that the edit is right
    log_probability: float  # joint natural one of all token edits
    token_edits: int  # their number


@attrs.define
class OtherFile:
    """Another file that needs edits."""

    uri: str
    line: int  # of the first place, counted from 0
    places: int  # their number


@attrs.define
class NextEditResult:
    """Answer to `editcast/nextEdit`, and parameters of `editcast/didPredict`.

    Attributes:
        milliseconds: How long the prediction took; 0 if there was none for this version, because
            older suggestions are gone or the prediction took too long.
        best: Confidence of the best prediction, even below the threshold; None without one. Where
            nothing reaches half of the threshold, the best prediction may be left out.
        other_files: The files that need edits, if this one needs none. They come in a second
            notification, after the search.
    """

    uri: str
    version: int  # that the suggestions apply to
    model: str  # or the baseline that stands in for one
    milliseconds: float
    best: float | None
    threshold: float  # minimum confidence that is shown; 0 if there was no prediction
    suggestions: Sequence[Suggestion]  # best first
    other_files: Sequence[OtherFile]


@attrs.frozen
class StatusParams:
    """Parameters of `editcast/status`: the state of the server.

    Attributes:
        state: One of ready, thinking, snoozed, disabled, baseline, training.
        model: Name of the model, or of the baseline; empty until one is loaded.
        message: A sentence for the user.
    """

    state: Literal["ready", "thinking", "snoozed", "disabled", "baseline", "training"]
    model: str
    message: str


@attrs.define
class InlineEditContext:
    """The reason of a request: 1 the user, 2 the client itself (LSP 3.18, inline completion)."""

    trigger_kind: int | None = None


@attrs.define
class InlineEditParams:
    """Parameters of `textDocument/copilotInlineEdit`."""

    text_document: types.OptionalVersionedTextDocumentIdentifier
    position: types.Position  # of the cursor; the edit may be elsewhere
    context: InlineEditContext | None = None  # most clients omit it


@attrs.define
class InlineEdit:
    """One edit of one document version."""

    text: str
    text_document: types.VersionedTextDocumentIdentifier
    range: types.Range
    command: types.Command  # for `workspace/executeCommand` once the user has accepted the edit


@attrs.define
class InlineEditResult:
    """Answer to `textDocument/copilotInlineEdit`; empty if there is no suggestion."""

    edits: Sequence[InlineEdit]


@attrs.define
class DidShowParams:
    """Parameters of `textDocument/didShowInlineEdit`: the edit, as far as a client returns it."""

    item: Any


_Message = tuple[type[Any], type[Any] | None]


def _request(params: Any, result: Any) -> _Message:
    """Create the types of a request and of its response."""
    request = {"id": int | str, "params": params, "method": str}
    return _type("Request", request), _type("Response", {"id": int | str | None, "result": result})


def _notification(params: Any) -> _Message:
    return _type("Notification", {"params": params, "method": str}), None


def _type(name: str, fields: Mapping[str, Any]) -> type[Any]:
    # No field has a default: lsprotocol's converter leaves defaults out of the JSON.
    kinds = {**fields, "jsonrpc": str}
    return attrs.make_class(name, {key: attrs.field(type=kind) for key, kind in kinds.items()})


#: Method -> type of the message, type of the response.
MESSAGES: Final[Mapping[str, _Message]] = {
    NEXT_EDIT: _request(NextEditParams, NextEditResult | None),
    DID_PREDICT: _notification(NextEditResult),
    STATUS: _notification(StatusParams),
    INLINE_EDIT: _request(InlineEditParams, InlineEditResult),
    DID_SHOW: _notification(DidShowParams),
}


class EditcastMessages(LanguageServerProtocol):
    """LSP with our own messages, for either end of the connection."""

    # pygls caches these two methods; another cache would keep every server alive.
    def get_message_type(self, method: str) -> type[Any] | None:  # type: ignore[override]
        """Return the type of a request or notification."""
        return MESSAGES[method][0] if method in MESSAGES else super().get_message_type(method)

    def get_result_type(self, method: str) -> type[Any] | None:  # type: ignore[override]
        """Return the type of a request's response."""
        return MESSAGES[method][1] if method in MESSAGES else super().get_result_type(method)
