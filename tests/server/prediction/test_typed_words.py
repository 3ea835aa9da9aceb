"""Words that are being typed: nothing that depends on one is offered before it is whole."""

from typing import Any

TEXT = """\
def area(width, height):
    size = width * height
    if width > 3:
        print("width", width)
    return size
"""


def type_over(editor: Any, uri: str, old: str, new: str) -> None:
    """Type a word over another one, key by key."""
    editor.type(uri, old, new[0])
    for end in range(1, len(new)):
        editor.type(uri, f"({new[:end]},", f"({new[: end + 1]},")


async def test_a_renamed_parameter_is_followed_by_its_use_without_a_save(start: Any) -> None:
    async with start({"modelPath": "", "confidenceThreshold": None}) as editor:
        uri = editor.open("area.py", TEXT)
        type_over(editor, uri, "width", "breadth")

        def is_offered() -> bool:
            last = editor.predicted[-1] if editor.predicted else None
            return bool(last and last.uri == uri and last.suggestions)

        await editor.until(is_offered)
        (first,) = editor.predicted[-1].suggestions
        assert first.line == 1
        assert editor.applied(uri, first).count("breadth") == 2
