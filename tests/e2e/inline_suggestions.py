"""Edits as VS Code's own inline suggestions: what an extension may have drawn without decorations.

The probe suggests them through `registerInlineCompletionItemProvider`. VS Code's form for edits
elsewhere, `isInlineEdit`, is a proposed API, which no published extension may use.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from workbench import Workbench

#: What VS Code draws an inline suggestion with.
GHOST = ".ghost-text-decoration, .ghost-text"

TEXT = """\
def area(breadth, height):
    size = width * height
    return 
"""  # noqa: W291 - what is to be returned is suggested


@dataclass(frozen=True)
class Suggestion:
    """A text to stand in place of characters `start` to `end` of a line, all counted from 0."""

    line: int
    start: int
    end: int
    text: str


#: An edit in `TEXT` and the line on whose end the cursor is, counted from 1.
AT_THE_CURSOR = (Suggestion(2, 11, 11, "size + height"), 3)
LINES_AT_THE_CURSOR = (Suggestion(0, 26, 26, "\n    if not breadth:\n        return 0"), 1)
REPLACEMENT = (Suggestion(1, 11, 16, "breadth"), 2)
ON_ANOTHER_LINE = (Suggestion(2, 11, 11, "size + height"), 1)


def suggest_inline(workbench: Workbench, file: Path, suggestion: Suggestion, line: int) -> None:
    """Have VS Code asked for inline suggestions, with the cursor at the end of a line.

    Args:
        workbench: A window with the probe, and `file` open in it.
        file: Has `TEXT`.
        suggestion: What the probe answers.
        line: Where the cursor is, counted from 1.
    """
    Path(f"{file}.suggestion").write_text(json.dumps(asdict(suggestion)))
    workbench.press("Escape")
    workbench.go_to(line, len(TEXT.split("\n")[line - 1]) + 1)
    workbench.press("Control+F8")
