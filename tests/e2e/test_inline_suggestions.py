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
    workbench.run("Probe: Start Measuring")  # its keys are known once its commands are
    workbench.focus_editor()
    given = {
        REPLACEMENT: False,
        AT_THE_CURSOR: True,
        ON_ANOTHER_LINE: False,
        LINES_AT_THE_CURSOR: True,
    }
    for number, (suggestion, is_drawn) in enumerate(given.items(), 1):
        text, line = suggestion
        suggest_inline(workbench, file, text, line)
        asked = f"suggestion {number} was asked for"
        workbench.wait(asked, lambda asked=asked: workbench.has_message(asked))
        what = f"suggestion {number} to be {'drawn' if is_drawn else 'not drawn'}"
        workbench.wait(what, lambda is_drawn=is_drawn: bool(workbench.texts(GHOST)) == is_drawn)
    assert workbench.struck() == []
