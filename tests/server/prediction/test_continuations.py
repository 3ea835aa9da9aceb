"""Continuations of what is typed, key by key in the real server."""

from pathlib import Path
from typing import Any

from lsprotocol import types

from editcast_model.diff import Hunk

SETTINGS = {"modelPath": "", "confidenceThreshold": None}
OTHER = """\
def first(order):
    order.validate_shipping_address(strict=True)
    return order


def second(order):
    order.validate_shipping_address(strict=True)
    return order
"""
# Other files count less than the file itself, so that it takes more places in them.
MANY = "".join(
    f"def part_{number}(order):\n    order.validate_shipping_address(strict=False)\n\n\n"
    for number in range(12)
)
BEFORE = "def third(order):\n    \n    return order\n"


def press(editor: Any, uri: str, before: str, keys: str) -> str:
    """Type keys behind a text; returns the text up to the cursor."""
    for key in keys:
        start = editor.texts[uri].text.index(before) + len(before)
        (place,) = editor.texts[uri].text_edits([Hunk(start, start, key)])
        editor.change(uri, place.range, key)
        before += key
    return before


def is_offered(editor: Any, uri: str, text: str) -> bool:
    last = editor.predicted[-1] if editor.predicted else None
    if not last or last.uri != uri or not last.suggestions:
        return False
    return bool(text in editor.applied(uri, last.suggestions[0]))


async def test_a_line_of_the_file_itself(start: Any) -> None:
    async with start(SETTINGS) as editor:
        await editor.until(lambda: editor.statuses[-1].model)
        uri = editor.open("orders.py", f"{OTHER}\n\n{BEFORE}")
        press(editor, uri, "def third(order):\n    ", "order.val")
        line = "third(order):\n    order.validate_shipping_address(strict=True)\n"
        await editor.until(lambda: is_offered(editor, uri, line))


async def test_behind_one_that_is_typed_past_the_next_one_comes(start: Any) -> None:
    async with start(SETTINGS) as editor:
        await editor.until(lambda: editor.statuses[-1].model)
        uri = editor.open("orders.py", f"{OTHER}\n\n{BEFORE}")
        before = press(editor, uri, "def third(order):\n    ", "order.val")
        line = "third(order):\n    order.validate_shipping_address(strict=True)\n"
        await editor.until(lambda: is_offered(editor, uri, line))
        press(editor, uri, before, "ue = order.val")
        line = "third(order):\n    order.value = order.validate_shipping_address"
        await editor.until(lambda: is_offered(editor, uri, line))


async def test_a_line_of_another_file_that_is_saved(start: Any, tmp_path: Path) -> None:
    async with start(SETTINGS) as editor:
        await editor.until(lambda: editor.statuses[-1].model)
        folder = types.WorkspaceFolder((tmp_path / "project").as_uri(), "folder")
        event = types.WorkspaceFoldersChangeEvent([folder], [])
        editor.client.workspace_did_change_workspace_folders(
            types.DidChangeWorkspaceFoldersParams(event)
        )
        other = editor.open("other.py", MANY)
        editor.type(other, "part_0", "first")
        editor.save(other)
        uri = editor.open("orders.py", BEFORE)
        press(editor, uri, "def third(order):\n    ", "order.val")
        line = "third(order):\n    order.validate_shipping_address"
        await editor.until(lambda: is_offered(editor, uri, line))


async def test_it_comes_as_inline_completion_at_the_cursor(start: Any) -> None:
    async with start(SETTINGS, inline=True) as editor:
        uri = editor.open("orders.py", f"{OTHER}\n\n{BEFORE}")
        await editor.until(lambda: editor.statuses[-1].model)
        before = press(editor, uri, "def third(order):\n    ", "order.val")
        text = editor.texts[uri].text
        line = text.count("\n", 0, text.index(before) + len(before))
        place = types.Position(line, len("    order.val"))
        context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Invoked)
        params = types.InlineCompletionParams(context, types.TextDocumentIdentifier(uri), place)
        items = await editor.client.text_document_inline_completion_async(params)
        assert [one.insert_text for one in items] == ["idate_shipping_address(strict=True)"]
