"""Conversion of suggestions to LSP messages and Editcast's own.

This is where offsets become positions, and edits are bound to a version of a document.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from lsprotocol import types

from editcast_model.diff import Hunk
from editcast_model.forecasting.filters import word_at
from editcast_model.wording import counted
from editcast_server.documents.document import Document
from editcast_server.documents.suggestion import CONTEXT, Suggestion
from editcast_server.lsp import protocol
from editcast_server.prediction.other_files import OtherFile

_TITLE_WIDTH: Final = 40


def is_wanted(only: Any) -> bool:
    """Tell whether a code action request asks for our kind, or a kind that includes it."""
    if only is None:
        return True
    kinds = [str(getattr(kind, "value", kind)) for kind in only]
    ours = protocol.CODE_ACTION_KIND + "."
    return any(not kind or ours.startswith(kind + ".") for kind in kinds)


def code_actions(
    document: Document,
    most: int,
    other_files: Sequence[OtherFile] | None = None,
    *,
    has_versions: bool,
) -> list[types.CodeAction]:
    """Return the best `most` suggestions as code actions, each with the accept command.

    After a suggestion for several places follows an action for all of them. Without suggestions,
    there may be an action for other files: those of the last answer, unless `other_files` is given.
    """
    actions: list[types.CodeAction] = []
    seen: set[tuple[Hunk, ...]] = set()
    for rank, one in enumerate(document.suggestions[:most]):
        action = partial(_code_action, document, one, has_versions=has_versions)
        actions.append(action(title_of(one), (one.hunk,), is_preferred=rank == 0))
        if one.everywhere and one.everywhere not in seen:
            seen.add(one.everywhere)
            actions.append(action(f"Apply to all {len(one.everywhere)} places", one.everywhere))
    found = _other_files(document) if other_files is None else other_files
    if found and not actions:
        title = title_elsewhere(found)
        command = types.Command(title, protocol.APPLY_OTHER_FILES, arguments=[document.uri])
        actions.append(types.CodeAction(title, kind=protocol.CODE_ACTION_KIND, command=command))
    return actions


def _other_files(document: Document) -> Sequence[OtherFile]:
    """Return the other files of the last answer; none while this file has suggestions."""
    is_current = document.answer is not None and document.has(1) and not document.suggestions
    return document.answer.other_files if is_current and document.answer else ()


def title_elsewhere(files: Sequence[OtherFile]) -> str:
    """Return a title such as "Change 5 places in 2 other files"."""
    places = sum(len(one.hunks) for one in files)
    return f"Change {counted(places, 'place')} in {counted(len(files), 'other file')}"


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
        command=accept_command(suggestion),
        data={
            "confidence": suggestion.confidence,
            "logProbability": suggestion.log_probability,
            "edits": suggestion.edits,
            "line": suggestion.place.line,
        },
    )


def accept_command(suggestion: Suggestion) -> types.Command:
    """Return the command that an editor sends once the user has accepted a suggestion."""
    return types.Command("Accept", protocol.ACCEPT, arguments=[suggestion.id])


def next_edit_result(document: Document, most: int | None = None) -> protocol.NextEditResult:
    """Convert a document's suggestions to the parameters of `editcast/didPredict`."""
    answer = document.answer
    current = answer if document.has(1) else None
    return protocol.NextEditResult(
        uri=document.uri,
        version=document.version,
        model=answer.model_name if answer else "",
        milliseconds=round(current.milliseconds, 3) if current else 0.0,
        best=current.best if current else None,
        threshold=current.job.conditions.thresholds.edit if current else 0.0,
        suggestions=[
            protocol.Suggestion(
                id=suggestion.id,
                edits=_text_edits(document, (suggestion.hunk,)),
                everywhere=_text_edits(document, suggestion.everywhere),
                line=suggestion.place.line,
                title=title_of(suggestion),
                confidence=suggestion.confidence,
                log_probability=suggestion.log_probability,
                token_edits=suggestion.edits,
            )
            for suggestion in document.suggestions[:most]
        ],
        other_files=[
            protocol.OtherFile(one.uri, one.line, len(one.hunks)) for one in _other_files(document)
        ],
    )


def title_of(suggestion: Suggestion) -> str:
    """Return a title such as "Next edit, line 50: `foo` -> `bar` (93 %)".

    Words are shown whole. The score of a baseline is not shown.
    """
    old, new = map(_one_line, _in_whole_words(suggestion))
    if not old:
        what = f"insert `{new}`"
    elif not new:
        what = f"delete `{old}`"
    else:
        what = f"`{old}` -> `{new}`"
    sure = f" ({100 * suggestion.confidence:.0f} %)" if suggestion.is_probable else ""
    return f"Next edit, line {suggestion.place.line + 1}: {what}{sure}"


def insertion_at(hunk: Hunk, offset: int, text: str) -> str | None:
    """Return the inserted text if a hunk is an insertion at `offset`, else None.

    This includes a replacement whose new text only adds to the old one, and an insertion elsewhere
    that has the same result at `offset`.
    """
    start, end = min(offset, hunk.start), max(offset, hunk.end)
    if end - start > hunk.size:
        return None
    old = text[start:end]
    new = text[start : hunk.start] + hunk.text + text[hunk.end : end]
    head, tail = old[: offset - start], old[offset - start :]
    if len(new) > len(old) and new.startswith(head) and new.endswith(tail):
        return new[len(head) : len(new) - len(tail)]
    return None


def _text_edits(document: Document, hunks: Sequence[Hunk]) -> list[types.TextEdit]:
    return document.buffer.text_edits(hunks) if document.buffer and hunks else []


def _in_whole_words(suggestion: Suggestion) -> tuple[str, str]:
    """Return the text that is replaced, and the one in its place.

    A word of which only a part changes is added to both, if all of it is known.
    """
    place, old, new = suggestion.place, suggestion.place.old, suggestion.hunk.text
    head = place.before[word_at(place.before, len(place.before)).start :]
    tail = place.after[: word_at(place.after, 0).stop]
    if len(head) < CONTEXT and (word_at(old, 0) or word_at(new, 0)):
        old, new = head + old, head + new
    if len(tail) < CONTEXT and (word_at(old, len(old)) or word_at(new, len(new))):
        old, new = old + tail, new + tail
    return old, new


def _one_line(text: str) -> str:
    """Shorten `text` for a title: trim it, replace line ends by a sign, cut out the middle."""
    line = " ⏎ ".join(part.strip() for part in text.strip().splitlines()) or text.strip("\r\n")
    if not line and text:
        line = "⏎"
    if len(line) <= _TITLE_WIDTH:
        return line
    half = (_TITLE_WIDTH - 1) // 2
    return f"{line[:half]}…{line[-half:]}"
