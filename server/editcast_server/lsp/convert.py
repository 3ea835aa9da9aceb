"""The service's suggestions and status as LSP's messages and ours.

Positions are converted and edits are bound to a document's version here.
"""

from typing import Any

from lsprotocol import types

from editcast_server.documents.document import Document
from editcast_server.documents.suggestion import Suggestion
from editcast_server.lsp import protocol
from editcast_server.status import Status


def is_wanted(only: Any) -> bool:
    """Tell whether a code action request asks for our kind, or for one of which ours is a kind."""
    if only is None:
        return True
    kinds = [str(getattr(kind, "value", kind)) for kind in only]
    ours = protocol.CODE_ACTION_KIND + "."
    return any(not kind or ours.startswith(kind + ".") for kind in kinds)


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
        milliseconds=round(document.milliseconds, 3) if document.has(1) else 0.0,
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
    """Return what the server is doing, as `editcast/status` sends it."""
    return protocol.StatusParams(status.state, status.model, status.message)


def _text_edits(document: Document, suggestion: Suggestion) -> list[types.TextEdit]:
    return document.buffer.text_edits(suggestion.hunks) if document.buffer else []
