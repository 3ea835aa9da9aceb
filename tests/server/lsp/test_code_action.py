"""`textDocument/codeAction`: kind `quickfix.nextEdit`."""

from typing import Any

import pytest
from lsprotocol import types

pytestmark = pytest.mark.asyncio(loop_scope="module")

CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(6))
AUTOMATIC = types.CodeActionTriggerKind.Automatic


def edited(editor: Any, name: str) -> str:
    uri: str = editor.open(name, CALLS)
    editor.type(uri, "render", "draw")
    editor.save(uri)
    return uri


async def test_three_at_most_and_the_best_is_preferred(editor: Any) -> None:
    uri = edited(editor, "three.py")
    actions = await editor.code_actions(uri, line=20)
    assert [action.is_preferred for action in actions] == [True, None, None]
    assert {action.kind for action in actions} == {"quickfix.nextEdit"}
    best = await editor.best(uri)
    action = actions[0]
    assert action.title == best.title
    assert action.data == {
        "confidence": best.confidence,
        "logProbability": best.log_probability,
        "edits": best.token_edits,
        "line": best.line,
    }
    confidences = [action.data["confidence"] for action in actions]
    assert confidences == sorted(confidences, reverse=True)


async def test_edits_are_bound_to_the_version(editor: Any) -> None:
    uri = edited(editor, "bound.py")
    (change,) = (await editor.code_actions(uri))[0].edit.document_changes
    assert (change.text_document.uri, change.text_document.version) == (uri, 2)
    assert [edit.new_text for edit in change.edits] == ["draw"]


async def test_clients_without_document_changes_get_changes(start: Any) -> None:
    async with start(versions=False) as editor:
        uri = edited(editor, "plain.py")
        edit = (await editor.code_actions(uri))[0].edit
        assert edit.document_changes is None
        assert [one.new_text for one in edit.changes[uri]] == ["draw"]


@pytest.mark.parametrize(
    ("only", "some"),
    [
        (None, True),
        ([], False),
        (["quickfix"], True),
        (["quickfix.nextEdit"], True),
        (["source.fixAll", "quickfix"], True),
        ([""], True),
        (["quickfix.nextEditor"], False),
        (["quick"], False),
        (["source.organizeImports"], False),
        (["refactor"], False),
    ],
)
async def test_only_is_honoured(editor: Any, only: list[str] | None, some: bool) -> None:
    uri = edited(editor, "only.py")
    assert bool(await editor.code_actions(uri, only=only)) is some


async def test_the_user_waits_and_nobody_else(start: Any) -> None:
    # A pause of a minute: without being asked for, nothing is predicted in this test.
    async with start({"debounceMs": 60_000}) as editor:
        uri = editor.open("patience.py", CALLS)
        editor.type(uri, "render", "draw")
        assert await editor.code_actions(uri, AUTOMATIC) == []
        assert await editor.code_actions(uri, None) == []
        assert len(await editor.code_actions(uri)) == 3
        assert len(await editor.code_actions(uri, AUTOMATIC)) == 3
        editor.type(uri, "part_5", "last_part")
        assert len(await editor.code_actions(uri, AUTOMATIC)) == 3  # nothing contradicts them


async def test_nothing_for_an_unknown_document(editor: Any) -> None:
    assert await editor.code_actions("file:///never/opened.py") == []


async def test_taking_one_is_recorded(editor: Any) -> None:
    uri = edited(editor, "taken.py")
    command = (await editor.code_actions(uri))[0].command
    assert command.command == "editcast.accept"
    assert await editor.command(command.command, *command.arguments) is None
    assert await editor.command(command.command, *command.arguments) is None  # and not twice
