"""Files as they lie open in an editor, and saves that change them, to measure memory and time.

The files are the first lines of the standard library's: real code, on every machine. Each save
renames one more occurrence of a name, as somebody does who has no tool for it.
"""

import keyword
import re
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from editcast_model.diff import shortest_hunk

LINES = 240
_NAME = re.compile(r"\b[a-z_]{4,}\b")


def sources(count: int) -> list[str]:
    """The first `LINES` lines of so many files."""
    found: list[str] = []
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
        if len(lines) >= LINES:
            found.append("".join(lines[:LINES]))
    if len(found) < count:
        raise RuntimeError(f"The standard library has {len(found)} such files, not {count}.")
    return found[:count]


def renamings(text: str) -> Iterator[str]:
    """The text after each save: name by name, the most frequent first, from the top down."""
    written = Counter(_NAME.findall(text))
    for name, _ in written.most_common():
        if not keyword.iskeyword(name):
            word = re.compile(rf"\b{name}\b")
            while word.search(text):
                text = word.sub(f"my{name}", text, count=1)
                yield text


def save(editor: Any, uri: str, text: str) -> None:
    """Change a document of an `Editor` to `text`, in one change, and save it."""
    buffer = editor.texts[uri]
    (edit,) = buffer.text_edits([shortest_hunk(buffer.text, text)])
    editor.change(uri, edit.range, edit.new_text)
    editor.save(uri)
