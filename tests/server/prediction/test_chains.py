"""Chains of suggestions after a renamed parameter: in order, complete, and never unparsable."""

from typing import Any

import pytest

from editcast_model.diff import Hunk, shortest_hunk
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
JAVA = """\
class Shape {
    int area(int width, int height) {
        int size = width * height;
        return size + width;
    }

    int half(int width) {
        return width / 2;
    }
}
"""
CSHARP = """\
class Shape
{
    int Area(int width, int height)
    {
        var size = width * height;
        return size + width;
    }

    int Half(int width) => width / 2;
}
"""
C = """\
int area(int width, int height)
{
    int size = width * height;
    return size + width;
}

int half(int width) { return width / 2; }
"""
RUST = """\
fn area(width: i32, height: i32) -> i32 {
    let size = width * height;
    println!("{} {}", size, width);
    size
}

fn half(width: i32) -> i32 {
    width / 2
}
"""
VUE = """\
<script setup>
const width = ref(2)
</script>

<template>
  <p v-for="row in width" :style="{ width }">{{ row }}</p>
  <p v-for="width in rows">{{ width }}</p>
</template>
"""
PHP = """\
<?php
class Shape
{
    public function area(int $width, int $height): int
    {
        $size = $height;
        $size *= $width;
        return "$size {$width}";
    }

    private function half(int $width): int
    {
        return $width / 2;
    }
}
"""
RUBY = """\
class Shape
  def area(width, height)
    size = width * height
    log size, width
    size
  end

  def half(width)
    width / 2
  end
end
"""


@pytest.mark.parametrize(
    ("name", "language", "text", "lines"),
    [
        ("area.py", "python", PYTHON, [1, 2, 3, 11]),
        ("area.ts", "typescript", TYPESCRIPT, [1, 2]),
        ("area.go", "go", GO, [3, 4]),
        ("Area.java", "java", JAVA, [2, 3]),
        ("Area.cs", "csharp", CSHARP, [4, 5]),
        ("area.rs", "rust", RUST, [1, 2]),
        ("Area.vue", "vue", VUE, [5]),
        ("area.c", "c", C, [2, 3]),
        ("area.php", "php", PHP, [6, 7]),
        ("area.rb", "ruby", RUBY, [2, 3]),
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
        others = {"python": 3, "typescript": 3, "vue": 3}.get(language, 2)
        assert left.count("width") == others


CASES = "".join(f'    ("{n} kB", {n}000),\n' for n in (1, 2, 3, 7, 9))
TABLE = f"cases = [\n{CASES}]\n"
HANDLERS = "export const handlers = {\n" + "".join(
    f"  {name}: (request: Request) => {{\n    const row = {name}(request);\n"
    "    return json(row);\n  },\n"
    for name in ("list", "show", "create", "remove")
)
HANDLERS += "};\n"


def _rows(count: int) -> str:
    return TABLE.replace("000)", '000, "kB")', count)


def _awaited(functions: int, calls: int) -> str:
    text = HANDLERS.replace(": (request: Request)", ": async (request: Request)", functions)
    return text.replace("row = ", "row = await ", calls)


@pytest.mark.parametrize(
    ("name", "language", "texts"),
    [
        ("cases.py", "python", [_rows(count) for count in range(6)]),
        ("handlers.ts", "typescript", [_awaited(n - n // 2, n // 2) for n in range(9)]),
    ],
    ids=["the rows of a table", "two replacements that take turns"],
)
async def test_what_is_repeated_is_offered_in_order(
    start: Any, name: str, language: str, texts: list[str]
) -> None:
    async with start({"modelPath": "", "confidenceThreshold": 0.1}) as editor:
        uri = editor.open(name, texts[0], language)
        typed = 2 if language == "python" else 3
        for text in texts[1 : typed + 1]:
            (edit,) = editor.texts[uri].text_edits([shortest_hunk(editor.texts[uri].text, text)])
            editor.change(uri, edit.range, edit.new_text)
            editor.save(uri)
        for text in texts[typed + 1 :]:

            def is_offered() -> bool:
                last = editor.predicted[-1] if editor.predicted else None
                return bool(last and last.suggestions and last.version == editor.versions[uri])

            await editor.until(is_offered)
            suggestion = editor.predicted[-1].suggestions[0]
            for edit in reversed(suggestion.edits):
                editor.change(uri, edit.range, edit.new_text)
            assert editor.texts[uri].text == text
            await editor.command("editcast.accept", suggestion.id)
