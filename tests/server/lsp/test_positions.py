"""Positions in every encoding: beside an emoji, on lines other than 0, at column 0."""

from typing import Any

import pytest
from lsprotocol import types

TEXT = "".join(f'label = "🎉é{i}"; show(label, "𝔘")\nshow(label, "𝔘")  # 🎉\n\n' for i in range(4))


@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-32"])
async def test_changes_and_edits_are_where_the_editor_counts(start: Any, encoding: str) -> None:
    async with start(encoding=encoding) as editor:
        uri = editor.open("emoji.py", TEXT)
        # Behind an emoji on line 0, at column 0 of line 1, and once more behind one.
        editor.type(uri, 'show(label, "𝔘")', 'show("🎉", label, "𝔘")')
        editor.type(uri, 'show(label, "𝔘")', 'show("🎉", label, "𝔘")')
        editor.save(uri, with_text=False)
        for _ in range(3):  # both lines of a pair at once
            suggestion = await editor.best(uri)
            (edit,) = suggestion.edits
            editor.change(uri, edit.range, edit.new_text)
            editor.save(uri, with_text=False)
        text = editor.texts[uri].text
        assert text == TEXT.replace("show(label", 'show("🎉", label')


@pytest.mark.asyncio(loop_scope="module")
async def test_column_zero_and_the_end_without_a_line_end(editor: Any) -> None:
    uri = editor.open("zero.py", "🎉 = 1\nfirst(one)\nfirst(two)\nfirst(three)")
    editor.type(uri, "first(one)", "second(one)")
    editor.save(uri, with_text=False)
    suggestion = await editor.best(uri)
    assert suggestion.edits[0].range == types.Range(types.Position(2, 0), types.Position(2, 5))
    editor.type(uri, "first(two)", "second(two)")
    editor.type(uri, "first(three)", "third()")
    end = types.Position(3, 7)
    editor.change(uri, types.Range(end, end), "\nfirst(four)")
    editor.save(uri, with_text=False)
    suggestion = await editor.best(uri)
    assert suggestion.edits[0].range == types.Range(types.Position(4, 0), types.Position(4, 5))


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.asyncio(loop_scope="module")
async def test_other_line_ends(editor: Any, end: str) -> None:
    uri = editor.open("ends.txt", f"first(one){end}first(two){end}x\nfirst(three)", "plaintext")
    editor.type(uri, "first(one)", "second(one)")
    editor.save(uri, with_text=False)
    suggestion = await editor.best(uri)
    assert suggestion.edits[0].range == types.Range(types.Position(1, 0), types.Position(1, 5))
    assert editor.applied(uri, suggestion) == editor.texts[uri].text.replace(
        "first(two)", "second(two)"
    )
