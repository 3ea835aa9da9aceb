"""Chains of suggestions after a renamed parameter: in order, complete, and never unparsable."""

from typing import Any

import pytest

from editcast_model.diff import Hunk
from editcast_model.syntax.tree import parse

PYTHON = """\
def area(width, height):
    size = width * height
    if width > 3:
        print("width", width)
    return size


def half(width):
    return width / 2


print(area(width=2, height=3))
"""
TYPESCRIPT = """\
export function area(width: number, height: number): number {
  const size = width * height;
  return width > 3 ? size : draw({ width });
}

export function half(width: number): number {
  return width / 2;
}
"""
GO = """\
package shape

func Area(width int, height int) int {
	size := width * height
	return size + width
}

func Half(width int) int {
	return width / 2
}
"""


@pytest.mark.parametrize(
    ("name", "language", "text", "lines"),
    [
        ("area.py", "python", PYTHON, [1, 2, 3, 11]),
        ("area.ts", "typescript", TYPESCRIPT, [1, 2, 2]),
        ("area.go", "go", GO, [3, 4]),
    ],
)
async def test_a_renamed_parameter_is_followed_to_its_last_use(
    start: Any, name: str, language: str, text: str, lines: list[int]
) -> None:
    async with start({"modelPath": "", "confidenceThreshold": None}) as editor:
        uri = editor.open(name, text, language)
        place = text.index("width")
        for index, key in enumerate("breadth"):
            end = place + len("width") if index == 0 else place + index
            (edit,) = editor.texts[uri].text_edits([Hunk(place + index, end, key)])
            editor.change(uri, edit.range, key)
        touched = []
        for _ in lines:

            def is_offered() -> bool:
                last = editor.predicted[-1] if editor.predicted else None
                return bool(last and last.suggestions and last.version == editor.versions[uri])

            await editor.until(is_offered)
            suggestion = editor.predicted[-1].suggestions[0]
            touched.append(suggestion.line)
            for edit in reversed(suggestion.edits):
                editor.change(uri, edit.range, edit.new_text)
            await editor.command("editcast.accept", suggestion.id)
            tree = parse(editor.texts[uri].text, language)
            assert tree is not None and tree.parses
        assert touched == lines
        left = editor.texts[uri].text
        # Another function's parameter of the same name, a key and a string keep theirs.
        others = {"python": 3, "typescript": 3, "go": 2}[language]
        assert left.count("width") == others
