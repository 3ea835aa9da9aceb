"""`textDocument/inlineCompletion` (LSP 3.18): what is purely inserted at the cursor."""

from typing import Any

import pytest
from lsprotocol import types

TEXT = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(4))


async def complete(
    editor: Any,
    uri: str,
    line: int,
    column: int,
    trigger: types.InlineCompletionTriggerKind = types.InlineCompletionTriggerKind.Automatic,
) -> list[Any]:
    found = await editor.client.text_document_inline_completion_async(
        types.InlineCompletionParams(
            context=types.InlineCompletionContext(trigger),
            text_document=types.TextDocumentIdentifier(uri),
            position=types.Position(line, column),
        )
    )
    return list(found or [])


async def test_an_insertion_at_the_cursor_and_nothing_elsewhere(start: Any) -> None:
    async with start(inline=True) as editor:
        assert editor.capabilities.inline_completion_provider
        uri = editor.open("inline.py", TEXT)
        editor.type(uri, "render(text, 0)", "render(text, 0, width)")
        editor.save(uri)
        column = len("    return render(text, 1")
        (item,) = await complete(editor, uri, 5, column)
        assert item.insert_text == ", width"
        assert item.range.start == item.range.end == types.Position(5, column)
        assert item.command.command == "editcast.accept"
        assert await complete(editor, uri, 5, column - 3) == []
        assert await complete(editor, uri, 0, 0) == []
        assert await complete(editor, uri, 99, 0) == []
        assert await complete(editor, "file:///unknown.py", 0, 0) == []
        # A replacement is no insertion.
        uri = editor.open("replace.py", TEXT)
        editor.type(uri, "render", "draw")
        editor.save(uri)
        assert await editor.best(uri)
        assert await complete(editor, uri, 5, len("    return ")) == []


async def test_an_automatic_request_holds_back_where_a_typing_pause_would(start: Any) -> None:
    async with start(inline=True) as editor:
        uri = editor.open("undone.py", TEXT)
        editor.type(uri, "render(text, 0)", "render(text, 0, width)")
        editor.type(uri, ", width", "")
        editor.type(uri, "render(text, 0)", "render(text, 0, width)")
        column = len("    return render(text, 1")
        assert await complete(editor, uri, 5, column) == []
        (item,) = await complete(editor, uri, 5, column, types.InlineCompletionTriggerKind.Invoked)
        assert item.insert_text == ", width"


@pytest.mark.asyncio(loop_scope="module")
async def test_not_offered_to_clients_that_do_not_know_it(editor: Any) -> None:
    assert editor.capabilities.inline_completion_provider is None
