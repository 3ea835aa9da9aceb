"""`editcast/nextEdit` and `editcast/didPredict`."""

import asyncio
from typing import Any

import pytest

pytestmark = pytest.mark.asyncio(loop_scope="module")

CALLS = "".join(f"def part_{i}(text):\n    return render(text, {i})\n\n\n" for i in range(6))


async def test_a_save_predicts_the_edit_elsewhere(editor: Any) -> None:
    uri = editor.open("elsewhere.py", CALLS)
    editor.type(uri, "render(text, 0)", "render(text, 0, width)")
    editor.save(uri)
    result = await editor.next_edit(uri)
    (suggestion,) = result.suggestions
    assert editor.applied(uri, suggestion) == editor.texts[uri].text.replace(
        "render(text, 1)", "render(text, 1, width)"
    )
    assert (result.uri, result.version, suggestion.line) == (uri, editor.versions[uri], 5)
    assert result.model == "repeat-best"
    assert result.milliseconds > 0
    assert 0 < suggestion.confidence <= 1
    assert suggestion.title == "Next edit, line 6: insert `, width`"


async def test_what_is_predicted_is_announced(editor: Any) -> None:
    uri = editor.open("announced.py", CALLS)
    editor.type(uri, "render", "draw")
    editor.save(uri)
    await editor.until(lambda: any(one.uri == uri for one in editor.predicted))
    asked = await editor.next_edit(uri)
    assert editor.predicted[-1] == asked


async def test_count_is_how_many_at_most(editor: Any) -> None:
    uri = editor.open("count.py", CALLS)
    editor.type(uri, "render", "draw")
    editor.save(uri)
    for count in (1, 3, 2):
        result = await editor.next_edit(uri, count)
        assert len(result.suggestions) == count
        assert len({one.id for one in result.suggestions}) == count
    with pytest.raises(Exception, match="at least 1"):
        await editor.next_edit(uri, 0)


async def test_typing_alone_is_enough(editor: Any) -> None:
    uri = editor.open("typing.py", CALLS)
    editor.type(uri, "render", "draw")
    await editor.until(lambda: any(one.uri == uri and one.suggestions for one in editor.predicted))
    assert editor.predicted[-1].version == editor.versions[uri]
    assert "`render` -> `draw`" in editor.predicted[-1].suggestions[0].title


async def test_a_save_after_which_the_same_is_predicted_keeps_the_suggestion(editor: Any) -> None:
    uri = editor.open("kept.py", CALLS)
    editor.type(uri, "render", "draw")
    await editor.until(lambda: any(one.uri == uri and one.suggestions for one in editor.predicted))
    (before,) = editor.predicted[-1].suggestions
    editor.save(uri)
    again = await editor.best(uri)
    assert (again.id, again.edits) == (before.id, before.edits)


async def test_typing_along_shortens_the_suggestion(editor: Any) -> None:
    uri = editor.open("along.py", CALLS)
    editor.type(uri, "render(text, 0)", "render(text, 0, width)")
    editor.save(uri)
    before = await editor.best(uri)
    whole = editor.applied(uri, before)
    editor.type(uri, "(text, 1", "(text, 1, wi")
    left = await editor.best(uri)
    assert left.id == before.id
    assert left.edits[0].new_text == "dth"
    assert editor.applied(uri, left) == whole
    assert editor.predicted[-1].version == editor.versions[uri]


async def test_typing_something_else_ends_the_suggestion(editor: Any) -> None:
    uri = editor.open("other.py", CALLS)
    editor.type(uri, "render(text, 0)", "render(text, 0, width)")
    editor.save(uri)
    before = await editor.best(uri)
    editor.type(uri, "(text, 1", "(text, 1 + 1")
    after = await editor.next_edit(uri)
    assert after.version == editor.versions[uri]
    assert before.id not in [one.id for one in after.suggestions]


async def test_an_answer_belongs_to_the_version_it_names(editor: Any) -> None:
    uri = editor.open("newest.py", CALLS)
    editor.type(uri, "render", "draw")
    answers = []
    for before, after in (("draw", "paint"), ("paint", "print"), ("print", "write")):
        answers.append(asyncio.ensure_future(editor.next_edit(uri)))
        await asyncio.sleep(0)
        editor.type(uri, before, after)
    words = {2: "draw", 3: "paint", 4: "print", 5: "write"}
    for least, answer in enumerate(answers, 2):
        result = await answer
        assert result.version >= least
        assert f"-> `{words[result.version]}`" in result.suggestions[0].title


async def test_nothing_for_a_document_that_is_not_open(editor: Any) -> None:
    assert await editor.next_edit((editor.home / "never.py").as_uri()) is None
    uri = editor.open("closed.py", CALLS)
    assert await editor.next_edit(uri) is not None
    editor.close(uri)
    assert await editor.next_edit(uri) is None


async def test_untitled_documents_are_served(editor: Any) -> None:
    uri = editor.open("untitled:Untitled-1", CALLS)
    editor.type(uri, "render", "draw")
    assert (await editor.best(uri)).line == 5
