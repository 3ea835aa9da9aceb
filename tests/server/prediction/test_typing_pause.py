"""When the server holds its tongue while the user types, and when it goes on."""

from itertools import count
from typing import Any

import pytest

pytestmark = pytest.mark.asyncio(loop_scope="module")

CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(6))
PROBES = count()
LONG = ", " + " + ".join(f"margin_{number}" for number in range(25))


async def drain(editor: Any) -> None:
    """Wait until whatever the server meant to predict so far is predicted."""
    probe = editor.open(f"probe_{next(PROBES)}.py", CALLS)
    editor.type(probe, "render", "draw")
    await editor.until(lambda: predicted(editor, probe))
    editor.close(probe)


def predicted(editor: Any, uri: str) -> list[Any]:
    """Return what was predicted for the document as it is now, withdrawals left out."""
    version = editor.versions[uri]
    return [
        one
        for one in editor.predicted
        if (one.uri, one.version) == (uri, version) and one.milliseconds
    ]


async def test_nothing_after_an_undo_but_after_a_save(editor: Any) -> None:
    uri = editor.open("undo.py", CALLS)
    editor.type(uri, "part_5", "part_five")
    editor.type(uri, "render", "draw")
    assert await editor.best(uri)
    editor.type(uri, "draw", "render")
    await drain(editor)
    assert predicted(editor, uri) == []
    last = [one for one in editor.predicted if one.uri == uri][-1]
    assert (last.version, list(last.suggestions)) == (editor.versions[uri], [])
    editor.type(uri, "render", "draw")  # a redo
    await drain(editor)
    assert predicted(editor, uri) == []
    editor.save(uri)
    await editor.until(lambda: predicted(editor, uri))
    assert predicted(editor, uri)[-1].suggestions
    editor.type(uri, "part_0", "part_zero")
    await editor.until(lambda: predicted(editor, uri))


async def test_where_the_user_typed_something_else_nothing_until_the_save(editor: Any) -> None:
    text = "".join(f"{name} = fetch(address)\n" for name in ("users", "orders", "items"))
    uri = editor.open("else.py", text)
    for name in ("users", "orders"):
        line = f"{name} = fetch(address"
        editor.type(uri, line, f"{line}, timeout=5")
        editor.save(uri)
    assert (await editor.best(uri)).line == 2
    editor.type(uri, "items = fetch(address", "items = fetch(address,")  # it agrees
    assert (await editor.best(uri)).edits[0].new_text == " timeout=5"
    editor.type(uri, "items = fetch(address,", "items = fetch(address,#")
    await drain(editor)
    assert not [one for one in predicted(editor, uri) if one.suggestions]
    assert await editor.best(uri) is None
    editor.save(uri)
    await editor.until(lambda: predicted(editor, uri))
    assert (await editor.best(uri)).line == 2


async def test_who_asks_is_answered_after_an_undo(editor: Any) -> None:
    uri = editor.open("asked.py", CALLS)
    editor.type(uri, "render", "draw")
    assert await editor.best(uri)
    editor.type(uri, "draw", "render")
    editor.type(uri, "render", "draw")
    await drain(editor)
    assert predicted(editor, uri) == []
    assert await editor.best(uri)


@pytest.mark.parametrize("pasted", ["x = 1\n" * 8, "x" * 200])
async def test_nothing_after_a_paste_but_after_a_save(editor: Any, pasted: str) -> None:
    uri = editor.open(f"paste_{len(pasted)}.py", CALLS)
    editor.type(uri, "def part_0", pasted + "\ndef part_0")
    editor.type(uri, "render", "draw")  # right behind it
    await drain(editor)
    assert predicted(editor, uri) == []
    editor.save(uri)
    await editor.until(lambda: predicted(editor, uri))
    assert predicted(editor, uri)[-1].suggestions


async def test_deleted_lines_count_as_bulk(editor: Any) -> None:
    uri = editor.open("cut.py", "x = 1\n" * 8 + CALLS)
    editor.type(uri, "x = 1\n" * 8, "")
    await drain(editor)
    assert predicted(editor, uri) == []


@pytest.mark.parametrize("edit_first", [True, False])
async def test_after_a_long_suggestion_was_taken_the_next_follows(
    editor: Any, edit_first: bool
) -> None:
    uri = editor.open(f"long_{edit_first}.py", CALLS)
    editor.type(uri, "render(text, 0", "render(text, 0" + LONG)
    editor.save(uri)
    for line in (5, 9, 13):
        best = await editor.best(uri)
        assert best.line == line
        (edit,) = best.edits
        if edit_first:
            editor.change(uri, edit.range, edit.new_text)
            await editor.command("editcast.accept", best.id)
        else:
            await editor.command("editcast.accept", best.id)
            editor.change(uri, edit.range, edit.new_text)
        await editor.until(lambda: predicted(editor, uri))
    assert editor.texts[uri].text.count(LONG) == 4


async def test_what_typing_contradicts_is_taken_back_at_once(start: Any) -> None:
    async with start({"debounceMs": 60_000}) as editor:
        uri = editor.open("gone.py", CALLS)
        editor.type(uri, "render", "draw")
        editor.save(uri)
        assert await editor.best(uri)
        editor.type(uri, "render(text, 1)", "paint(text, 1)")
        await editor.until(lambda: editor.predicted[-1].version == editor.versions[uri])
        last = editor.predicted[-1]
        assert (last.uri, list(last.suggestions), last.milliseconds) == (uri, [], 0)


async def test_what_nothing_contradicts_stays(start: Any) -> None:
    async with start({"debounceMs": 60_000}) as editor:
        uri = editor.open("stays.py", CALLS)
        editor.type(uri, "render", "draw")
        editor.save(uri)
        before = await editor.best(uri)
        whole = editor.applied(uri, before)
        editor.type(uri, "part_0", "part_zero")
        await editor.until(lambda: editor.predicted[-1].version == editor.versions[uri])
        (left,) = editor.predicted[-1].suggestions
        assert left.id == before.id
        assert editor.applied(uri, left) == whole.replace("part_0", "part_zero", 1)


async def test_the_second_best_does_not_take_the_place_of_the_rejected(editor: Any) -> None:
    uri = editor.open("second.py", CALLS)
    editor.type(uri, "render", "draw")
    editor.save(uri)
    editor.type(uri, "(text, 0", "(text, 0, width")
    editor.save(uri)
    found = (await editor.next_edit(uri, 8)).suggestions
    lines = [one.line for one in found]
    assert lines.count(lines[0]) > 1  # or else this tests nothing
    await editor.command("editcast.reject", found[0].id)
    left = (await editor.next_edit(uri, 8)).suggestions
    assert left
    assert lines[0] not in [one.line for one in left]
    # A change of the text, and it is one of many again.
    editor.type(uri, "part_5", "part_five")
    left = (await editor.next_edit(uri, 20)).suggestions
    assert lines[0] in [one.line for one in left]


async def test_imports_alone_are_not_suggested(editor: Any) -> None:
    uri = editor.open("import.py", "import old\n\n\nvalue = old.name\n")
    editor.type(uri, "value = old", "value = new")
    editor.save(uri)
    assert await editor.best(uri) is None
    uri = editor.open("imports.py", "import old\nfrom old import name\n\n\nvalue = name\n")
    editor.type(uri, "import old", "import new")
    editor.save(uri)
    assert (await editor.best(uri)).line == 1
