"""The service's suggestions and status as LSP's messages and ours.

Positions are converted and edits are bound to a document's version here.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from lsprotocol import types

from editcast_model.diff import Hunk
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


def code_actions(document: Document, most: int, *, has_versions: bool) -> list[types.CodeAction]:
    """Return the best `most` suggestions as code actions; taking one tells the server so.

    Behind the first one of several places comes what makes the edit at all of them.
    """
    actions: list[types.CodeAction] = []
    seen: set[tuple[Hunk, ...]] = set()
    for rank, one in enumerate(document.suggestions[:most]):
        action = partial(_code_action, document, one, has_versions=has_versions)
        actions.append(action(one.title, one.hunks, is_preferred=rank == 0))
        if one.everywhere and one.everywhere not in seen:
            seen.add(one.everywhere)
            actions.append(action(f"Apply to all {len(one.everywhere)} places", one.everywhere))
    return actions


def _code_action(
    document: Document,
    suggestion: Suggestion,
    title: str,
    hunks: Sequence[Hunk],
    *,
    is_preferred: bool = False,
    has_versions: bool,
) -> types.CodeAction:
    edits = _text_edits(document, hunks)
    if has_versions:
        it = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
        edit = types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(it, edits)])
    else:
        edit = types.WorkspaceEdit(changes={document.uri: edits})
    return types.CodeAction(
        title=title,
        kind=protocol.CODE_ACTION_KIND,
        is_preferred=is_preferred or None,
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
    """Convert a document's suggestions to our own messages."""
    return protocol.NextEditResult(
        uri=document.uri,
        version=document.version,
        model=document.model,
        milliseconds=round(document.milliseconds, 3) if document.has(1) else 0.0,
        best=document.best if document.has(1) else None,
        threshold=document.threshold if document.has(1) else 0.0,
        suggestions=[
            protocol.Suggestion(
                id=suggestion.id,
                edits=_text_edits(document, suggestion.hunks),
                everywhere=_text_edits(document, suggestion.everywhere),
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


def _text_edits(document: Document, hunks: Sequence[Hunk]) -> list[types.TextEdit]:
    return document.buffer.text_edits(hunks) if document.buffer and hunks else []
