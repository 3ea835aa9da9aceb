"""The messages of clients that ask for next edits as Copilot's language server answers them.

Their shape is theirs: one range an edit, and `edits` are edits to choose from.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import attrs
from lsprotocol import types

INLINE_EDIT: Final = "textDocument/copilotInlineEdit"
DID_SHOW: Final = "textDocument/didShowInlineEdit"


@attrs.define
class InlineEditContext:
    """Reason why the client asks: 1 the user, 2 the client itself (LSP 3.18, inline completion)."""

    trigger_kind: int | None = None


@attrs.define
class InlineEditParams:
    """Parameters of `textDocument/copilotInlineEdit`.

    Attributes:
        text_document: The document, and the version that the client has.
        position: Where the cursor is; the edit may be elsewhere.
        context: What made the client ask; most say nothing of it.
    """

    text_document: types.OptionalVersionedTextDocumentIdentifier
    position: types.Position
    context: InlineEditContext | None = None


@attrs.define
class InlineEdit:
    """One edit of one document version.

    Attributes:
        text: What is to stand in the range.
        text_document: The document and the version that the range belongs to.
        range: What is replaced.
        command: To be run by `workspace/executeCommand` once the user has taken the edit.
    """

    text: str
    text_document: types.VersionedTextDocumentIdentifier
    range: types.Range
    command: types.Command


@attrs.define
class InlineEditResult:
    """Answer to `textDocument/copilotInlineEdit`; no edits when there is nothing to suggest."""

    edits: Sequence[InlineEdit]


@attrs.define
class ShownCommand:
    """The command of an edit, as a client hands it back; some leave out all but the arguments."""

    arguments: Sequence[Any] | None = None


@attrs.define
class ShownItem:
    """The edit that was shown; of its parts only the command says which."""

    command: ShownCommand | None = None


@attrs.define
class DidShowParams:
    """Parameters of `textDocument/didShowInlineEdit`."""

    item: ShownItem


@attrs.define
class InlineEditRequest:
    """The request `textDocument/copilotInlineEdit`."""

    id: int | str
    params: InlineEditParams
    method: str
    jsonrpc: str


@attrs.define
class InlineEditResponse:
    """The response to `textDocument/copilotInlineEdit`."""

    id: int | str | None
    result: InlineEditResult
    jsonrpc: str


@attrs.define
class DidShowNotification:
    """The notification `textDocument/didShowInlineEdit`."""

    params: DidShowParams
    method: str
    jsonrpc: str


# Method -> type of the message, type of the response.
MESSAGES: Final[Mapping[str, tuple[type[Any], type[Any] | None]]] = {
    INLINE_EDIT: (InlineEditRequest, InlineEditResponse),
    DID_SHOW: (DidShowNotification, None),
}
