"""Emacs with eglot, in batch mode, on the configuration that docs/editors.md quotes."""

from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parent / "eglot-session.el"


def test_the_next_edit_is_taken(session: Any, emacs: list[str]) -> None:
    done = session.run(*emacs, "-l", str(SCRIPT), configuration=["eglot.el"])
    assert done.returncode == 0, done.stdout
    assert session.file.read_text() == session.taken, done.stdout
    session.wait_for_outcome("accepted")


def test_nothing_comes_without_the_server(session: Any, emacs: list[str]) -> None:
    done = session.run(*emacs, "-l", str(SCRIPT), configuration=["eglot.el"], with_server=False)
    assert done.returncode == 1, done.stdout
    assert "never came: the code action" in done.stdout
    assert session.file.read_text() == session.edited
