"""One edit at all of its places: the second code action, the protocol, and what becomes of it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXT = """\
def area(width, height):
    size = width * height
    if width > 3:
        print("width", width)
    return size


print(area(width=2, height=3))
"""
DONE = TEXT.replace("width", "breadth").replace('"breadth"', '"width"')


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(editors: Any, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Any]:
    """An editor on the bundled model; the baselines know of no names."""
    async with editors(tmp_path_factory.mktemp("home"), {"modelPath": ""}) as shared:
        yield shared


def renamed(editor: Any, name: str) -> str:
    uri: str = editor.open(name, TEXT)
    editor.type(uri, "(width,", "(breadth,")
    editor.save(uri)
    return uri


def take(editor: Any, uri: str, edits: list[types.TextEdit], *, at_once: bool = True) -> None:
    """Apply edits of the text as it is, from the last one on as VS Code does."""
    changes = [
        types.TextDocumentContentChangePartial(one.range, one.new_text) for one in reversed(edits)
    ]
    for one in changes:
        editor.texts[uri].apply(one.range, one.text)
    for some in [changes] if at_once else [[one] for one in changes]:
        editor.versions[uri] += 1
        editor.send_change(uri, editor.versions[uri], *some)


async def test_the_second_code_action_is_for_all_places(editor: Any) -> None:
    uri = renamed(editor, "action.py")
    one, everywhere, *others = await editor.code_actions(uri)
    assert (one.is_preferred, everywhere.is_preferred) == (True, None)
    assert everywhere.title == "Apply to all 4 places"
    assert (everywhere.kind, everywhere.command) == (one.kind, one.command)
    assert [len(each.edit.document_changes[0].edits) for each in (one, everywhere)] == [1, 4]
    # The others are of the same places.
    assert len(others) == 2 and all(each.title.startswith("Next edit") for each in others)
    (change,) = everywhere.edit.document_changes
    take(editor, uri, change.edits)
    assert editor.texts[uri].text == DONE


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("edit_first", [True, False])
async def test_what_is_applied_everywhere_is_accepted(
    editor: Any, at_once: bool, edit_first: bool
) -> None:
    uri = renamed(editor, f"taken-{at_once}-{edit_first}.py")
    best = await editor.best(uri)
    assert len(best.edits) == 1 and best.edits[0] in best.everywhere
    if edit_first:
        take(editor, uri, best.everywhere, at_once=at_once)
    await editor.command("editcast.accept", best.id)
    if not edit_first:
        take(editor, uri, best.everywhere, at_once=at_once)
    assert editor.texts[uri].text == DONE
    # The next one is predicted at once, without a save.
    version = editor.versions[uri]
    await editor.until(
        lambda: any(
            (one.uri, one.version) == (uri, version) and one.milliseconds
            for one in editor.predicted
        )
    )


async def test_typing_along_leaves_all_places(editor: Any) -> None:
    uri = renamed(editor, "along.py")
    best = await editor.best(uri)
    editor.type(uri, "size = wi", "size = b")
    left = await editor.best(uri)
    assert (left.id, len(left.everywhere)) == (best.id, 4)
    take(editor, uri, left.everywhere)
    assert editor.texts[uri].text == DONE
    await editor.command("editcast.accept", best.id)


async def test_typing_elsewhere_moves_all_places(editor: Any) -> None:
    uri = renamed(editor, "else.py")
    assert (await editor.best(uri)).everywhere
    editor.type(uri, "def area", "import os\n\n\ndef area")
    now = (uri, editor.versions[uri])
    await editor.until(lambda: now in [(one.uri, one.version) for one in editor.predicted])
    (moved,) = next(one.suggestions for one in editor.predicted if (one.uri, one.version) == now)
    take(editor, uri, moved.everywhere)
    assert editor.texts[uri].text == "import os\n\n\n" + DONE
