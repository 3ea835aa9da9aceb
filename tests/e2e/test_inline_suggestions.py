"""Inline suggestions of an extension as VS Code draws them, which is why Editcast draws by itself.

When this fails because a newer VS Code draws more, `docs/vscode.md` has to be thought over.
"""

import pytest

from code_server import HERE
from inline_suggestions import (
    AT_THE_CURSOR,
    GHOST,
    LINES_AT_THE_CURSOR,
    ON_ANOTHER_LINE,
    REPLACEMENT,
    TEXT,
    suggest_inline,
)
from vsix_files import pack

pytestmark = pytest.mark.timeout(600)


def test_vs_code_draws_only_what_is_inserted_at_the_cursor(open_workbench, tmp_path):
    workbench = open_workbench(pack(HERE / "probe", tmp_path / "probe.vsix"))
    file = workbench.folder / "area.py"
    file.write_text(TEXT)
    workbench.open(file)
    workbench.focus_editor()
    given = [REPLACEMENT, AT_THE_CURSOR, ON_ANOTHER_LINE, LINES_AT_THE_CURSOR]
    drawn = []
    for number, (suggestion, line) in enumerate(given, 1):
        suggest_inline(workbench, file, suggestion, line)
        asked = f"suggestion {number} was asked for"
        workbench.wait(asked, lambda asked=asked: workbench.has_message(asked))
        drawn.append(bool(workbench.texts(GHOST)))
    assert drawn == [False, True, False, True]
    assert workbench.struck() == []
